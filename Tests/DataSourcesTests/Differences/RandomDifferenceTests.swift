import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@Suite struct RandomDifferenceTests {
  @Test func `the difference of any two lists keeps the laws`() {
    for seed in Seeds.range(Int(Seeds.fullPairs)) {
      var random = SeededGenerator(seed: seed)
      let mayRepeat = random.once(in: 4)
      let old = random.list(mayRepeat: mayRepeat)
      let new = random.list(mayRepeat: mayRepeat)
      let update = Update(old: old, new: new)
      if update.changes.isEmpty {
        #expect(old == new, "\(Seeds.hint(seed))")
        continue
      }
      let violations = Laws.violations(of: update)
      #expect(violations == [], "\(old.text) to \(new.text): \(update.changes), \(Seeds.hint(seed))")
      if !violations.isEmpty { return }
    }
  }

  @Test func `the difference of an edited list keeps the laws`() {
    for seed in Seeds.range(1500) {
      var random = SeededGenerator(seed: seed)
      var nextID = 1000
      var list = random.list()
      for _ in 0..<4 {
        let old = list
        for _ in 0...random.below(5) { random.edit(&list, nextID: &nextID) }
        let update = Update(old: old, new: list)
        if update.changes.isEmpty {
          #expect(old == list, "\(Seeds.hint(seed))")
          continue
        }
        let violations = Laws.violations(of: update)
        #expect(violations == [], "\(old.text) to \(list.text): \(update.changes), \(Seeds.hint(seed))")
        if !violations.isEmpty { return }
      }
    }
  }

  @Test func `skipping what is shared finds what looking at all finds`() {
    for seed in Seeds.range(60) {
      var random = SeededGenerator(seed: seed)
      var nextID = 10_000
      var list = Snapshot(
        (0..<3).map { section in
          Section(
            id: .integer(Int64(section)), name: "\(section)",
            items: (0..<700).map { Row(section * 1000 + $0) })
        })
      for _ in 0..<3 {
        let old = list
        for _ in 0...random.below(8) { random.edit(&list, nextID: &nextID) }
        let update = Update(old: old, new: list)
        if update.changes.isEmpty { continue }
        let violations = Laws.replay(update) + Laws.frugal(update) + Laws.acceptable(update)
        #expect(violations == [], "\(update.changes), \(Seeds.hint(seed))")
        let unshared = list.changes(from: rebuilt(old))
        #expect(unshared.deletedItems == update.changes.deletedItems, "\(Seeds.hint(seed))")
        #expect(unshared.insertedItems == update.changes.insertedItems, "\(Seeds.hint(seed))")
        #expect(unshared.updatedItems == update.changes.updatedItems, "\(Seeds.hint(seed))")
        #expect(unshared.movedItems.count == update.changes.movedItems.count, "\(Seeds.hint(seed))")
        if !violations.isEmpty { return }
      }
    }
  }

  @Test func `a shared piece weighs as much as it has rows`() {
    let old = Snapshot([Section("A", Array(0..<640))])
    var new = old
    // The rows that are moved outnumber those in between that are looked at, but not all that are in between.
    for _ in 0..<150 { new.move(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 0, item: 399)) }
    let update = Update(old: old, new: new)
    #expect(Laws.violations(of: update) == [])
    #expect(update.changes.movedItems.map(\.from.item) == Array(0..<150))
  }
}
