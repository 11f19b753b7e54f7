// Callers of `settled()`: what each waits for, and when it is resumed.

/// The callers that wait.
///
/// Each operation on one caller takes amortized constant time, however many wait.
struct WaitingCallers<Waiter> {
  private struct Caller {
    var waiter: Waiter
    /// The number of its check; 0 before it was checked.
    var check = 0
  }

  /// A check of a caller, which may have left since.
  private struct Check {
    let number: Int
    let id: Int
    /// What must be delivered.
    var goal: Int
  }

  private var callers: [Int: Caller] = [:]
  /// The checks in order, from `first`. No goal is less than the one before it.
  private var order: [Check] = []
  private var first = 0
  private var lastID = 0
  /// How many callers have been checked.
  private(set) var checks = 0

  /// How many callers have not been resumed.
  var count: Int { callers.count }

  mutating func newID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func add(_ waiter: Waiter, id: Int) { callers[id] = Caller(waiter: waiter) }

  func contains(_ id: Int) -> Bool { callers[id] != nil }

  /// A caller is checked: it waits for the delivery of everything up to `goal`, which is not less than any goal before.
  mutating func check(_ id: Int, goal: Int) {
    guard contains(id) else { return }
    checks += 1
    callers[id]?.check = checks
    order.append(Check(number: checks, id: id, goal: goal))
  }

  /// Whether the caller of a check still waits.
  private func isWaiting(_ check: Check) -> Bool { callers[check.id]?.check == check.number }

  /// Whether some were checked after the first `checks`.
  func hasChecked(after checks: Int) -> Bool {
    var place = order.count
    while place > first, order[place - 1].number > checks {
      place -= 1
      if isWaiting(order[place]) { return true }
    }
    return false
  }

  /// Those that were checked after the first `checks` wait for everything up to `goal` now, which is not less than any
  /// goal before.
  mutating func delay(checkedAfter checks: Int, until goal: Int) {
    var place = order.count
    while place > first, order[place - 1].number > checks {
      place -= 1
      order[place].goal = goal
    }
  }

  /// Removes a caller; nil if it was removed already.
  mutating func remove(_ id: Int) -> Waiter? {
    guard let caller = callers.removeValue(forKey: id) else { return nil }
    // The checks of callers that have left must not pile up while nothing is delivered.
    if order.count - first > 2 * callers.count + 64 {
      order = order[first...].filter { isWaiting($0) }
      first = 0
    }
    return caller.waiter
  }

  /// Removes those that wait for something up to `goal` and were among the first `checks` that were checked, in the
  /// order of their checks.
  mutating func remove(upTo goal: Int, checks: Int = .max) -> [Waiter] {
    var done: [Waiter] = []
    while first < order.count, order[first].goal <= goal, order[first].number <= checks {
      let check = order[first]
      if isWaiting(check), let caller = callers.removeValue(forKey: check.id) { done.append(caller.waiter) }
      first += 1
    }
    if first > order.count / 2 {
      order.removeFirst(first)
      first = 0
    }
    return done
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
