import SQLiteStore
import Synchronization

extension ResultCore {
  /// Returns when all commits that returned before the call have been handed over; throws while following fails.
  func settled() async throws {
    let id = withState { state in
      defer { state.nextWaiter += 1 }
      return state.nextWaiter
    }
    let cancellation = Cancellation()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        engine.evaluators.submit(CatchUp(core: self, id: id, cancellation, continuation))
      }
    } onCancel: {
      // First the flag: who is not among those that wait yet looks at it before it comes to them.
      cancellation.isCancelled.store(true, ordering: .releasing)
      cancelWaiter(id)
    }
  }

  /// Whether a task that waits, or is about to, was cancelled.
  private final class Cancellation: Sendable {
    let isCancelled = Atomic<Bool>(false)
  }

  /// Looks for the commits of others, and then waits.
  private final class CatchUp: Evaluators.Job {
    private let core: ResultCore
    private let id: Int
    private let cancellation: Cancellation
    private let continuation: CheckedContinuation<Void, any Error>

    init(
      core: ResultCore, id: Int, _ cancellation: Cancellation, _ continuation: CheckedContinuation<Void, any Error>
    ) {
      self.core = core
      self.id = id
      self.cancellation = cancellation
      self.continuation = continuation
    }

    func run(on evaluators: Evaluators) {
      do {
        try evaluators.beingSlow { try catchUp() }
      } catch {
        return continuation.resume(throwing: error)
      }
      core.wait(id, cancellation, continuation)
    }

    /// Looks for others' commits. A busy database is waited for: that is no error.
    private func catchUp() throws {
      while true {
        do {
          return try core.engine.catchUp()
        } catch  where ResultCore.isBusy(error) {
          if cancellation.isCancelled.load(ordering: .acquiring) { throw CancellationError() }
        }
      }
    }
  }

  private func wait(_ id: Int, _ cancellation: Cancellation, _ continuation: CheckedContinuation<Void, any Error>) {
    catchUp()
    let isWaiting = withState { state in
      if cancellation.isCancelled.load(ordering: .acquiring) { return false }
      // Whoever asks wants to know whether it still fails.
      state.isBlocked = false
      if state.failed != nil, state.failure?.mayPass == true { state.retryRequest() }
      state.waiters.append(Waiter(id: id, goal: state.noted, continuation: continuation))
      return true
    }
    guard isWaiting else { return continuation.resume(throwing: CancellationError()) }
    schedule()
    resumeWaiters()
  }

  private func cancelWaiter(_ id: Int) {
    let waiter = withState { state in
      state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(throwing: CancellationError())
  }

  /// Lets those go on whose commits have been handed over.
  func resumeWaiters() {
    let (ready, error) = withState { state -> ([Waiter], (any Error)?) in
      if state.waiters.isEmpty { return ([], nil) }
      let ready = state.waiters.filter { $0.goal <= state.done || !state.isFetched }
      state.waiters.removeAll { waiter in ready.contains { $0.id == waiter.id } }
      return (ready, state.lastError)
    }
    for waiter in ready {
      if let error { waiter.continuation.resume(throwing: error) } else { waiter.continuation.resume() }
    }
  }

  /// Tells those who wait for no more than this that it failed.
  func failWaiters(_ error: any Error, upTo goal: Int) {
    let waiters = withState { state in
      defer { state.waiters.removeAll { $0.goal <= goal } }
      return state.waiters.filter { $0.goal <= goal }
    }
    for waiter in waiters { waiter.continuation.resume(throwing: error) }
  }

  /// Tries again after a while, for causes that go away without a commit.
  func retryLater() {
    let begins = withState { state in
      defer { state.isRetrying = true }
      return !state.isRetrying
    }
    guard begins else { return }
    let retry = Retry(core: self)
    if !BackgroundThread.start({ retry.run() }) { withState { $0.isRetrying = false } }
  }

  private final class Retry: Sendable {
    // because it is set once; a weak reference is safe to read on any thread
    nonisolated(unsafe) private weak var core: ResultCore?
    init(core: ResultCore) { self.core = core }

    func run() {
      var pause = 50_000
      while true {
        MonotonicClock.sleep(microseconds: pause)
        pause = min(1_000_000, pause * 2)
        guard let core else { return }
        let isFailing = core.withState { state in
          let isOfRequest = state.failed != nil && state.failure?.isOfMoment == true
          state.isRetrying = state.isBlocked || isOfRequest
          state.isBlocked = false
          if isOfRequest { state.retryRequest() }
          return state.isRetrying
        }
        if !isFailing { return }
        core.schedule()
      }
    }
  }
}
