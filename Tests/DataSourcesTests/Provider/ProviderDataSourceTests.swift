import DataSourcesTestSupport
import FetchedResultsSupport
import TestSupport
import Testing

@testable import DataSources

@Suite(.timeLimit(.minutes(10))) struct ProviderDataSourceTests {
  struct Offline: Error {}

  /// A load that ends on request.
  actor Gate {
    private var waiting: [CheckedContinuation<[Row], any Error>] = []
    var count: Int { waiting.count }

    func load() async throws -> [Row] { try await withCheckedThrowingContinuation { waiting.append($0) } }
    func end(_ index: Int, with rows: [Row]) { waiting[index].resume(returning: rows) }
    func fail(_ index: Int) { waiting[index].resume(throwing: Offline()) }
  }

  @Test func `it is empty before the first load`() async throws {
    let source = ProviderDataSource(provider: .singleSection, fetching: .value(["Milk"]))
    #expect(source.numberOfSections == 0)
    #expect(source.store == nil)
    #expect(source.path(for: "Milk") == nil)
    try await source.reload()
    #expect(source.numberOfSections == 1)
    #expect(source.item(at: ItemPath(section: 0, item: 0)) == "Milk")
    #expect(source.path(for: "Milk") == ItemPath(section: 0, item: 0))
  }

  @Test func `a load that fails keeps what was there`() async {
    let source = ProviderDataSource(
      store: ["Milk"], provider: .singleSection, fetching: Fetchable { throw Offline() })
    let updates = source.updates()
    await #expect(throws: Offline.self) { try await source.reload() }
    #expect(source.numberOfItems == 1)
    #expect(source.store == ["Milk"])
    source.setStore(["Milk", "Bread"])
    var reader = updates.makeAsyncIterator()
    #expect(await reader.next()?.old.numberOfItems == 1)
  }

  @Test func `another store is the difference`() async {
    let source = ProviderDataSource(store: [[Row(1), Row(2)], [Row(3)]], provider: .multiSection)
    var updates = source.updates().makeAsyncIterator()
    source.setStore([[Row(2, 1)], [Row(1), Row(3)]])
    let update = await updates.next()
    #expect(update.map { Laws.violations(of: $0) } == [])
    #expect(update?.changes.movedItems.count == 1)
    #expect(update?.changes.updatedItems.count == 1)
  }

  @Test func `setting the same store again publishes nothing`() async {
    let source = ProviderDataSource(store: [Row(1)], provider: .singleSection)
    var updates = source.updates().makeAsyncIterator()
    source.setStore([Row(1)])
    source.setStore([Row(1), Row(2)])
    #expect(await updates.next()?.changes.insertedItems.count == 1)
  }

  @Test func `a reader that receives an update finds the store as new as the list`() async throws {
    let source = ProviderDataSource(store: [Row(1)], provider: .singleSection)
    let feed = try #require(source.follow().feed)
    let found = Locked<(store: [Row]?, list: Snapshot<Row>)?>(nil)
    // It is called while the store is being set.
    feed.ask { _ in found.withLock { $0 = (source.store, source.snapshot) } }
    source.setStore([Row(1), Row(2)])
    #expect(found.withLock { $0 }?.store == [Row(1), Row(2)])
    #expect(found.withLock { $0 }?.list.numberOfItems == 2)
  }

  @Test func `a load that is overtaken changes nothing`() async throws {
    let gate = Gate()
    let source = ProviderDataSource(provider: .singleSection, fetching: Fetchable { try await gate.load() })
    let first = Task { try await source.reload() }
    while await gate.count < 1 { await Task.yield() }
    let second = Task { try await source.reload() }
    while await gate.count < 2 { await Task.yield() }
    await gate.end(1, with: [Row(2)])
    try await second.value
    await gate.end(0, with: [Row(1)])
    try await first.value
    #expect(source.snapshot.items.map(\.id) == [2])
  }

  @Test func `a store that is set overtakes a load under way`() async throws {
    let gate = Gate()
    let source = ProviderDataSource(provider: .singleSection, fetching: Fetchable { try await gate.load() })
    let load = Task { try await source.reload() }
    while await gate.count < 1 { await Task.yield() }
    source.setStore([Row(7)])
    await gate.end(0, with: [Row(1)])
    try await load.value
    #expect(source.snapshot.items.map(\.id) == [7])
  }

  @Test func `a failure does not overtake the load before it`() async throws {
    let gate = Gate()
    let source = ProviderDataSource(provider: .singleSection, fetching: Fetchable { try await gate.load() })
    let first = Task { try await source.reload() }
    while await gate.count < 1 { await Task.yield() }
    let second = Task { try await source.reload() }
    while await gate.count < 2 { await Task.yield() }
    await gate.fail(1)
    await #expect(throws: Offline.self) { try await second.value }
    await gate.end(0, with: [Row(1)])
    try await first.value
    #expect(source.snapshot.items.map(\.id) == [1])
  }

  @Test func `a store that is a reference is read again`() async throws {
    let shelf = SectionController([1])
    let provider = DataProvider<SectionController<Int>, Int>(
      numberOfSections: { $0.numberOfSections }, numberOfItems: { $0.numberOfItems(inSection: $1) ?? 0 },
      item: { $0.snapshot[$1] }, path: { _, _ in nil })
    let source = provider.dataSource(of: shelf)
    shelf.append(2, toSection: 0)
    #expect(source.numberOfItems == 1)
    try await source.reload()
    #expect(source.numberOfItems == 2)
  }

  @Test func `a loaded store may be transformed`() async throws {
    let words = Fetchable.value("milk bread").map { $0.split(separator: " ").map(String.init) }
    #expect(try await words.load() == ["milk", "bread"])
    let source = ProviderDataSource(provider: .singleSection, fetching: words) { store, _ in "\(store.count) words" }
    try await source.reload()
    #expect(source.title(ofSection: 0) == "2 words")
  }

  /// Whatever items can do, the difference leads from one store to the next.
  @Test(arguments: Seeds.range(40)) func `every kind of item is replayed`(seed: UInt64) {
    struct OnlyHashable: Hashable, Sendable { let id: Int }
    struct OnlyEquatable: Equatable, Sendable { let id: Int }
    struct OnlyIdentifiable: Identifiable, Sendable { let id: Int, version: Int }
    struct Nothing: Sendable { let id: Int }

    func check<Item: Sendable>(_ make: (Row) -> Item, _ read: (Item) -> Row, isPairedAcrossSections: Bool = true) {
      var random = SeededGenerator(seed: seed)
      var lists: [Snapshot<Item>] = []
      for _ in 0..<6 {
        lists.append(
          Snapshot(
            random.list().map { Section(id: $0.id, name: $0.name, items: $0.items.map(make)) }))
      }
      for (old, new) in zip(lists, lists.dropFirst()) {
        var draft = Draft(old)
        draft.replace(with: new)
        guard let update = draft.update else { continue }
        let broken = Laws.replay(update, identifiedBy: { read($0).id }, by: { read($0) == read($1) })
        #expect(broken == [], "\(Item.self), \(Seeds.hint(seed))")
        // A row that is replaced rather than moved may occur twice between stages: it isn't known to be the same.
        guard isPairedAcrossSections else { continue }
        #expect(
          Laws.acceptable(update, identifiedBy: { read($0).id }, by: { read($0) == read($1) }) == [],
          "\(Item.self), \(Seeds.hint(seed))")
      }
    }
    check({ $0 }, { $0 })
    check({ OnlyHashable(id: $0.id) }, { Row($0.id) })
    check({ OnlyEquatable(id: $0.id) }, { Row($0.id) }, isPairedAcrossSections: false)
    check({ OnlyIdentifiable(id: $0.id, version: $0.version) }, { Row($0.id, $0.version) })
    check({ Nothing(id: $0.id) }, { Row($0.id) }, isPairedAcrossSections: false)
  }
}
