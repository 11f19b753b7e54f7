import DataSources
import FetchedResultsSupport

/// Costs that must not grow quadratically: the time for four times as much, divided by four times the time. 1 is
/// linear, 4 would be quadratic.
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
    Benchmark("list.create_section_growth", "a section made by an edit of its own, one of 8,000 against one of 1,000") {
      context in
      let figure = try context.ratio(
        subject: { try createSections(8_000, context) },
        baseline: { for _ in 0..<8 { try createSections(1_000, context) } })
      return figure
    },
    Benchmark("list.readers_growth", "a reader that stalls at a place of its own, one of 2,000 against one of 250") {
      try readersGrowth($0)
    },
  ]
}

private func createSections(_ count: Int, _ context: BenchContext) throws {
  let list = SectionController<GrowthRow>()
  for number in 0..<count { list.createSection(name: "Section \(number)") }
  try context.check(list.numberOfSections == count, "sections are missing")
}

/// An item that can't be compared, so that the updates that slow readers missed are composed.
private struct OpaqueRow: Sendable {
  var content: Int
}

/// Readers join one after another, with a change after each. Then all of them read what they missed.
private func readersGrowth(_ context: BenchContext) throws -> Figure {
  func read(_ count: Int) throws {
    let list = SectionController((0..<16).map { OpaqueRow(content: $0) })
    var readers: [AsyncStream<Update<OpaqueRow>>] = []
    for number in 0..<count {
      readers.append(list.updates())
      list.update(OpaqueRow(content: number), at: ItemPath(section: 0, item: number % 16))
    }
    let all = readers
    let total = try waitFor {
      var total = 0
      for reader in all {
        var updates = reader.makeAsyncIterator()
        total += await updates.next()?.changes.updatedItems.count ?? 0
      }
      return total
    }
    try context.check(total == 16 * (count - 16) + 16 * 17 / 2, "a reader missed a change: \(total)")
  }
  return try context.ratio(subject: { try read(2_000) }, baseline: { for _ in 0..<8 { try read(250) } })
}

/// Runs asynchronous work, and blocks this thread until it is done.
private func waitFor(_ body: @escaping @Sendable () async -> Int) throws -> Int {
  let result = ResultBox()
  Task {
    result.set(await body())
  }
  return result.wait()
}

/// A number that another thread waits for.
private final class ResultBox: @unchecked Sendable {  // because `mutex` and `condition` guard the value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
  private let condition: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)
  private var value: Int?

  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition.initialize(to: pthread_cond_t())
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func set(_ value: Int) {
    pthread_mutex_lock(mutex)
    self.value = value
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  func wait() -> Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let value { return value }
      pthread_cond_wait(condition, mutex)
    }
  }
}

private struct GrowthRow: Identifiable, Equatable, Sendable {
  var id: Int
}

extension BenchContext {
  /// The time for four times `count`, divided by four times the time for `count`.
  fileprivate func growth(_ count: Int, _ body: (Int) throws -> Void) throws -> Figure {
    try ratio(subject: { try body(4 * count) }, baseline: { for _ in 0..<4 { try body(count) } })
  }
}
