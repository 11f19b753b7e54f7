import DataSources
import SQLiteStore

/// What follows a request: it notes commits, evaluates them, and hands out the differences.
///
/// Three things happen on three kinds of threads, and none waits for the next: the writer notes the keys that it changed, once for
/// all who follow the table; an evaluator takes all that has been noted, reads those rows and publishes the difference; readers take
/// updates when they come to it. Only one evaluation runs at a time, under `evaluation`; what is shared with other threads is under
/// `lock`, which is held for moments. Nobody's observer is called under either; what makes a row, compares two or names a section
/// is, under `evaluation`.
final class ResultCore<E: Entity>: Sendable {
  let engine: any ResultEngine
  let operations: EntityOperations<E>
  let broadcaster: UpdateBroadcaster<E>
  let deliveries = Deliveries<E>()

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state: State
  /// Held by who evaluates.
  let evaluation = Lock()
  // because every access is under `evaluation`
  nonisolated(unsafe) var current: Followed?
  /// What is let go of once nobody evaluates.
  // because every access is under `evaluation`
  nonisolated(unsafe) var leaving: [AnyObject] = []

  /// A list and what it is the list of.
  final class Followed {
    let request: Asked<E>
    let list: ResultList
    /// Its rows.
    let shelf: Shelf<E>
    /// Whether an error came in the midst of changing the list, so that it can't be gone on with.
    var isBroken = false

    init(_ request: Asked<E>, _ list: ResultList, _ shelf: Shelf<E>) {
      self.request = request
      self.list = list
      self.shelf = shelf
    }

    /// The contents of the shown rows by their ids, where they can't be compared.
    func contents(former: Bool = false) -> [E.ID: UInt64] {
      var contents: [E.ID: UInt64] = [:]
      for (place, item) in shelf.rows.items.enumerated() {
        contents[item.id] = list.content(ofShown: place, former: former)
      }
      return contents
    }
  }

  struct State {
    var request: Asked<E>
    /// The request of the list that there is.
    var shown: Asked<E>?
    /// The request that could not be fetched, so that it is not tried again for every commit.
    var failed: Asked<E>?
    var isFetched = false
    /// Whether a fetch is under way: what is told of meanwhile may not be in what it reads.
    var isFetching = false
    var pending = Pending()
    /// Whether an evaluation is on its way or under way.
    var isScheduled = false
    /// Whether the last evaluation failed, and nothing has happened since that could make the next one succeed.
    var isBlocked = false
    /// The request of which was told that it could not be fetched.
    var refused: Asked<E>?
    /// What is wrong with it, as long as `failed` is not nil.
    var failure: Failure?
    /// Rises with everything that has to be evaluated, what of it has been, and what has been handed over.
    var noted = 0
    var evaluated = 0
    var done = 0
    var waiters: [Waiter] = []
    var nextWaiter = 0
    var statistics = Statistics()
    var lastError: (any Error)?
    /// The thread that evaluates or fetches, which has `evaluation`.
    var evaluator: ThreadID?
    /// How many have had it.
    var turns = 0
    var following: (any EngineFollowing)?
    /// That of a request which is being fetched.
    var coming: (any EngineFollowing)?
    /// Calls off the whole query that an evaluation runs, while it does.
    var wholeQuery: Connection.Access?
    /// How many whole queries in turn were called off because another request was set.
    var calledOff = 0
    var isRetrying = false
    /// How long it is until the next attempt, in nanoseconds.
    var retryPause = State.shortestPause
    static var shortestPause: UInt64 { 50_000_000 }
    /// Where requests are set faster than they can be fetched, some must be shown, or none ever would be.
    static var mostCalledOff: Int { 2 }
  }

  init(_ request: FetchRequest<E>, _ engine: any ResultEngine, _ operations: EntityOperations<E>) {
    self.engine = engine
    self.operations = operations
    state = State(request: Asked(request))
    broadcaster = UpdateBroadcaster(
      Snapshot(),
      merging: !operations.canCompare ? .composing : .comparing { operations.changes($0, $1, nil) })
  }

  deinit { broadcaster.finish() }

  /// Notes what has been committed by now. Before `State.noted` or `State.pending` is looked at for what there is up to now.
  func catchUp() {
    let (following, coming) = withState { ($0.following, $0.coming) }
    following?.catchUp()
    coming?.catchUp()
  }

  func withState<T>(_ body: (inout State) throws -> T) rethrows -> T { try lock.withLock { try body(&state) } }

  var snapshot: Snapshot<E> { broadcaster.snapshot }

  // MARK: The request

  var request: FetchRequest<E> {
    get { withState { $0.request.request } }
    set {
      let asked = Asked(newValue)
      // The former one goes outside of the lock: what its closures hold may use this list as it ends.
      let (isNews, former) = withState { state in
        guard state.request.request != newValue else { return (false, [state.request]) }
        let former = [state.request, state.failed].compactMap(\.self)
        // Back to what is shown, as if nothing had been asked for meanwhile.
        state.request = state.shown.flatMap { $0.request == newValue ? $0 : nil } ?? asked
        state.failed = nil
        if state.calledOff < State.mostCalledOff { state.wholeQuery?.cancel() }
        return (state.note { $0.reload = $0.reload ?? Reason.newRequest }, former)
      }
      withExtendedLifetime(former) {}
      if isNews { schedule() }
    }
  }

  /// Fetches the request now, on this thread, and follows it from then on. `access` may call it off.
  func fetch(_ access: Connection.Access = Connection.uncancellable) throws {
    if withState({ $0.evaluator == .current }) {
      throw DatabaseError.misuse(
        "performFetch was called while a row of this very list is made, compared or let go of, which it would wait for")
    }
    try takeTurn(access)
    try alone { try fetchAlone(access) }
    deliver()
    schedule()
  }

  /// Takes `evaluation` on a user's thread, which may have that of another list.
  private func takeTurn(_ access: Connection.Access) throws {
    if evaluation.tryLock() { return }
    try WaitingThreads.shared.wait(
      for: { [self] in withState { $0.evaluator } }, timeout: engine.timeout, turn: { withState { $0.turns } }
    ) {
      if access.isCancelled { throw CancellationError() }
      return evaluation.tryLock()
    }
  }

  /// Tells of what was fetched, on the thread of whoever fetched. What others bring meanwhile is told on another.
  private func deliver() {
    guard deliveries.begin() else { return }
    if let goal = deliveries.deliver(atMost: deliveries.count) {
      handedOver(goal)
    } else {
      engine.evaluators.submit(Telling(core: self))
    }
  }

  /// Goes on telling where somebody has stopped.
  private final class Telling: Evaluators.Job {
    // because it is set once; a weak reference is safe to read on any thread
    nonisolated(unsafe) private weak var core: ResultCore?
    init(core: ResultCore) { self.core = core }
    func run(on evaluators: Evaluators) {
      guard let core else { return }
      core.handedOver(evaluators.callingBack { core.deliveries.deliver() })
      core.schedule()
    }
  }

  /// Runs `body`, and lets `evaluation` go, which the caller has taken. What `body` puts into `leaving` goes after that: a row that ends
  /// may use this list.
  func alone<T>(_ body: () throws -> T) rethrows -> T {
    withState { state in
      state.evaluator = .current
      state.turns += 1
    }
    defer {
      let gone = leaving
      leaving = []
      withState { $0.evaluator = nil }
      evaluation.unlock()
      withExtendedLifetime(gone) {}
    }
    return try body()
  }

  private func fetchAlone(_ access: Connection.Access) throws {
    if access.isCancelled { throw CancellationError() }
    let request = withState { state in
      state.isFetching = true
      return state.request
    }
    defer { endFetch() }
    let former = current?.request === request ? current?.list : nil
    // Following begins before fetching, so that nothing falls between; what comes meanwhile is evaluated afterwards.
    var goal = 0
    for _ in 0..<Planning.mostAttempts {
      let query = try engine.query(for: request.request.description, canCompare: operations.canCompare, access)
      let following = follow(query)
      let fresh = followed(request, query)
      leaving.append(fresh)
      // Commits that it sees and has not been told of are evaluated all the same, and change nothing then.
      let loaded = try engine.read(
        access,
        taking: {
          following.catchUp()
          // Of another request that was set meanwhile nothing is there yet.
          goal = withState { $0.request === request ? $0.noted : goal }
        }
      ) { view in
        // The schema may have been changed before it was followed.
        try query.isStale(view) ? nil : try fresh.list.load(view, after: former)
      }
      guard let rowsRead = loaded else { continue }
      if access.isCancelled { throw CancellationError() }
      return show(fresh, following, goal, rowsRead)
    }
    throw Planning.isAlwaysOvertaken
  }

  /// Publishes a list that was fetched because somebody asked for it.
  private func show(_ fresh: Followed, _ following: any EngineFollowing, _ goal: Int, _ rowsRead: Int) {
    let update = self.update(to: fresh)
    let delivery = Delivery(update, isFetch: true)
    let lostIndexes = fresh.request.request.description.lostIndexes
    leaving.append(delivery)
    if let current { leaving.append(current) }
    leaveRequests()
    current = fresh
    replaceFollowing(following)
    withState { state in
      state.isFetched = true
      state.calledOff = 0
      state.shown = fresh.request
      state.failed = nil
      state.refused = nil
      state.isBlocked = false
      state.evaluated = max(state.evaluated, goal)
      state.statistics.rowsRead += rowsRead
      for reason in lostIndexes { state.statistics.reasons[reason, default: 0] += 1 }
      state.lastError = nil
      state.retryPause = State.shortestPause
    }
    broadcaster.publish(update)
    deliveries.add(update.changes.isEmpty ? nil : .update(delivery), upTo: goal)
  }

  /// Has the requests of before go once nobody evaluates. The caller holds `evaluation`.
  func leaveRequests() {
    leaving += withState { [$0.shown, $0.failed, $0.refused].compactMap(\.self) }
    leaveError()
  }

  /// Has the error of before go once nobody evaluates. The caller holds `evaluation`.
  func leaveError() { if let error = withState({ $0.lastError }) { leaving.append(Former(error)) } }

  private final class Former {
    let error: any Error
    init(_ error: any Error) { self.error = error }
  }

  /// Where following has not begun after all, nothing will come of what was noted.
  private func endFetch() {
    come(nil)
    withState { state in
      state.isFetching = false
      if !state.isFetched, state.following == nil { state.forget() }
    }
  }

  /// Everything up to this has been handed over.
  private func handedOver(_ goal: Int) {
    withState { $0.done = max($0.done, goal) }
    resumeWaiters()
  }

  /// The difference between what is published and a list that was fetched as a whole. The caller holds `evaluation`.
  func update(to fresh: Followed) -> Update<E> {
    let old = broadcaster.snapshot
    let changes: Changes
    if !operations.canCompare, let current {
      let before = current.contents()
      let after = fresh.contents(former: true)
      changes = operations.changes(old, fresh.shelf.shown) { before[$0.id] == after[$1.id] }
    } else {
      changes = operations.changes(old, fresh.shelf.shown, nil)
    }
    fresh.list.formerFingerprints = []
    fresh.shelf.former = nil
    return Update(old: old, new: fresh.shelf.shown, changes: changes)
  }

  /// A list that is yet to be loaded.
  func followed(_ request: Asked<E>, _ query: any ResultQuery) -> Followed {
    let (shelf, rows) = operations.makeShelf()
    shelf.former = broadcaster.snapshot
    return Followed(request, ResultList(query, rows, window: request.request.window), shelf)
  }

  /// Stops following, until the next fetch.
  func stop() {
    let following = withState { state in
      defer { state.following = nil }
      state.isFetched = false
      state.wholeQuery?.cancel()
      state.forget()
      return state.following
    }
    withExtendedLifetime(following) {}
    resumeWaiters()
  }

  // MARK: Scheduling

  /// Has what was noted evaluated, unless that is on its way.
  func schedule() {
    let isNews = withState { state in
      guard state.isFetched, !state.isScheduled, !state.isBlocked, !state.pending.isEmpty else { return false }
      state.isScheduled = true
      return true
    }
    if isNews { engine.evaluators.submit(Evaluation(core: self)) }
  }

  private final class Evaluation: Evaluators.Job {
    // because it is set once; a weak reference is safe to read on any thread
    nonisolated(unsafe) private weak var core: ResultCore?
    init(core: ResultCore) { self.core = core }
    func run(on evaluators: Evaluators) { core?.evaluateAll(on: evaluators) }
  }

  /// How often one list is evaluated while others wait for the thread.
  private static var mostTurns: Int { 16 }

  /// Evaluates what has been noted until there is no more, or until others have waited for long.
  private func evaluateAll(on evaluators: Evaluators) {
    var turns = 0
    while true {
      if turns >= Self.mostTurns, evaluators.hasMore {
        // It is still on its way, and awake.
        resumeWaiters()
        return evaluators.submit(Evaluation(core: self))
      }
      turns += 1
      let following = withState { $0.following }
      following?.stayAwake()
      following?.catchUp()
      // Another thread is in a callback. It comes back to this when it is through: what it has not handed over yet must not
      // grow meanwhile.
      let isBusy = deliveries.isBusy
      let hasWork = withState { state in
        if isBusy || state.pending.isEmpty || state.isBlocked { state.isScheduled = false }
        return state.isScheduled
      }
      if isBusy, !deliveries.isBusy { schedule() }
      if !hasWork {
        if following?.sleep() == false {
          catchUp()
          schedule()
        }
        break
      }
      guard let found = evaluateAndNote(on: evaluators) else {
        // As many threads are slow as may be: it comes in turn with other such lists, and those that are quick go on.
        resumeWaiters()
        return evaluators.submit(Evaluation(core: self), isSlow: true)
      }
      handOver(on: evaluators)
      if let failure = found.failure { failWaiters(failure.error, upTo: failure.goal) }
    }
    resumeWaiters()
  }

  /// Evaluates once, and puts what there is to tell behind what was found before; nil where it would be slow, and too much is.
  private func evaluateAndNote(on evaluators: Evaluators) -> Found? {
    do {
      // Who has it fetches, on a thread of theirs.
      if !evaluation.tryLock() { try evaluators.beingSlowInTurn { evaluation.lock() } }
      return try alone {
        let found = try evaluateOnce(on: evaluators)
        deliveries.add(found.delivery.map { .update($0) }, upTo: found.goal)
        if let error = found.error { deliveries.add(.error(error), upTo: found.goal) }
        return found
      }
    } catch {
      return nil
    }
  }

  private func handOver(on evaluators: Evaluators) {
    guard deliveries.begin() else { return }
    handedOver(deliveries.hasAny ? evaluators.callingBack { deliveries.deliver() } : deliveries.deliver())
  }
}

extension ResultCore.State {
  /// Takes note of something that has to be evaluated; false when nothing is followed yet.
  mutating func note(_ change: (inout Pending) -> Void) -> Bool {
    guard isFetched || isFetching || following != nil else { return false }
    change(&pending)
    noted += 1
    isBlocked = false
    return isFetched
  }

  /// Has a request tried again that could not be fetched.
  mutating func retryRequest() {
    failed = nil
    _ = note { $0.reload = $0.reload ?? Reason.newRequest }
  }

  /// Drops what was noted, of which nothing will come.
  mutating func forget() {
    pending = Pending()
    done = noted
  }
}

extension ResultDependency.Role {
  var isWhole: Bool {
    if case .whole = self { true } else { false }
  }
}

/// A request as it was set: another one each time, so that requests are told apart without comparing them.
final class Asked<E: Entity>: Sendable {
  let request: FetchRequest<E>

  init(_ request: FetchRequest<E>) { self.request = request }
}

/// Why a request could not be fetched.
struct Failure {
  var error: any Error
  /// Whether the error may go away by itself.
  var isOfMoment: Bool
  /// Whether it may go away by itself or with other rows.
  var mayPass: Bool
}

/// What was found before a commit.
struct Announcement {
  var before: [DependencyID: [RowKey]] = [:]
  /// Whether it could be found.
  var isKnown = true
}

/// Somebody who waits until what had been noted is evaluated.
struct Waiter {
  var id: Int
  /// nil while others' commits are looked for.
  var goal: Int?
  var continuation: CheckedContinuation<Void, any Error>

  /// Whether all that it waits for is there when everything up to a goal is.
  func isServed(by goal: Int) -> Bool { self.goal.map { $0 <= goal } ?? false }
}
