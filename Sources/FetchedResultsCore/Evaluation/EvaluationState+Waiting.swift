// Callers of `settled()`: what each waits for, and when it is resumed.

extension EvaluationState {
  /// An id for a waiter that is about to join.
  mutating func newWaiterID() -> Int {
    lastWaiter += 1
    return lastWaiter
  }

  /// A waiter joins. It has no goal before `waiterChecked`.
  mutating func waiterJoined(_ waiter: Waiter, id: Int) { waiters.append(Waiting(id: id, waiter: waiter)) }

  /// All commits so far have been recorded for a waiter: it waits for their delivery. If something has failed, it is
  /// evaluated again, because the waiter needs to know whether it still fails.
  mutating func waiterChecked(_ id: Int, at now: @autoclosure () -> UInt64) -> (Actions, Resumption?) {
    if let place = waiters.firstIndex(where: { $0.id == id }) {
      if isBlocked || lastError != nil && failed == nil { evaluateAgain() }
      rest.until = 0
      if failed?.mayPass == true || failed != nil && rest.retriesRequest { retryRequest() }
      rest.retriesRequest = false
      checks += 1
      waiters[place].check = checks
      waiters[place].goal = recorded
    }
    return (evaluationWanted(at: now()), waitersToResume())
  }

  /// What has failed is evaluated again, although nothing has changed. That is an event too: waiters wait for it.
  private mutating func evaluateAgain() {
    isBlocked = false
    recorded += 1
  }

  /// An evaluation has failed. Waiters that were checked after it had drained must not get its error, as the cause may
  /// have gone before they began to wait: they wait for another evaluation. Returns whether there are any.
  ///
  /// - Parameter checks: How many waiters had been checked when it drained.
  @discardableResult mutating func letWaitersTryAgain(after checks: Int) -> Bool {
    let late = waiters.indices.filter { waiters[$0].goal != nil && waiters[$0].check > checks }
    if late.isEmpty { return false }
    evaluateAgain()
    rest.until = 0
    for place in late { waiters[place].goal = recorded }
    return true
  }

  /// A waiter no longer waits. Returns it unless it was resumed already.
  mutating func waiterLeft(_ id: Int) -> Waiter? {
    waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).waiter }
  }

  /// Everything up to `goal` was delivered, and no thread is delivering.
  mutating func delivered(upTo goal: Int, at now: @autoclosure () -> UInt64) -> (Actions, Resumption?) {
    delivered = max(delivered, goal)
    return (evaluationWanted(at: now()), waitersToResume())
  }

  /// Removes the waiters whose commits have been delivered, or never will be, because following has stopped.
  mutating func waitersToResume() -> Resumption? {
    if waiters.isEmpty { return nil }
    return removeWaiters(with: lastError, upTo: phase.isFetched ? delivered : .max, checks: .max)
  }

  /// An evaluation has failed: removes the waiters that waited for it.
  mutating func waitersFailed(_ failure: WaitersFailure) -> Resumption? {
    removeWaiters(with: failure.error, upTo: failure.goal, checks: failure.checks)
  }

  private mutating func removeWaiters(with error: (any Error)?, upTo goal: Int, checks: Int) -> Resumption? {
    let isDone = { (waiter: Waiting) in waiter.goal.map { $0 <= goal && waiter.check <= checks } ?? false }
    let done = waiters.filter(isDone)
    if done.isEmpty { return nil }
    waiters.removeAll(where: isDone)
    return Resumption(waiters: done.map(\.waiter), error: error)
  }

  /// How many waiters have not been resumed.
  var numberOfWaiters: Int { waiters.count }
}
