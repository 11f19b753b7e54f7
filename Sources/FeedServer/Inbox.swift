import FetchedResultsSupport

/// What other threads have for the server's thread, and the pipe that wakes it.
final class Inbox: Sendable {
  /// What has come since the last look.
  struct Content: Sendable {
    /// The feeds that have news, and since when.
    var news: [ObjectIdentifier: UInt64] = [:]
    /// What is to be done on the server's thread.
    var work: [@Sendable () -> Void] = []
    var isStopping = false
    /// Who waits for the end.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// Readable when something came.
  let bell: Int32
  private let ringer: Int32
  private let content: Locked<(content: Content, hasRung: Bool, hasEnded: Bool)>

  init() throws(FeedServerError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .system("no pipe: \(String(cString: strerror(errno)).lowercased())") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (bell, ringer) = (ends[0], ends[1])
    content = Locked((Content(), false, false))
  }

  deinit {
    close(bell)
    close(ringer)
  }

  func hasNews(_ feed: ObjectIdentifier) { put { $0.news[feed] = $0.news[feed] ?? MonotonicClock.now() } }

  func run(_ work: @escaping @Sendable () -> Void) { put { $0.work.append(work) } }

  /// Stops the server, and resumes a task when it has ended.
  func stop(_ continuation: CheckedContinuation<Void, Never>?) {
    let hasEnded = put {
      $0.isStopping = true
      if let continuation { $0.waiting.append(continuation) }
    }
    if hasEnded { continuation?.resume() }
  }

  /// Changes what the thread will take, and wakes it. Returns true, and does nothing, if it has ended.
  @discardableResult private func put(_ change: (inout Content) -> Void) -> Bool {
    let (rings, hasEnded) = content.withLock { state in
      if state.hasEnded { return (false, true) }
      change(&state.content)
      defer { state.hasRung = true }
      return (!state.hasRung, false)
    }
    if rings { _ = withUnsafeBytes(of: UInt8(0)) { CLibrary.write(ringer, $0) } }
    return hasEnded
  }

  func take() -> Content {
    var bytes: (UInt64, UInt64) = (0, 0)
    _ = withUnsafeMutableBytes(of: &bytes) { CLibrary.read(bell, $0) }
    return content.withLock { state in
      defer { (state.content, state.hasRung) = (Content(), false) }
      return state.content
    }
  }

  /// Resumes all who wait for the end, now and later.
  func end(_ waiting: [CheckedContinuation<Void, Never>]) {
    let late = content.withLock { state in
      state.hasEnded = true
      defer { state.content = Content() }
      return state.content.waiting
    }
    for continuation in waiting + late { continuation.resume() }
  }
}
