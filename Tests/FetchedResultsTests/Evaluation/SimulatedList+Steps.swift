import FetchedResults

@testable import FetchedResultsCore

// What the threads do, as `ResultCore` and `Evaluation` do it.

extension SimulatedList {
  // MARK: What the owner does

  mutating func perform(_ actions: State.Actions) {
    if actions.schedulesEvaluation {
      evaluations[nextEvaluation] = .beginTurn
      nextEvaluation += 1
    }
    if let pause = actions.restPause {
      if restDue != nil { problem = "a rest has two timers" }
      if pause > State.longestRest { problem = "a rest is too long" }
      restDue = clock + pause
    }
    retry(after: actions.retryPause)
  }

  mutating func retry(after pause: UInt64?) {
    guard let pause else { return }
    if retryDue != nil { problem = "a retry has two timers" }
    if pause > State.longestPause { problem = "a pause is too long" }
    if pause < min(leastPause, State.longestBusyPause) || pause < State.shortestPause {
      problem = "a pause did not grow: \(pause) after \(leastPause / 2)"
    }
    leastPause = min(2 * pause, State.longestPause)
    retryDue = clock + pause
  }

  mutating func schedule() { perform(state.evaluationWanted(at: clock)) }

  /// Records the commits up to now.
  mutating func catchUp() {
    guard isFollowing else { return }
    while received < commits {
      received += 1
      let (number, isOfEverything) = (received, everything.contains(received))
      perform(
        state.committed(isOfEverything: isOfEverything, at: clock) {
          $0.numbers.append(number)
          if isOfEverything { $0.isOfEverything = true }
        })
    }
  }

  mutating func stop() {
    budget.stops -= 1
    // A fetch that is running follows its own query.
    var isFetching = false
    if case .read? = fetch { isFetching = true }
    if case .end? = fetch { isFetching = true }
    isStopped = !isFetching
    if !isFetching { isFollowing = false }
    if queriesRunning > 0 { queryIsCancelled = true }
    resume(state.stopped().0)
  }

  mutating func check(_ id: Int) {
    catchUp()
    guard let place = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters[place].commits = commits
    waiters[place].request = requests
    waiters[place].checkedAt = clock
    let (actions, resumption) = state.waiterChecked(id, at: clock)
    perform(actions)
    resume(resumption)
  }

  mutating func resume(_ resumption: State.Resumption?, failed goal: Int? = nil) {
    guard let resumption else { return }
    for id in resumption.waiters {
      guard let place = waiters.firstIndex(where: { $0.id == id }) else {
        problem = "a waiter was resumed twice, or after it was cancelled"
        return
      }
      let waiter = waiters.remove(at: place)
      guard let end = waiter.commits else {
        problem = "a waiter was resumed before its check"
        return
      }
      if !state.phase.isFetched { continue }
      if let failure = resumption.error as? Failure {
        if failure.readAt < waiter.checkedAt, failure.mayPass || hadPassed(waiter) {
          problem = "a waiter was told of a failure from before it waited"
        }
        continue
      }
      if !has(delivered, upTo: end), !has(fetched, upTo: end) {
        problem = "a waiter was resumed before its commits were delivered"
      } else if max(delivered.request, fetched.request) < waiter.request {
        problem = "a waiter was resumed before its request was delivered"
      }
    }
  }

  private func has(_ contents: Contents, upTo end: Int) -> Bool {
    contents.end >= end && !contents.missing.contains { $0 <= end }
  }

  mutating func finishDelivery(_ goal: Int) {
    let (actions, resumption) = state.delivered(upTo: goal, at: clock)
    perform(actions)
    resume(resumption)
  }

  mutating func publish(_ contents: Contents, goal: Int) {
    if isStopped { problem = "a list was published after it was stopped" }
    list = contents
    queue.append(contents)
    queuedGoal = max(queuedGoal, goal)
  }

  /// Delivers what waits. Returns the goal.
  mutating func deliverAll() -> Int {
    if let last = queue.last { delivered = last }
    queue = []
    isDelivering = false
    return queuedGoal
  }

  // MARK: Screening

  mutating func screen() {
    budget.screens -= 1
    let count = commits - received
    guard let goal = state.screened(count, of: list?.request ?? -1) else { return }
    received = commits
    list?.end = commits
    if let list { queue.append(list) }
    queuedGoal = max(queuedGoal, goal)
    screening = .handOver
  }

  mutating func goScreen(_ step: FetchStep) {
    switch step {
    case .handOver where isDelivering: screening = nil
    case .handOver:
      isDelivering = true
      screening = .callBack
    case .callBack: screening = .deliver(goal: deliverAll())
    case .deliver(let goal):
      screening = nil
      finishDelivery(goal)
    default: screening = nil
    }
  }

  // MARK: Fetching

  private func failure(_ kind: ErrorKind, mayPass: Bool = true) -> Failure {
    Failure(kind: kind, readAt: clock, mayPass: mayPass)
  }

  /// Whether the request could be fetched when the waiter began to wait.
  private func hadPassed(_ waiter: Waiter) -> Bool {
    guard let commits = waiter.commits else { return false }
    return fault == nil && failure(of: waiter.request, at: commits) == nil
  }

  func failure(of request: Int, at state: Int) -> Failure? {
    guard let (obstacle, since) = obstacles[request] else { return nil }
    switch obstacle {
    case .schema: return everything.contains { $0 > since && $0 <= state } ? nil : failure(.unclear, mayPass: false)
    case .rows: return state > since ? nil : failure(.lasting)
    case .passing: return failure(.passing)
    case .busy: return failure(.busy)
    case .always: return failure(.unclear, mayPass: false)
    }
  }

  mutating func goFetch(_ step: FetchStep) {
    switch step {
    case .take:
      locker = -1
      state.fetchBegan()
      (isStopped, isAwake) = (false, false)
      if !isFollowing {
        isFollowing = true
        received = commits
      }
      catchUp()
      fetch = .read(request: state.request, goal: state.goal(ofFetching: state.request) ?? 0)
    case .read(let request, let goal):
      let fails = failure(of: request, at: commits) != nil
      fetch = .end(Contents(request: request, end: commits), goal: goal, fails: fails)
    case .end(let contents, let goal, let fails):
      if fails {
        _ = state.fetchFailed()
        if state.phase == .stopped { (isFollowing, isStopped) = (false, true) }
        fetch = .schedule
      } else {
        _ = state.fetchSucceeded(contents.request, upTo: goal)
        leastPause = 0
        publish(contents, goal: state.evaluated)
        fetched = contents
        fetch = .handOver
      }
      locker = nil
    case .handOver where isDelivering: fetch = .schedule
    case .handOver:
      isDelivering = true
      fetch = .callBack
    case .callBack: fetch = .deliver(goal: deliverAll())
    case .deliver(let goal):
      fetch = .schedule
      finishDelivery(goal)
    case .schedule:
      fetch = nil
      schedule()
    }
  }

  // MARK: Evaluating

  mutating func go(_ index: Int, _ step: Step) {
    var next: Step?
    switch step {
    case .beginTurn:
      isAwake = true
      catchUp()
      next = .decide(isDelivering: isDelivering)
    case .decide(let isDelivering):
      switch state.evaluationContinues(isDelivering: isDelivering, at: clock) {
      case .evaluate: next = .takeLock
      case .end(let actions):
        perform(actions)
        next = .lookAgain(isDelivering: isDelivering)
      }
    case .lookAgain(let wasDelivering):
      if wasDelivering, !isDelivering { schedule() }
      next = .sleep
    case .sleep:
      isAwake = false
      if isFollowing, received < commits {
        catchUp()
        schedule()
      }
      resume(state.waitersToResume())
    case .takeLock:
      locker = index
      next = .choose(state.evaluationBegan())
    case .choose(let attempt): next = choose(attempt)
    case .drain(var attempt, let fetching, let goal):
      catchUp()
      state.drain(into: &attempt)
      next = .read(attempt, fetching: fetching, goal: goal)
    case .read(let attempt, let fetching, let goal): next = read(attempt, fetching, goal)
    case .publish(let attempt, let contents, let fetched):
      let ended = state.evaluated(attempt, fetched: fetched)
      if ended.isPublished {
        publish(contents, goal: ended.goal)
      } else {
        list = nil
      }
      if attempt.failure?.request != state.request { leastPause = 0 }
      retry(after: ended.retryPause)
      locker = nil
      next = .handOver(failure: nil)
    case .fail(let attempt, let failure):
      let isRepeated = (state.lastError as? Failure)?.kind == failure.kind
      let ended = state.evaluationFailed(attempt, failure, failure.kind, isRepeated: isRepeated)
      if ended.error != nil, isStopped { problem = "an error was reported after the list was stopped" }
      retry(after: ended.retryPause)
      locker = nil
      next = .handOver(failure: ended.failure)
    case .handOver(let failure):
      if isDelivering {
        next = .failWaiters(failure)
      } else {
        isDelivering = true
        next = .callBack(failure: failure)
      }
    case .callBack(let failure): next = .deliver(failure: failure, goal: deliverAll())
    case .deliver(let failure, let goal):
      finishDelivery(goal)
      next = .failWaiters(failure)
    case .failWaiters(let failure):
      if let failure { resume(state.waitersFailed(failure)) }
      next = .beginTurn
    }
    evaluations[index] = next
  }

  mutating func choose(_ attempt: State.Attempt) -> Step {
    guard let list else { return .publish(attempt, Contents(end: 0), fetched: nil) }
    guard attempt.mustReplace(list.request) else { return .drain(attempt, fetching: nil, goal: 0) }
    return beginQuery(attempt, attempt.request)
  }

  mutating func beginQuery(_ attempt: State.Attempt, _ request: Int) -> Step {
    queryIsCancelled = state.isInVain(request)
    queriesRunning = 1
    return .drain(attempt, fetching: request, goal: state.recorded)
  }

  mutating func read(_ attempt: State.Attempt, _ fetching: Int?, _ goal: Int) -> Step {
    guard let list else { return .publish(attempt, Contents(), fetched: nil) }
    guard let fetching else {
      if attempt.mustReplace(list.request) { return .choose(attempt) }
      if attempt.pending.isOfEverything || attempt.pending.reload == .recovery {
        return beginQuery(attempt, list.request)
      }
      if attempt.pending.numbers.isEmpty { return .publish(attempt, list, fetched: nil) }
      if let fault { return .fail(attempt, failure(fault)) }
      var contents = list
      // What was committed since, and not drained, is not in the list.
      contents.missing += contents.end < commits ? Array(contents.end + 1...commits) : []
      contents.end = commits
      contents.missing.removeAll { attempt.pending.numbers.contains($0) }
      return .publish(attempt, contents, fetched: nil)
    }
    defer { queriesRunning = 0 }
    var attempt = attempt
    let isCurrent = fetching == list.request
    let failure = self.failure(of: fetching, at: commits) ?? (isCurrent ? fault.map { self.failure($0) } : nil)
    if queryIsCancelled {
      _ = state.superseded(attempt)
      locker = nil
      return .handOver(failure: nil)
    }
    if let failure {
      state.wholeQueryFailed(after: 1_000_000, at: clock)
      if isCurrent { return .fail(attempt, failure) }
      let isOfRows = obstacles[fetching]?.0 == .rows
      attempt.requestFailed(
        .init(
          request: fetching, error: failure, kind: failure.kind, isOfRows: isOfRows, goal: goal,
          isRepeated: (state.lastError as? Failure)?.kind == failure.kind))
      return .choose(attempt)
    }
    state.wholeQuerySucceeded()
    guard attempt.shows(fetching) else { return .choose(attempt) }
    return .publish(attempt, Contents(request: fetching, end: commits), fetched: fetching)
  }

  /// Too many threads are slow: the evaluation begins again later.
  mutating func postpone(_ index: Int) {
    guard case .choose(let attempt)? = evaluations[index] else { return }
    budget.postponements -= 1
    state.putBack(attempt)
    locker = nil
    evaluations[index] = .beginTurn
  }
}
