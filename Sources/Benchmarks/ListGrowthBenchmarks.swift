import DataSources

/// What must not grow with the square of the list: the time for four times as much, by four times the time. 1 is
/// proportional, 4 would be the square.
func listGrowthBenchmarks() -> [Benchmark] {
  [
    Benchmark("list.growth_same_name", "sections of one name made in one edit, 4,000 against 1,000") { context in
      try context.growth(1_000) { count in
        let list = SectionController<GrowthRow>()
        list.edit { draft in for _ in 0..<count { draft.createSection(name: "Same") } }
        try context.check(Set(list.snapshot.map(\.id)).count == count, "two sections have one id")
      }
    },
    Benchmark("list.growth_equal_rows", "path(of:) where all rows are equal, before and after most went") { context in
      try context.growth(10_000) { count in
        var list = Snapshot([
          Section(id: 0, name: "", items: (0..<count).map { GrowthRow(id: $0 == count - 1 ? 1 : 0) })
        ])
        try context.check(list.path(of: 0) == ItemPath(section: 0, item: 0), "the wrong path")
        for _ in 0..<count / 2 { list.remove(at: ItemPath(section: 0, item: 0)) }
        try context.check(list.path(of: 1) == ItemPath(section: 0, item: count - count / 2 - 1), "the wrong path")
      }
    },
    Benchmark("list.growth_shared_rows", "path(of:) where all sections share their rows, before and after most went") {
      context in
      let rows = Section<GrowthRow>.Items((0..<100).map { GrowthRow(id: $0) })
      return try context.growth(250) { count in
        var list = Snapshot((0..<count).map { Section(id: .integer(Int64($0)), name: "", items: rows) })
        try context.check(list.path(of: 99) == ItemPath(section: 0, item: 99), "the wrong path")
        for _ in 0..<count - 1 { list.removeSection(at: 0) }
        try context.check(list.path(of: 99) == ItemPath(section: 0, item: 99), "the wrong path")
      }
    },
  ]
}

private struct GrowthRow: Identifiable, Equatable, Sendable {
  var id: Int
}

extension BenchContext {
  /// How the time for four times `count` compares with four times the time for `count`.
  fileprivate func growth(_ count: Int, _ body: (Int) throws -> Void) throws -> Figure {
    try ratio(subject: { try body(4 * count) }, baseline: { for _ in 0..<4 { try body(count) } })
  }
}
