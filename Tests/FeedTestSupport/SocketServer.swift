package import FetchedResultsSupport
package import LiveFeeds

/// Feeds over HTTP with plain sockets, as docs/WireFormat.md describes it: streams of events and long polls.
package final class SocketServer: Sendable {
  package struct Behavior: Sendable {
    package var feed: any FrameSource
    /// The status of all answers, if it is not 200.
    package var status: String?
    /// Whether streams end after their first frames.
    package var closesStreams = false
  }

  package let behavior: Locked<Behavior>
  /// The targets and the heads of the requests.
  package let requests = Locked<[String]>([])
  package let heads = Locked<[String]>([])
  package let listener: Listener

  package init(_ feed: any FrameSource, port: UInt16 = 0) {
    let behavior = Locked(Behavior(feed: feed))
    let (requests, heads) = (requests, heads)
    self.behavior = behavior
    listener = Listener(on: port) { socket in
      guard let head = socket.readHead()?.head, let target = head.split(separator: " ").dropFirst().first else {
        return
      }
      requests.withLock { $0.append(String(target)) }
      heads.withLock { $0.append(head + "\r\n") }
      Self.answer(socket, String(target), isStream: head.contains("text/event-stream"), behavior)
    }
  }

  deinit { listener.stop() }

  package var port: UInt16 { listener.port }

  private static func answer(_ socket: Socket, _ target: String, isStream: Bool, _ behavior: Locked<Behavior>) {
    if let status = behavior.withLock({ $0.status }) {
      _ = socket.write("HTTP/1.1 \(status)\r\nRetry-After: 0\r\nConnection: close\r\n\r\n".utf8)
      return
    }
    let query = target.split(separator: "?").dropFirst().first?.split(separator: "&") ?? []
    func value(_ name: String) -> String? {
      query.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    let type = isStream ? "text/event-stream" : "application/x-ndjson"
    guard socket.write("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nConnection: close\r\n\r\n".utf8) else { return }
    let (feed, news) = (behavior.withLock { $0.feed }, Lock())
    let observation = feed.observe { news.withLock { news.wakeAll() } }
    defer { observation.cancel() }
    var token = value("after")
    if isStream {
      if !socket.write("retry: 1000\n\n".utf8) { return }
    }
    let end = MonotonicClock.now() + (isStream ? 3600 : UInt64(value("wait") ?? "0") ?? 0) * 1_000_000_000
    while true {
      // Looking again every 20 ms makes up for news between the read and the wait.
      let read = feed.read(after: token)
      for frame in read.frames {
        guard isStream ? socket.write(frame.event) : socket.write(frame.line) else { return }
        token = frame.next
      }
      if read.isEnd || (!isStream && !read.frames.isEmpty) || MonotonicClock.now() >= end { return }
      if isStream, behavior.withLock({ $0.closesStreams }) { return }
      if !read.frames.isEmpty { continue }
      if socket.isReadable(within: 0) { return }
      if isStream, !socket.write(":\n\n".utf8) { return }
      news.withLock { news.wait(until: MonotonicClock.now() + 20_000_000) }
    }
  }
}

/// The client's side: HTTP with plain sockets.
package struct SocketTransport: FeedTransport {
  package let port: UInt16

  package init(port: UInt16) { self.port = port }

  package func open(_ request: FeedRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
    guard let socket = Socket.connected(to: port) else { throw FeedError("connection refused") }
    let (parts, reader) = AsyncThrowingStream.makeStream(of: [UInt8].self, throwing: (any Error).self)
    reader.onTermination = { _ in socket.shutDown() }
    let head = "GET \(request.address("/feed")) HTTP/1.1\r\nHost: localhost\r\nAccept: \(request.accept)\r\n\r\n"
    let answer: (head: String, rest: [UInt8])? = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        _ = BackgroundThread.start {
          let answer = socket.write(head.utf8) ? socket.readHead() : nil
          continuation.resume(returning: answer)
          guard let answer else { return reader.finish() }
          if !answer.rest.isEmpty { reader.yield(answer.rest) }
          while let bytes = socket.read() { reader.yield(bytes) }
          reader.finish()
        }
      }
    } onCancel: {
      socket.shutDown()
    }
    guard let answer else { throw FeedError("no answer") }
    let lines = answer.head.split(whereSeparator: \.isNewline)
    let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let retryAfter = lines.first { $0.hasPrefix("Retry-After:") }.map { String($0.dropFirst(12)) }
    if let error = FeedError(status: status, retryAfter: retryAfter) { throw error }
    return parts
  }
}
