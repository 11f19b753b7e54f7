import DataSources
import FetchedResultsSupport
import RowModel

/// Follows a request: records commits, evaluates them, and publishes the differences.
///
/// Three kinds of threads take part, and none waits for the next. The writer records the keys that it changed, once for
/// all lists that follow the table. An evaluator drains what has been recorded, reads those rows and publishes the
/// difference. Readers take updates when they are ready. Only one evaluation runs at a time, under `evaluation`. State
/// shared with other threads is under `lock`, which is held only for moments. No observer is called under either lock.
/// The code that makes a row, compares two rows or names a section runs under `evaluation`.
///
/// `EvaluationState` decides; this class holds the locks, and performs its actions. `Evaluation.run` is where a commit
/// becomes a difference.
final class ResultCore<E: Entity>: Sendable {
  let engine: any ResultEngine
  let operations: EntityOperations<E>
  let broadcaster: UpdateBroadcaster<E>
  let deliveries: Deliveries<E>

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var shared: Shared
  /// Held by the thread that evaluates or fetches.
  let evaluation = Lock()
  // because every access is under `evaluation`
  nonisolated(unsafe) private(set) var current: FollowedList<E>?
  /// Objects to release after `evaluation` is unlocked.
  // because every access is under `evaluation`
  nonisolated(unsafe) private var releasedLater = ReleasePool()

  /// What is under `lock`.
  struct Shared {
    var state: ResultState
    /// The request that was set last, and that of the current list.
    var request: RequestVersion<E>
    var shown: RequestVersion<E>?
    var lastNumber = 0
    var statistics = Statistics()
    /// What the evaluations counted as incremental have done.
    var work = WorkCount()
    /// The thread that evaluates or fetches, and so holds `evaluation`.
    var evaluator: ThreadID?
    /// How many times `evaluation` has been taken.
    var turns = 0
    var cursors = CommitCursors()
    /// Whether a fetch has ever begun, and whether a reader waits for the first one.
    var hasBegun = false
    var isAwaitingFetch = false
    /// Cancels the whole query that an evaluation is running.
    var wholeQuery: CancellableAccess?
  }

  init(_ request: FetchRequest<E>, _ engine: any ResultEngine, _ operations: EntityOperations<E>) {
    self.engine = engine
    self.operations = operations
    shared = Shared(state: ResultState(request: 0), request: RequestVersion(request, number: 0))
    broadcaster = UpdateBroadcaster(
      Snapshot(),
      merging: operations.canCompare
        ? .comparing { operations.changes($0, $1, nil) } : .composingByID { operations.changes($0, $1, composed: $2) })
    deliveries = Deliveries(broadcaster)
  }

  deinit { broadcaster.finish() }

  /// The list, for messages.
  var name: String { "the list of \(E.self)s in \(E.table)" }

  /// Writes a line about an error that nobody reads.
  func reportUnheard(_ error: any Error) {
    if deliveries.hasErrorReaders { return }
    engine.log("\(name) can't be followed, and nobody reads its errors: \(error)")
  }

  /// Somebody begins to follow the list. A list that has not been fetched soon is probably forgotten.
  func readerJoined() {
    let isFirst = withShared { shared in
      defer { shared.isAwaitingFetch = true }
      return !shared.hasBegun && !shared.isAwaitingFetch
    }
    guard isFirst else { return }
    Alarm.shared.call(after: 1_000_000_000) { [weak self] in
      guard let self, withShared({ !$0.hasBegun }) else { return }
      engine.log("\(name) is followed, but performFetch() has not been called: nothing is read until then")
    }
  }

  @inline(__always)
  func withShared<T>(_ body: (inout Shared) throws -> T) rethrows -> T { try lock.withLock { try body(&shared) } }

  var snapshot: Snapshot<E> { broadcaster.snapshot }

  /// Whether the last error was the same to a reader: a database error with the same content, or another one of the
  /// same type with the same description. The caller holds `evaluation`, under which the last error changes.
  func isRepeated(_ error: any Error) -> Bool {
    guard let last = withShared({ $0.state.lastError }) else { return false }
    if let last = last as? DatabaseError, let error = error as? DatabaseError { return last == error }
    return type(of: last) == type(of: error) && "\(last)" == "\(error)"
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

  /// Runs `body`, and unlocks `evaluation`, which the caller has locked. The objects in `releasedLater` are released
  /// after that: the `deinit` of a row may use this list.
  @inline(__always)
  func alone<T>(_ body: () throws -> T) rethrows -> T {
    withShared { shared in
      shared.evaluator = .current
      shared.turns += 1
    }
    defer {
      let objects = releasedLater.removeAll()
      withShared { $0.evaluator = nil }
      evaluation.unlock()
      withExtendedLifetime(objects) {}
    }
    return try body()
  }

  /// Replaces the current list, and keeps the previous one until `evaluation` is unlocked. The caller holds that.
  func setCurrent(_ list: FollowedList<E>?) {
    releaseLater(current)
    current = list
  }

  /// Keeps an object until `evaluation` is unlocked. The caller holds that.
  func releaseLater(_ object: (any ReleasedLater)?) {
    assert(isEvaluator, "only under `evaluation`")
    releasedLater.keep(object)
  }

  /// Keeps an error until `evaluation` is unlocked. The caller holds that.
  func releaseLater(_ error: (any Error)?) {
    assert(isEvaluator, "only under `evaluation`")
    releasedLater.keep(error)
  }

  /// Whether this thread holds `evaluation`.
  var isEvaluator: Bool { withShared { $0.evaluator == .current } }

  // MARK: The request

  var request: FetchRequest<E> {
    get { withShared { $0.request.request } }
    set {
      // Release the previous request outside the lock: its closures may hold objects that use this list in `deinit`.
      let (former, actions, query) = withShared { shared in
        let former = shared.request
        guard former.request != newValue else { return (former, ResultState.Actions(), nil as CancellableAccess?) }
        // If the request is the shown one again, treat it as if it had never changed.
        if let shown = shared.shown, shown.request == newValue {
          shared.request = shown
        } else {
          shared.lastNumber += 1
          shared.request = RequestVersion(newValue, number: shared.lastNumber)
        }
        let actions = shared.state.requestChanged(to: shared.request.number)
        return (former, actions, actions.cancelsWholeQuery ? shared.wholeQuery : nil)
      }
      withExtendedLifetime(former) {}
      query?.cancel()
      perform(actions)
    }
  }

  /// Stops following, until the next fetch.
  func stop() {
    let (cursors, (resumption, error), query) = withShared { shared in
      // What is being fetched ends that by itself.
      defer { shared.cursors = CommitCursors(next: shared.cursors.next) }
      return (shared.cursors, shared.state.stopped(), shared.wholeQuery)
    }
    withExtendedLifetime(cursors) {}
    query?.cancel()
    resume(resumption)
    // A row's `init` may stop its own list.
    if isEvaluator { releaseLater(error) }
  }

  /// Performs what the state has decided.
  func perform(_ actions: ResultState.Actions) {
    if actions.schedulesEvaluation { submitEvaluation() }
    if let pause = actions.restPause { Alarm.shared.call(after: pause) { [weak self] in self?.restEnded() } }
    if let pause = actions.retryPause { retry(after: pause) }
  }

  func retry(after pause: UInt64) {
    Alarm.shared.call(after: pause) { [weak self] in
      guard let self else { return }
      perform(withShared { $0.state.retryDue(at: MonotonicClock.now()) })
    }
  }

  private func restEnded() { perform(withShared { $0.state.restEnded(at: MonotonicClock.now()) }) }

  func resume(_ resumption: ResultState.Resumption?) {
    guard let resumption else { return }
    for waiter in resumption.waiters {
      if let error = resumption.error { waiter.resume(throwing: error) } else { waiter.resume() }
    }
  }
}

extension ResultCore.Shared {
  /// Counts what an evaluation has done.
  mutating func count(_ result: EvaluationResult<E>, commits: Int, _ lostIndexes: Set<String>) {
    statistics.rowsRead += result.rowsRead
    if result.reasons.isEmpty {
      if commits > 0, result.fetched == nil { statistics.incremental += 1 }
      work += result.work
    } else {
      statistics.requeried += 1
      for reason in Set(result.reasons.map(\.description)) { statistics.reasons[reason, default: 0] += 1 }
    }
    for reason in lostIndexes { statistics.reasons[reason, default: 0] += 1 }
  }
}
