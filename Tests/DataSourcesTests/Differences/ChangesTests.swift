import DataSources
import Testing

@Suite struct ChangesTests {
  private struct Plain: Sendable {
    var name: String
    var size: Int
  }

  @Test func `a difference is readable`() {
    let changes = Changes(
      deletedSections: [2], movedSections: [SectionMove(from: 1, to: 0)],
      insertedItems: [ItemPath(section: 0, item: 3)],
      movedItems: [ItemMove(from: ItemPath(section: 0, item: 1), to: ItemPath(section: 1, item: 0))])
    #expect(
      changes.description == "sections: deleted 2, moved 1 → 0; rows: inserted [0, 3], moved [0, 1] → [1, 0]")
    #expect(Changes().description == "no changes")
    #expect(
      Changes(deletedSections: Array(0..<100)).description == "sections: deleted 0 1 2 3 4 5 6 7 and 92 more")
  }

  @Test func `a difference is empty only without any change`() {
    let path = ItemPath(section: 0, item: 0)
    let changes = [
      Changes(deletedSections: [0]), Changes(insertedSections: [0]),
      Changes(movedSections: [SectionMove(from: 0, to: 1)]), Changes(updatedSections: [SectionMove(from: 0, to: 0)]),
      Changes(deletedItems: [path]), Changes(insertedItems: [path]),
      Changes(movedItems: [ItemMove(from: path, to: path)]), Changes(updatedItems: [ItemMove(from: path, to: path)]),
    ]
    #expect(changes.allSatisfy { !$0.isEmpty } && Set(changes).count == 8)
    #expect(Changes().isEmpty)
  }

  @Test func `rows without identity or equality are compared by functions`() {
    let old = Snapshot([Section(id: .none, name: "", items: [Plain(name: "a", size: 1), Plain(name: "b", size: 2)])])
    let new = Snapshot([Section(id: .none, name: "", items: [Plain(name: "b", size: 3), Plain(name: "a", size: 1)])])
    let changes = new.changes(from: old, identifiedBy: { $0.name }, by: { $0.size == $1.size })
    #expect(changes.movedItems.count == 1 && changes.updatedItems.count == 1)
    #expect(changes.deletedItems.isEmpty && changes.insertedItems.isEmpty)
  }

  @Test func `only rows in what is not shared are compared`() {
    let old = Snapshot([Section(id: .none, name: "", items: (0..<100_000).map { Row($0) })])
    var new = old
    new.replace(at: ItemPath(section: 0, item: 50_000), with: Row(50_000, 1))
    var asked = 0
    let changes = new.changes(from: old) { old, new in
      asked += 1
      return old == new
    }
    #expect(changes.updatedItems.map(\.to) == [ItemPath(section: 0, item: 50_000)])
    #expect(asked <= 64)
  }
}
