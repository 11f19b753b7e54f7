import DataSources
import DataSourcesTestSupport
import Foundation
import LiveFeeds

/// A client in a few lines, as docs/WireFormat.md describes it.
struct FeedClient {
  struct Frame: Decodable {
    var next: String?
    var reset: Bool?
    var more: Bool?
    var sections: [Section<Errand>]?
    var patch: Patch<Errand>?
    var total: Int?
    var first: Int?
  }

  private let feed: any FrameSource
  private(set) var list = Snapshot<Errand>()
  private(set) var token: String?
  private(set) var (total, first) = (0, 0)
  private var coming: [Section<Errand>] = []
  /// What came, and of what size.
  var kinds: [String] = []
  private(set) var largest = 0
  private(set) var isImmutable: [Bool] = []
  private(set) var hasMore = false

  init(_ feed: any FrameSource) { self.feed = feed }

  /// Reads one answer. Returns whether there was anything.
  mutating func readOnce() throws -> Bool {
    let read = feed.read(after: token)
    for frame in read.frames {
      try take(frame)
      isImmutable.append(read.isImmutable)
    }
    return !read.frames.isEmpty
  }

  mutating func readAll() throws { while try readOnce() {} }

  mutating func read(until list: Snapshot<Errand>) async throws { try await wait { $0.list == list } }

  mutating func wait(for condition: (FeedClient) -> Bool) async throws {
    for _ in 0..<5000 {
      try readAll()
      if condition(self) { return }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  mutating func take(_ frame: FeedFrame) throws {
    let json = try JSONDecoder().decode(Frame.self, from: Data(frame.data))
    largest = max(largest, frame.data.count)
    (token, hasMore) = (json.next, json.more == true)
    total = json.total ?? total
    if let patch = json.patch {
      list = try list.applying(patch)
      kinds.append("patch")
    } else if let sections = json.sections {
      kinds.append(json.reset == true ? "reset" : "piece")
      if json.reset == true { (coming, first) = ([], json.first ?? 0) }
      for section in sections {
        // A section with the id of the one before continues it.
        if let last = coming.indices.last, coming[last].id == section.id {
          for row in section { coming[last].append(row) }
        } else {
          coming.append(section)
        }
      }
      if json.more != true { list = Snapshot(coming) }
    }
  }
}
