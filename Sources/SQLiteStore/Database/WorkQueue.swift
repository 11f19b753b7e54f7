import Dispatch

/// Runs the asynchronous reads or writes of a database, at most so many at once, on threads that may block.
final class WorkQueue: Sendable {
  private let lock = Lock()
  private let limit: Int
  private let queue = DispatchQueue(label: "FetchedResults.SQLiteStore", attributes: .concurrent)
  // because every access is under `lock`
  nonisolated(unsafe) private var state: (running: Int, waiting: ArraySlice<@Sendable () -> Void>) = (0, [])

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
      database.readers?.nudge()
    }
  }

  private func submit(_ job: @escaping @Sendable () -> Void) {
    lock.withLock { state.waiting.append(job) }
    advance()
  }

  private func advance() {
    let job: (@Sendable () -> Void)? = lock.withLock {
      guard state.running < limit, let job = state.waiting.popFirst() else { return nil }
      state.running += 1
      return job
    }
    guard let job else { return }
    queue.async { [self] in
      job()
      lock.withLock { state.running -= 1 }
      advance()
    }
  }
}
