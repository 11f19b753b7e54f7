import FetchedResultsSupport
import Testing

@testable import DataSources

@Suite(.timeLimit(.minutes(10))) struct UpdateBroadcasterTests {
  final class Resource: Sendable {
    let atEnd: @Sendable () -> Void
    init(atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }
    deinit { atEnd() }
  }

  struct Row: Identifiable, Equatable, Sendable { let id: Int }

  @Test func `readers that leave are forgotten`() async {
    let broadcaster = UpdateBroadcaster(Snapshot<Row>())
    do {
      let dropped = broadcaster.updates()
      #expect(broadcaster.numberOfReaders == 1)
      _ = consume dropped
    }
    #expect(broadcaster.numberOfReaders == 0)

    let task = Task { for await _ in broadcaster.updates() {} }
    while broadcaster.numberOfReaders == 0 { await Task.yield() }
    task.cancel()
    await task.value
    #expect(broadcaster.numberOfReaders == 0)

    do {
      let left = broadcaster.updates()
      broadcaster.publish(
        Update(old: Snapshot(), new: Snapshot([Section(id: 1, name: "", items: [Row(id: 1)])])))
      for await _ in left { break }
    }
    #expect(broadcaster.numberOfReaders == 0)
  }

  @Test func `a merged update without changes is not delivered`() async throws {
    let list = SectionController([Row(id: 1)])
    let updates = list.updates()
    list.append(Row(id: 2), toSection: 0)
    list.remove(id: 2)
    let first = Task {
      for await update in updates { return Optional(update) }
      return nil
    }
    try await Task.sleep(for: .milliseconds(20))
    list.append(Row(id: 3), toSection: 0)
    let update = await first.value
    #expect(update?.changes.insertedItems == [ItemPath(section: 0, item: 1)])
    #expect(update?.old.numberOfItems == 1)
  }

  /// Otherwise the code that shows the list would have to compare the two.
  @Test func `after edits that change nothing, the next update starts from the list that the reader has`() async {
    let list = SectionController([Row(id: 1), Row(id: 2)])
    let start = list.snapshot
    var updates = list.updates().makeAsyncIterator()
    async let next = updates.next()
    try? await Task.sleep(for: .milliseconds(20))
    for _ in 0..<3 {
      list.update(Row(id: 1), at: ItemPath(section: 0, item: 0))
      await Task.yield()
      list.edit { draft in
        draft.append(Row(id: 3), toSection: 0)
        draft.remove(id: 3)
      }
      try? await Task.sleep(for: .milliseconds(5))
    }
    list.append(Row(id: 4), toSection: 0)
    let update = await next
    #expect(update?.old.isIdentical(to: start) == true)
    #expect(update?.changes == Changes(insertedItems: [ItemPath(section: 0, item: 2)]))
  }

  @Test func `an item may edit its list in deinit`() async {
    // In a process of its own, because a refused edit stops the program.
    await #expect(processExitsWith: .success) {
      let list = SectionController<Resource>(sections: [Section(id: 1, name: "", items: [])])
      list.append(Resource { [weak list] in list?.append(Resource {}, toSection: 0) }, toSection: 0)
      list.clear(section: 0)
      precondition(list.numberOfItems == 1)
      struct Failure: Error {}
      try? list.edit { draft in
        draft.append(Resource { [weak list] in list?.append(Resource {}, toSection: 0) }, toSection: 0)
        throw Failure()
      }
      precondition(list.numberOfItems == 2)
    }
  }

  @Test func `a store may read its source in deinit`() async {
    await #expect(processExitsWith: .success) {
      let source = ProviderDataSource(
        store: [Resource](),
        provider: DataProvider<[Resource], Resource>(
          numberOfSections: { _ in 1 }, numberOfItems: { store, _ in store.count },
          item: { store, path in store[path.item] }, path: { _, _ in nil }))
      source.setStore([
        Resource { [weak source] in
          _ = source?.store; source?.setStore([])
        }
      ])
      source.setStore([Resource {}])
      precondition(source.numberOfItems == 0)
    }
  }

  @Test func `an item that is released may look for another in a related list`() async {
    struct Row: Identifiable, Sendable {
      let id: Int
      let resource: Resource?
    }
    await #expect(processExitsWith: .success) {
      var list = Snapshot([Section(id: 1, name: "", items: (0..<100).map { Row(id: $0, resource: nil) })])
      let relative = list
      list.append(Row(id: 100, resource: Resource { precondition(relative.path(of: 7) != nil) }), toSection: 0)
      precondition(list.path(of: 100) != nil)
      list.remove(at: ItemPath(section: 0, item: 100))
      // The index held the last list that had the row.
      precondition(list.path(of: 100) == nil)
    }
  }

  @Test func `updates that readers missed are dropped when they leave`() async {
    let living = Locked<Int>(0)
    @Sendable func token() -> Resource {
      living.withLock { $0 += 1 }
      return Resource { living.withLock { $0 -= 1 } }
    }
    let list = SectionController<Resource>(sections: [Section(id: 1, name: "", items: [token()])])
    func change() { list.update(token(), at: ItemPath(section: 0, item: 0)) }
    // One leaves before it is behind, one while it is, and one while it waits.
    do { _ = list.updates() }
    var behind: AsyncStream<Update<Resource>>? = list.updates()
    change()
    withExtendedLifetime(behind) {}
    behind = nil
    let updates = list.updates()
    let waiting = Task { for await _ in updates {} }
    await Task.yield()
    waiting.cancel()
    await waiting.value
    for _ in 0..<3 { change() }
    #expect(living.withLock { $0 } == 1)
  }
}
