import DataSources
import FetchedResultsSupport
import SQLiteStore

extension ResultCore {
  /// Returns when all commits that returned before the call have been delivered; throws while following fails.
  func settled() async throws {
    let id = withState { state in
      defer { state.nextWaiter += 1 }
      return state.nextWaiter
    }
    let isCancelled = Locked(false)
    let lookout = Locked<Int?>(nil)
    defer { if let lookout = lookout.withLock({ $0 }) { engine.foreignChecks.remove(lookout) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        withState { $0.waiters.append(Waiter(id: id, goal: nil, continuation: continuation)) }
        // It was cancelled before `cancelWaiter` could find it.
        if isCancelled.withLock({ $0 }) { return cancelWaiter(id) }
        let added = engine.foreignChecks.add(engine) { [weak self] error in self?.looked(id, error) }
        lookout.withLock { $0 = added }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
      cancelWaiter(id)
    }
  }

  /// Called when the check for other programs' commits has ended: the waiter waits for what is recorded by now.
  private func looked(_ id: Int, _ error: (any Error)?) {
    catchUp()
    let failed = withState { state -> Waiter? in
      guard let place = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      if error != nil { return state.waiters.remove(at: place) }
      // The caller wants to know whether it still fails.
      state.isBlocked = false
      state.restUntil = 0
      if state.failed != nil, state.failure?.mayPass == true { state.retryRequest() }
      state.waiters[place].goal = state.noted
      return nil
    }
    if let error { failed?.continuation.resume(throwing: error) }
    schedule()
    resumeWaiters()
  }

  private func cancelWaiter(_ id: Int) {
    let waiter = withState { state in
      state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(throwing: CancellationError())
  }

  /// Resumes the waiters whose commits have been delivered.
  func resumeWaiters() {
    let (ready, error) = withState { state -> ([Waiter], (any Error)?) in
      if state.waiters.isEmpty { return ([], nil) }
      let (done, isFetched) = (state.done, state.isFetched)
      let ready = state.waiters.filter { $0.isServed(by: done) || ($0.goal != nil && !isFetched) }
      if ready.isEmpty { return ([], nil) }
      state.waiters.removeAll { $0.isServed(by: done) || ($0.goal != nil && !isFetched) }
      return (ready, state.lastError)
    }
    for waiter in ready {
      if let error { waiter.continuation.resume(throwing: error) } else { waiter.continuation.resume() }
    }
  }

  /// Resumes the waiters for this number or a lower one with an error.
  func failWaiters(_ error: any Error, upTo goal: Int) {
    let waiters = withState { state in
      defer { state.waiters.removeAll { $0.isServed(by: goal) } }
      return state.waiters.filter { $0.isServed(by: goal) }
    }
    for waiter in waiters { waiter.continuation.resume(throwing: error) }
  }

  /// Schedules a retry for causes that may pass without a commit. The pause grows each time that it fails again.
  ///
  /// A busy database is retried more often, because callers are waiting for it.
  func retryLater(isBusy: Bool) {
    let pause = withState { state -> UInt64? in
      if state.isRetrying { return nil }
      state.isRetrying = true
      defer { state.retryPause = min(state.retryPause * 2, Self.longestPause) }
      return isBusy ? min(state.retryPause, 500_000_000) : state.retryPause
    }
    guard let pause else { return }
    Alarm.shared.call(after: pause) { [weak self] in self?.retry() }
  }

  /// Has a list that must rest go on afterwards.
  func restIfNeeded() {
    let pause = withState { state -> UInt64? in
      guard !state.isResting, state.retriesAfterRest || state.mustRest && !state.pending.isEmpty else { return nil }
      state.isResting = true
      let now = MonotonicClock.now()
      return state.restUntil > now ? state.restUntil - now : 0
    }
    guard let pause else { return }
    Alarm.shared.call(after: pause) { [weak self] in self?.rested() }
  }

  private func rested() {
    withState { state in
      state.isResting = false
      if state.retriesAfterRest, state.failed != nil { state.retryRequest() }
      state.retriesAfterRest = false
    }
    schedule()
  }

  /// The longest rest after a whole query that failed, in nanoseconds. A quick query rests eight times as long as it
  /// took, so that it takes a ninth of the time at most.
  static var longestRest: UInt64 { 1_000_000_000 }

  /// The longest time between two attempts, in nanoseconds.
  private static var longestPause: UInt64 { 10_000_000_000 }

  private func retry() {
    let isFailing = withState { state in
      let isOfRequest = state.failed != nil && state.failure?.kind.isPassing == true
      let isFailing = state.isBlocked || isOfRequest
      state.isRetrying = false
      if !isFailing { state.retryPause = State.shortestPause }
      state.isBlocked = false
      if isOfRequest { state.retryRequest() }
      return isFailing
    }
    if isFailing { schedule() }
  }
}
