import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@Suite struct FrozenTests {
  @Test func `a snapshot never changes, whatever happens to its copies`() {
    for seed in Seeds.range(100) {
      var random = SeededGenerator(seed: seed)
      var nextID = 1000
      var list = random.list()
      var taken: [FrozenList<Row>] = []
      for _ in 0..<30 {
        taken.append(FrozenList(list))
        random.edit(&list, nextID: &nextID)
      }
      #expect(taken.flatMap { $0.violations() } == [], "\(Seeds.hint(seed))")
    }
  }

  @Test func `a snapshot never changes while other tasks edit their copies`() async {
    let start = Snapshot(
      (0..<4).map { s in Section(id: .integer(Int64(s)), name: "", items: (0..<300).map { Row(s * 1000 + $0) }) })
    let frozen = FrozenList(start)
    let violations = await withTaskGroup(of: [Violation].self) { group in
      for task in 0..<8 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(task))
          var list = start
          var violations: [Violation] = []
          var nextID = 100_000
          for step in 0..<150 {
            let before = list
            random.edit(&list, nextID: &nextID)
            // Asking from several tasks makes the relatives' index go back and forth.
            for path in [start.paths.first, start.paths.last].compactMap(\.self)
            where start.path(of: start[path].id) != path {
              violations.append(Violation(.roundTrip, "another path"))
            }
            if let path = list.paths.last, list.path(of: list[path].id) != path {
              violations.append(Violation(.roundTrip, "another path in a copy"))
            }
            if step % 50 == 0 { violations += Laws.replay(Update(old: before, new: list)) + frozen.violations() }
          }
          return violations
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(violations == [])
    #expect(frozen.violations() == [])
  }
}
