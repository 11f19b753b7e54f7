// What happens in an evaluation, between `evaluationContinues` and the next one.

extension EvaluationState {
  /// What a running evaluation has drained, and which requests have failed.
  struct Attempt {
    /// The request that was set when it drained last.
    fileprivate(set) var request: Int
    /// A request that could not be fetched, so that the current list is followed instead.
    fileprivate var failed: Int?
    /// What it has drained; empty if it has not drained yet.
    fileprivate(set) var pending = Pending()
    /// What was recorded when it drained last; nil if it has not.
    fileprivate(set) var goal: Int?
    /// How many waiters had been checked when it drained last, or when it began.
    fileprivate(set) var checks: Int
    /// The new request that failed in this evaluation, and what `checks` was when it was read.
    private(set) var failure: RequestFailure?
    fileprivate private(set) var checksOfFailure = 0
    /// How many lists were dropped because another request was set while they were fetched.
    private var dropped = 0
    /// Whether such a list is shown all the same.
    fileprivate private(set) var isOutdated = false

    /// How many lists are dropped, one after another, before one is shown.
    private static var mostDropped: Int { 2 }

    fileprivate init(request: Int, failed: Int?, checks: Int) {
      self.request = request
      self.failed = failed
      self.checks = checks
    }

    /// Whether the list of another request must be fetched, instead of following the list of request `current`.
    func mustReplace(_ current: Int) -> Bool { request != current && request != failed }

    /// Whether a list that was fetched is shown, although another request may have been set meanwhile. If requests are
    /// set faster than they can be fetched, some must be shown; otherwise the list would never change.
    mutating func shows(_ fetched: Int) -> Bool {
      guard mustReplace(fetched) else { return true }
      defer { dropped += 1 }
      isOutdated = dropped >= Self.mostDropped
      return isOutdated
    }

    /// A new request can't be fetched.
    mutating func requestFailed(_ failure: RequestFailure) {
      self.failure = failure
      self.failure?.goal = max(failure.goal, goal ?? 0)
      checksOfFailure = checks
      failed = failure.request
    }
  }

  /// A new request that can't be fetched.
  struct RequestFailure {
    var request: Int
    var error: any Error
    var kind: ErrorKind
    /// Whether the error is about the existing rows and not about the request.
    var isOfRows: Bool
    /// What was recorded before the read that failed. Later commits may have removed the cause.
    var goal: Int
    /// Whether the last error was the same. A retry may fail with a different message, because it names another row.
    var isRepeated: Bool
  }

  /// An evaluation begins.
  func evaluationBegan() -> Attempt { Attempt(request: request, failed: failed?.request, checks: waiting.checks) }

  /// An evaluation drains what is pending, before the state that it reads is fixed. It may do so several times.
  mutating func drain(into attempt: inout Attempt) {
    if attempt.goal == nil { attempt.pending = pending } else { attempt.pending.merge(pending) }
    pending = Pending()
    attempt.goal = recorded
    attempt.checks = waiting.checks
    attempt.request = request
    // A commit may have made a request valid that had failed before.
    if attempt.failure == nil { attempt.failed = failed?.request }
  }

  // MARK: Whole queries

  /// A whole query begins. Returns whether nobody needs its result.
  func isInVain(_ number: Int) -> Bool {
    let isOutdated = request != number && request != failed?.request
    return !phase.isFetched || isOutdated && cancelledInARow < Self.mostCancelled
  }

  mutating func wholeQuerySucceeded() { rest.until = 0 }

  mutating func wholeQueryFailed(after time: UInt64, at now: UInt64) {
    rest.until = now + min(8 * time, Self.longestRest)
  }

  // MARK: The end

  /// An evaluation has a list to show: of the request `fetched`, if it ran a whole query.
  mutating func evaluated(_ attempt: Attempt, fetched: Int?) -> Ended {
    var ended = Ended()
    guard phase.isFetched else { return ended }
    let failure = attempt.failure
    ended.isPublished = true
    ended.formerError = lastError
    // Waiters for a request that failed wait for the one that has replaced it.
    let isReplaced = failure != nil && attempt.request != request
    if attempt.isOutdated || isReplaced || failure?.kind == .busy {
      pending.reload = pending.reload ?? .newRequest
    } else {
      // If nothing was recorded since but waiters that try again, they have what they wait for.
      advanceEvaluated(to: attempt.goal ?? 0)
    }
    ended.goal = evaluated
    let isAnother = fetched != nil && fetched != shown
    if let fetched {
      cancelledInARow = 0
      shown = fetched
      if fetched == request { (failed, reported) = (nil, nil) }
    }
    if let failure, failure.request == request {
      ended.error = requestFailed(failure, attempt)
    } else {
      // While the failed request waits for its retry, its error is still reported to waiters that don't wait for the
      // retry. That ends when the list of another request is shown.
      lastError = failed?.error ?? (isAnother || shown == request ? nil : lastError)
      if lastError == nil { retryPause = Self.shortestPause }
    }
    if let failure, failure.kind.isPassing { ended.retryPause = pauseBeforeRetry(failure.kind) }
    return ended
  }

  /// Returns the error if it must be reported.
  private mutating func requestFailed(_ failure: RequestFailure, _ attempt: Attempt) -> (any Error)? {
    if failure.kind == .busy {
      // A busy database is not an error: the request is retried, and its waiters keep waiting.
      isBlocked = true
      return nil
    }
    let mayPass = failure.kind.isPassing || failure.isOfRows
    failed = FailedRequest(request: request, error: failure.error, kind: failure.kind, mayPass: mayPass)
    // Commits that were recorded while the request was fetched did not retry it: it had not failed yet.
    if recorded > failure.goal, mayPass || pending.isOfEverything || attempt.pending.isOfEverything {
      rest.retriesRequest = true
    }
    defer {
      reported = request
      lastError = failure.error
    }
    if mayPass, letWaitersTryAgain(after: attempt.checksOfFailure) { retryRequest() }
    return reported == request || failure.isRepeated ? nil : failure.error
  }

  /// An evaluation of the current list failed. What it drained is evaluated together with what comes next.
  mutating func evaluationFailed(_ attempt: Attempt, _ error: any Error, _ kind: ErrorKind, isRepeated: Bool) -> Ended {
    var ended = Ended(goal: evaluated, formerError: lastError)
    guard phase.isFetched else { return ended }
    putBack(attempt)
    if pending.isEmpty { pending.reload = .recovery }
    let goal = attempt.goal ?? recorded
    // Waiters for another request, which failed before that, get its error.
    let (cause, checks) = attempt.failure.map { ($0.error, attempt.checksOfFailure) } ?? (error, attempt.checks)
    letWaitersTryAgain(after: checks)
    // What was recorded meanwhile may have removed the cause.
    isBlocked = recorded <= goal
    if isBlocked, kind != .lasting, kind != .final { ended.retryPause = pauseBeforeRetry(kind) }
    // Waiters keep waiting until the database is no longer busy.
    if kind == .busy { return ended }
    lastError = error
    ended.failure = WaitersFailure(error: cause, goal: goal, checks: checks)
    if !isRepeated { ended.error = error }
    return ended
  }

  /// Returns drained work that was not evaluated, so that the next evaluation gets it.
  mutating func putBack(_ attempt: Attempt) {
    guard phase.isFetched, attempt.goal != nil else { return }
    var all = attempt.pending
    all.merge(pending)
    pending = all
  }

  /// The whole query of an evaluation was cancelled, because another request was set. Returns the number up to which
  /// everything has been evaluated.
  mutating func superseded(_ attempt: Attempt) -> Int {
    putBack(attempt)
    cancelledInARow += 1
    return evaluated
  }
}
