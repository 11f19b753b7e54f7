/// The commits that an `EvaluationState` keeps until they are evaluated, merged.
protocol PendingWork {
  init()
  var isEmpty: Bool { get }
  /// Whether any row of a table may have changed.
  var isOfEverything: Bool { get }
  /// Why there is something to evaluate other than commits.
  var reload: Reason? { get set }
  /// Adds what was recorded later.
  mutating func merge(_ later: Self)
}

/// The decisions about one list, as a state machine: what is recorded for the list, when it is evaluated, what is
/// retried and when, and when waiters are resumed.
///
/// It has no lock, no thread and no clock. Events go in as functions, with the time in nanoseconds where it matters,
/// and actions come out. So tests can explore in which order events may come, without threads. A time is only read if
/// the decision depends on it.
///
/// Commits and other events are counted: `recorded`, then `evaluated`, then `delivered`. A waiter's goal is such a
/// number. Requests have numbers too, a new one each time that a request is set.
struct EvaluationState<Pending: PendingWork, Waiter> {
  enum Phase {
    /// Nothing is recorded until the next fetch.
    case stopped
    /// A fetch is running, and there is no list to follow before it ends.
    case fetchingFirst
    case following
    /// A fetch is running while the current list is followed.
    case fetchingAgain

    /// Whether there is a list to follow.
    var isFetched: Bool { self == .following || self == .fetchingAgain }
  }

  /// What the owner must do after an event, without holding the lock.
  struct Actions: Equatable {
    /// Start an evaluation, which calls `evaluationContinues`.
    var schedulesEvaluation = false
    /// Call `restEnded` after this time.
    var restPause: UInt64?
    /// Call `retryDue` after this time.
    var retryPause: UInt64?
    /// Cancel the whole query that is running, if any.
    var cancelsWholeQuery = false
  }

  /// What the owner must do after an evaluation.
  struct Ended {
    /// Whether the difference is published; otherwise the list is dropped.
    var isPublished = false
    /// Everything up to this number has been evaluated.
    var goal = 0
    /// The error to report.
    var error: (any Error)?
    /// The waiters that fail, after what came before is delivered: call `waitersFailed`.
    var failure: WaitersFailure?
    var retryPause: UInt64?
    /// The previous error, to be released later.
    var formerError: (any Error)?
  }

  /// An evaluation that has failed, and the waiters that waited for it.
  struct WaitersFailure {
    var error: any Error
    /// Their goals are at most this.
    var goal: Int
    /// They were among the first that were checked, this many.
    var checks: Int
  }

  /// The waiters to resume, with the error if there is one.
  struct Resumption {
    var waiters: [Waiter]
    var error: (any Error)?
  }

  /// The request that could not be fetched. It is not fetched again for every commit.
  struct FailedRequest {
    var request: Int
    var error: any Error
    var kind: ErrorKind
    /// Whether the cause may pass by itself or when rows change.
    var mayPass: Bool
  }

  /// The rest after a whole query that failed: running it for every commit would keep the processors busy.
  struct Rest {
    /// Until when commits don't make the query run again. Waiters don't wait for that.
    var until: UInt64 = 0
    var isTimerSet = false
    /// Whether events meanwhile may have made the failed request valid.
    var retriesRequest = false
  }

  /// How many whole queries in a row are cancelled because another request was set. If requests are set faster than
  /// they can be fetched, some must be shown; otherwise the list would never change.
  static var mostCancelled: Int { 2 }
  /// The pauses before retries, in nanoseconds. They stay shorter if the database is only busy, because callers are
  /// waiting.
  static var shortestPause: UInt64 { 50_000_000 }
  static var longestPause: UInt64 { 10_000_000_000 }
  static var longestBusyPause: UInt64 { 500_000_000 }
  /// The longest rest, in nanoseconds. A quick query rests eight times as long as it took.
  static var longestRest: UInt64 { 1_000_000_000 }

  // Only the functions for events change these, including those in `EvaluationState+Attempt.swift` and
  // `EvaluationState+Waiting.swift`.
  private(set) var phase = Phase.stopped
  /// The request that was set last.
  private(set) var request: Int
  /// The request of the current list.
  var shown: Int?
  var failed: FailedRequest?
  /// The request whose failure was already reported.
  var reported: Int?
  var pending = Pending()
  /// Whether an evaluation is scheduled or running.
  private(set) var isScheduled = false
  /// Whether the last evaluation failed, and nothing has happened since that could make the next one succeed.
  var isBlocked = false
  var lastError: (any Error)?

  // Each is at most the one before, except that `forget` counts as delivered what is never evaluated.
  private(set) var recorded = 0
  private(set) var evaluated = 0
  private(set) var delivered = 0

  /// How many whole queries in a row were cancelled because another request was set.
  var cancelledInARow = 0
  var rest = Rest()
  /// Whether `retryDue` will be called, and the pause before the retry after that.
  private(set) var isRetryTimerSet = false
  var retryPause = EvaluationState.shortestPause

  var waiting = WaitingCallers<Waiter>()

  init(request: Int) { self.request = request }

  // MARK: Recording

  private mutating func record(_ change: (inout Pending) -> Void) {
    guard phase != .stopped else { return }
    change(&pending)
    recorded += 1
    isBlocked = false
  }

  /// What has failed is evaluated again, although nothing has changed. That is an event too: waiters wait for it.
  mutating func evaluateAgain() {
    isBlocked = false
    recorded += 1
  }

  /// Everything is evaluated up to the goal of an evaluation or, if nothing is pending, as far as it was recorded.
  mutating func advanceEvaluated(to goal: Int) { evaluated = max(evaluated, pending.isEmpty ? recorded : goal) }

  /// Drops what was recorded and will never be evaluated.
  private mutating func forget() {
    pending = Pending()
    delivered = recorded
  }

  private mutating func recordNewRequest() { record { $0.reload = $0.reload ?? .newRequest } }

  mutating func retryRequest() {
    failed = nil
    recordNewRequest()
  }

  /// Another request was set, or the shown one again.
  mutating func requestChanged(to number: Int) -> Actions {
    request = number
    failed = nil
    rest.until = 0
    recordNewRequest()
    var actions = evaluationWanted(at: 0)
    actions.cancelsWholeQuery = cancelledInARow < Self.mostCancelled
    return actions
  }

  /// A commit was reported. `add` adds it to what is pending.
  mutating func committed(
    isOfEverything: Bool, at now: @autoclosure () -> UInt64, _ add: (inout Pending) -> Void
  ) -> Actions {
    record(add)
    // A request that could not be fetched may be valid now, with other rows or another schema.
    if let failed, isOfEverything || failed.mayPass {
      if rest.until > now() { rest.retriesRequest = true } else { self.failed = nil }
    }
    return Actions(restPause: restPause(mustRest(at: now), at: now))
  }

  /// A commit was reported to the tables of the request that could not be fetched. The current list may not read them.
  mutating func committedToFailed(isOfEverything: Bool, at now: @autoclosure () -> UInt64) -> Actions {
    if let failed, isOfEverything || failed.mayPass {
      if rest.until > now() { rest.retriesRequest = true } else { retryRequest() }
    }
    return Actions(restPause: restPause(mustRest(at: now), at: now))
  }

  /// Screening has found that commits don't concern the list. Returns the number up to which everything is evaluated
  /// then; nil if the list must evaluate them.
  mutating func screened(_ commits: Int, of number: Int) -> Int? {
    guard phase == .following, !isScheduled, !isBlocked, pending.isEmpty, failed == nil, lastError == nil,
      request == number
    else { return nil }
    recorded += commits
    evaluated = recorded
    return evaluated
  }

  /// Everything up to `goal` was delivered, and no thread is delivering.
  mutating func delivered(upTo goal: Int, at now: @autoclosure () -> UInt64) -> (Actions, Resumption?) {
    delivered = max(delivered, goal)
    return (evaluationWanted(at: now()), waitersToResume())
  }

  // MARK: Fetching

  /// A fetch of the request begins. Commits are recorded from now on.
  mutating func fetchBegan() { phase = phase.isFetched ? .fetchingAgain : .fetchingFirst }

  /// The number up to which a fetch of this request, if it reads now, contains everything; nil if another request was
  /// set meanwhile.
  func goal(ofFetching number: Int) -> Int? { request == number ? recorded : nil }

  /// A request was fetched. Returns the previous error, to be released later.
  mutating func fetchSucceeded(_ number: Int, upTo goal: Int) -> (any Error)? {
    defer { lastError = nil }
    phase = .following
    shown = number
    failed = nil
    reported = nil
    isBlocked = false
    advanceEvaluated(to: goal)
    cancelledInARow = 0
    rest.until = 0
    retryPause = Self.shortestPause
    return lastError
  }

  /// A fetch has failed. Returns the error of following if there is no list to follow, to be released later.
  mutating func fetchFailed() -> (any Error)? {
    if phase == .fetchingAgain {
      phase = .following
      return nil
    }
    phase = .stopped
    forget()
    defer { lastError = nil }
    return lastError
  }

  /// Stops evaluations until the next fetch. If a fetch is running, that is the next fetch: what was recorded during it
  /// is kept, because it may have read an earlier state. Returns the waiters, and the error of following, to be
  /// released later.
  mutating func stopped() -> (Resumption?, (any Error)?) {
    if phase == .fetchingFirst || phase == .fetchingAgain {
      phase = .fetchingFirst
    } else {
      phase = .stopped
      forget()
    }
    defer { lastError = nil }
    return (waitersToResume(), lastError)
  }

  // MARK: Scheduling

  /// Whether the list must wait before it may again run a query that has failed. A list that still follows another
  /// request needn't wait.
  private func mustRest(at now: () -> UInt64) -> Bool {
    rest.until > 0 && lastError != nil && failed == nil && now() < rest.until
  }

  /// The time until the end of the rest, if something waits for its end and no timer is set.
  private mutating func restPause(_ mustRest: Bool, at now: () -> UInt64) -> UInt64? {
    guard !rest.isTimerSet, rest.retriesRequest || mustRest && !pending.isEmpty else { return nil }
    rest.isTimerSet = true
    let now = now()
    return rest.until > now ? rest.until - now : 0
  }

  /// Schedules an evaluation of what is pending, unless one is scheduled already or would be in vain.
  mutating func evaluationWanted(at now: @autoclosure () -> UInt64) -> Actions {
    let mustRest = mustRest(at: now)
    var actions = Actions(restPause: restPause(mustRest, at: now))
    if phase.isFetched, !isScheduled, !isBlocked, !pending.isEmpty, !mustRest {
      isScheduled = true
      actions.schedulesEvaluation = true
    }
    return actions
  }

  /// What a scheduled evaluation does next.
  enum Turn: Equatable {
    case evaluate
    /// It ends. Call `evaluationWanted` if there are commits that have not been recorded.
    case end(Actions)
  }

  /// A scheduled evaluation begins, or has ended and may begin again.
  ///
  /// - Parameter isDelivering: Whether another thread is delivering. It calls `delivered` when it is done, and what it
  ///   has not delivered yet must not grow meanwhile.
  mutating func evaluationContinues(isDelivering: Bool, at now: @autoclosure () -> UInt64) -> Turn {
    let mustRest = mustRest(at: now)
    if phase.isFetched, !isDelivering, !pending.isEmpty, !isBlocked, !mustRest { return .evaluate }
    isScheduled = false
    return .end(Actions(restPause: restPause(mustRest, at: now)))
  }

  /// The rest has ended.
  mutating func restEnded(at now: @autoclosure () -> UInt64) -> Actions {
    rest.isTimerSet = false
    if rest.retriesRequest, failed != nil { retryRequest() }
    rest.retriesRequest = false
    return evaluationWanted(at: now())
  }

  /// Sets the timer for a retry of what may succeed without a commit. The pause grows each time that it fails again.
  mutating func pauseBeforeRetry(_ kind: ErrorKind) -> UInt64? {
    if isRetryTimerSet { return nil }
    isRetryTimerSet = true
    defer { retryPause = min(retryPause * 2, Self.longestPause) }
    return kind == .busy ? min(retryPause, Self.longestBusyPause) : retryPause
  }

  /// The pause before a retry is over.
  mutating func retryDue(at now: @autoclosure () -> UInt64) -> Actions {
    isRetryTimerSet = false
    let isOfRequest = failed?.kind.isPassing == true
    guard isBlocked || isOfRequest else {
      retryPause = Self.shortestPause
      return Actions()
    }
    isBlocked = false
    if isOfRequest { retryRequest() }
    return evaluationWanted(at: now())
  }
}
