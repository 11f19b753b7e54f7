/// When to try again, and whether to poll: a decision after the end of each connection.
struct Reconnection: Sendable {
  /// How a connection ended.
  enum Ending: Sendable {
    /// The answer was complete.
    case closed
    case failed(FeedError)
    /// Nothing came for too long.
    case silent
    /// What came was wrong: only a new snapshot helps.
    case wrong(reason: String)
    /// This program has ended it.
    case interrupted
  }

  /// What is known of a connection that has ended.
  struct Connection: Sendable {
    var isPoll: Bool
    /// How long it took until the answer began, if it did, and how long it lasted in all.
    var opened: Duration?
    var lasted: Duration
    /// Whether anything came, be it a comment, and whether it led to another place in the feed.
    var isHeard = false
    var isProgress = false
  }

  private let options: RemoteOptions
  private var failures = 0
  private var quickCloses = 0
  /// Since when it polls, in time spent polling.
  private var polled = Duration.zero
  private(set) var polls = false

  init(_ options: RemoteOptions) { self.options = options }

  /// The pause before the next attempt.
  mutating func pause(after connection: Connection, _ ending: Ending) -> Duration {
    chooseMode(connection, ending)
    if case .interrupted = ending { return .zero }
    if connection.isPoll, case .closed = ending {
      failures = 0
      // A service that doesn't wait, though asked to, must not be asked without a pause.
      return connection.isProgress || connection.lasted >= .seconds(1) ? .zero : pause()
    }
    var isProgress = connection.lasted >= .seconds(10)
    if case .wrong = ending {} else { isProgress = isProgress || connection.isProgress }
    failures = isProgress ? 0 : failures + 1
    var pause = pause()
    if case .failed(let error) = ending, let asked = error.retryAfter {
      // Not all readers should come back at the same moment.
      pause = max(pause, min(asked, .seconds(300)) * (1 + options.random() / 4))
    }
    return pause
  }

  private func pause() -> Duration {
    let growth = 1 << min(max(0, failures - 1), 20)
    return min(options.longestPause, options.shortestPause * growth) * (0.5 + options.random() / 2)
  }

  /// Polls after three streams that ended quickly, or of which nothing came through. Tries a stream every ten minutes.
  private mutating func chooseMode(_ connection: Connection, _ ending: Ending) {
    if connection.isPoll {
      polled += connection.lasted
      if polled >= .seconds(600) { (polls, quickCloses, polled) = (false, 2, .zero) }
      return
    }
    switch ending {
    case .wrong, .interrupted: return
    case .silent: quickCloses = connection.isHeard ? 0 : quickCloses + 1
    case .closed, .failed:
      guard let opened = connection.opened else { return }
      quickCloses = connection.lasted - opened < options.quickClose ? quickCloses + 1 : 0
    }
    if quickCloses >= 3 { (polls, polled) = (true, .zero) }
  }
}
