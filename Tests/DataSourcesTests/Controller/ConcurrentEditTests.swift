import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

/// Edits from many tasks: each happens once, and readers see a chain of true differences.
@Suite(.timeLimit(.minutes(10))) struct ConcurrentEditTests {
  /// A row that can be compared only.
  struct Plain: Equatable, Sendable {
    var id: Int
    var version = 0
  }
  /// A row about which nothing is known.
  struct Opaque: Sendable {
    var id: Int
    var version = 0
  }

  /// Four tasks, each with rows of its own, which it appends, changes, moves and removes. The tasks edit by path, by id
  /// and in several steps, and replace whole lists. At the end each row has as many changes as were made to it.
  private func check<Item: Sendable>(
    _ seed: UInt64, _ make: @escaping @Sendable (Row) -> Item, _ read: @escaping @Sendable (Item) -> Row,
    byID: (@Sendable (SectionController<Item>, Row) -> Void)? = nil, _ location: SourceLocation = #_sourceLocation
  ) async {
    let tasks = 4
    let steps = 150
    let list = SectionController(
      sections: (0..<3).map { Section(id: .integer($0), name: "\($0)", items: [] as [Item]) })
    let streams = (0..<3).map { _ in list.updates() }
    let readers = streams.enumerated().map { number, updates in
      Task {
        var seen: [Update<Item>] = []
        for await update in updates {
          seen.append(update)
          if update.new.last?.id == "end" { break }
          for _ in 0..<number * 20 { await Task.yield() }
        }
        return seen
      }
    }
    let expected = await withTaskGroup(of: [Int: Int].self) { group in
      for task in 0..<tasks {
        group.addTask {
          var random = SeededGenerator(seed: seed &* 31 &+ UInt64(task))
          var versions: [Int: Int] = [:]
          func place(_ draft: Draft<Item>, _ id: Int) -> ItemPath? {
            draft.snapshot.paths.first { read(draft.snapshot[$0]).id == id }
          }
          for step in 0..<steps {
            if random.below(3) == 0 { await Task.yield() }
            let ids = versions.keys.sorted()
            let id = ids.isEmpty || random.below(4) == 0 ? nil : ids[random.below(ids.count)]
            guard let id else {
              let id = task * 10_000 + step
              list.append(make(Row(id)), toSection: random.below(3))
              versions[id] = 0
              continue
            }
            switch random.below(6) {
            case 0:
              list.edit { draft in if let path = place(draft, id) { draft.remove(at: path) } }
              versions[id] = nil
            case 1:
              list.edit { draft in
                guard let path = place(draft, id) else { return }
                draft.move(from: path, to: ItemPath(section: path.section, item: 0))
                draft.update(at: ItemPath(section: path.section, item: 0)) { $0 = make(Row(id, read($0).version + 1)) }
              }
              versions[id, default: 0] += 1
            case 2, 3:
              versions[id, default: 0] += 1
              let row = Row(id, versions[id] ?? 0)
              if let byID {
                byID(list, row)
              } else {
                list.edit { d in if let p = place(d, id) { d.update(make(row), at: p) } }
              }
            case 4:
              // The same rows in another order, in one step.
              list.edit { draft in
                draft.replace(
                  with: Snapshot(
                    draft.snapshot.map { Section(id: $0.id, name: $0.name, items: Array($0.items.reversed())) }))
              }
            default:
              // An equal row: nothing changed.
              list.edit { draft in if let path = place(draft, id) { draft.update(at: path) { _ in } } }
            }
          }
          return versions
        }
      }
      return await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }
    list.createSection(name: "end")
    let rows = list.snapshot.items.map(read)
    #expect(rows.count == expected.count, "\(Seeds.hint(seed))", sourceLocation: location)
    #expect(
      Dictionary(rows.map { ($0.id, $0.version) }, uniquingKeysWith: { first, _ in first }) == expected,
      "\(Seeds.hint(seed))", sourceLocation: location)
    for reader in readers {
      let seen = await reader.value
      let plain = seen.map { Update(old: rowsOf($0.old, read), new: rowsOf($0.new, read), changes: $0.changes) }
      #expect(Laws.chain(plain) == [], "\(Seeds.hint(seed))", sourceLocation: location)
      #expect(plain.allSatisfy { Laws.replay($0).isEmpty }, "\(Seeds.hint(seed))", sourceLocation: location)
      if Item.self is Row.Type {
        #expect(plain.allSatisfy { Laws.frugal($0).isEmpty }, "\(Seeds.hint(seed))", sourceLocation: location)
      }
      #expect(rowsOf(list.snapshot, read) == plain.last?.new, "\(Seeds.hint(seed))", sourceLocation: location)
    }
  }

  private func rowsOf<Item>(_ list: Snapshot<Item>, _ read: (Item) -> Row) -> Snapshot<Row> {
    Snapshot(list.map { Section(id: $0.id, name: $0.name, items: $0.items.map(read)) })
  }

  @Test(arguments: Seeds.range(6)) func `rows with an id`(seed: UInt64) async {
    await check(seed, { $0 }, { $0 }) { $0.update($1) }
  }

  @Test(arguments: Seeds.range(4)) func `rows that can only be compared`(seed: UInt64) async {
    await check(seed, { Plain(id: $0.id, version: $0.version) }, { Row($0.id, $0.version) })
  }

  @Test(arguments: Seeds.range(4)) func `rows that cannot be compared`(seed: UInt64) async {
    await check(seed, { Opaque(id: $0.id, version: $0.version) }, { Row($0.id, $0.version) })
  }

  /// Tasks remove rows by id while others insert before them, so paths that were found are outdated.
  @Test func `rows are removed by their ids once each`() async {
    let list = SectionController((0..<2_000).map { Row($0) })
    let removed = await withTaskGroup(of: [Int].self) { group in
      for task in 0..<3 {
        group.addTask {
          var removed: [Int] = []
          for id in 0..<2_000 where id % 3 != task { if let row = list.remove(id: id) { removed.append(row.id) } }
          return removed
        }
      }
      group.addTask {
        for step in 0..<2_000 { list.insert(Row(10_000 + step), at: ItemPath(section: 0, item: 0)) }
        return []
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(removed.sorted() == Array(0..<2_000))
    #expect(list.numberOfItems == 2_000 && list.snapshot.items.allSatisfy { $0.id >= 10_000 })
  }

  /// Many threads change a reference and make the source read it again: in the end the list is what it holds.
  @Test func `a store that many threads read again is shown as it is`() async throws {
    let shelves = [SectionController([0]), SectionController([0])]
    let provider = DataProvider<SectionController<Int>, Int>(
      numberOfSections: { _ in 1 }, numberOfItems: { _, _ in 1 },
      item: { store, path in store.snapshot[path] }, path: { _, _ in nil })
    let source = provider.dataSource(of: shelves[0])
    for round in 1...300 {
      await withTaskGroup(of: Void.self) { group in
        for shelf in shelves {
          group.addTask {
            shelf.update(round, at: ItemPath(section: 0, item: 0))
            try? await source.reload()
          }
        }
        group.addTask { source.setStore(shelves[round % 2]) }
      }
      #expect(source.store === shelves[round % 2] && Array(source.snapshot.items) == [round])
    }
  }
}
