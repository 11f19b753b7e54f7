import FetchedResultsSupport

/// Reads one frame of a feed after another, for one task at a time.
final class FrameReader: Sendable {
  private struct State: Sendable {
    var token: String?
    var frames: ArraySlice<FeedFrame> = []
    var isEnd = false
    var observation: ObservationToken?
    /// The task that waits, and whether there is news that no read has looked for.
    var waiting: CheckedContinuation<Void, Never>?
    var hasNews = true
    var isCancelled = false
  }

  private let feed: any FrameSource
  private let state: Locked<State>

  init(_ feed: any FrameSource, _ token: String?) {
    self.feed = feed
    state = Locked(State(token: token))
    let observation = feed.observe { [weak self] in self?.wake() }
    state.withLock { $0.observation = observation }
  }

  func next() async -> FeedFrame? {
    while true {
      let (frame, token, isOver) = state.withLock { state in
        let frame = state.frames.popFirst()
        if let frame { state.token = frame.next }
        state.hasNews = false
        return (frame, state.token, state.isCancelled || state.isEnd)
      }
      if let frame { return frame }
      if isOver { return nil }
      let read = feed.read(after: token)
      state.withLock { ($0.frames, $0.isEnd) = (read.frames[...], read.isEnd) }
      if read.frames.isEmpty, !read.isEnd { await news() }
    }
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    wake()
  }

  private func wake() {
    state.withLock { state in
      state.hasNews = true
      return state.waiting.take()
    }?.resume()
  }

  private func news() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.hasNews || state.isCancelled { return true }
        state.waiting = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
