import DataSources
import DataSourcesTestSupport
import FeedTestSupport
import FetchedResultsSupport
import Foundation
import LiveFeeds
import TestSupport
import Testing

/// Connections that are lost, refused, silent or held back.
@Suite(.timeLimit(.minutes(5))) struct RemoteStateTests {
  private let one =
    "id: h.0\ndata: {\"next\":\"h.0\",\"reset\":true,\"total\":1,\"sections\":[{\"id\":{\"text\":\"A\"},"
    + "\"name\":\"A\",\"items\":[{\"id\":1,\"title\":\"Milk\",\"isDone\":false}]}]}\n\n"

  private func options(_ clock: DrivenClock) -> RemoteOptions {
    var options = RemoteOptions()
    options.clock = clock
    options.random = { 1 }
    // Longer than what the tests wait for.
    (options.patience, options.silence) = (.seconds(9000), .seconds(9000))
    return options
  }

  @Test func `pauses grow up to a limit, and begin again after a connection`() async throws {
    let clock = DrivenClock()
    let failures = Array(repeating: ScriptedTransport.Answer.fails(FeedError("refused")), count: 8)
    let transport = ScriptedTransport(failures + [.ends([one])], then: .fails(FeedError("refused")))
    let remote = RemoteDataSource<Errand>(transport, options: options(clock))
    var pauses: [Duration] = []
    for _ in 0..<10 { pauses.append(try await clock.passNextSleep()) }
    #expect(pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 0.5, 0.5].map { .seconds($0) })
    #expect(remote.numberOfItems == 1)
    try await remote.wait { _ in transport.requests.withLock { $0.count == 11 } }
    guard case .stale(_, "refused") = remote.state else { return #expect(Bool(false), "\(remote.state)") }
    #expect(
      transport.requests.withLock { Array($0.suffix(2)) } == [FeedRequest(after: "h.0"), FeedRequest(after: "h.0")])
  }

  @Test func `a service that asks for a pause gets it`() async throws {
    let clock = DrivenClock()
    let busy = try #require(FeedError(status: 503, retryAfter: " 80"))
    let remote = RemoteDataSource<Errand>(ScriptedTransport([], then: .fails(busy)), options: options(clock))
    #expect(try await clock.passNextSleep() == .seconds(100))
    #expect(!busy.isFinal && remote.state != .live)
  }

  @Test(arguments: [401, 403, 404]) func `a refusal is final until somebody asks again`(status: Int) async throws {
    let refusal = try #require(FeedError(status: status))
    let transport = ScriptedTransport([.fails(refusal), .fails(refusal)], then: .stays([one]))
    let remote = RemoteDataSource<Errand>(transport, options: .quick)
    try await remote.wait { $0.state == .failed(reason: refusal.reason) }
    try await Task.sleep(for: .milliseconds(30))
    #expect(transport.requests.withLock { $0.count } == 1)
    await #expect(throws: refusal) { try await remote.reload() }
    #expect(remote.state == .failed(reason: refusal.reason))
    remote.reconnect()
    try await remote.wait { $0.state == .live && $0.numberOfItems == 1 }
  }

  @Test func `a silent stream is a lost connection`() async throws {
    let clock = DrivenClock()
    var options = options(clock)
    (options.patience, options.silence) = (.seconds(10), .seconds(45))
    let remote = RemoteDataSource<Errand>(ScriptedTransport([.stays([one])], then: .hangs), options: options)
    try await remote.wait { $0.state == .live }
    while remote.state == .live { _ = try await clock.passNextSleep() }
    #expect(clock.now.time >= .seconds(45) && clock.now.time < .seconds(56))
    guard case .stale(let since, let reason) = remote.state else { return #expect(Bool(false), "\(remote.state)") }
    #expect(reason == "nothing has come for too long" && abs(since.timeIntervalSinceNow) < 60)
    #expect(remote.numberOfItems == 1)
  }

  @Test func `three streams that close quickly lead to polling, and later to another stream`() async throws {
    let clock = DrivenClock()
    var options = options(clock)
    options.pollingTime = .seconds(20)
    let transport = ScriptedTransport(Array(repeating: .ends([one]), count: 3), then: .ends([]))
    let remote = RemoteDataSource<Errand>(transport, options: options)
    // An answer without news that comes at once is asked for again after a pause.
    while transport.requests.withLock({ $0.count }) < 8 { _ = try await clock.passNextSleep() }
    #expect(
      transport.requests.withLock { $0.prefix(8).map(\.wait) } == [nil, nil, nil, .zero]
        + Array(repeating: .seconds(20), count: 4))
    #expect(remote.state == .live && remote.numberOfItems == 1)
  }

  @Test func `a proxy that holds streams back leads to polling`() async throws {
    let clock = DrivenClock()
    var options = options(clock)
    options.patience = .seconds(10)
    let transport = ScriptedTransport([.hangs, .stays([]), .stays([])], then: .ends([one]))
    let remote = RemoteDataSource<Errand>(transport, options: options)
    let driving = Task { while !Task.isCancelled { _ = try? await clock.passNextSleep(shorterThan: .seconds(15)) } }
    try await remote.wait { $0.state == .live }
    driving.cancel()
    #expect(transport.requests.withLock { $0.map(\.wait) }.prefix(4) == [nil, nil, nil, .zero])
  }

  @Test func `polling over a real connection`() async throws {
    let list = SectionController(ErrandsAndCareer.list)
    var small = FeedOptions()
    small.pieceBytes = 100
    let server = SocketServer(LiveFeed(list, options: small))
    server.behavior.withLock { $0.closesStreams = true }
    let remote = RemoteDataSource<Errand>(SocketTransport(port: server.port), options: .quick)
    try await remote.wait { _ in server.requests.withLock { $0.contains { $0.contains("wait=") } } }
    for number in 0..<20 {
      list.append(Errand(id: Int64(100 + number), title: "x"), toSection: 0)
      try await remote.wait { $0.snapshot == list.snapshot }
      if number == 10 { try await remote.reload() }
    }
    #expect(remote.state == .live)
  }

  @Test func `the state goes from connecting to live to stale and back`() async throws {
    let list = SectionController(ErrandsAndCareer.list)
    let feed = LiveFeed(list)
    let server = SocketServer(feed)
    let remote = RemoteDataSource<Errand>(SocketTransport(port: server.port), options: .quick)
    let states = Locked<[FeedState]>([])
    let following = remote.states()
    let reading = Task { for await state in following { states.withLock { $0.append(state) } } }
    try await remote.wait { $0.state == .live }
    // A reader of states that waits gets each.
    try await remote.wait { _ in states.withLock { $0.last == .live } }
    let since = Date()
    server.behavior.withLock { $0.status = "503 Busy" }
    server.listener.cut()
    try await remote.wait { $0.state != .live }
    list.append(Errand(id: 50, title: "missed"), toSection: 0)
    func isRefused(_ state: FeedState?) -> Bool {
      if case .stale(_, "status 503, busy") = state { true } else { false }
    }
    try await remote.wait { _ in states.withLock { isRefused($0.last) } }
    #expect(remote.snapshot == ErrandsAndCareer.list)
    guard case .stale(let stale, _) = remote.state else { return #expect(Bool(false), "\(remote.state)") }
    #expect(abs(stale.timeIntervalSince(since)) < 5)
    var updates = remote.updates().makeAsyncIterator()
    server.behavior.withLock { $0.status = nil }
    #expect(await updates.next()?.changes.insertedItems == [ItemPath(section: 0, item: 3)])
    try await remote.wait { $0.state == .live }
    try await remote.wait { _ in states.withLock { $0.last == .live } }
    reading.cancel()
    let seen = states.withLock { $0 }
    #expect(seen.first == .connecting || seen.first == .live)
  }

  @Test func `a service that starts again is one update of what differs`() async throws {
    let list = SectionController(ErrandsAndCareer.list)
    let server = SocketServer(LiveFeed(list))
    let remote = RemoteDataSource<Errand>(SocketTransport(port: server.port), options: .quick)
    try await remote.wait { $0.state == .live }
    let updates = Locked<[Update<Errand>]>([])
    let following = remote.updates()
    let reading = Task { for await update in following { updates.withLock { $0.append(update) } } }
    server.behavior.withLock { [feed = LiveFeed(list)] in $0.feed = feed }
    server.listener.cut()
    list.remove(at: ItemPath(section: 1, item: 0))
    try await remote.wait { $0.snapshot == list.snapshot }
    try await Task.sleep(for: .milliseconds(50))
    reading.cancel()
    #expect(updates.withLock { $0.map(\.changes) } == [Changes(deletedItems: [ItemPath(section: 1, item: 0)])])
  }

  @Test func `reloading reads a new snapshot, and ends with its task`() async throws {
    let transport = ScriptedTransport([.stays([one]), .stays([one.replacing("Milk", with: "Bread")])], then: .hangs)
    let remote = RemoteDataSource<Errand>(transport, options: .quick)
    try await remote.wait { $0.state == .live }
    try await remote.reload()
    #expect(remote.snapshot[ItemPath(section: 0, item: 0)].title == "Bread")
    #expect(transport.requests.withLock { $0.map(\.token) } == [nil, nil])
    let reload = Task { try await remote.reload() }
    try await remote.wait { _ in transport.requests.withLock { $0.count == 3 } }
    reload.cancel()
    let start = ContinuousClock.now
    await #expect(throws: CancellationError.self) { try await reload.value }
    #expect(ContinuousClock.now - start < .seconds(1))
    #expect(remote.numberOfItems == 1)
  }

  @Test func `a released list closes its connection`() async throws {
    let server = SocketServer(LiveFeed(SectionController(ErrandsAndCareer.list)))
    weak var weakly: RemoteDataSource<Errand>?
    var states: AsyncStream<FeedState>?
    do {
      let remote = RemoteDataSource<Errand>(SocketTransport(port: server.port), options: .quick)
      weakly = remote
      try await remote.wait { $0.state == .live }
      states = remote.states()
    }
    #expect(weakly == nil)
    for await _ in try #require(states) {}
    let end = ContinuousClock.now + .seconds(60)
    while server.listener.numberOfConnections > 0, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(server.listener.numberOfConnections == 0)
  }

  @Test func `a client does not notice that its list is now a remote one`() async throws {
    let list = SectionController(ErrandsAndCareer.list)
    let server = SocketServer(LiveFeed(list))
    let remote = RemoteDataSource<Errand>(SocketTransport(port: server.port), options: .quick)
    try await remote.wait { $0.state == .live }
    let shown = SwitchingDataSource(list)
    let following = shown.follow()
    let updates = Locked<[Update<Errand>]>([])
    let reading = Task { for await update in following.updates { updates.withLock { $0.append(update) } } }
    var random = SeededGenerator(seed: 3)
    for round in 0..<20 {
      shown.source = round.isMultiple(of: 2) ? AnyDataSource(remote) : AnyDataSource(list)
      list.replace(with: ErrandsAndCareer.changed(list.snapshot, using: &random))
      try await remote.wait { $0.snapshot == list.snapshot }
      if round == 10 { server.listener.cut() }
    }
    try await remote.wait { _ in updates.withLock { $0.last?.new == list.snapshot } }
    reading.cancel()
    let seen = updates.withLock { $0 }
    #expect(Laws.chain(seen, from: following.snapshot) == [])
    #expect(seen.flatMap { Laws.violations(of: $0) } == [])
    #expect(seen.allSatisfy { !$0.changes.isEmpty })
  }
}
