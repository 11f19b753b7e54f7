import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@testable import FetchedResultsCore

/// The difference of a few changed rows keeps the laws of differences, without seeing the other rows.
@Suite struct SeveralChangesTests {
  private struct Item: Identifiable, Equatable {
    var id: Int
    var content = 0
  }

  private struct World {
    var old: [[Item]]
    var new: [[Item]]
    var changes = SeveralChanges()

    /// Sections of random lengths, of which a few rows leave, arrive, move, or stay with other content.
    init(_ dice: inout SeededGenerator) {
      var next = 0
      old = (0..<dice.pick(1, 1, 2, 5)).map { _ in
        (0..<1 + dice.below(dice.pick(3, 12, 60))).map { _ in
          next += 1
          return Item(id: next)
        }
      }
      new = old
      var taken: [Item] = []
      var leaving: Set<Int> = []
      var moving: Set<Int> = []
      var updated: Set<Int> = []
      for item in old.flatMap({ $0 }) where dice.below(6) == 0 {
        switch dice.below(4) {
        case 0: leaving.insert(item.id)
        case 1: updated.insert(item.id)
        default:
          moving.insert(item.id)
          if dice.below(2) == 0 { updated.insert(item.id) }
        }
      }
      for section in new.indices {
        for index in new[section].indices where updated.contains(new[section][index].id) {
          new[section][index].content = 1
        }
        taken += new[section].filter { moving.contains($0.id) }
        new[section].removeAll { leaving.contains($0.id) || moving.contains($0.id) }
      }
      let arriving = Set(next + 1..<next + 1 + dice.below(4))
      for item in taken + arriving.sorted().map({ Item(id: $0) }) {
        let section = dice.below(new.count)
        new[section].insert(item, at: dice.below(new[section].count + 1))
      }
      for (section, items) in old.enumerated() {
        changes.oldCounts[section] = items.count
        for (index, item) in items.enumerated() {
          let path = ItemPath(section: section, item: index)
          let isUpdated = updated.contains(item.id)
          if leaving.contains(item.id) {
            changes.rows.append(.init(kind: .leaves, slot: 0, old: path))
          } else if moving.contains(item.id) {
            changes.rows.append(.init(kind: .moves, slot: 0, old: path, new: newPath(of: item), isUpdated: isUpdated))
          } else if isUpdated {
            changes.rows.append(.init(kind: .stays, slot: 0, old: path, new: newPath(of: item), isUpdated: true))
          }
        }
      }
      for id in arriving {
        changes.rows.append(.init(kind: .arrives, slot: 0, new: newPath(of: Item(id: id))))
      }
    }

    private func newPath(of item: Item) -> ItemPath {
      for (section, items) in new.enumerated() {
        if let index = items.firstIndex(where: { $0.id == item.id }) { return ItemPath(section: section, item: index) }
      }
      preconditionFailure("the item \(item.id) is not in the new list")
    }

    static func snapshot(_ sections: [[Item]]) -> Snapshot<Item> {
      Snapshot(sections.enumerated().map { Section(id: .integer(Int64($0)), name: "\($0)", items: $1) })
    }
  }

  @Test func `the difference of a few rows is right, and moves as few rows as possible`() throws {
    for seed in Seeds.range(2000) {
      var dice = SeededGenerator(seed: seed)
      let world = World(&dice)
      let (old, new) = (World.snapshot(world.old), World.snapshot(world.new))
      let changes = try #require(world.changes.changes(), "no difference, \(Seeds.hint(seed))")
      let compared = new.changes(from: old)
      if compared.isEmpty {
        #expect(changes.isEmpty, "\(Seeds.hint(seed))")
        continue
      }
      let violations = Laws.violations(of: Update(old: old, new: new, changes: changes))
      #expect(violations.isEmpty, "\(violations), \(Seeds.hint(seed))")
      #expect(changes.deletedItems == compared.deletedItems, "\(Seeds.hint(seed))")
      #expect(changes.insertedItems == compared.insertedItems, "\(Seeds.hint(seed))")
      #expect(changes.updatedItems == compared.updatedItems, "\(Seeds.hint(seed))")
      #expect(changes.movedItems.count == compared.movedItems.count, "\(Seeds.hint(seed))")
      if !violations.isEmpty { return }
    }
  }

  @Test func `indices that fit no section give no difference`() {
    var changes = SeveralChanges()
    changes.oldCounts[0] = 2
    changes.rows = [
      .init(kind: .moves, slot: 0, old: ItemPath(section: 0, item: 1), new: ItemPath(section: 0, item: 9))
    ]
    #expect(changes.changes() == nil)
  }
}
