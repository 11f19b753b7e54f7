import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@Suite struct CompositionTests {
  @Test func `two differences in a row are one`() {
    for seed in Seeds.range(1500) {
      var random = SeededGenerator(seed: seed)
      let lists = (0..<3).map { _ in random.list() }
      let first = lists[1].changes(from: lists[0])
      let second = lists[2].changes(from: lists[1])
      let both = Update(old: lists[0], new: lists[2], changes: first.appending(second))
      let violations = Laws.replay(both)
      #expect(violations == [], "\(lists.map(\.text)): \(both.changes), \(Seeds.hint(seed))")
      if !violations.isEmpty { return }
    }
  }

  @Test func `a composition of edits has the fewest moves and stages`() {
    for seed in Seeds.range(1000) {
      var random = SeededGenerator(seed: seed)
      var nextID = 1000
      var list = random.list()
      let start = list
      var changes = Changes()
      for _ in 0..<4 {
        let before = list
        for _ in 0...random.below(3) { random.edit(&list, nextID: &nextID) }
        changes = changes.appending(list.changes(from: before))
      }
      let update = Update(old: start, new: list, changes: changes)
      // Only a comparison of the rows could find that a changed row has changed back.
      let violations =
        Laws.replay(update) + (changes.isEmpty ? [] : Laws.acceptable(update))
        + Laws.frugal(update).filter { $0.rule.hasPrefix("more") }
      #expect(violations == [], "\(start.text) to \(list.text): \(changes), \(Seeds.hint(seed))")
      if !violations.isEmpty { return }
    }
  }

  @Test func `a difference and its inverse lead nowhere`() {
    for seed in Seeds.range(1000) {
      var random = SeededGenerator(seed: seed)
      let old = random.list()
      let new = random.list()
      let changes = new.changes(from: old)
      let back = Update(old: new, new: old, changes: changes.inverse)
      #expect(Laws.replay(back) == [], "\(Seeds.hint(seed))")
      #expect(changes.inverse.inverse == changes, "\(Seeds.hint(seed))")
      let round = changes.appending(changes.inverse)
      // Judging by places, a section that is deleted and inserted is another one.
      if !round.deletedSections.isEmpty { continue }
      #expect(round.movedItems.isEmpty && round.movedSections.isEmpty, "\(round), \(Seeds.hint(seed))")
    }
  }

  @Test func `the empty difference changes nothing`() {
    let changes = Changes(
      deletedSections: [1],
      movedItems: [ItemMove(from: ItemPath(section: 0, item: 1), to: ItemPath(section: 0, item: 0))])
    #expect(changes.appending(Changes()) == changes)
    #expect(Changes().appending(changes) == changes)
    #expect(Changes().inverse.isEmpty)
    #expect(Changes().batches().isEmpty)
  }

  /// Such changes can be decoded, and composing them before they are applied must not crash.
  @Test func `changes that fit no list can be composed`() {
    let path = ItemPath(section: 0, item: 3)
    let twice = Changes(
      movedSections: [SectionMove(from: 1, to: 0), SectionMove(from: 1, to: 2), SectionMove(from: 1, to: 5)],
      movedItems: [3, 1, 7].map { ItemMove(from: path, to: ItemPath(section: 0, item: $0)) })
    for (first, next) in [(twice, twice), (twice, twice.inverse), (twice.inverse, twice)] {
      #expect(first.appending(next).batches().count < 6)
    }
  }

  @Test func `composing a thousand edits of a long list stays small`() {
    var list = Snapshot(
      (0..<10).map { s in Section(id: .integer(Int64(s)), name: "", items: (0..<1000).map { Row(s * 1000 + $0) }) })
    let start = list
    var changes = Changes()
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let before = list
      list.move(
        from: ItemPath(section: random.below(10), item: random.below(500)),
        to: ItemPath(section: random.below(10), item: random.below(500)))
      changes = changes.appending(list.changes(from: before))
    }
    let update = Update(old: start, new: list, changes: changes)
    #expect(Laws.replay(update) == [])
    #expect(changes.movedItems.count == list.changes(from: start).movedItems.count)
  }
}
