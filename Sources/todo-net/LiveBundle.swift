import FetchedResultsSupport
import LiveFeeds
import TodoCore

/// Blocks of several lists as one feed, so that all tabs of a browser share one connection: a browser has only six to
/// a server.
///
/// A frame is `{"list":N,"frame":FRAME}`, where N is the place of the block in the request and FRAME a frame of its own
/// feed, or `{"list":N,"refused":TEXT}` if that list can't be followed. The others don't suffer from that. A token is
/// those of the blocks, joined by "~"; that of a block which has sent nothing is empty.
final class LiveBundle: FrameSource {
  private enum Part {
    case feed(any FrameSource)
    case refused(String)
  }

  private let parts: [Part]
  private static let limit = 64

  /// - Parameter places: A JSON array of `{"view": NAME, "filter": TEXT, "zone": ZONE, "window": N, "size": M}`.
  init(_ places: String, _ lists: LiveLists) async throws {
    let wrong = TodoError.usage(
      "lists is a JSON array of 1 to \(Self.limit) objects with view, filter, window and size")
    var requests: Set<ListRequest> = []
    guard let places = (try? JSONValue.parse(Array(places.utf8)))?.array, (1...Self.limit).contains(places.count) else {
      throw wrong
    }
    var parts: [Part] = []
    for place in places {
      guard let view = place.object?["view"]?.string, let filter = place.object?["filter"]?.string,
        let window = place.object?["window"]?.integer, let size = place.object?["size"]?.integer
      else { throw wrong }
      do {
        let request = ListRequest(view: view, filter: filter, zone: place.object?["zone"]?.string)
        // More of them would end each other before the bundle is read.
        guard requests.contains(request) || requests.count < LiveLists.limit else {
          throw TodoError.usage("a browser can follow at most \(LiveLists.limit) different lists; close other tabs")
        }
        requests.insert(request)
        let feed = try await lists.feed(request)
        guard let block = feed.window(Int(window), of: Int(size)) else { throw wrong }
        parts.append(.feed(block))
      } catch {
        parts.append(.refused(TodoError(error).message))
      }
    }
    self.parts = parts
  }

  func read(after token: String?) -> FeedRead {
    var tokens = token?.split(separator: "~", omittingEmptySubsequences: false).map(String.init) ?? []
    if tokens.count != parts.count { tokens = parts.map { _ in "" } }
    var read = FeedRead()
    for (number, part) in parts.enumerated() {
      switch part {
      case .feed(let feed):
        let news = feed.read(after: tokens[number].isEmpty ? nil : tokens[number])
        for frame in news.frames {
          tokens[number] = frame.next
          read.frames.append(Self.frame(tokens, "{\"list\":\(number),\"frame\":", frame.data))
        }
        read.isEnd = read.isEnd || news.isEnd
      case .refused(let reason):
        if !tokens[number].isEmpty { continue }
        tokens[number] = "-"
        read.frames.append(Self.frame(tokens, "{\"list\":\(number),\"refused\":", reason.json.utf8))
      }
    }
    return read
  }

  private static func frame(_ tokens: [String], _ head: String, _ content: some Sequence<UInt8>) -> FeedFrame {
    FeedFrame(next: tokens.joined(separator: "~"), [Array(head.utf8), Array(content), [UInt8(ascii: "}")]])
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken {
    let tokens = parts.map { part in
      if case .feed(let feed) = part { feed.observe(handler) } else { ObservationToken {} }
    }
    return ObservationToken { for token in tokens { token.cancel() } }
  }

  func window(_ number: Int, of size: Int) -> (any FrameSource)? { nil }
}
