import DataSources
import DataSourcesTestSupport
import Testing

/// The cases on which list views and libraries for them are known to fail.
@Suite struct KillerTests {
  private func path(_ section: Int, _ item: Int) -> ItemPath { ItemPath(section: section, item: item) }

  private func update(_ old: Snapshot<Row>, _ new: Snapshot<Row>) -> Update<Row> {
    let update = Update(old: old, new: new)
    #expect(Laws.violations(of: update) == [])
    return update
  }

  @Test func `one row moves from the start of a long list to its end`() {
    let old = Snapshot([Section("A", Array(0..<10_000))])
    let new = Snapshot([Section("A", Array(1..<10_000) + [0])])
    let move = ItemMove(from: path(0, 0), to: path(0, 9_999))
    #expect(new.changes(from: old) == Changes(movedItems: [move]))
    var edited = old
    edited.move(from: path(0, 0), to: path(0, 9_999))
    #expect(edited.changes(from: old) == Changes(movedItems: [move]))
  }

  @Test func `repeated ids are paired in order of appearance first within their section`() {
    func row(_ version: Int) -> Row { Row(1, version) }
    let old = Snapshot([
      Section(id: "A", name: "A", items: [row(0), row(1)]), Section(id: "B", name: "B", items: [row(2)]),
    ])
    let new = Snapshot([
      Section(id: "A", name: "A", items: [row(0)]), Section(id: "B", name: "B", items: [row(3), row(4)]),
    ])
    let changes = update(old, new).changes
    #expect(changes.movedItems == [ItemMove(from: path(0, 1), to: path(1, 1))])
    #expect(
      changes.updatedItems == [
        ItemMove(from: path(1, 0), to: path(1, 0)), ItemMove(from: path(0, 1), to: path(1, 1)),
      ])
  }

  @Test func `repeated ids are paired in order of appearance in long lists too`() {
    let old = Snapshot([Section("A", [100] + Array(0..<20) + [7, 7, 7])])
    let new = Snapshot([Section("A", Array(0..<20) + [7, 100])])
    #expect(update(old, new).changes.deletedItems == [path(0, 22), path(0, 23)])
    #expect(update(new, old).changes.insertedItems == [path(0, 22), path(0, 23)])
  }

  @Test func `repeated section ids are paired in order of appearance`() {
    let changes = update(Snapshot(["A": [1], "A": [2]]), Snapshot(["A": [1], "B": [], "A": [2], "A": [3]])).changes
    #expect(changes == Changes(insertedSections: [1, 3], insertedItems: [path(3, 0)]))
  }

  @Test func `ten thousand sections are no trouble`() {
    func list(_ ids: some Sequence<Int>) -> Snapshot<Row> {
      Snapshot(ids.map { Section(id: .integer(Int64($0)), name: "", items: [Row($0)]) })
    }
    let old = list(0..<10_000)
    let new = list((1..<10_000).map { $0 == 500 ? -1 : $0 } + [0])
    let changes = new.changes(from: old)
    #expect(changes.movedSections == [SectionMove(from: 0, to: 9_999)])
    #expect(changes.deletedSections == [500] && changes.insertedSections == [499])
    #expect(changes.deletedItems == [path(500, 0)] && changes.insertedItems == [path(499, 0)])
    #expect(changes.movedItems.isEmpty)
  }
}
