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

  @Test func `the last row leaves a section`() {
    let changes = update(Snapshot(["A": [1], "B": [2]]), Snapshot(["A": [], "B": [2, 1]])).changes
    #expect(changes == Changes(movedItems: [ItemMove(from: path(0, 0), to: path(1, 1))]))
    #expect(changes.batches() == [changes])
  }

  @Test func `the last row leaves a section that is deleted`() {
    let changes = update(Snapshot(["A": [1], "B": [2]]), Snapshot(["B": [2, 1]])).changes
    #expect(changes.deletedSections == [0] && changes.deletedItems.isEmpty)
    #expect(changes.movedItems == [ItemMove(from: path(0, 0), to: path(0, 1))])
    #expect(changes.batches() == [Changes(deletedSections: [0], insertedItems: [path(0, 1)])])
  }

  @Test func `a row moves to a section that is inserted`() {
    let changes = update(Snapshot(["A": [1, 2]]), Snapshot(["B": [1], "A": [2]])).changes
    #expect(changes.movedItems == [ItemMove(from: path(0, 0), to: path(0, 0))])
    #expect(changes.batches() == [Changes(insertedSections: [0], deletedItems: [path(0, 0)])])
  }

  @Test func `a row moves from a deleted to an inserted section`() {
    let changes = update(Snapshot(["A": [1], "B": [2]]), Snapshot(["B": [2], "C": [1]])).changes
    #expect(changes.movedItems == [ItemMove(from: path(0, 0), to: path(1, 0))])
    #expect(changes.batches() == [Changes(deletedSections: [0], insertedSections: [1])])
  }

  @Test func `a section moves while rows leave it`() {
    let changes = update(
      Snapshot(["A": [1, 2, 3], "B": [4], "C": [5]]), Snapshot(["B": [4, 2], "C": [5], "A": [1]])
    ).changes
    #expect(changes.movedSections == [SectionMove(from: 0, to: 2)])
    #expect(changes.deletedItems == [path(0, 2)])
    #expect(changes.movedItems == [ItemMove(from: path(0, 1), to: path(0, 1))])
    #expect(
      changes.batches() == [
        Changes(movedSections: [SectionMove(from: 0, to: 2)]),
        Changes(deletedItems: [path(2, 2)], movedItems: [ItemMove(from: path(2, 1), to: path(0, 1))]),
      ])
  }

  @Test func `a row leaves a moved section for an inserted one`() {
    let changes = update(
      Snapshot(["A": [1, 2], "B": [3], "C": [4]]), Snapshot(["B": [3], "N": [1], "C": [4], "A": [2]])
    ).changes
    #expect(
      changes.batches() == [
        Changes(deletedItems: [path(0, 0)]),
        Changes(insertedSections: [1], movedSections: [SectionMove(from: 0, to: 3)]),
      ])
  }

  @Test func `two sections and two rows swap at once`() {
    let changes = update(
      Snapshot(["A": [1, 2], "B": [3, 4]]), Snapshot(["B": [4, 3], "A": [2, 1]])
    ).changes
    #expect(changes.movedSections.count == 1 && changes.movedItems.count == 2)
    #expect(changes.batches().count == 2)
  }

  @Test func `two rows swap between sections`() {
    let changes = update(Snapshot(["A": [1, 2], "B": [3, 4]]), Snapshot(["A": [3, 2], "B": [1, 4]])).changes
    #expect(
      changes
        == Changes(
          movedItems: [ItemMove(from: path(1, 0), to: path(0, 0)), ItemMove(from: path(0, 0), to: path(1, 0))]))
    #expect(changes.batches() == [changes])
  }

  @Test func `a section is renamed`() {
    let new = Snapshot([Section("A", [1], name: "other"), Section("B", [2])])
    let changes = update(Snapshot(["A": [1], "B": [2]]), new).changes
    #expect(changes == Changes(updatedSections: [SectionMove(from: 0, to: 0)]))
    #expect(changes.batches() == [changes])
  }

  @Test func `a section is renamed and moved while a row is inserted`() {
    let new = Snapshot([Section("B", [2]), Section("A", [1, 9], name: "other"), Section("C", [])])
    let stages = update(Snapshot(["A": [1], "B": [2], "C": []]), new).changes.batches()
    #expect(stages.count == 3)
    #expect(stages.last == Changes(updatedSections: [SectionMove(from: 1, to: 1)]))
  }

  @Test func `a row moves and changes at once`() {
    let new = Snapshot([Section(id: "A", name: "A", items: [Row(2), Row(3), Row(1, 1)])])
    let changes = update(Snapshot(["A": [1, 2, 3]]), new).changes
    let move = ItemMove(from: path(0, 0), to: path(0, 2))
    #expect(changes == Changes(movedItems: [move], updatedItems: [move]))
    #expect(
      changes.batches() == [
        Changes(movedItems: [move]), Changes(updatedItems: [ItemMove(from: path(0, 2), to: path(0, 2))]),
      ])
  }

  @Test func `a row that only shifts is not listed`() {
    let changes = update(Snapshot(["A": [1, 2, 3]]), Snapshot(["A": [9, 1, 2, 3]])).changes
    #expect(changes == Changes(insertedItems: [path(0, 0)]))
  }

  @Test func `the rows of a section that moves are not listed`() {
    let changes = update(Snapshot(["A": [1], "B": [2], "C": [3]]), Snapshot(["C": [3], "A": [1], "B": [2]])).changes
    #expect(changes == Changes(movedSections: [SectionMove(from: 2, to: 0)]))
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

  @Test func `a section splits and two merge`() {
    let whole = Snapshot(["A": [1, 2, 3, 4]])
    let halves = Snapshot(["A": [1, 2], "B": [3, 4]])
    #expect(update(whole, halves).changes.movedItems.count == 2)
    #expect(update(whole, halves).changes.batches().count == 1)
    #expect(update(halves, whole).changes.movedItems.count == 2)
    #expect(update(halves, whole).changes.batches().count == 1)
  }

  @Test func `everything is inserted and everything is deleted`() {
    let list = Snapshot(["A": [1, 2], "B": [3]])
    let come = update(Snapshot(), list).changes
    #expect(come.insertedSections == [0, 1] && come.insertedItems.count == 3)
    #expect(come.batches() == [Changes(insertedSections: [0, 1])])
    let gone = update(list, Snapshot()).changes
    #expect(gone == come.inverse)
    #expect(gone.batches() == [Changes(deletedSections: [0, 1])])
  }

  @Test func `a section keeps its rows under another id`() {
    var list = Snapshot(["A": [1, 2], "B": [3]])
    let old = list
    list.replaceSection(at: 0, with: Section(id: "N", name: "N", items: list[0].items))
    let changes = update(old, list).changes
    #expect(changes.deletedSections == [0] && changes.insertedSections == [0] && changes.movedItems.count == 2)
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

  @Test func `a hundred thousand sections are no trouble`() {
    func list(_ ids: some Sequence<Int>) -> Snapshot<Row> {
      Snapshot(ids.map { Section(id: .integer(Int64($0)), name: "", items: [Row($0)]) })
    }
    let old = list(0..<100_000)
    let new = list((1..<100_000).map { $0 == 500 ? -1 : $0 } + [0])
    let changes = new.changes(from: old)
    #expect(changes.movedSections == [SectionMove(from: 0, to: 99_999)])
    #expect(changes.deletedSections == [500] && changes.insertedSections == [499])
    #expect(changes.deletedItems == [path(500, 0)] && changes.insertedItems == [path(499, 0)])
    #expect(changes.movedItems.isEmpty)
  }
}
