import DataSources
import Testing

@Suite struct ListInteractorTests {
  struct Failed: Error {}

  let path = ItemPath(section: 0, item: 1)

  @Test func `it acts on the item at the path`() async throws {
    let list = SectionController([Row(1), Row(2)])
    let toggle = ListInteractor(source: list) { row in
      list.update(Row(row.id, 1))
    }
    #expect(try await toggle.perform(at: path))
    #expect(list.snapshot.text.contains("[1, 2v1]"))
  }

  @Test func `the gate refuses`() async throws {
    let list = SectionController([Row(1), Row(2)])
    let remove = ListInteractor(source: list, canEdit: { $0.id != 2 }) { row in list.remove(id: row.id) }
    #expect(!remove.canPerform(at: path))
    #expect(remove.canPerform(at: ItemPath(section: 0, item: 0)))
    #expect(try await remove.perform(at: path) == false)
    #expect(list.numberOfItems == 2)
  }

  @Test func `nothing happens where there is nothing`() async throws {
    let act = ListInteractor(source: SectionController([Row(1)])) { _ in throw Failed() }
    #expect(try await act.perform(at: path) == false)
    #expect(try await act.perform(at: ItemPath(section: -1, item: 0)) == false)
    #expect(!act.canPerform(at: path))
  }

  @Test func `the action's error is the caller's`() async {
    let act = ListInteractor(source: SectionController([Row(1), Row(2)])) { _ in throw Failed() }
    await #expect(throws: Failed.self) { try await act.perform(at: path) }
  }

  @Test func `it acts on the row that the user saw`() async throws {
    let list = SectionController([Row(1), Row(2), Row(3)])
    let shown = list.snapshot
    list.remove(id: 1)
    let remove = ListInteractor(source: list) { row in list.remove(id: row.id) }
    try await remove.perform(at: path, in: shown)
    #expect(list.snapshot.text.contains("[3]"))
  }
}
