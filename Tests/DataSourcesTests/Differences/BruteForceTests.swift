import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

/// Differences of small lists, compared with the result of trying everything by the rules in `Changes` and the pairing
/// of repeated ids in `changes(from:)`: which rows are deleted, inserted and updated exactly, and the fewest moves over
/// all subsets that could stay. It shares no code with the checkers of the laws.
@Suite struct BruteForceTests {
  private struct Pair: Hashable {
    let old: Int
    let new: Int
  }

  /// The first with the first of the same id, the second with the second.
  private func pairs<ID: Hashable>(_ old: [ID], _ new: [ID]) -> [Pair] {
    var waiting = Dictionary(grouping: old.indices, by: { old[$0] })
    return new.indices.compactMap { index in
      guard let first = waiting[new[index]]?.first else { return nil }
      waiting[new[index]]?.removeFirst()
      return Pair(old: first, new: index)
    }
  }

  /// The fewest that have to move, by trying every subset for those that stay.
  private func fewestMoves(_ pairs: [Pair]) -> Int {
    let order = pairs.sorted { $0.new < $1.new }.map(\.old)
    var most = 0
    for subset in 0..<1 << order.count where subset.nonzeroBitCount > most {
      let staying = order.indices.filter { subset & 1 << $0 != 0 }.map { order[$0] }
      if zip(staying, staying.dropFirst()).allSatisfy(<) { most = staying.count }
    }
    return order.count - most
  }

  private struct Expected {
    var sectionMoves = 0
    var movesInSections = 0
    var movesBetweenSections: Set<ItemMove> = []
    /// All that is not a choice, as a difference without moves.
    var rest = Changes()
  }

  private func expected(_ old: [Section<Row>], _ new: [Section<Row>]) -> Expected {
    var result = Expected()
    var left: [ItemPath] = []
    var come: [ItemPath] = []
    let sections = pairs(old.map(\.id), new.map(\.id))
    result.sectionMoves = fewestMoves(sections)
    func note(_ from: ItemPath, _ to: ItemPath) {
      if old[from.section].items[from.item] != new[to.section].items[to.item] {
        result.rest.updatedItems.append(ItemMove(from: from, to: to))
      }
    }
    for index in old.indices where !sections.contains(where: { $0.old == index }) {
      result.rest.deletedSections.append(index)
      left += old[index].items.indices.map { ItemPath(section: index, item: $0) }
    }
    for index in new.indices where !sections.contains(where: { $0.new == index }) {
      result.rest.insertedSections.append(index)
      come += new[index].items.indices.map { ItemPath(section: index, item: $0) }
    }
    for section in sections {
      let (before, after) = (old[section.old], new[section.new])
      if before.name != after.name {
        result.rest.updatedSections.append(SectionMove(from: section.old, to: section.new))
      }
      let rows = pairs(before.items.map(\.id), after.items.map(\.id))
      result.movesInSections += fewestMoves(rows)
      for row in rows {
        note(ItemPath(section: section.old, item: row.old), ItemPath(section: section.new, item: row.new))
      }
      for item in before.items.indices where !rows.contains(where: { $0.old == item }) {
        left.append(ItemPath(section: section.old, item: item))
      }
      for item in after.items.indices where !rows.contains(where: { $0.new == item }) {
        come.append(ItemPath(section: section.new, item: item))
      }
    }
    left.sort()
    come.sort()
    let across = pairs(left.map { old[$0.section].items[$0.item].id }, come.map { new[$0.section].items[$0.item].id })
    for pair in across {
      result.movesBetweenSections.insert(ItemMove(from: left[pair.old], to: come[pair.new]))
      note(left[pair.old], come[pair.new])
    }
    result.rest.deletedItems = left.indices.filter { index in !across.contains { $0.old == index } }.map { left[$0] }
    result.rest.insertedItems = come.indices.filter { index in !across.contains { $0.new == index } }.map { come[$0] }
    result.rest.updatedItems.sort { $0.to < $1.to }
    return result
  }

  @Test func `the difference is what trying everything finds`() {
    for seed in Seeds.range(3000) {
      var random = SeededGenerator(seed: seed)
      let mayRepeat = random.once(in: 3)
      let old = random.list(sections: 5, rows: 8, mayRepeat: mayRepeat)
      let new = random.list(sections: 5, rows: 8, mayRepeat: mayRepeat)
      let changes = new.changes(from: old)
      let expected = expected(Array(old), Array(new))
      var rest = changes
      rest.movedSections = []
      rest.movedItems = []
      let hint = Comment(rawValue: "\(old.text) to \(new.text): \(changes), \(Seeds.hint(seed))")
      #expect(rest == expected.rest, hint)
      #expect(changes.movedSections.count == expected.sectionMoves, hint)
      #expect(changes.movedItems.count == expected.movesInSections + expected.movesBetweenSections.count, hint)
      #expect(expected.movesBetweenSections.isSubset(of: changes.movedItems), hint)
      if rest != expected.rest { return }
    }
  }
}
