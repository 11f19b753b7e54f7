/// Runs the asynchronous reads or writes of a database, at most so many at once, on threads of its own. They are started when
/// needed and end when they have had nothing to do for a while.
final class WorkQueue: Sendable {
  private let lock = Lock()
  private let limit: Int
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()
  private static let patience: UInt64 = 2_000_000_000

  private struct State {
    var threads = 0
    var idle = 0
    // In turn, from `first`; what was taken out is gone at once, as a job holds its database.
    var jobs: [(@Sendable () -> Void)?] = []
    var first = 0

    var waiting: Int { jobs.count - first }

    mutating func popFirst() -> (@Sendable () -> Void)? {
      guard waiting > 0 else { return nil }
      defer {
        jobs[first] = nil
        first += 1
        if first > jobs.count / 2 {
          jobs.removeFirst(first)
          first = 0
        }
      }
      return jobs[first]
    }
  }

  init(limit: Int) { self.limit = limit }

  /// Runs `body` and waits for it without holding a thread; calls it off when the task is cancelled.
  func run<T: Sendable>(
    nudging database: Database, _ body: @escaping @Sendable (Connection.Access) throws -> T
  ) async throws -> T {
    try Task.checkCancellation()
    let access = Connection.Access()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        submit {
          continuation.resume(
            with: Result {
              if access.isCancelled { throw CancellationError() }
              return try body(access)
            })
        }
      }
    } onCancel: {
      access.cancel()
      database.lane.nudge()
      for pool in database.pools { pool.nudge() }
    }
  }

  private func submit(_ job: @escaping @Sendable () -> Void) {
    let needsThread = lock.withLock {
      state.jobs.append(job)
      if state.idle >= state.waiting || state.threads == limit {
        lock.wakeAll()
        return false
      }
      state.threads += 1
      return true
    }
    if needsThread, !BackgroundThread.start({ [self] in work() }) {
      // No more threads: the caller's does what is waiting.
      while let job = lock.withLock({ state.popFirst() }) { job() }
      lock.withLock { state.threads -= 1 }
    }
  }

  private func work() {
    while let job = next() { job() }
  }

  /// The next job; nil, and the thread is no longer counted, when none came for long enough.
  private func next() -> (@Sendable () -> Void)? {
    lock.withLock {
      let deadline = MonotonicClock.now() + Self.patience
      state.idle += 1
      defer { state.idle -= 1 }
      while state.waiting == 0 {
        if MonotonicClock.now() >= deadline {
          state.threads -= 1
          return nil
        }
        lock.wait(until: deadline)
      }
      return state.popFirst()
    }
  }
}
