import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SwitchingDataSourceTests {
  private func controller(_ rows: [Int]) -> SectionController<Row> { SectionController(Snapshot([Section("A", rows)])) }

  @Test func `a switch is one update for a reader`() async {
    let source = SwitchingDataSource(controller([1, 2]))
    var updates = source.updates().makeAsyncIterator()
    source.source = AnyDataSource(controller([2, 3]))
    #expect(source.snapshot.text == "A[2, 3]")
    let update = await updates.next()
    #expect(update?.old.text == "A[1, 2]" && update?.new.text == "A[2, 3]")
    #expect(update?.changes.deletedItems == [ItemPath(section: 0, item: 0)])
    #expect(update?.changes.insertedItems == [ItemPath(section: 0, item: 1)])
  }

  @Test func `a reader that waits receives the switch, and then the other source's changes`() async {
    let (first, second) = (controller([1]), controller([1, 2]))
    let source = SwitchingDataSource(first)
    let recorder = Task { [updates = source.updates()] in
      var seen: [String] = []
      for await update in updates {
        seen.append("\(update.old.text) -> \(update.new.text)")
        if update.new.numberOfItems == 3 { break }
      }
      return seen
    }
    try? await Task.sleep(for: .milliseconds(5))
    source.source = AnyDataSource(second)
    try? await Task.sleep(for: .milliseconds(5))
    first.append(Row(9), toSection: 0)
    second.append(Row(3), toSection: 0)
    #expect(await recorder.value == ["A[1] -> A[1, 2]", "A[1, 2] -> A[1, 2, 3]"])
  }

  @Test func `switching to an equal list is no update`() async {
    let source = SwitchingDataSource(controller([1]))
    var updates = source.updates().makeAsyncIterator()
    let other = controller([1])
    source.source = AnyDataSource(other)
    other.append(Row(2), toSection: 0)
    #expect(await updates.next()?.new.text == "A[1, 2]")
  }

  @Test func `a source that never changes can be replaced`() async {
    let source = SwitchingDataSource(AnyDataSource(snapshot: { Snapshot([Section("A", [1])]) }))
    let reading = Task { [updates = source.updates()] in
      for await update in updates { return update.new.text }
      return "ended"
    }
    try? await Task.sleep(for: .milliseconds(5))
    source.source = AnyDataSource(controller([1, 2]))
    #expect(await reading.value == "A[1, 2]")
  }

  @Test func `the previous source is released`() async {
    var first: SectionController<Row>? = controller([1])
    weak let weakly = first
    let source = SwitchingDataSource(controller([0]))
    if let first { source.source = AnyDataSource(first) }
    let updates = source.updates()
    first = nil
    #expect(weakly != nil)
    source.source = AnyDataSource(controller([2]))
    #expect(weakly == nil)
    _ = updates
  }

  @MainActor @Test func `an adapter that follows shows the new source, and nothing of the previous one`() async {
    let host = StrictListHost()
    let (first, second) = (controller([1, 2]), controller([7]))
    let source = SwitchingDataSource(first)
    let adapter = ListAdapter(source: AnyDataSource(source), presenter: .rows, host: host)
    adapter.follow()
    source.source = AnyDataSource(second)
    first.append(Row(3), toSection: 0)
    while host.shown != [["7"]] { await Task.yield() }
    first.append(Row(4), toSection: 0)
    second.append(Row(8), toSection: 0)
    while host.shown != [["7", "8"]] { await Task.yield() }
    #expect(host.check() == [])
    #expect(host.moments.filter { $0 == .reloadData }.count == 1)
  }

  /// Readers of all ages, slow and quick, while sources change and are switched on several threads.
  @Test(arguments: Seeds.range(6)) func `readers see a chain through all switches`(seed: UInt64) async {
    let source = SwitchingDataSource(controller([0]))
    let readers = (0..<6).map { number in
      Task { [updates = source.updates(), start = source.snapshot] in
        var seen: [Update<Row>] = []
        for await update in updates {
          seen.append(update)
          if number.isMultiple(of: 2) { try? await Task.sleep(for: .microseconds(300)) }
        }
        return (start, seen)
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<3 {
        group.addTask {
          var random = SeededGenerator(seed: seed * 3 + UInt64(worker))
          for step in 0..<60 {
            if random.once(in: 3) {
              source.source = AnyDataSource(SectionController(random.list()))
            } else {
              let other = SectionController(random.list())
              source.source = AnyDataSource(other)
              for _ in 0..<random.below(5) { other.replace(with: random.list()) }
            }
            if step.isMultiple(of: 10) { await Task.yield() }
          }
        }
      }
    }
    let last = SectionController(Snapshot([Section("last", [1, 2, 3])]))
    source.source = AnyDataSource(last)
    try? await Task.sleep(for: .milliseconds(30))
    for reader in readers { reader.cancel() }
    for reader in readers {
      let (start, seen) = await reader.value
      #expect(Laws.chain(seen, from: start) == [], "\(Seeds.hint(seed))")
      #expect(seen.flatMap { Laws.replay($0) } == [], "\(Seeds.hint(seed))")
      #expect(!seen.contains { $0.changes.isEmpty }, "\(Seeds.hint(seed))")
    }
  }
}
