import DataSources
import DataSourcesTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SectionControllerTests {
  /// An item about which nothing is known.
  struct Opaque: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  let path = { ItemPath(section: $0, item: $1) }

  @Test func `it starts without sections`() {
    let list = SectionController<String>()
    #expect(list.numberOfSections == 0)
    #expect(list.numberOfItems == 0)
    #expect(list.isEmpty)
    #expect(list.numberOfItems(inSection: 0) == nil)
    #expect(list.title(ofSection: 0) == nil)
  }

  @Test func `a body that sets another draft publishes the difference to the current list`() async {
    func check<Item: Sendable>(_ list: SectionController<Item>, _ items: [Item], _ id: (Item) -> Int) async {
      let saved = list.snapshot
      var updates = list.updates().makeAsyncIterator()
      var shown: [Int] = []
      func expect(_ changes: Changes, _ ids: [Int]) async {
        guard list.snapshot.first?.items.map(id) == ids else {
          Issue.record("the list has \(list.snapshot.numberOfItems) rows after an edit that leaves \(ids)")
          return
        }
        let update = await updates.next()
        #expect(update?.old.first?.items.map(id) == shown && update?.new.first?.items.map(id) == ids)
        #expect(update?.changes == changes)
        shown = ids
      }
      list.append(items[0], toSection: 0)
      await expect(Changes(insertedItems: [path(0, 0)]), [0])
      list.edit { $0 = Draft(saved) }
      await expect(Changes(deletedItems: [path(0, 0)]), [])
      list.append(items[1], toSection: 0)
      await expect(Changes(insertedItems: [path(0, 0)]), [1])
      list.edit {
        $0 = Draft(saved)
        $0.append(items[2], toSection: 0)
      }
      await expect(Changes(deletedItems: [path(0, 0)], insertedItems: [path(0, 0)]), [2])
    }
    await check(SectionController([] as [Row]), (0..<3).map { Row($0) }) { $0.id }
    await check(SectionController([] as [Opaque]), (0..<3).map { Opaque("\($0)") }) { Int($0.text) ?? -1 }
  }

  @Test func `a flat list is one untitled section also when empty`() {
    let empty = SectionController<String>([])
    #expect(empty.numberOfSections == 1)
    #expect(empty.numberOfItems(inSection: 0) == 0)
    #expect(empty.title(ofSection: 0) == "")
    #expect(empty.snapshot[0].id == .none)
    empty.append("Milk", toSection: 0)
    #expect(empty.item(at: path(0, 0)) == "Milk")
    #expect(SectionController(["a", "b"]).numberOfItems == 2)
  }

  @Test func `there are counts for the whole list and for each section`() {
    let list = SectionController<String>()
    list.createSection(name: "Errands", items: ["Milk", "Bread"])
    list.createSection(name: "Career", items: ["Call Ann"])
    list.createSection(name: "Later")
    #expect(list.numberOfSections == 3)
    #expect(list.numberOfItems == 3)
    #expect((0..<3).map { list.numberOfItems(inSection: $0) } == [2, 1, 0])
    #expect(list.numberOfItems(inSection: 3) == nil)
    #expect(list.numberOfItems(inSection: -1) == nil)
  }

  @Test func `reading a place that is not there gives nil`() {
    let list = SectionController(["Milk"])
    for path in [path(0, 1), path(1, 0), path(-1, 0), path(0, -1), path(.max, .min)] {
      #expect(list.item(at: path) == nil)
    }
    #expect(list.section(at: -1) == nil)
    #expect(list.header(ofSection: 1) == nil)
    #expect(list.footer(ofSection: 0) == nil)
  }

  @Test func `titles, headers and index titles are the sections`() {
    let list = SectionController(
      sections: [
        Section(id: 1, name: "apples", items: ["a"]),
        Section(id: 2, name: "avocados", header: "Avocados!", footer: "ripe", items: ["b"]),
        Section(id: 3, name: "bread", indexTitle: nil, items: []),
      ])
    #expect(list.title(ofSection: 1) == "avocados")
    #expect(list.header(ofSection: 0) == "apples")
    #expect(list.header(ofSection: 1) == "Avocados!")
    #expect(list.footer(ofSection: 1) == "ripe")
    #expect(list.sectionIndexTitles == ["A"])
  }

  @Test func `an id leads to its row`() {
    let list = SectionController(sections: [Section("A", [1, 2]), Section("B", [3])])
    #expect(list.path(of: 3) == path(1, 0))
    #expect(list.path(of: 4) == nil)
    #expect(list.item(withID: 2)?.id == 2)
    #expect(list.item(withID: 9) == nil)
  }

  @Test func `a section's id is its name made unique`() {
    let list = SectionController<Int>()
    #expect(list.createSection(name: "Errands") == "Errands")
    #expect(list.createSection(name: "Errands") == "Errands 2")
    #expect(list.createSection(name: "Errands 2") == "Errands 2 2")
    #expect(list.createSection(name: "Errands") == "Errands 3")
    #expect(list.snapshot.map(\.name) == ["Errands", "Errands", "Errands 2", "Errands"])
  }

  @Test func `an edit is one update`() async {
    let list = SectionController([1, 2])
    var updates = list.updates().makeAsyncIterator()
    list.edit { draft in
      draft.append(contentsOf: [3, 4], toSection: 0)
      draft.remove(at: path(0, 0))
      draft.createSection(name: "More", items: [5])
    }
    let update = await updates.next()
    #expect(update?.new.map { Array($0.items) } == [[2, 3, 4], [5]])
    #expect(update?.changes.deletedItems == [path(0, 0)])
    #expect(update?.changes.insertedItems == [path(0, 1), path(0, 2), path(1, 0)])
  }

  @Test func `an edit that throws does nothing`() async {
    struct Refused: Error {}
    let list = SectionController([1, 2])
    var updates = list.updates().makeAsyncIterator()
    #expect(throws: Refused.self) {
      try list.edit { draft in
        draft.clear()
        throw Refused()
      }
    }
    #expect(list.numberOfItems == 2)
    list.append(3, toSection: 0)
    #expect(await updates.next()?.old.numberOfItems == 2)
  }

  @Test func `others read the list as it was during an edit`() {
    let list = SectionController([1, 2])
    list.edit { draft in
      draft.clear()
      #expect(draft.snapshot.isEmpty)
      #expect(list.numberOfItems == 2)
    }
    #expect(list.numberOfSections == 0)
  }

  @Test func `a snapshot never changes`() {
    let list = SectionController(sections: [Section("A", [1, 2]), Section("B", [3])])
    let frozen = FrozenList(list.snapshot)
    list.clear(section: 0)
    list.removeSection(at: 1)
    list.append(Row(9), toSection: 0)
    #expect(frozen.violations() == [])
  }

  @Test func `reloading does nothing`() async throws {
    let list = SectionController([1])
    try await list.reload()
    #expect(list.numberOfItems == 1)
  }

  @Test func `edits from many tasks lose nothing`() async {
    let list = SectionController<Int>([])
    let updates = list.updates()
    let reader = Task {
      var chain: [Update<Int>] = []
      for await update in updates {
        chain.append(update)
        if update.new.numberOfItems == 1_000 { break }
      }
      return chain
    }
    await withTaskGroup { group in
      for task in 0..<10 {
        group.addTask {
          for number in 0..<100 {
            list.edit { draft in
              let count = draft.snapshot[0].items.count
              draft.insert(task * 100 + number, at: ItemPath(section: 0, item: count / 2))
            }
          }
        }
      }
    }
    #expect(Set(list.snapshot.items) == Set(0..<1_000))
    let chain = await reader.value
    #expect(Laws.chain(chain) == [])
    #expect(chain.allSatisfy { Laws.replay($0, identifiedBy: { $0 }, by: ==).isEmpty })
  }

  @Test func `an edit inside an edit of the same list is refused`() async {
    await #expect(processExitsWith: .failure) {
      let list = SectionController([1])
      list.edit { _ in list.append(2, toSection: 0) }
    }
  }

  @Test func `an edit inside an edit of another list is fine`() {
    let first = SectionController([1])
    let second = SectionController([1])
    first.edit { draft in
      second.append(2, toSection: 0)
      draft.append(2, toSection: 0)
    }
    #expect(first.numberOfItems == 2)
    #expect(second.numberOfItems == 2)
  }

  @Test func `many sections of one name are made in one edit`() {
    let list = SectionController<Row>()
    list.edit { draft in for _ in 0..<600 { draft.createSection(name: "Same") } }
    #expect(list.section(at: 0)?.id == "Same" && list.section(at: 599)?.id == "Same 600")
    #expect(Set(list.snapshot.map(\.id)).count == 600)
    list.edit { draft in
      draft.removeSection(at: 1)
      #expect(draft.createSection(name: "Same") == "Same 2")
      draft.insertSection(Section(id: "New", name: "", items: []), at: 0)
      #expect(draft.createSection(name: "New") == "New 2")
      draft.clear()
      #expect(draft.createSection(name: "New") == "New")
      draft.replace(with: Snapshot([Section(id: "Old", name: "", items: [])]))
      #expect(draft.createSection(name: "New") == "New" && draft.createSection(name: "Old") == "Old 2")
    }
  }
}
