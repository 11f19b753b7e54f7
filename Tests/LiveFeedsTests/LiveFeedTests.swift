import DataSources
import DataSourcesTestSupport
import FetchedResultsSupport
import Foundation
import LiveFeeds
import TestSupport
import Testing

/// Feeds, read as another program would read them.
@Suite(.timeLimit(.minutes(5))) struct LiveFeedTests {
  private func controller(_ count: Int) -> SectionController<Errand> {
    SectionController(
      Snapshot([Section(id: "A", name: "A", items: (0..<count).map { Errand(id: Int64($0), title: "errand \($0)") })]))
  }

  @Test func `a reader gets a snapshot and then a patch for each change`() async throws {
    let list = controller(3)
    let feed = LiveFeed(list)
    var reader = FeedClient(feed)
    try reader.readAll()
    #expect(reader.list == list.snapshot)
    #expect(feed.read(after: reader.token).frames.isEmpty)
    list.append(Errand(id: 9, title: "new"), toSection: 0)
    try await reader.read(until: list.snapshot)
    #expect(reader.kinds == ["reset", "patch"])
  }

  @Test func `a long list comes in pieces of bounded size, encoded once`() throws {
    let encoded = Locked(0)
    var options = FeedOptions()
    options.pieceBytes = 10_000
    options.encoder = {
      encoded.withLock { $0 += 1 }
      return JSONEncoder()
    }
    let list = controller(5000)
    let feed = LiveFeed(list, options: options)
    var reader = FeedClient(feed)
    try reader.readAll()
    #expect(reader.list == list.snapshot)
    #expect(reader.largest < 25_000 && reader.kinds.count > 20)
    let count = encoded.withLock { $0 }
    var other = FeedClient(feed)
    try other.readAll()
    #expect(other.list == list.snapshot && encoded.withLock { $0 } == count)
    // Each piece between the first and the last is the same for ever.
    #expect(reader.isImmutable.dropFirst().dropLast().allSatisfy { $0 })
    #expect(reader.isImmutable.first == false && reader.isImmutable.last == false)
  }

  @Test func `whatever is missed, a reader ends with the list`() async throws {
    for seed in Seeds.range(60) {
      var random = SeededGenerator(seed: seed)
      var list = ErrandsAndCareer.list
      let controller = SectionController(list)
      var options = FeedOptions()
      (options.historyBytes, options.pieceBytes) = (3000, 400)
      let feed = LiveFeed(controller, options: options)
      var readers = (0..<4).map { _ in FeedClient(feed) }
      for _ in 0..<40 {
        list = ErrandsAndCareer.changed(list, within: .all, using: &random)
        controller.replace(with: list)
        if random.once(in: 2) { await Task.yield() }
        let number = random.below(readers.count)
        if random.once(in: 8) { readers[number] = FeedClient(feed) }
        // One answer, perhaps in the middle of a snapshot.
        _ = try readers[number].readOnce()
      }
      for number in readers.indices {
        try await readers[number].read(until: controller.snapshot)
        #expect(readers[number].list == controller.snapshot, "\(Seeds.hint(seed))")
      }
    }
  }

  @Test(arguments: [3, 5000]) func `who reads only once gets the list as it is`(_ count: Int) async throws {
    let list = controller(count)
    let feed = LiveFeed(list)
    var (first, level) = (FeedClient(feed), FeedClient(feed))
    try first.readAll()
    for number in 0..<30 {
      list.append(Errand(id: Int64(10_000 + number), title: "new"), toSection: 0)
      try await level.read(until: list.snapshot)
      var once = FeedClient(feed)
      repeat { _ = try once.readOnce() } while once.hasMore
      #expect(once.list == list.snapshot)
    }
    #expect(first.list.numberOfItems == count)
  }

  @Test func `a reader that has missed many patches gets one`() async throws {
    let list = controller(1000)
    let feed = LiveFeed(list)
    var (slow, quick) = (FeedClient(feed), FeedClient(feed))
    try slow.readAll()
    try quick.readAll()
    for number in 0..<200 {
      list.update(at: ItemPath(section: 0, item: number % 3)) { $0.title = "title \(number)" }
      try await quick.read(until: list.snapshot)
    }
    slow.kinds = []
    try slow.readAll()
    #expect(slow.list == list.snapshot && slow.kinds == ["patch"])
  }

  @Test func `history is bounded, and who has missed more takes a snapshot`() async throws {
    let list = controller(2000)
    var options = FeedOptions()
    options.historyBytes = 20_000
    let feed = LiveFeed(list, options: options)
    var (slow, quick) = (FeedClient(feed), FeedClient(feed))
    try quick.readAll()
    list.append(Errand(id: 5000, title: "one"), toSection: 0)
    try await quick.read(until: list.snapshot)
    try slow.readAll()
    for number in 0..<400 {
      list.update(at: ItemPath(section: 0, item: number)) { $0.title = "title \(number)" }
      try await quick.read(until: list.snapshot)
    }
    var fresh = FeedClient(feed)
    try fresh.readAll()
    slow.kinds = []
    try slow.readAll()
    #expect(slow.list == list.snapshot && fresh.list == list.snapshot)
    #expect(slow.kinds.first == "reset")
  }

  @Test func `when most of a list has changed, readers take it in pieces`() async throws {
    let list = controller(4000)
    let feed = LiveFeed(list)
    var (behind, level) = (FeedClient(feed), FeedClient(feed))
    try behind.readAll()
    list.append(Errand(id: 9000, title: "one"), toSection: 0)
    try await level.read(until: list.snapshot)
    list.replace(with: controller(4000).snapshot.mapItems { Errand(id: $0.id + 10_000, title: $0.title) })
    level.kinds = []
    try await level.read(until: list.snapshot)
    try behind.readAll()
    #expect(level.list == list.snapshot && behind.list == list.snapshot)
    #expect(level.kinds.first == "reset" && level.kinds.last == "piece")
    list.append(Errand(id: 9001, title: "two"), toSection: 0)
    try await level.read(until: list.snapshot)
    #expect(level.kinds.last == "patch" && level.largest < 150_000)
  }

  @Test func `a token of another service or of nobody begins with a snapshot`() throws {
    let feed = LiveFeed(controller(2))
    for token in [
      "", "x", "x.0", "\(feed.handle).7", "\(feed.handle).0.5", "\(feed.handle).-1", "\(feed.handle).0.1.2",
    ] {
      let read = feed.read(after: token)
      #expect(read.frames.count == 1 && !read.isImmutable)
      #expect(String(decoding: read.frames[0].data, as: UTF8.self).contains("\"reset\":true"), "\(token)")
    }
  }

  @Test func `a window is a block of rows with the number of all`() async throws {
    let list = SectionController(
      Snapshot([
        Section(id: "A", name: "A", items: (0..<15).map { Errand(id: Int64($0), title: "a\($0)") }),
        Section(id: "B", name: "B", items: (15..<40).map { Errand(id: Int64($0), title: "b\($0)") }),
      ]))
    let feed = LiveFeed(list)
    let window = try #require(feed.window(1, of: 10))
    #expect(feed.window(1, of: 10) === window)
    #expect(feed.window(-1, of: 10) == nil && feed.window(0, of: 0) == nil && feed.window(.max, of: 2) == nil)
    var reader = FeedClient(window)
    try reader.readAll()
    #expect(reader.list.map { $0.items.map(\.id) } == [[10, 11, 12, 13, 14], [15, 16, 17, 18, 19]])
    #expect(reader.total == 40 && reader.first == 10)
    // Before it: the block moves by one row. Behind it: only the number of all rows is new.
    list.remove(at: ItemPath(section: 0, item: 0))
    try await reader.wait { $0.total == 39 }
    #expect(reader.list.map { $0.items.map(\.id) } == [[11, 12, 13, 14], [15, 16, 17, 18, 19, 20]])
    list.append(Errand(id: 99, title: "end"), toSection: 1)
    try await reader.wait { $0.total == 40 }
    #expect(reader.list.numberOfItems == 10)
    list.replace(with: Snapshot())
    try await reader.wait { $0.total == 0 }
    #expect(reader.list.numberOfItems == 0)
  }

  @Test func `frames come as they are made, and end with the feed`() async throws {
    let list = controller(1)
    let feed = LiveFeed(list)
    let frames = feed.frames(after: nil)
    let reading = Task { await frames.reduce(into: 0) { count, _ in count += 1 } }
    let other = feed.frames(after: nil)
    let cancelled = Task { for await _ in other {} }
    for number in 0..<3 {
      try await Task.sleep(for: .milliseconds(10))
      list.append(Errand(id: Int64(10 + number), title: "x"), toSection: 0)
    }
    cancelled.cancel()
    await cancelled.value
    var reader = FeedClient(feed)
    try await reader.read(until: list.snapshot)
    feed.end()
    #expect((1...4).contains(await reading.value))
    #expect(feed.read(after: nil).isEnd)
  }

  struct Measure: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var value: Double
  }

  @Test func `a row that can't be encoded ends the feed, and says so`() async throws {
    let list = SectionController([Measure(id: 1, value: 1)])
    let feed = LiveFeed(list)
    #expect(!feed.read(after: nil).isEnd && feed.failure == nil)
    list.append(Measure(id: 2, value: .nan), toSection: 0)
    while !feed.read(after: nil).isEnd { try await Task.sleep(for: .milliseconds(2)) }
    let read = feed.read(after: nil)
    #expect(String(decoding: read.frames[0].data, as: UTF8.self).contains("can't be encoded"))
    #expect(feed.failure is EncodingError)
  }

  @Test func `a feed is released while its source lives on`() async {
    let list = controller(1)
    weak var weakly: LiveFeed<Errand>?
    do {
      let feed = LiveFeed(list)
      weakly = feed
      _ = feed.window(0, of: 10)
    }
    #expect(weakly == nil)
  }
}
