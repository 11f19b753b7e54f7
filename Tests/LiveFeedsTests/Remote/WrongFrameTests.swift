import DataSources
import DataSourcesTestSupport
import FeedTestSupport
import FetchedResultsSupport
import Foundation
import LiveFeeds
import TestSupport
import Testing

/// Bytes from a network can be anything.
@Suite(.timeLimit(.minutes(5))) struct WrongFrameTests {
  private func snapshot(_ token: String, _ rows: ClosedRange<Int>) -> String {
    let items = rows.map { "{\"id\":\($0),\"title\":\"t\",\"isDone\":false}" }.joined(separator: ",")
    return "data: {\"next\":\"\(token)\",\"reset\":true,\"total\":\(rows.count),\"sections\":[{\"id\":{\"none\":true},"
      + "\"name\":\"\",\"items\":[\(items)]}]}\n\n"
  }

  private func patch(_ after: String, _ next: String, from count: Int, insert row: Int) -> String {
    "data: {\"after\":\"\(after)\",\"next\":\"\(next)\",\"patch\":{\"changes\":{\"insertedItems\":[[0,\(count)]]},"
      + "\"numberOfSections\":1,\"numberOfItems\":\(count),\"insertedSections\":[],\"updatedSections\":[],"
      + "\"insertedItems\":[{\"id\":\(row),\"title\":\"t\",\"isDone\":false}],\"updatedItems\":[]}}\n\n"
  }

  /// What a list becomes after one answer, and then another one that is right.
  private func after(_ parts: [String], _ options: RemoteOptions = .quick) async throws -> (
    Snapshot<Errand>, [FeedRequest]
  ) {
    let transport = ScriptedTransport([.ends(parts)], then: .stays([snapshot("h.9", 1...4)]))
    let remote = RemoteDataSource<Errand>(transport, options: options)
    try await remote.wait { _ in transport.requests.withLock { $0.count > 1 } }
    try await remote.wait { $0.state == .live }
    return (remote.snapshot, transport.requests.withLock { $0 })
  }

  @Test(arguments: [
    "data: {\n\n", "data: []\n\n", "data: {}\n\n", "data: {\"next\":\"h.1\"}\n\n", "<html>\n", "{\"next\":5}\n",
    "data: {\"next\":\"\",\"reset\":true,\"sections\":[]}\n\n", "data: {\"next\":\"h.1\",\"reset\":true}\n\n",
    "data: {\"next\":\"h.1\",\"sections\":[]}\n\n",
    "data: {\"next\":\"h.1\",\"total\":-1,\"reset\":true,\"sections\":[]}\n\n",
    "data: {\"next\":\"h.1\",\"reset\":true,\"sections\":[{\"id\":{\"integer\":1},\"name\":\"a\"},"
      + "{\"id\":{\"integer\":2},\"name\":\"b\"},{\"id\":{\"integer\":1},\"name\":\"a\"}]}\n\n",
    "data: \(String(repeating: "[", count: 100_000))\n\n",
  ]) func `a wrong frame leads to a new snapshot`(frame: String) async throws {
    // Its token is not trusted any more either: the new snapshot is shown, though it seems to be an older one.
    let (list, requests) = try await after([snapshot("h.50", 1...2), frame])
    #expect(list.numberOfItems == 4)
    #expect(requests.map(\.token).prefix(2) == [nil, nil])
  }

  @Test func `a patch that does not follow, or does not fit, leads to a new snapshot`() async throws {
    for (after, count) in [("h.1", 2), ("h.0", 3)] {
      let parts = [snapshot("h.0", 1...2), patch(after, "h.2", from: count, insert: 7)]
      let (list, requests) = try await self.after(parts)
      #expect(list.numberOfItems == 4 && requests.map(\.token).prefix(2) == [nil, nil])
    }
    // This one fits, and the reader continues behind it.
    let (_, requests) = try await after([snapshot("h.0", 1...2), patch("h.0", "h.1", from: 2, insert: 7)])
    #expect(requests.map(\.token).prefix(2) == [nil, "h.1"])
  }

  @Test func `frames that come together are one update, and the same frame again is none`() async throws {
    let patches = (0..<5).map { patch("h.\($0)", "h.\($0 + 1)", from: 2 + $0, insert: 7 + $0) }
    let last = patches[4]
    let transport = ScriptedTransport([], then: .stays([snapshot("h.0", 1...2), ":\n", patches.joined() + last, last]))
    let remote = RemoteDataSource<Errand>(transport, options: .quick)
    let updates = remote.updates()
    try await remote.wait { $0.numberOfItems == 7 }
    var seen: [Int] = []
    for await update in updates {
      seen.append(update.new.numberOfItems)
      if update.new.numberOfItems == 7 { break }
    }
    #expect(seen == [7] || seen == [2, 7])
    #expect(remote.state == .live && transport.requests.withLock { $0.count } == 1)
  }

  @Test func `a list never becomes an older one`() async throws {
    // A service may answer a new reader with the snapshot of another one, and the patches that have followed.
    let old = [snapshot("h.0", 1...2), ":\n"]
    let next = patch("h.0", "h.1", from: 2, insert: 7)
    let transport = ScriptedTransport(
      [.stays([old[0] + next]), .stays(old)], then: .stays(old + [next, patch("h.1", "h.2", from: 3, insert: 8)]))
    let remote = RemoteDataSource<Errand>(transport, options: .quick)
    try await remote.wait { $0.numberOfItems == 3 }
    var updates = remote.updates().makeAsyncIterator()
    let isReloaded = Locked(false)
    let reload = Task {
      try await remote.reload()
      isReloaded.withLock { $0 = true }
    }
    try await remote.wait { _ in transport.requests.withLock { $0.count == 2 } }
    try await Task.sleep(for: .milliseconds(50))
    #expect(remote.numberOfItems == 3 && !isReloaded.withLock { $0 })
    try await remote.reload()
    try await reload.value
    #expect(await updates.next()?.changes == Changes(insertedItems: [ItemPath(section: 0, item: 3)]))
  }

  @Test func `rows of another type are final, if a new snapshot has them too`() async throws {
    let wrong = snapshot("h.1", 1...2).replacing("\"title\"", with: "\"name\"")
    let transport = ScriptedTransport([.stays([snapshot("h.0", 1...1)])], then: .ends([wrong]))
    let remote = RemoteDataSource<Errand>(transport, options: .quick)
    try await remote.wait { $0.state == .live }
    await #expect(throws: FeedError.self) { try await remote.reload() }
    try await remote.wait { if case .failed = $0.state { true } else { false } }
    guard case .failed(let reason) = remote.state else { return }
    #expect(reason.hasPrefix("a row can't be decoded") && reason.contains("title"))
    #expect(remote.numberOfItems == 1 && transport.requests.withLock { $0.count } == 3)

    let right = ScriptedTransport.Answer.stays([snapshot("h.2", 1...2)])
    let healing = ScriptedTransport([right, .ends([wrong]), right, .ends([wrong])], then: right)
    let healed = RemoteDataSource<Errand>(healing, options: .quick)
    for _ in 0..<2 {
      try await healed.wait { $0.state == .live }
      await #expect(throws: FeedError.self) { try await healed.reload() }
    }
    try await healed.wait { $0.state == .live }
  }

  @Test func `sizes are bounded`() async throws {
    var options = RemoteOptions.quick
    options.largestFrame = 1000
    // Only the size can end the connection.
    (options.silence, options.patience) = (.seconds(600), .seconds(600))
    let long = ["data: {\"next\":\"", String(repeating: "x", count: 700), String(repeating: "x", count: 700)]
    let endless = ScriptedTransport([.stays(long)], then: .stays([snapshot("h.9", 1...4)]))
    let remote = RemoteDataSource<Errand>(endless, options: options)
    try await remote.wait { $0.numberOfItems == 4 }
    #expect(try await after([snapshot("h.0", 1...2), long.joined() + "\"}\n"], options).0.numberOfItems == 4)

    for change in [{ $0.largestList = 3 }, { $0.largestSnapshot = 200 }] as [(inout RemoteOptions) -> Void] {
      var options = RemoteOptions.quick
      change(&options)
      let remote = RemoteDataSource<Errand>(
        ScriptedTransport([], then: .ends([snapshot("h.9", 1...4)])), options: options)
      try await remote.wait { if case .failed = $0.state { true } else { false } }
      #expect(remote.numberOfItems == 0)
    }
  }

  @Test func `damaged bytes never stop the program, and the list recovers`() async throws {
    for seed in Seeds.range(200) {
      var random = SeededGenerator(seed: seed)
      let list = SectionController(ErrandsAndCareer.list)
      var options = FeedOptions()
      options.pieceBytes = random.pick(150, 10_000)
      let feed = LiveFeed(list, options: options)
      let isDamaging = Locked(true)
      let transport = DamagingTransport(LocalTransport(feed), isDamaging, Locked(random))
      let remote = RemoteDataSource<Errand>(transport, options: .quick)
      for _ in 0..<10 {
        list.replace(with: ErrandsAndCareer.changed(list.snapshot, using: &random))
        try await Task.sleep(for: .microseconds(200))
      }
      isDamaging.withLock { $0 = false }
      for _ in 0..<20 { if (try? await remote.reload()) != nil { break } }
      // A token that was damaged may be that of a later list. Then only a wrong frame shows it.
      list.createSection(name: "End", items: [Errand(id: 1000, title: "end")])
      try await remote.wait { $0.snapshot == list.snapshot }
    }
  }

  struct DamagingTransport: FeedTransport {
    let transport: LocalTransport
    let isDamaging: Locked<Bool>
    let random: Locked<SeededGenerator>

    init(_ transport: LocalTransport, _ isDamaging: Locked<Bool>, _ random: Locked<SeededGenerator>) {
      (self.transport, self.isDamaging, self.random) = (transport, isDamaging, random)
    }

    func open(_ request: FeedRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
      let bytes = try await transport.open(request)
      let (damaged, reader) = AsyncThrowingStream.makeStream(of: [UInt8].self, throwing: (any Error).self)
      let reading = Task { [isDamaging, random] in
        for try await part in bytes {
          let isDamaging = isDamaging.withLock { $0 }
          reader.yield(isDamaging ? random.withLock { damage(part, &$0) } : part)
        }
        reader.finish()
      }
      reader.onTermination = { _ in reading.cancel() }
      return damaged
    }

    private func damage(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
      var bytes = bytes
      guard random.once(in: 3), !bytes.isEmpty else { return bytes }
      let place = random.below(bytes.count)
      switch random.below(5) {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(20)))
      case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + random.below(20))], at: place)
      case 3: bytes[place] = UInt8(ascii: "0") + UInt8(random.below(10))
      default:
        bytes.insert(
          contentsOf: Array(random.pick("\n", "\n\n", "9999999999", "-", "{", "null", "\"")).flatMap {
            Array(String($0).utf8)
          }, at: place)
      }
      return bytes
    }
  }

  /// Rows that can't be compared: what the service knows of changes is used.
  struct Note: Codable, Sendable { var text: String }

  @Test func `rows that can't be compared change as the service says`() async throws {
    let list = SectionController((0..<20).map { Note(text: "\($0)") })
    let remote = RemoteDataSource<Note>(LocalTransport(LiveFeed(list)), options: .quick)
    try await remote.wait { $0.state == .live }
    var updates = remote.updates().makeAsyncIterator()
    list.move(from: ItemPath(section: 0, item: 2), to: ItemPath(section: 0, item: 9))
    #expect(await updates.next()?.changes.count == 1)
  }

  @Test func `a window shows its place and the number of all rows`() async throws {
    let list = SectionController((0..<25).map { Errand(id: $0, title: "t") })
    let window = try #require(LiveFeed(list).window(1, of: 10))
    let remote = RemoteDataSource<Errand>(LocalTransport(window), options: .quick)
    try await remote.wait { $0.state == .live }
    #expect(remote.numberOfItems == 10 && remote.window == (10, 25))
    list.append(Errand(id: 99, title: "end"), toSection: 0)
    try await remote.wait { $0.window.total == 26 }
  }

  @Test func `addresses and statuses of HTTP`() {
    #expect(FeedRequest().address("/list") == "/list")
    #expect(
      FeedRequest(after: "h.1 ü/&", wait: .seconds(20)).address("/list?size=5")
        == "/list?size=5&after=h.1%20%C3%BC%2F%26&wait=20")
    #expect(FeedRequest().accept == "text/event-stream")
    #expect(FeedError(status: 200) == nil && FeedError(status: 204) == nil)
    #expect([301, 400, 401, 403, 404].allSatisfy { FeedError(status: $0)?.isFinal == true })
    #expect([408, 410, 429, 500, 502, 503].allSatisfy { FeedError(status: $0)?.isFinal == false })
    #expect(FeedError(status: 503, retryAfter: "7")?.retryAfter == .seconds(7))
    #expect(FeedError(status: 503, retryAfter: "Fri, 31 Dec 1999 23:59:59 GMT")?.retryAfter == nil)
  }
}
