import FetchedResultsSupport
import RowModel

extension ResultCore {
  /// Returns when all commits that returned before the call have been delivered; throws while following fails.
  func settled() async throws {
    guard withShared({ $0.hasBegun }) else {
      throw DatabaseError.misuse("\(name) was never fetched, so it can't settle; call performFetch() first")
    }
    let id = withShared { $0.state.newWaiterID() }
    let isCancelled = Locked(false)
    let check = Locked<Int?>(nil)
    defer { if let check = check.withLock({ $0 }) { engine.foreignChecks.remove(check) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        withShared { $0.state.waiterJoined(continuation, id: id) }
        // It was cancelled before `cancelWaiter` could find it.
        if isCancelled.withLock({ $0 }) { return cancelWaiter(id) }
        let added = engine.foreignChecks.add(engine) { [weak self] error in self?.waiterChecked(id, error) }
        check.withLock { $0 = added }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
      cancelWaiter(id)
    }
  }

  /// Called when the check for other programs' commits has ended: the waiter waits for what is recorded by now.
  private func waiterChecked(_ id: Int, _ error: (any Error)?) {
    catchUp()
    // A list that follows nothing has nothing to wait for, whatever has become of its database.
    if let error { withShared { $0.state.isFollowing ? $0.state.waiterLeft(id) : nil }?.resume(throwing: error) }
    let (actions, resumption) = withShared { $0.state.waiterChecked(id, at: MonotonicClock.now()) }
    perform(actions)
    resume(resumption)
  }

  private func cancelWaiter(_ id: Int) {
    withShared { $0.state.waiterLeft(id) }?.resume(throwing: CancellationError())
  }

  /// Resumes the waiters whose commits have been delivered.
  func resumeWaiters() { resume(withShared { $0.state.waitersToResume() }) }
}
