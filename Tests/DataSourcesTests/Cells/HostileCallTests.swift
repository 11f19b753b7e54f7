import DataSources
import DataSourcesTestSupport
import TerminalLists
import TestSupport
import Testing

/// A host only receives differences that start from the list it shows, whatever is called and in whatever order.
@Suite(.timeLimit(.minutes(10))) struct HostileCallTests {
  private func list(_ rows: [Int]) -> Snapshot<Row> { Snapshot([Section("A", rows)]) }
  private func texts(_ rows: [Int]) -> [[String?]] { [rows.map { "\($0)" }] }

  @MainActor @Test func `the source's next change replaces a list that was shown while following`() async {
    let host = TestHost()
    let source = SectionController(list([1, 2]))
    let adapter = ListAdapter(source: source, presenter: .rows, host: host)
    adapter.follow()
    adapter.show(list([7, 8, 9]))
    source.append(Row(3), toSection: 0)
    while adapter.snapshot.numberOfItems != 3 || host.shown == texts([7, 8, 9]) { await Task.yield() }
    #expect(host.check() == [])
    #expect(host.shown == texts([1, 2, 3]))
  }

  @Test func `an update that is late, early or repeated is compared with what is shown`() {
    let host = TestHost()
    let ledger = Ledger(list([1]))
    let adapter = ListAdapter(source: ledger, presenter: .rows, host: host)
    for number in 2...5 { ledger.append(Row(number), toSection: 0) }
    for index in [0, 0, 3, 1, 2, 2, 3] {
      adapter.apply(ledger.told[index])
      #expect(host.check() == [])
      #expect(adapter.snapshot.numberOfItems == index + 2)
    }
    #expect(host.shown == texts([1, 2, 3, 4, 5]))
  }

  @Test(arguments: TestHost.Moment.allCases)
  func `a list that is shown from inside a change is shown after it`(moment: TestHost.Moment) {
    let host = TestHost()
    let adapter = ListAdapter(source: SectionController(list([1])), presenter: .rows, host: host)
    var isFirst = true
    host.interruption = { [unowned adapter] now in
      guard now == moment, isFirst else { return }
      isFirst = false
      adapter.show(list([5, 1, 6]))
      adapter.apply(Update(old: list([5, 1, 6]), new: list([6])))
    }
    adapter.show(list([1, 2, 3, 4]))
    #expect(host.check() == [])
    #expect(host.shown == texts(moment == .reloadData ? [1, 2, 3, 4] : [6]))
  }

  @Test func `another list that a presenter shows is shown after the change`() {
    let host = TestHost()
    var show: (Snapshot<Row>) -> Void = { _ in }
    let adapter = ListAdapter(
      source: SectionController(list([1])),
      presenter: .configuring(TextCell.self) { cell, row in
        cell.text = StyledText("\(row)")
        if row.id == 2 { show(list([9])) }
      }, host: host)
    show = { [unowned adapter] in adapter.show($0) }
    adapter.show(list([1, 2, 3]))
    #expect(host.check() == [])
    #expect(host.shown == texts([9]))
  }

  @MainActor @Test func `an adapter leaves a host alone that belongs to another adapter`() async {
    let host = TestHost()
    let source = SectionController(list([1]))
    let first = ListAdapter(source: source, presenter: .rows, host: host)
    first.follow()
    let second = ListAdapter(source: SectionController(list([7, 8])), presenter: .rows, host: host)
    source.append(Row(2), toSection: 0)
    for _ in 0..<50 { await Task.yield() }
    first.show(list([3]))
    first.follow()
    #expect(host.shown == texts([7, 8]))
    #expect(host.check() == [])
    second.show(list([8]))
    #expect(host.shown == texts([8]))
    #expect(host.check() == [])
  }

  @Test func `a host that keeps no content shows what it receives`() {
    final class Forgetful: ListHost {
      var content: (any ListContent<any LineCell>)? {
        get { nil }
        set { _ = newValue }
      }
      var count = 0
      func register(_ registration: CellRegistration<any LineCell>) {}
      func dequeue(_ identifier: String, for path: ItemPath) -> any LineCell { TextCell() }
      func reloadData() {}
      func performBatch(_ stage: Changes, switchingContent: () -> Void) { count += 1 }
    }
    let host = Forgetful()
    let adapter = ListAdapter(source: SectionController(list([1])), presenter: .rows, host: host)
    adapter.show(list([1, 2]))
    #expect(host.count == 1 && adapter.snapshot.numberOfItems == 2)
  }

  /// Two or three adapters on one host, driven by calls of all kinds. All but making an adapter come from inside
  /// changes too.
  @Test(arguments: Seeds.range(300)) func `no order of calls corrupts a host`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let host = TestHost()
    var adapters: [ListAdapter<SectionController<Row>, TestHost>] = []
    var updates: [Update<Row>] = []
    var depth = 0
    var steps = 0

    func makeAdapter() {
      adapters.append(ListAdapter(source: SectionController(random.list()), presenter: .rows, host: host))
    }

    func act() {
      steps += 1
      guard let adapter = adapters.randomElement(using: &random) else { return makeAdapter() }
      switch random.below(12) {
      case 0 where adapters.count < 4 && depth == 0: makeAdapter()
      case 1, 2, 3: adapter.show(random.list())
      case 4, 5:
        var new = adapter.snapshot
        var id = 100 + steps * 10
        for _ in 0...random.below(4) { random.edit(&new, nextID: &id) }
        let update = Update(old: adapter.snapshot, new: new)
        updates.append(update)
        if random.once(in: 2) { adapter.apply(update) }
      case 6, 7, 8: if let update = updates.randomElement(using: &random) { adapter.apply(update) }
      case 9: updates = updates.shuffled(using: &random)
      case 10: adapter.stop()
      default: if adapters.count > 1, random.once(in: 4) { adapters.removeAll { $0 === adapter } }
      }
    }

    host.interruption = { _ in
      guard depth < 3, steps < 60, random.once(in: 5) else { return }
      depth += 1
      act()
      depth -= 1
    }
    while steps < 60 {
      act()
      #expect(host.violations == [], "step \(steps), \(Seeds.hint(seed))")
      if !host.violations.isEmpty { break }
    }
    host.interruption = nil
    if host.content != nil { #expect(host.check() == [], "\(Seeds.hint(seed))") }
  }
}
