import DataSources
import FetchedResultsSupport
import SQLiteStore

/// Follows a request: records commits, evaluates them, and publishes the differences.
///
/// Three kinds of threads take part, and none waits for the next. The writer records the keys that it changed, once for
/// all lists that follow the table. An evaluator drains what has been recorded, reads those rows and publishes the
/// difference. Readers take updates when they are ready. Only one evaluation runs at a time, under `evaluation`. State
/// shared with other threads is under `lock`, which is held only for moments. No observer is called under either lock.
/// The code that makes a row, compares two rows or names a section runs under `evaluation`.
final class ResultCore<E: Entity>: Sendable {
  let engine: any ResultEngine
  let operations: EntityOperations<E>
  let broadcaster: UpdateBroadcaster<E>
  let deliveries = Deliveries<E>()

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state: State
  /// Held by the thread that evaluates or fetches.
  let evaluation = Lock()
  // because every access is under `evaluation`
  nonisolated(unsafe) var current: Followed?
  /// Objects to release after `evaluation` is unlocked.
  // because every access is under `evaluation`
  nonisolated(unsafe) var releasedLater: [any ReleasedLater] = []

  /// A list and its request.
  final class Followed: ReleasedLater {
    let request: RequestVersion<E>
    let list: ResultList
    /// Its rows.
    let storage: RowStorage<E>
    /// Whether an error interrupted a change of the list, so that it can't be used any more.
    var isBroken = false

    init(_ request: RequestVersion<E>, _ list: ResultList, _ storage: RowStorage<E>) {
      self.request = request
      self.list = list
      self.storage = storage
    }

    /// The contents of the shown rows by their ids, if rows can't be compared.
    func contents(former: Bool = false) -> [E.ID: UInt64] {
      var contents: [E.ID: UInt64] = [:]
      for (place, item) in storage.rows.items.enumerated() {
        contents[item.id] = list.content(ofShown: place, former: former)
      }
      return contents
    }
  }

  struct State {
    var request: RequestVersion<E>
    /// The request of the current list.
    var shown: RequestVersion<E>?
    /// The request that could not be fetched, so that it is not retried for every commit.
    var failed: RequestVersion<E>?
    var isFetched = false
    /// Whether a fetch is running: commits recorded meanwhile may not be in what it reads.
    var isFetching = false
    var pending = Pending()
    /// Whether an evaluation is scheduled or running.
    var isScheduled = false
    /// Whether the last evaluation failed, and nothing has happened since that could make the next one succeed.
    var isBlocked = false
    /// The request whose failure was already reported.
    var refused: RequestVersion<E>?
    /// The error of `failed`, as long as that is not nil.
    var failure: Failure?
    /// Counts what has been recorded for evaluation, what has been evaluated, and what has been delivered.
    var noted = 0
    var evaluated = 0
    var done = 0
    var waiters: [Waiter] = []
    var nextWaiter = 0
    var statistics = Statistics()
    /// What the evaluations counted as incremental have done.
    var work = WorkCount()
    var lastError: (any Error)?
    /// The thread that evaluates or fetches, and so holds `evaluation`.
    var evaluator: ThreadID?
    /// How many times `evaluation` has been taken.
    var turns = 0
    var following: (any EngineFollowing)?
    /// The following of a request that is being fetched.
    var coming: (any EngineFollowing)?
    /// Cancels the whole query that an evaluation is running.
    var wholeQuery: Connection.Access?
    /// How many whole queries in a row were cancelled because another request was set.
    var calledOff = 0
    var isRetrying = false
    /// Until when commits don't make a whole query run again that has failed. `settled()` doesn't wait for that.
    var restUntil: UInt64 = 0
    /// Whether `rested` will be called then, and whether commits meanwhile may have made a failed request valid.
    var isResting = false
    var retriesAfterRest = false
    /// The pause before the next retry, in nanoseconds.
    var retryPause = State.shortestPause
    static var shortestPause: UInt64 { 50_000_000 }
    /// If requests are set faster than they can be fetched, some must be shown, or none ever would be.
    static var mostCalledOff: Int { 2 }
  }

  init(_ request: FetchRequest<E>, _ engine: any ResultEngine, _ operations: EntityOperations<E>) {
    self.engine = engine
    self.operations = operations
    state = State(request: RequestVersion(request))
    broadcaster = UpdateBroadcaster(
      Snapshot(),
      merging: !operations.canCompare ? .composing : .comparing { operations.changes($0, $1, nil) })
  }

  deinit { broadcaster.finish() }

  /// Records the commits up to now. Call it before reading `State.noted` or `State.pending`.
  func catchUp() {
    let (following, coming) = withState { ($0.following, $0.coming) }
    following?.catchUp()
    coming?.catchUp()
  }

  @inline(__always)
  func withState<T>(_ body: (inout State) throws -> T) rethrows -> T { try lock.withLock { try body(&state) } }

  var snapshot: Snapshot<E> { broadcaster.snapshot }

  // MARK: The request

  var request: FetchRequest<E> {
    get { withState { $0.request.request } }
    set {
      let asked = RequestVersion(newValue)
      // Release the previous request outside the lock: its closures may hold objects that use this list in `deinit`.
      let (isNews, former) = withState { state in
        guard state.request.request != newValue else { return (false, [state.request]) }
        let former = [state.request, state.failed].compactMap(\.self)
        // If the request is the shown one again, treat it as if it had never changed.
        state.request = state.shown.flatMap { $0.request == newValue ? $0 : nil } ?? asked
        state.failed = nil
        state.restUntil = 0
        if state.calledOff < State.mostCalledOff { state.wholeQuery?.cancel() }
        return (state.note { $0.reload = $0.reload ?? .newRequest }, former)
      }
      withExtendedLifetime(former) {}
      if isNews { schedule() }
    }
  }

  /// Fetches the request now, on this thread, and follows it from then on. `access` can cancel it.
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

  /// Takes `evaluation` on a user's thread, which may already hold that of another list.
  private func takeTurn(_ access: Connection.Access) throws {
    if evaluation.tryLock() { return }
    try WaitingThreads.shared.wait(
      for: { [self] in withState { $0.evaluator } }, timeout: engine.timeout, turn: { withState { $0.turns } }
    ) {
      if access.isCancelled { throw CancellationError() }
      return evaluation.tryLock()
    }
  }

  /// Delivers the result of a fetch on the thread that fetched. Results of other threads meanwhile are delivered on
  /// another thread.
  private func deliver() {
    guard deliveries.begin() else { return }
    if let goal = deliveries.deliver(atMost: deliveries.count) {
      handedOver(goal)
    } else {
      engine.pool.submit(Telling(core: self))
    }
  }

  /// Continues a delivery that another thread stopped.
  private final class Telling: EvaluationPool.Job {
    // because it is set once; a weak reference is safe to read on any thread
    nonisolated(unsafe) private weak var core: ResultCore?
    init(core: ResultCore) { self.core = core }
    func run(on pool: EvaluationPool) {
      guard let core else { return }
      core.handedOver(pool.callingBack { core.deliveries.deliver() })
      core.schedule()
    }
  }

  /// The first broken invariant of the current list; nil if not found. For tests.
  func firstBrokenInvariant() -> String? {
    evaluation.lock()
    return alone {
      guard let current else { return nil }
      // After an error interrupted a change, only the order was restored.
      return current.isBroken ? current.list.slots.firstBrokenInvariant() : current.list.firstBrokenInvariant()
    }
  }

  /// Runs `body`, and unlocks `evaluation`, which the caller has locked. Objects that `body` puts into
  /// `releasedLater` are released after that: the `deinit` of a row may use this list.
  @inline(__always)
  func alone<T>(_ body: () throws -> T) rethrows -> T {
    withState { state in
      state.evaluator = .current
      state.turns += 1
    }
    defer {
      let gone = releasedLater
      releasedLater = []
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
    // Following begins before the fetch, so that no commit is missed. Commits during the fetch are evaluated
    // afterwards.
    var goal = 0
    for _ in 0..<Planning.mostAttempts {
      let query = try engine.query(for: request.request.description, canCompare: operations.canCompare, access)
      let following = follow(query)
      let fresh = followed(request, query)
      releasedLater.append(fresh)
      // Commits that the fetch sees but has not drained are evaluated all the same, and change nothing then.
      let loaded = try engine.read(
        access,
        taking: {
          following.catchUp()
          // The fetch has nothing of another request that was set meanwhile.
          goal = withState { $0.request === request ? $0.noted : goal }
        }
      ) { view in
        // The schema may have changed before following began.
        try query.isStale(view) ? nil : try fresh.list.load(view, after: former)
      }
      guard let rowsRead = loaded else { continue }
      if access.isCancelled { throw CancellationError() }
      return show(fresh, following, goal, rowsRead)
    }
    throw Planning.isAlwaysOvertaken
  }

  /// Publishes a list that was fetched because a caller requested it.
  private func show(_ fresh: Followed, _ following: any EngineFollowing, _ goal: Int, _ rowsRead: Int) {
    let update = self.update(to: fresh)
    let delivery = Delivery(.update(update, isFetch: true))
    let lostIndexes = fresh.request.request.description.lostIndexes
    releasedLater.append(delivery)
    if let current { releasedLater.append(current) }
    leaveRequests()
    current = fresh
    replaceFollowing(following)
    withState { state in
      state.isFetched = true
      state.calledOff = 0
      state.shown = fresh.request
      state.failed = nil
      state.refused = nil
      state.restUntil = 0
      state.isBlocked = false
      state.evaluated = max(state.evaluated, goal)
      state.statistics.rowsRead += rowsRead
      for reason in lostIndexes { state.statistics.reasons[reason, default: 0] += 1 }
      state.lastError = nil
      state.retryPause = State.shortestPause
    }
    broadcaster.publish(update)
    deliveries.add(update.changes.isEmpty ? nil : delivery, upTo: goal)
  }

  /// Keeps the previous requests until `evaluation` is unlocked. The caller holds `evaluation`.
  func leaveRequests() {
    let requests = withState { ($0.shown, $0.failed, $0.refused) }
    if let request = requests.0 { releasedLater.append(request) }
    if let request = requests.1 { releasedLater.append(request) }
    if let request = requests.2 { releasedLater.append(request) }
    leaveError()
  }

  /// Keeps the previous error until `evaluation` is unlocked. The caller holds `evaluation`.
  func leaveError() { if let error = withState({ $0.lastError }) { releasedLater.append(Former(error)) } }

  private final class Former: ReleasedLater {
    let error: any Error
    init(_ error: any Error) { self.error = error }
  }

  /// If following has not begun after all, drops what was recorded.
  private func endFetch() {
    come(nil)
    withState { state in
      state.isFetching = false
      if !state.isFetched, state.following == nil { state.forget() }
    }
  }

  /// Everything up to `goal` has been delivered.
  private func handedOver(_ goal: Int) {
    withState { $0.done = max($0.done, goal) }
    resumeWaiters()
  }

  /// The difference between the published list and a list that was fetched as a whole. The caller holds `evaluation`.
  func update(to fresh: Followed) -> Update<E> {
    let old = broadcaster.snapshot
    let changes: Changes
    if !operations.canCompare, let current {
      let before = current.contents()
      let after = fresh.contents(former: true)
      changes = operations.changes(old, fresh.storage.shown) { before[$0.id] == after[$1.id] }
    } else {
      changes = operations.changes(old, fresh.storage.shown, nil)
    }
    fresh.list.formerFingerprints = []
    fresh.storage.former = nil
    return Update(old: old, new: fresh.storage.shown, changes: changes)
  }

  /// A list that has yet to be loaded.
  func followed(_ request: RequestVersion<E>, _ query: any ResultQuery) -> Followed {
    let (storage, rows) = operations.makeStorage()
    storage.former = broadcaster.snapshot
    return Followed(request, ResultList(query, rows, window: request.request.window), storage)
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

  /// Schedules an evaluation of what was recorded, unless one is scheduled already.
  func schedule() {
    let isNews = withState { state in
      guard state.isFetched, !state.isScheduled, !state.isBlocked, !state.pending.isEmpty, !state.mustRest else {
        return false
      }
      state.isScheduled = true
      return true
    }
    restIfNeeded()
    if isNews { engine.pool.submit(Evaluation(core: self)) }
  }

  private final class Evaluation: EvaluationPool.Job {
    // because it is set once; a weak reference is safe to read on any thread
    nonisolated(unsafe) private weak var core: ResultCore?
    init(core: ResultCore) { self.core = core }
    func run(on pool: EvaluationPool) { core?.evaluateAll(on: pool) }
  }

  /// How many times one list is evaluated in a row while other jobs wait for the thread.
  private static var mostTurns: Int { 16 }

  /// Evaluates what has been recorded until nothing is left, or until other jobs have waited for long.
  private func evaluateAll(on pool: EvaluationPool) {
    var turns = 0
    while true {
      if turns >= Self.mostTurns, pool.hasMore {
        // The evaluation stays scheduled, and the cursor stays awake.
        resumeWaiters()
        return pool.submit(Evaluation(core: self))
      }
      turns += 1
      let following = withState { $0.following }
      following?.stayAwake()
      following?.catchUp()
      // Another thread is in a callback. It schedules this list again when it is done: what it has not delivered yet
      // must not grow meanwhile.
      let isBusy = deliveries.isBusy
      let hasWork = withState { state in
        if isBusy || state.pending.isEmpty || state.isBlocked || state.mustRest { state.isScheduled = false }
        return state.isScheduled
      }
      if isBusy, !deliveries.isBusy { schedule() }
      if !hasWork {
        if following?.sleep() == false {
          catchUp()
          schedule()
        }
        restIfNeeded()
        break
      }
      guard let found = evaluateAndNote(on: pool) else {
        // The maximum number of threads is slow: this list waits in the queue of slow jobs, and quick ones continue.
        resumeWaiters()
        return pool.submit(Evaluation(core: self), isSlow: true)
      }
      handOver(on: pool)
      if let failure = found.failure { failWaiters(failure.error, upTo: failure.goal) }
    }
    resumeWaiters()
  }

  /// Evaluates once, and appends the events to those found before. Returns nil if the evaluation would be slow and too
  /// many threads are.
  private func evaluateAndNote(on pool: EvaluationPool) -> Found<E>? {
    do {
      // The thread that holds the lock is fetching; it is not a thread of the pool.
      if !evaluation.tryLock() { try pool.beingSlowInTurn { evaluation.lock() } }
      return try alone {
        let found = try evaluateOnce(on: pool)
        deliveries.add(found.delivery, upTo: found.goal)
        if let error = found.error { deliveries.add(Delivery(.error(error)), upTo: found.goal) }
        return found
      }
    } catch {
      return nil
    }
  }

  private func handOver(on pool: EvaluationPool) {
    guard deliveries.begin() else { return }
    handedOver(deliveries.hasAny ? pool.callingBack { deliveries.deliver() } : deliveries.deliver())
  }
}

extension ResultCore: ScreenedList {
  func pass(_ commits: Int, _ rows: [RowKey], of query: any ResultQuery, _ view: any EngineView) -> Bool {
    guard evaluation.tryLock() else { return false }
    return alone {
      guard let current, !current.isBroken, current.list.query === query, current.list.isFollowed,
        let index = current.list.index, rows.allSatisfy({ index.slot(of: $0) == nil }), isPlanned(query, view),
        !deliveries.isBusy, !deliveries.hasAny
      else { return false }
      let goal = withState { state -> Int? in
        guard state.isFetched, !state.isFetching, !state.isScheduled, !state.isBlocked, state.pending.isEmpty,
          state.failed == nil, state.lastError == nil, state.request === current.request
        else { return nil }
        state.noted += commits
        state.evaluated = state.noted
        state.statistics.commits += commits
        state.statistics.incremental += 1
        return state.evaluated
      }
      guard let goal else { return false }
      deliveries.add(nil, upTo: goal)
      return true
    }
  }

  /// Whether the schema is the one that a query was planned for.
  private func isPlanned(_ query: any ResultQuery, _ view: any EngineView) -> Bool {
    do { return try !query.isOvertaken(view) } catch { return false }
  }

  func passed() {
    guard deliveries.begin() else { return }
    // If an event has come meanwhile, another thread calls the observers: this one still has many lists to look at.
    if let goal = deliveries.deliver(atMost: 0) {
      handedOver(goal)
    } else {
      engine.pool.submit(Telling(core: self))
    }
  }
}

extension ResultCore.State {
  /// Whether the list waits until it may run a query again that has failed. A list that still follows another request
  /// goes on.
  var mustRest: Bool { restUntil > 0 && lastError != nil && failed == nil && MonotonicClock.now() < restUntil }

  /// Records something that has to be evaluated. Returns false if no list has been fetched yet.
  mutating func note(_ change: (inout Pending) -> Void) -> Bool {
    guard isFetched || isFetching || following != nil else { return false }
    change(&pending)
    noted += 1
    isBlocked = false
    return isFetched
  }

  /// Retries a request that could not be fetched.
  mutating func retryRequest() {
    failed = nil
    _ = note { $0.reload = $0.reload ?? .newRequest }
  }

  /// Drops what was recorded and will never be evaluated.
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

/// A request as it was set. Each time it is set makes a new object, so that requests can be told apart without
/// comparing them.
final class RequestVersion<E: Entity>: ReleasedLater, Sendable {
  let request: FetchRequest<E>

  init(_ request: FetchRequest<E>) { self.request = request }
}

/// Why a request could not be fetched.
struct Failure {
  var error: any Error
  var kind: ErrorKind
  /// Whether the cause may pass by itself or when rows change.
  var mayPass: Bool
}

/// A caller of `settled()` that waits until everything recorded up to `goal` has been delivered.
struct Waiter {
  var id: Int
  /// nil while the check for other programs' commits is running.
  var goal: Int?
  var continuation: CheckedContinuation<Void, any Error>

  /// Whether everything that it waits for has been delivered once everything up to `goal` has.
  func isServed(by goal: Int) -> Bool { self.goal.map { $0 <= goal } ?? false }
}
