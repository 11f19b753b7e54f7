import DataSources
import DataSourcesTestSupport
import Testing

/// Values that don't equal themselves are compared by their bits or hashes, and paired in order.
@Suite(.timeLimit(.minutes(10))) struct NotANumberTests {
  struct Reading: Identifiable, Hashable, Sendable {
    var id: Int
    var value: Double
  }

  /// The same without a hash.
  struct Sample: Identifiable, Equatable, Sendable {
    var id: Int
    var value: Double
    var note = "a note that is longer than fifteen bytes"
  }

  struct Value: Identifiable, Equatable, Sendable {
    var id: Double
  }

  private func list<Item>(_ items: [Item]) -> Snapshot<Item> { Snapshot([Section(id: 0, name: "", items: items)]) }
  private func path(_ item: Int) -> ItemPath { ItemPath(section: 0, item: item) }

  @Test func `one changed value is one update`() {
    let old = (0..<1_000).map { Reading(id: $0, value: $0.isMultiple(of: 3) ? .nan : 1) }
    var new = old
    new[300].value = 7
    #expect(list(new).changes(from: list(old)) == Changes(updatedItems: [ItemMove(from: path(300), to: path(300))]))
    var edited = list(old)
    edited.replace(at: path(300), with: new[300])
    #expect(edited.changes(from: list(old)) == Changes(updatedItems: [ItemMove(from: path(300), to: path(300))]))
  }

  @Test func `a row with a NaN and without a hash is compared by its other fields`() {
    let old = (0..<100).map { Sample(id: $0, value: .nan) }
    var new = old
    new[5].note = "another note that is longer"
    new[6].value = 1
    let changes = list(new).changes(from: list(old))
    #expect(changes.updatedItems == [5, 6].map { ItemMove(from: path($0), to: path($0)) })
  }

  @Test func `a row with a NaN and with a hash is compared by its other fields`() {
    #expect(
      list([Reading(id: 1, value: .nan)]).changes(from: list([Reading(id: 1, value: -.nan)])).updatedItems.count == 1)
  }

  @Test func `rows whose id is not a number are paired in order`() {
    let old = list([Double.nan, 1, .nan, 2].map(Value.init))
    let new = list([Double.nan, .nan, 1, .nan].map(Value.init))
    let changes = new.changes(from: old)
    #expect(changes.deletedItems == [path(3)] && changes.insertedItems == [path(3)])
    #expect(changes.movedItems.count == 1 && changes.updatedItems.isEmpty)
    #expect(old.path(of: .nan) == path(0))
    let long = list((0..<100).map { Value(id: $0 < 50 ? Double($0) : .nan) })
    #expect(long.path(of: .nan) == path(50) && long.path(of: 7) == path(7) && long.path(of: 70) == nil)
  }

  @Test func `bare numbers are paired by their values`() {
    let list = SectionController([1.0, .nan, 3, .nan])
    var next = list.snapshot
    next.replace(at: path(2), with: 4)
    var draft = Draft(list.snapshot)
    draft.replace(with: self.list(Array(next.items)))
    #expect(draft.update == nil || draft.update?.changes.deletedItems == [path(2)])
    draft = Draft(self.list([1.0, .nan, 3, .nan]))
    draft.replace(with: self.list([1.0, .nan, 4, .nan]))
    #expect(draft.update?.changes.deletedItems == [path(2)])
    #expect(draft.update?.changes.insertedItems == [path(2)])
  }

  @Test func `the same value again changes nothing`() {
    let list = SectionController([Reading(id: 1, value: .nan)])
    let before = list.snapshot
    list.update(Reading(id: 1, value: .nan), at: path(0))
    list.update(at: path(0)) { $0.value = .nan }
    var draft = Draft(before)
    draft.update(Reading(id: 1, value: .nan), at: path(0))
    #expect(draft.update == nil)
    draft.update(at: path(0)) { $0.value = 1 }
    #expect(draft.update?.changes.updatedItems.count == 1)
  }
}
