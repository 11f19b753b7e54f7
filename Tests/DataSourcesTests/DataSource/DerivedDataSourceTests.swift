import DataSources
import DataSourcesTestSupport
import FetchedResultsSupport
import TestSupport
import Testing

/// Sources that are made of another one: mapped and filtered ones.
@Suite(.timeLimit(.minutes(10))) struct DerivedDataSourceTests {
  /// A mapped source beside the controller that it is made of.
  struct Mapped: DataSourceProtocol {
    let controller: SectionController<Errand>
    let mapped: AnyDataSource<Errand>

    init(_ list: Snapshot<Errand>) {
      controller = SectionController(list)
      mapped = controller.mapped { $0 }
    }

    var snapshot: Snapshot<Errand> { mapped.snapshot }
    func updates() -> AsyncStream<Update<Errand>> { mapped.updates() }
    func follow() -> Following<Errand> { mapped.follow() }
    func reload() async throws { try await mapped.reload() }
  }

  @Test(arguments: Seeds.range(6)) func `a mapped source is a data source like any other`(seed: UInt64) async throws {
    let suite = DataSourceConformance(
      making: { Mapped($0) }, changing: { source, list in source.controller.replace(with: list) }, reading: { $0 })
    #expect(try await suite.violations(seed: seed) == [], "\(Seeds.hint(seed))")
  }

  @Test func `rows are made once, and then those that a change concerns`() async {
    let list = SectionController(Snapshot(["A": [1, 2], "B": [3]]))
    let made = Locked<[Int]>([])
    let source = list.mapped { row in
      made.withLock { $0.append(row.id) }
      return "row \(row.id)"
    }
    var updates = source.updates().makeAsyncIterator()
    #expect(made.withLock { $0 } == [1, 2, 3])
    list.edit { draft in
      draft.move(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 1, item: 1))
      draft.append(Row(4), toSection: 0)
      draft.update(at: ItemPath(section: 1, item: 0)) { $0.version = 1 }
      draft.renameSection(at: 0, to: "First")
    }
    #expect(made.withLock { $0 } == [1, 2, 3, 4, 3])
    #expect(source.snapshot.map(\.name) == ["First", "B"])
    #expect(source.snapshot.map { Array($0.items) } == [["row 2", "row 4"], ["row 3", "row 1"]])
    let changes = await updates.next()?.changes
    #expect(changes?.movedItems.count == 1 && changes?.insertedItems.count == 1 && changes?.updatedItems.count == 1)
    #expect(changes?.deletedItems == [])
  }

  @Test func `a filtered source is what its condition leaves, whatever is edited`() async {
    for seed in Seeds.range(200) {
      var random = SeededGenerator(seed: seed)
      var (list, nextID) = (random.list(), 1000)
      let controller = SectionController(list)
      let modulus = Locked(1)
      let filtered = controller.filtered { $0.id.isMultiple(of: modulus.withLock { $0 }) }
      let updates = Locked<[Update<Row>]>([])
      var following = filtered.updates().makeAsyncIterator()
      var last = filtered.snapshot
      for _ in 0..<8 {
        if random.once(in: 3) {
          let number = 1 + random.below(4)
          modulus.withLock { $0 = number }
          filtered.condition = { $0.id.isMultiple(of: number) }
        } else {
          random.edit(&list, nextID: &nextID)
          controller.replace(with: list)
        }
        let number = modulus.withLock { $0 }
        let expected = list.compactMap { section in
          let rows = section.items.filter { $0.id.isMultiple(of: number) }
          return rows.isEmpty ? nil : Section(id: section.id, name: section.name, items: rows)
        }
        #expect(Array(filtered.snapshot) == expected, "\(Seeds.hint(seed))")
        if Array(last) != expected, let update = await following.next() {
          #expect(Laws.violations(of: update) == [], "\(Seeds.hint(seed))")
          updates.withLock { $0.append(update) }
          last = update.new
        }
      }
      #expect(Laws.chain(updates.withLock { $0 }) == [], "\(Seeds.hint(seed))")
    }
  }

  @Test func `sections that a change does not concern are not asked about again`() {
    let list = SectionController(Snapshot(["A": [1, 2], "B": [3]]))
    let asked = Locked<[Int]>([])
    let found = list.filtered { row in
      asked.withLock { $0.append(row.id) }
      return row.id > 1
    }
    asked.withLock { $0 = [] }
    list.append(Row(4), toSection: 1)
    #expect(found.snapshot.text == "A[2] B[3, 4]")
    #expect(asked.withLock { $0 } == [3, 4])
  }

  @Test func `edits and conditions at the same time leave the last of both`() async {
    let list = SectionController(Snapshot(["A": Array(0..<50)]))
    let found = list.mapped { $0 }.filtered { _ in true }
    let following = found.follow()
    let reading = Task {
      var last = following.snapshot
      var broken = 0
      for await update in following.updates {
        if update.old != last { broken += 1 }
        last = update.new
      }
      return (last, broken)
    }
    for round in 0..<60 {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for step in 0..<40 { found.condition = { $0.id % 3 != step % 3 } } }
        for number in 1..<4 {
          group.addTask {
            for step in 0..<10 { list.edit { $0.append(Row(number * 1000 + round * 10 + step), toSection: 0) } }
          }
        }
      }
      #expect(Array(found.snapshot.items) == list.snapshot.items.filter(found.condition))
    }
    found.condition = { $0.id >= 1000 }
    #expect(found.numberOfItems == 1800)
    let end = Row(5000)
    list.append(end, toSection: 0)
    for _ in 0..<2000 where found.snapshot.items.last != end { try? await Task.sleep(for: .milliseconds(2)) }
    reading.cancel()
    let (_, broken) = await reading.value
    #expect(broken == 0)
  }

  @Test func `what is made of a list keeps it alive, ends with it, and is not kept alive by it`() async {
    let list = SectionController(Snapshot(["A": [1]]))
    weak var weakly: FilteredDataSource<Row>?
    var updates: AsyncStream<Update<Row>>.Iterator
    do {
      let found = list.filtered { _ in true }
      weakly = found
      updates = found.updates().makeAsyncIterator()
    }
    #expect(weakly == nil)
    #expect(await updates.next() == nil)
    list.append(Row(2), toSection: 0)
  }

  @Test func `an adapter reloads its host where it should`() {
    let host = TestHost()
    let list = SectionController(Snapshot(["A": [1]]))
    let adapter = ListAdapter(source: list, presenter: .rows, host: host)
    adapter.shouldReload = { $0.count > 2 }
    adapter.show(Snapshot(["A": [1, 2, 3]]))
    #expect(host.moments.filter { $0 == .reloadData }.count == 1)
    adapter.show(Snapshot(["A": [1, 2, 3, 4, 5, 6]]))
    #expect(host.moments.filter { $0 == .reloadData }.count == 2)
    #expect(host.shown == [["1", "2", "3", "4", "5", "6"]])
    #expect(host.violations == [])
  }
}
