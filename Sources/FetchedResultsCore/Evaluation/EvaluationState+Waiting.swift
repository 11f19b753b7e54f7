// Callers of `settled()`: what each waits for, and when it is resumed.

/// The callers that wait, in the order in which they came.
struct WaitingCallers<Waiter> {
  private struct Caller {
    var id: Int
    var waiter: Waiter
    /// What must be delivered; nil before the caller was checked.
    var goal: Int?
    /// The number of its check.
    var check = 0
  }

  private var callers: [Caller] = []
  private var lastID = 0
  /// How many callers have been checked.
  private(set) var checks = 0

  /// How many callers have not been resumed.
  var count: Int { callers.count }

  mutating func newID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func add(_ waiter: Waiter, id: Int) { callers.append(Caller(id: id, waiter: waiter)) }

  func contains(_ id: Int) -> Bool { callers.contains { $0.id == id } }

  /// A caller is checked: it waits for the delivery of everything up to `goal`.
  mutating func check(_ id: Int, goal: Int) {
    guard let place = callers.firstIndex(where: { $0.id == id }) else { return }
    checks += 1
    callers[place].check = checks
    callers[place].goal = goal
  }

  /// Whether some were checked after the first `checks`.
  func hasChecked(after checks: Int) -> Bool { callers.contains { $0.goal != nil && $0.check > checks } }

  /// Those that were checked after the first `checks` wait for everything up to `goal` now.
  mutating func delay(checkedAfter checks: Int, until goal: Int) {
    for place in callers.indices where callers[place].goal != nil && callers[place].check > checks {
      callers[place].goal = goal
    }
  }

  /// Removes a caller; nil if it was removed already.
  mutating func remove(_ id: Int) -> Waiter? {
    callers.firstIndex { $0.id == id }.map { callers.remove(at: $0).waiter }
  }

  /// Removes those that wait for something up to `goal` and were among the first `checks` that were checked.
  mutating func remove(upTo goal: Int, checks: Int = .max) -> [Waiter] {
    let isDone = { (caller: Caller) in caller.goal.map { $0 <= goal && caller.check <= checks } ?? false }
    let done = callers.filter(isDone)
    if !done.isEmpty { callers.removeAll(where: isDone) }
    return done.map(\.waiter)
  }
}

extension EvaluationState {
  /// An id for a waiter that is about to join.
  mutating func newWaiterID() -> Int { waiting.newID() }

  /// Whether the list follows the database, or is being fetched.
  var isFollowing: Bool { phase != .stopped }

  /// A waiter joins. It has no goal before `waiterChecked`.
  mutating func waiterJoined(_ waiter: Waiter, id: Int) { waiting.add(waiter, id: id) }

  /// All commits so far have been recorded for a waiter: it waits for their delivery. If something has failed, it is
  /// evaluated again, because the waiter needs to know whether it still fails.
  mutating func waiterChecked(_ id: Int, at now: @autoclosure () -> UInt64) -> (Actions, Resumption?) {
    if waiting.contains(id) {
      if isBlocked || lastError != nil && failed == nil { evaluateAgain() }
      rest.until = 0
      if failed?.mayPass == true || failed != nil && rest.retriesRequest { retryRequest() }
      rest.retriesRequest = false
      waiting.check(id, goal: recorded)
    }
    return (evaluationWanted(at: now()), waitersToResume())
  }

  /// An evaluation has failed. Waiters that were checked after it had drained must not get its error, as the cause may
  /// have gone before they began to wait: they wait for another evaluation. Returns whether there are any.
  ///
  /// - Parameter checks: How many waiters had been checked when it drained.
  @discardableResult mutating func letWaitersTryAgain(after checks: Int) -> Bool {
    guard waiting.hasChecked(after: checks) else { return false }
    evaluateAgain()
    rest.until = 0
    waiting.delay(checkedAfter: checks, until: recorded)
    return true
  }

  /// A waiter no longer waits. Returns it unless it was resumed already.
  mutating func waiterLeft(_ id: Int) -> Waiter? { waiting.remove(id) }

  /// Removes the waiters whose commits have been delivered, or never will be, because following has stopped.
  mutating func waitersToResume() -> Resumption? {
    if waiting.count == 0 { return nil }
    return resumption(of: waiting.remove(upTo: phase.isFetched ? delivered : .max), with: lastError)
  }

  /// An evaluation has failed: removes the waiters that waited for it.
  mutating func waitersFailed(_ failure: WaitersFailure) -> Resumption? {
    resumption(of: waiting.remove(upTo: failure.goal, checks: failure.checks), with: failure.error)
  }

  private func resumption(of waiters: [Waiter], with error: (any Error)?) -> Resumption? {
    waiters.isEmpty ? nil : Resumption(waiters: waiters, error: error)
  }

  /// How many waiters have not been resumed.
  var numberOfWaiters: Int { waiting.count }
}
