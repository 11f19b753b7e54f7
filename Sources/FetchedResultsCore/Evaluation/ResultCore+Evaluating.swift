import DataSources
import FetchedResultsSupport
import RowModel

// The threads of the pool: evaluating and delivering.

extension ResultCore {
  /// Schedules an evaluation of what was recorded, unless one is scheduled already.
  func schedule() { perform(withShared { $0.state.evaluationWanted(at: MonotonicClock.now()) }) }

  func submitEvaluation(isSlow: Bool = false) { engine.pool.submit(EvaluationJob(core: self), isSlow: isSlow) }

  /// How many times one list is evaluated in a row while other jobs wait for the thread.
  private static var mostTurns: Int { 16 }

  /// Evaluates what has been recorded until nothing is left, or until other jobs have waited for long.
  fileprivate func evaluateAll(on pool: EvaluationPool) {
    var turns = 0
    while true {
      if turns >= Self.mostTurns, pool.hasMore {
        // The evaluation stays scheduled, and the cursor stays awake.
        resumeWaiters()
        return submitEvaluation()
      }
      turns += 1
      guard mustEvaluate() else { break }
      guard let ended = evaluate(on: pool) else {
        // The maximum number of threads is slow: this list waits in the queue of slow jobs, and quick ones continue.
        resumeWaiters()
        return submitEvaluation(isSlow: true)
      }
      if deliveries.begin() {
        delivered(upTo: deliveries.hasAny ? pool.callingBack { deliveries.deliver() } : deliveries.deliver())
      }
      if let failure = ended.failure { resume(withShared { $0.state.waitersFailed(failure) }) }
    }
    resumeWaiters()
  }

  /// Whether there is something to evaluate. If not, commits wake the list from then on.
  private func mustEvaluate() -> Bool {
    let cursor = withShared { $0.cursors.current }
    cursor?.stayAwake()
    cursor?.catchUp()
    let isDelivering = deliveries.isBusy
    let turn = withShared {
      $0.state.evaluationContinues(isDelivering: isDelivering, at: MonotonicClock.now())
    }
    guard case .end(let actions) = turn else { return true }
    perform(actions)
    // The other thread may not have seen that this evaluation ends.
    if isDelivering, !deliveries.isBusy { schedule() }
    if cursor?.sleep() == false {
      catchUp()
      schedule()
    }
    return false
  }

  /// Evaluates once. Returns nil if the evaluation would be slow and too many threads are.
  private func evaluate(on pool: EvaluationPool) -> ResultState.Ended? {
    do {
      // The thread that holds the lock is fetching; it is not a thread of the pool.
      if !evaluation.tryLock() { try pool.beingSlowInTurn { evaluation.lock() } }
      return try alone {
        var evaluation = Evaluation(self, on: pool)
        let ended = try evaluation.run()
        if let pause = ended.retryPause { retry(after: pause) }
        return ended
      }
    } catch {
      return nil
    }
  }

  // MARK: Delivering

  /// Delivers some of what waits on this thread, and the rest on another one.
  func deliverHere(atMost count: Int) {
    guard deliveries.begin() else { return }
    if let goal = deliveries.deliver(atMost: count) {
      delivered(upTo: goal)
    } else {
      engine.pool.submit(DeliveryJob(core: self))
    }
  }

  fileprivate func continueDelivery(on pool: EvaluationPool) {
    delivered(upTo: pool.callingBack { deliveries.deliver() })
  }

  /// Everything up to `goal` has been delivered. Evaluates what was left while this thread delivered.
  private func delivered(upTo goal: Int) {
    let (actions, resumption) = withShared { $0.state.delivered(upTo: goal, at: MonotonicClock.now()) }
    perform(actions)
    resume(resumption)
  }
}

private final class EvaluationJob<E: Entity>: EvaluationPool.Job {
  // because it is set once; a weak reference is safe to read on any thread
  nonisolated(unsafe) private weak var core: ResultCore<E>?
  init(core: ResultCore<E>) { self.core = core }
  func run(on pool: EvaluationPool) { core?.evaluateAll(on: pool) }
}

/// Continues a delivery that another thread stopped.
private final class DeliveryJob<E: Entity>: EvaluationPool.Job {
  // because it is set once; a weak reference is safe to read on any thread
  nonisolated(unsafe) private weak var core: ResultCore<E>?
  init(core: ResultCore<E>) { self.core = core }
  func run(on pool: EvaluationPool) { core?.continueDelivery(on: pool) }
}

extension ResultCore: ScreenedList {
  func pass(_ commits: Int, _ rows: [RowKey], of query: any ResultQuery, _ view: any EngineView) -> Bool {
    guard evaluation.tryLock() else { return false }
    return alone {
      guard let current, !current.isBroken, current.list.query === query, current.list.isFollowed,
        let index = current.list.index, rows.allSatisfy({ index.slot(of: $0) == nil }), isPlanned(query, view),
        !deliveries.isBusy, !deliveries.hasAny
      else { return false }
      let goal = withShared { shared -> Int? in
        guard let goal = shared.state.screened(commits, of: current.request.number) else { return nil }
        shared.statistics.commits += commits
        shared.statistics.incremental += 1
        return goal
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

  // If something waits, another thread calls the observers: this one still has many lists to look at.
  func passed() { deliverHere(atMost: 0) }
}
