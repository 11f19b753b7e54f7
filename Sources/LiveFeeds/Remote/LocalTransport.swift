import FetchedResultsSupport

/// A transport to a feed in the same process: for tests, and to see what a reader elsewhere would see.
///
/// ```swift
/// let copy = RemoteDataSource<Errand>(LocalTransport(feed))
/// ```
public struct LocalTransport: FeedTransport {
  private let feed: any FrameSource

  /// Creates a transport to a feed.
  public init(_ feed: any FrameSource) { self.feed = feed }

  /// The feed as a stream of server-sent events, which begins with a comment.
  public func open(_ request: FeedRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
    let frames = feed.frames(after: request.token)
    let isFirst = Locked(true)
    return AsyncThrowingStream {
      if isFirst.withLock({ isFirst in
        defer { isFirst = false }
        return isFirst
      }) {
        return Array(":\n\n".utf8)
      }
      var iterator = frames.makeAsyncIterator()
      return await iterator.next()?.event
    }
  }

  /// Has the feed apply an edit.
  ///
  /// ```swift
  /// let answer = try await LocalTransport(feed).send(Array("[]".utf8))
  /// ```
  public func send(_ edit: [UInt8]) async throws -> [UInt8] { try await feed.apply(edit) }
}
