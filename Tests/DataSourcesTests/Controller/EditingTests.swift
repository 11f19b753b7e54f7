import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

/// The effect of each edit on the list, and the changes it publishes.
@Suite struct EditingTests {
  /// An item about which nothing is known.
  struct Opaque: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  let path = { ItemPath(section: $0, item: $1) }
  let move = { ItemMove(from: $0, to: $1) }

  let list = Ledger(
    Snapshot([
      Section(id: "A", name: "A", items: ["a", "b", "c"].map(Opaque.init)),
      Section(id: "B", name: "B", items: ["d"].map(Opaque.init)),
    ]))

  var text: String {
    list.snapshot.map { "\($0.name):" + $0.items.map(\.text).joined() }.joined(separator: " ")
  }

  var told: Changes? { list.told.last?.changes }

  @Test func `new titles are an update of the section`() {
    list.renameSection(at: 1, to: "Bee")
    #expect(told == Changes(updatedSections: [SectionMove(from: 1, to: 1)]))
    #expect(list.snapshot[1].id == "B")
    #expect(list.snapshot[1].indexTitle == "B")
    list.setHeader("Bees", ofSection: 1)
    list.setFooter("buzz", ofSection: 1)
    #expect(list.header(ofSection: 1) == "Bees")
    #expect(list.footer(ofSection: 1) == "buzz")
    #expect(list.told.count == 3)
  }

  @Test func `an edit that leaves the list unchanged publishes nothing`() {
    list.edit { _ in }
    list.move(from: path(0, 1), to: path(0, 1))
    list.moveSection(from: 1, to: 1)
    list.append(contentsOf: [], toSection: 0)
    list.renameSection(at: 0, to: "A")
    list.setFooter(nil, ofSection: 0)
    #expect(list.told.isEmpty)
    list.clear(section: 1)
    list.clear(section: 1)
    #expect(list.told.count == 1)
  }

  @Test func `changes of comparable rows that were undone are not reported`() {
    let list = Ledger(Snapshot([Section("A", [1, 2]), Section("B", [3])]))
    list.update(Row(1), at: path(0, 0))
    list.update(Row(2))
    list.edit { draft in
      draft.append(Row(4), toSection: 0)
      draft.remove(id: 4)
      draft.move(from: path(0, 0), to: path(1, 0))
      draft.move(from: path(1, 0), to: path(0, 0))
      draft.renameSection(at: 0, to: "X")
      draft.renameSection(at: 0, to: "A")
    }
    list.edit { draft in
      draft.clear()
      draft.appendSection(Section("A", [1, 2]))
      draft.appendSection(Section("B", [3]))
    }
    #expect(list.told.isEmpty)
  }

  @Test func `edits of rows that can't be compared are composed`() {
    list.edit { draft in
      draft.insert(Opaque("x"), at: path(0, 0))
      draft.insert(Opaque("y"), at: path(0, 1))
      draft.remove(at: path(0, 0))
      draft.move(from: path(0, 1), to: path(1, 0))
      draft.removeSection(at: 0)
    }
    #expect(text == "B:ad")
    #expect(
      told
        == Changes(
          deletedSections: [0], deletedItems: [path(0, 1), path(0, 2)], movedItems: [move(path(0, 0), path(0, 0))]))
  }

  @Test func `a row with another id is a deletion and an insertion`() {
    let list = Ledger(Snapshot([Section("A", [1, 2])]))
    list.update(Row(9), at: path(0, 1))
    #expect(list.told.last?.changes == Changes(deletedItems: [path(0, 1)], insertedItems: [path(0, 1)]))
  }

  @Test func `rows are edited by their ids`() {
    let list = Ledger(Snapshot([Section("A", [1, 2]), Section("B", [3])]))
    #expect(list.update(Row(3, 1)) == path(1, 0))
    #expect(list.told.last?.changes == Changes(updatedItems: [move(path(1, 0), path(1, 0))]))
    #expect(list.remove(id: 2) == Row(2))
    #expect(list.told.last?.changes == Changes(deletedItems: [path(0, 1)]))
    #expect(list.remove(id: 2) == nil)
    #expect(list.update(Row(2)) == nil)
    #expect(list.told.count == 2)
  }

  @Test func `rows of the same id do no harm`() {
    let list = Ledger(Snapshot([Section("A", [1, 1, 2, 1])]))
    list.remove(at: path(0, 0))
    #expect(list.told.last?.changes == Changes(deletedItems: [path(0, 0)]))
    list.edit { draft in
      draft.remove(at: path(0, 0))
      draft.append(Row(1), toSection: 0)
    }
    #expect(list.snapshot.text == "A[2, 1, 1]")
    #expect(list.told.flatMap { Laws.replay($0) } == [])
  }

  @Test func `replacing the list publishes the difference`() {
    let list = Ledger(Snapshot([Section("A", [1, 2, 3]), Section("B", [4])]))
    list.replace(with: Snapshot([Section("B", [4, 1]), Section("A", [3, 2])]))
    #expect(list.told.flatMap { Laws.violations(of: $0) } == [])
    #expect(list.told.last?.changes.movedItems.count == 2)
    #expect(list.told.last?.changes.movedSections.count == 1)
  }

  /// Whatever the edits, the published changes lead from one list to the other, and are as few as possible.
  @Test(arguments: Seeds.range(60)) func `random edits keep the laws`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let list = Ledger(random.list())
    var nextID = 100
    for _ in 0..<30 { list.edit { draft in draft.edit(random: &random, nextID: &nextID) } }
    for _ in 0..<10 {
      list.edit { draft in for _ in 0..<6 { draft.edit(random: &random, nextID: &nextID) } }
    }
    for update in list.told { #expect(Laws.violations(of: update) == [], "\(Seeds.hint(seed))") }
    #expect(Laws.chain(list.told) == [], "\(Seeds.hint(seed))")
  }

  /// The same with rows that can't be compared: only the test knows their identity.
  @Test(arguments: Seeds.range(60)) func `random edits of opaque rows keep the laws`(seed: UInt64) {
    struct Hidden: Sendable { let row: Row }
    var random = SeededGenerator(seed: seed)
    let start = random.list()
    let list = Ledger(
      Snapshot(start.map { Section(id: $0.id, name: $0.name, items: $0.items.map { Hidden(row: $0) }) }))
    var nextID = 100
    for round in 0..<40 {
      list.edit { draft in
        for _ in 0..<(round < 30 ? 1 : 6) {
          draft.edit(random: &random, nextID: &nextID, wrap: Hidden.init, unwrap: \.row)
        }
      }
    }
    for update in list.told {
      let broken = Laws.replay(update, identifiedBy: { $0.row.id }, by: { $0.row == $1.row })
      #expect(broken == [], "\(Seeds.hint(seed))")
      let unacceptable = Laws.acceptable(update, identifiedBy: { $0.row.id }, by: { $0.row == $1.row })
      #expect(unacceptable == [], "\(Seeds.hint(seed))")
    }
  }
}

extension Draft {
  /// Makes one of all possible edits of a list.
  mutating func edit(
    random: inout SeededGenerator, nextID: inout Int, wrap: (Row) -> Item, unwrap: (Item) -> Row
  ) {
    guard !snapshot.isEmpty, !random.once(in: 10) else {
      createSection(name: "S\(random.below(4))", items: (0..<random.below(3)).map { wrap(Row(nextID + $0)) })
      nextID += 3
      return
    }
    let section = random.below(snapshot.count)
    let count = snapshot[section].items.count
    let path = count == 0 ? nil : ItemPath(section: section, item: random.below(count))
    switch random.below(14) {
    case 0, 1:
      append(wrap(Row(nextID)), toSection: section)
      nextID += 1
    case 2, 3:
      insert(wrap(Row(nextID)), at: ItemPath(section: section, item: random.below(count + 1)))
      nextID += 1
    case 4, 5: if let path { remove(at: path) }
    case 6, 7: if let path { update(at: path) { $0 = wrap(Row(unwrap($0).id, unwrap($0).version + 1)) } }
    case 8, 9, 10:
      guard let path else { return }
      let target = random.below(snapshot.count)
      let room = snapshot[target].items.count + (target == section ? 0 : 1)
      move(from: path, to: ItemPath(section: target, item: random.below(room)))
    case 11: moveSection(from: section, to: random.below(snapshot.count))
    case 12:
      if random.once(in: 2) { renameSection(at: section, to: "N\(random.below(3))") } else { clear(section: section) }
    default: if random.once(in: 3) { removeSection(at: section) }
    }
  }
}

extension Draft<Row> {
  mutating func edit(random: inout SeededGenerator, nextID: inout Int) {
    edit(random: &random, nextID: &nextID, wrap: { $0 }, unwrap: { $0 })
  }
}
