import DataSources
import DataSourcesTestSupport
import TerminalLists
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ListAdapterTests {
  @Test func `it shows the list as it is`() {
    let host = TestHost()
    let list = SectionController(sections: [Section("A", [1, 2]), Section("B", [3])])
    let adapter = ListAdapter(source: list, presenter: .rows, host: host)
    #expect(host.shown == [["1", "2"], ["3"]])
    #expect(adapter.numberOfSections == 2)
    #expect(adapter.numberOfItems(inSection: 0) == 2)
    #expect(adapter.header(ofSection: 1) == "B")
    #expect(adapter.sectionIndexTitles == ["A", "B"])
    #expect(adapter.itemID(at: ItemPath(section: 1, item: 0)) == AnyHashable(3))
    #expect(adapter.path(ofItemID: 3) == ItemPath(section: 1, item: 0))
    #expect(adapter.path(ofItemID: "3") == nil)
  }

  struct Numbered<ID: Hashable & Sendable>: Identifiable, Sendable { var id: ID }

  @Test func `a row is found by an integer of another type`() {
    func check<ID: Hashable & Sendable>(_ ids: [ID], _ number: Int, _ missing: [AnyHashable]) {
      let renderer = PlainTextRenderer()
      let adapter = ListAdapter(
        source: SectionController(ids.map { Numbered(id: $0) }),
        presenter: .configuring(TextCell.self) { cell, row in cell.text = StyledText("\(row.id)") }, host: renderer)
      #expect(adapter.path(ofItemID: AnyHashable(number)) == ItemPath(section: 0, item: 1))
      for id in missing { #expect(adapter.path(ofItemID: id) == nil) }
    }
    check([1, 3] as [Int64], 3, [300, UInt64.max, "3", -1])
    check([1, 3] as [UInt8], 3, [300, -1, "3", 2.5])
    check([nil, 3] as [Int64?], 3, ["3", 4])
  }

  @Test func `a change is bracketed and shown inside the batch`() {
    let host = TestHost()
    let list = Ledger(Snapshot([Section("A", [1])]))
    let adapter = ListAdapter(source: list, presenter: .rows, host: host)
    list.append(Row(2), toSection: 0)
    #expect(adapter.snapshot.numberOfItems == 1)
    list.told.forEach(adapter.apply)
    #expect(host.moments == [.reloadData, .updateWillBegin, .beforeSwitching, .afterSwitching, .updateDidEnd])
    #expect(host.shown == [["1", "2"]])
    #expect(host.violations == [])
  }

  @Test func `items without an id are shown too`() {
    let host = TestHost()
    let adapter = ListAdapter(source: SectionController(["Milk"]), presenter: .settingData(TextCell.self), host: host)
    #expect(host.shown == [["Milk"]])
    #expect(adapter.itemID(at: ItemPath(section: 0, item: 0)) == nil)
    #expect(adapter.path(ofItemID: "Milk") == nil)
    #expect(adapter.header(ofSection: 0) == nil)
  }

  @Test func `an equal list replaces the shown one`() {
    struct Coarse: Identifiable, Equatable, Sendable {
      let id: Int
      let payload: String
      static func == (lhs: Coarse, rhs: Coarse) -> Bool { lhs.id == rhs.id }
    }
    let host = TestHost()
    let list = { Snapshot([Section(id: 1, name: "", items: [Coarse(id: 1, payload: $0)])]) }
    let adapter = ListAdapter(
      source: SectionController(list("old")),
      presenter: .configuring(TextCell.self) { $0.text = StyledText($1.payload) },
      host: host)
    adapter.show(list("new"))
    #expect(host.moments == [.reloadData], "nothing changed, as far as the items say")
    #expect(adapter.snapshot.items.map(\.payload) == ["new"], "the next update starts from there")
  }

  /// The host counts at every stage, and only requests rows that were reported.
  @Test(arguments: Seeds.range(150)) func `the host's requests match the changes that it received`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let host = TestHost()
    let list = Ledger(random.list())
    let adapter = ListAdapter(source: list, presenter: .rows, host: host)
    var nextID = 100
    for _ in 0..<12 {
      if random.once(in: 4) {
        list.replace(with: random.list())
      } else {
        list.edit { draft in for _ in 0...random.below(8) { draft.edit(random: &random, nextID: &nextID) } }
      }
    }
    for update in list.told {
      adapter.apply(update)
      #expect(host.check() == [], "\(update.changes), \(Seeds.hint(seed))")
      if !host.violations.isEmpty { return }
    }
    #expect(adapter.snapshot.text == list.snapshot.text)
  }

  @Test func `a strict host reports wrong changes`() {
    let host = TestHost()
    let list = Ledger(Snapshot([Section("A", [1])]))
    let adapter = ListAdapter(source: list, presenter: .rows, host: host)
    let new = Snapshot([Section("A", [1, 2])])
    adapter.apply(Update(old: list.snapshot, new: new, changes: Changes(deletedItems: [ItemPath(section: 0, item: 0)])))
    #expect(!host.violations.isEmpty)
  }

  @MainActor @Test func `it follows its source`() async {
    let host = TestHost()
    let list = SectionController(sections: [Section("A", [1])])
    let adapter = ListAdapter(source: list, presenter: .rows, host: host)
    // A change between creating and following is not lost.
    list.append(Row(2), toSection: 0)
    adapter.follow()
    #expect(host.shown == [["1", "2"]])
    for number in 3...50 {
      list.append(Row(number), toSection: 0)
      if number.isMultiple(of: 7) { await Task.yield() }
    }
    while adapter.snapshot.numberOfItems < 50 { await Task.yield() }
    #expect(host.check() == [])
    #expect(host.moments.filter { $0 == .reloadData }.count == 1)
  }

  @MainActor @Test func `rows that can't be compared are not shown again when following begins`() async {
    struct Opaque: Sendable {}
    let host = TestHost()
    let list = SectionController([Opaque(), Opaque()])
    let adapter = ListAdapter(source: list, presenter: .configuring(TextCell.self) { _, _ in }, host: host)
    adapter.follow()
    #expect(host.moments == [.reloadData])
  }

  @MainActor @Test func `nothing is shown after it stops`() async throws {
    let host = TestHost()
    let list = SectionController(sections: [Section("A", [1])])
    let adapter = ListAdapter(source: list, presenter: .rows, host: host)
    adapter.follow()
    adapter.stop()
    list.append(Row(2), toSection: 0)
    try await Task.sleep(for: .milliseconds(20))
    #expect(host.shown == [["1"]])
  }

  @Test func `changes that wait when it stops are not shown`() {
    let host = TestHost()
    let list = SectionController(sections: [Section("A", [1])])
    var adapter: ListAdapter<SectionController<Row>, TestHost>?
    adapter = ListAdapter(
      source: list,
      presenter: .configuring(TextCell.self) { cell, row in
        cell.text = StyledText("\(row.id)")
        guard row.id == 2 else { return }
        adapter?.show(Snapshot([Section("A", [3])]))
        adapter?.stop()
      }, host: host)
    adapter?.show(Snapshot([Section("A", [1, 2])]))
    #expect(host.shown == [["1", "2"]])
    adapter?.show(Snapshot([Section("A", [1])]))
    #expect(host.shown == [["1"]])
  }

  @MainActor @Test func `following does not keep the adapter alive`() async {
    let host = TestHost()
    let list = SectionController(sections: [Section("A", [1])])
    var adapter: ListAdapter? = ListAdapter(source: list, presenter: .rows, host: host)
    adapter?.follow()
    weak let weakly = adapter
    adapter = nil
    #expect(weakly == nil)
    #expect(host.content == nil)
  }

  @Test func `an adapter works the same over AnyDataSource`() {
    let host = TestHost()
    let source = AnyDataSource(SectionController(sections: [Section("A", [1])]))
    let adapter = ListAdapter(source: source, presenter: .rows, host: host)
    #expect(host.shown == [["1"]])
    #expect(adapter.numberOfSections == 1)
  }

  /// A host as on Apple's systems: bound to the main actor, with a conformance that is.
  @MainActor final class MainHost: @MainActor ListHost {
    weak var content: (any ListContent<TextCell>)?
    var texts: [String] = []
    func register(_ registration: CellRegistration<TextCell>) {}
    func dequeue(_ identifier: String, for path: ItemPath) -> TextCell { TextCell() }
    func reloadData() {
      guard let content, content.numberOfSections > 0 else { return }
      texts = (0..<content.numberOfItems(inSection: 0)).map {
        content.cell(at: ItemPath(section: 0, item: $0)).text.text
      }
    }
    func performBatch(_ stage: Changes, switchingContent: () -> Void) {
      switchingContent()
      reloadData()
    }
  }

  @MainActor @Test func `a host may belong to the main actor`() async {
    let host = MainHost()
    let list = SectionController(["Milk"])
    let adapter = ListAdapter(source: list, presenter: .settingData(TextCell.self), host: host)
    adapter.follow()
    list.append("Bread", toSection: 0)
    while host.texts.count < 2 { await Task.yield() }
    #expect(host.texts == ["Milk", "Bread"])
  }
}
