import DataSources
import DataSourcesTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ObserveTests {
  @MainActor final class Screen {
    var seen: [Update<Int>] = []
    var observation: ObservationToken?
    var shown: [Int] = []

    func follow(_ list: SectionController<Int>, initial: Bool) {
      observation = list.observe(initial: initial) { [weak self] update in
        MainActor.assertIsolated()
        self?.seen.append(update)
        self?.shown = Array(update.new.items)
      }
    }
  }

  actor Log {
    var counts: [Int] = []
    var observation: ObservationToken?

    func follow(_ list: SectionController<Int>) {
      observation = list.observe(on: self, initial: true) { log, update in
        log.assertIsolated()
        log.counts.append(update.new.numberOfItems)
      }
    }
  }

  /// Waits until something holds.
  @MainActor func eventually(_ condition: @MainActor () async -> Bool) async {
    while await !condition() { await Task.yield() }
  }

  @MainActor @Test func `the observer is called on its actor`() async {
    let list = SectionController([1])
    let screen = Screen()
    screen.follow(list, initial: false)
    #expect(screen.seen.isEmpty)
    list.append(2, toSection: 0)
    await eventually { screen.shown == [1, 2] }
    #expect(screen.seen.count == 1)
    #expect(screen.seen.first?.changes.insertedItems == [ItemPath(section: 0, item: 1)])
  }

  @MainActor @Test func `the initial list is delivered once and at once`() async {
    let list = SectionController([1])
    let screen = Screen()
    screen.follow(list, initial: true)
    #expect(screen.seen.count == 1)
    #expect(screen.seen.flatMap { Laws.replay($0, identifiedBy: { $0 }, by: ==) } == [])
    #expect(screen.seen.first?.old.isEmpty == true)
    list.append(2, toSection: 0)
    await eventually { screen.shown == [1, 2] }
    #expect(screen.seen.count == 2)
    #expect(Laws.chain(screen.seen) == [])
  }

  @MainActor @Test func `an initial list is not delivered again while others write`() async {
    let list = SectionController([0])
    let writer = Task.detached { for number in 1...500 { list.append(number, toSection: 0) } }
    for _ in 0..<20 {
      let screen = Screen()
      screen.follow(list, initial: true)
      await Task.yield()
      #expect(Laws.chain(screen.seen) == [])
      #expect(screen.seen.dropFirst().allSatisfy { !$0.changes.isEmpty })
    }
    await writer.value
  }

  @MainActor @Test func `nothing is delivered after cancelling`() async throws {
    let list = SectionController([1])
    let screen = Screen()
    screen.follow(list, initial: false)
    list.append(2, toSection: 0)
    await eventually { screen.shown == [1, 2] }
    list.append(3, toSection: 0)
    screen.observation?.cancel()
    screen.observation?.cancel()
    try await Task.sleep(for: .milliseconds(20))
    list.append(4, toSection: 0)
    try await Task.sleep(for: .milliseconds(20))
    #expect(screen.shown == [1, 2])
  }

  @MainActor @Test func `releasing the observation ends it`() async throws {
    let list = SectionController([1])
    let screen = Screen()
    screen.follow(list, initial: false)
    screen.observation = nil
    list.append(2, toSection: 0)
    try await Task.sleep(for: .milliseconds(20))
    #expect(screen.seen.isEmpty)
  }

  @MainActor @Test func `an observer may edit the list`() async {
    let list = SectionController([1])
    var count = 0
    let observation = list.observe { update in
      count += 1
      if update.new.numberOfItems < 5 { list.append(update.new.numberOfItems + 1, toSection: 0) }
    }
    list.append(2, toSection: 0)
    await eventually { list.numberOfItems == 5 && count == 4 }
    observation.cancel()
  }

  @MainActor @Test func `neither keeps the other alive`() async {
    var list: SectionController<Int>? = SectionController([1])
    let screen = Screen()
    if let list { screen.follow(list, initial: true) }
    weak let weakly = list
    list = nil
    #expect(weakly == nil)
  }

  @Test func `an actor may be named`() async {
    let list = SectionController([1])
    let log = Log()
    await log.follow(list)
    list.append(2, toSection: 0)
    while await log.counts.last != 2 { await Task.yield() }
    #expect(await log.counts == [1, 2])
  }

  @Test func `a named actor is not kept alive`() async {
    let list = SectionController([1])
    var log: Log? = Log()
    await log?.follow(list)
    while await log?.counts.isEmpty == true { await Task.yield() }
    weak let weakly = log
    log = nil
    // The observation ends with the actor; running code may take a moment.
    while weakly != nil { await Task.yield() }
    list.append(2, toSection: 0)
  }

  actor Keeper {
    private var observation: ObservationToken?
    private(set) var count = 0

    func follow(_ list: SectionController<Int>) {
      observation = list.observe { [weak self] update in
        self?.assertIsolated()
        self?.assumeIsolated { $0.count += 1 }
      }
    }
  }

  @Test func `an actor that keeps its observation is not kept by it`() async throws {
    let list = SectionController([1])
    weak var gone: Keeper?
    do {
      let keeper = Keeper()
      gone = keeper
      await keeper.follow(list)
      list.append(2, toSection: 0)
      while await keeper.count == 0 { await Task.yield() }
    }
    // The task that waited for the next update releases the actor some time later.
    for _ in 0..<1000 where gone != nil { try await Task.sleep(for: .milliseconds(1)) }
    #expect(gone == nil)
  }
}
