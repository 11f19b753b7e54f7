import FetchedResults

@testable import FetchedResultsCore

/// A list whose database, threads, timers and callers are simulated: a test chooses each step of each.
///
/// It does what `ResultCore` and `Evaluation` do, keeps its own account of which commits the list has, and compares it
/// with what `EvaluationState` decides. Commits, requests and waiters have numbers.
struct SimulatedList {
  /// The commits that are pending, and what a whole query must run for.
  struct Commits: PendingWork {
    var numbers: [Int] = []
    var isOfEverything = false
    var reload: Reason?
    var isEmpty: Bool { numbers.isEmpty && reload == nil }

    mutating func merge(_ later: Commits) {
      numbers += later.numbers
      isOfEverything = isOfEverything || later.isOfEverything
      reload = reload ?? later.reload
    }
  }

  typealias State = EvaluationState<Commits, Int>

  struct Failure: Error {
    var kind: ErrorKind
    /// When reading failed.
    var readAt: UInt64
    /// Whether it may succeed later without a commit.
    var mayPass = true
  }

  /// Why a request can't be fetched.
  enum Obstacle: Int, CaseIterable {
    /// Until the schema changes, until any row does, or for as long as a fault of the moment lasts.
    case schema, rows, passing, busy
    /// For ever.
    case always
  }

  struct Contents: Equatable {
    var request = 0
    /// The commits before `end` that it does not have.
    var missing: [Int] = []
    var end = 0
  }

  /// What a thread that evaluates does next.
  enum Step {
    case beginTurn
    case decide(isDelivering: Bool)
    case lookAgain(isDelivering: Bool)
    case sleep
    case takeLock
    case choose(State.Attempt)
    case drain(State.Attempt, fetching: Int?, goal: Int)
    case read(State.Attempt, fetching: Int?, goal: Int)
    case publish(State.Attempt, Contents, fetched: Int?)
    case fail(State.Attempt, Failure)
    case handOver(failure: State.WaitersFailure?)
    case callBack(failure: State.WaitersFailure?)
    case deliver(failure: State.WaitersFailure?, goal: Int)
    case failWaiters(State.WaitersFailure?)
  }

  enum FetchStep {
    case take
    case read(request: Int, goal: Int)
    case end(Contents, goal: Int, fails: Bool)
    case handOver, callBack, deliver(goal: Int), schedule
  }

  struct Waiter {
    var id: Int
    /// The commits and the request at the end of its check; nil before.
    var commits: Int?
    var request = 0
    var checkedAt: UInt64 = 0
  }

  enum Move {
    case commit(isOfEverything: Bool), wake, set(Obstacle?), fetch, failFetch, stop, screen
    case join, check(Int), cancel(Int)
    /// Reading the changed rows fails from now on, and no longer.
    case spoil(ErrorKind), heal
    case go(Int), postpone(Int), goFetch, goScreen, rest, retry
  }

  struct Budget {
    var commits = 0, everything = 0, requests = 0, fetches = 0, stops = 0, waiters = 0, faults = 0, screens = 0
    var postponements = 0
  }

  var state = State(request: 0)
  var budget: Budget
  var clock: UInt64 = 1_000_000_000_000

  // The database.
  var commits = 0
  /// The commits that may have changed any row.
  var everything: [Int] = []
  var fault: ErrorKind?
  /// Why requests can't be fetched, and what was committed when they were set.
  var obstacles: [Int: (Obstacle, since: Int)] = [:]
  var requests = 0

  // The cursor.
  var received = 0
  var isAwake = false
  var wakes = 0
  var isFollowing = false

  // The threads. `locker` holds `ResultCore.evaluation`: the index of an evaluation, -1 for a fetch.
  var evaluations: [Int: Step] = [:]
  var nextEvaluation = 0
  var fetch: FetchStep?
  var screening: FetchStep?
  var locker: Int?
  var queryIsCancelled = false
  var queriesRunning = 0

  // The list, what waits to be delivered, and what was delivered.
  var list: Contents?
  var queue: [Contents] = []
  var delivered = Contents()
  /// What the last fetch has published: it waits for its own delivery, but waiters don't.
  var fetched = Contents()
  var queuedGoal = 0
  var isDelivering = false
  /// Whether it was stopped and no fetch has begun since.
  var isStopped = true

  var waiters: [Waiter] = []
  var restDue: UInt64?
  var retryDue: UInt64?
  /// The least that the next pause may be.
  var leastPause: UInt64 = 0
  /// The first rule that was broken.
  var problem: String?

  init(_ budget: Budget) { self.budget = budget }

  // MARK: Moves

  var moves: [Move] {
    var moves = ownMoves
    if budget.commits > 0 { moves.append(.commit(isOfEverything: false)) }
    if budget.everything > 0 { moves.append(.commit(isOfEverything: true)) }
    if budget.requests > 0 { moves += [.set(nil)] + Obstacle.allCases.map { .set($0) } }
    if budget.fetches > 0, fetch == nil { moves.append(.fetch) }
    if budget.stops > 0 { moves.append(.stop) }
    if budget.waiters > 0 { moves.append(.join) }
    for waiter in waiters { moves.append(.cancel(waiter.id)) }
    if budget.faults > 0 {
      if fault == nil { moves += [.busy, .passing, .unclear, .lasting].map { .spoil($0) } }
      if case .end? = fetch { moves.append(.failFetch) }
    }
    // Only a commit mends a row that can't be read.
    if let fault, fault != .lasting { moves.append(.heal) }
    if budget.screens > 0, locker == nil, received < commits, isFollowing, !isAwake, !isDelivering, queue.isEmpty,
      screening == nil, state.phase == .following
    {
      moves.append(.screen)
    }
    if budget.postponements > 0 {
      for (index, step) in evaluations { if case .choose = step { moves.append(.postpone(index)) } }
    }
    return moves
  }

  /// What happens by itself.
  var ownMoves: [Move] {
    var moves: [Move] = []
    if wakes > 0 { moves.append(.wake) }
    for index in evaluations.keys.sorted() {
      if case .takeLock? = evaluations[index], locker != nil { continue }
      moves.append(.go(index))
    }
    if let fetch {
      if case .take = fetch, locker != nil {} else { moves.append(.goFetch) }
    }
    if screening != nil { moves.append(.goScreen) }
    for waiter in waiters where waiter.commits == nil { moves.append(.check(waiter.id)) }
    if restDue != nil { moves.append(.rest) }
    if retryDue != nil { moves.append(.retry) }
    return moves
  }

  mutating func make(_ move: Move) {
    clock += 1000
    switch move {
    case .commit(let isOfEverything):
      if isOfEverything { budget.everything -= 1 } else { budget.commits -= 1 }
      commits += 1
      if isOfEverything { everything.append(commits) }
      // A row that can't be read may have been mended.
      if fault == .lasting { fault = nil }
      if isFollowing, !isAwake { wakes += 1 }
    case .wake:
      wakes -= 1
      catchUp()
      schedule()
    case .set(let obstacle):
      budget.requests -= 1
      requests += 1
      if let obstacle { obstacles[requests] = (obstacle, since: commits) }
      let actions = state.requestChanged(to: requests)
      if actions.cancelsWholeQuery, queriesRunning > 0 { queryIsCancelled = true }
      perform(actions)
    case .fetch:
      budget.fetches -= 1
      fetch = .take
    case .failFetch:
      budget.faults -= 1
      if case .end(let contents, let goal, _) = fetch { fetch = .end(contents, goal: goal, fails: true) }
    case .stop: stop()
    case .screen: screen()
    case .join:
      budget.waiters -= 1
      let id = state.newWaiterID()
      waiters.append(Waiter(id: id))
      state.waiterJoined(id, id: id)
    case .check(let id): check(id)
    case .cancel(let id):
      if state.waiterLeft(id) == nil { problem = "a waiter that waits could not be cancelled" }
      waiters.removeAll { $0.id == id }
    case .spoil(let kind):
      budget.faults -= 1
      fault = kind
    case .heal: fault = nil
    case .go(let index): if let step = evaluations[index] { go(index, step) }
    case .postpone(let index): postpone(index)
    case .goFetch: if let step = fetch { goFetch(step) }
    case .goScreen: if let step = screening { goScreen(step) }
    case .rest:
      clock = max(clock, restDue ?? 0)
      restDue = nil
      perform(state.restEnded(at: clock))
    case .retry:
      clock = max(clock, retryDue ?? 0)
      retryDue = nil
      let wasFailing = state.isBlocked || state.failed?.kind.isPassing == true
      perform(state.retryDue(at: clock))
      if !wasFailing { leastPause = 0 }
    }
    checkRules()
  }

  // MARK: Rules

  private mutating func checkRules() {
    guard problem == nil else { return }
    if state.numberOfWaiters != waiters.count {
      problem = "a waiter was lost, or was not removed"
    } else if state.phase == .stopped, !state.pending.isEmpty {
      problem = "something is pending although it was stopped"
    } else if state.phase == .stopped, state.lastError != nil {
      problem = "an error is left although it was stopped"
    } else if state.delivered > state.recorded || state.evaluated > state.recorded {
      problem = "the counters are wrong"
    } else if !state.isScheduled, state.phase.isFetched, !state.pending.isEmpty, !state.isBlocked, ownMoves.isEmpty {
      problem = "a wake-up was lost: nothing will evaluate what is pending"
    }
  }

  /// What goes wrong if no faults of the moment last, and nothing comes from outside any more.
  func problemAtRest() -> String? {
    var copy = self
    if copy.fault != .lasting { copy.fault = nil }
    copy.obstacles = copy.obstacles.filter { $0.value.0 != .passing && $0.value.0 != .busy }
    var steps = 0
    while copy.problem == nil, let move = copy.nextAtRest {
      steps += 1
      if steps > 400 { return "it never comes to rest" }
      copy.make(move)
    }
    if let problem = copy.problem { return problem }
    if !copy.waiters.isEmpty { return "a waiter is never resumed" }
    guard copy.state.phase.isFetched, let list = copy.list else {
      return copy.state.phase.isFetched ? "the list is gone" : nil
    }
    if copy.fault == .lasting, copy.state.lastError != nil { return nil }
    if list.end < copy.commits || !list.missing.isEmpty {
      return "commits are lost: the list lacks \(list.missing), and those from \(list.end + 1) to \(copy.commits)"
    }
    if list.request != copy.requests {
      guard copy.failure(of: copy.requests, at: copy.commits) != nil else {
        return "a request that is valid is not retried"
      }
      if copy.state.lastError == nil { return "the error of a request is not known" }
    }
    if !copy.queue.isEmpty || copy.delivered != list { return "an update is not delivered" }
    return nil
  }

  /// What happens next by itself: timers only if nothing else does.
  private var nextAtRest: Move? {
    let moves = ownMoves
    return moves.first { if case .rest = $0 { false } else if case .retry = $0 { false } else { true } } ?? moves.first
  }
}
