import DataSources
import FetchedResultsSupport
import SQLiteStore

// Everything in this file runs under `evaluation`.

// The values that depend on the entity's type are held by reference, for the reason given at `Delivery`, and are not
// passed to functions that are generic over them.

/// The result of an evaluation.
private struct Step<E: Entity> {
  /// The update of the list.
  var update: Update<E>?
  /// The same, to be delivered.
  var delivery: Delivery<E>?
  var rowsRead = 0
  /// What an incremental evaluation has done.
  var work = WorkCount()
  /// Why the whole query ran; empty if it didn't.
  var reasons: [Reason] = []
  /// The new list, if there is one.
  var fresh: ResultCore<E>.Followed?
  var following: (any EngineFollowing)?
  /// Whether another request has been set already, which must be fetched next.
  var isOutdated = false
  /// An error of a new request, while the old one is still followed.
  var failure: RequestFailure<E>?
}

/// A new request that failed, and its error.
private struct RequestFailure<E: Entity> {
  var request: RequestVersion<E>
  var error: any Error
  var kind: ErrorKind
  /// Whether the error is about the existing rows and not about the request.
  var isOfRows: Bool
  /// What was recorded when the read began that failed. Later commits may have removed the cause.
  var goal: Int
}

/// The input of an evaluation.
private struct Work<E: Entity> {
  var pending: Pending
  var goal: Int
  var request: RequestVersion<E>
  var failed: RequestVersion<E>?
}

/// Thrown when a whole query was cancelled because nobody needs its result any more.
private struct CalledOff: Error {}

private enum Outcome<E: Entity> {
  case step(Step<E>)
  case reload([Reason])
  /// Reading the changed rows failed.
  case failed(any Error)
  case anotherRequest
}

/// What to deliver after an evaluation.
struct Found<E: Entity> {
  var delivery: Delivery<E>?
  var error: (any Error)?
  /// The number up to which everything has been evaluated.
  var goal = 0
  /// The error for the waiters that wait for this number or a lower one.
  var failure: (error: any Error, goal: Int)?
}

extension ResultCore {
  /// Drains what was recorded, and publishes the difference. Returns what to deliver. Throws
  /// `EvaluationPool.Postponed`.
  func evaluateOnce(on pool: EvaluationPool) throws -> Found<E> {
    var work: Work<E>?
    // If an attempt fails, the work that it drained is kept, and merged with what is drained next.
    func took(_ more: Work<E>) -> Work<E> {
      var all = work ?? more
      if work != nil {
        all.pending.merge(more.pending)
        all.goal = more.goal
        all.request = more.request
        all.failed = more.failed
      }
      work = all
      return all
    }
    do {
      var (request, failed) = withState { ($0.request, $0.failed) }
      var step: Step<E>?
      var failure: RequestFailure<E>?
      var dropped = 0
      while step == nil {
        if let current, current.request !== request, failed !== request {
          var isPlanned = false
          let goal = withState { $0.noted }
          do {
            step = try pool.beingSlowInTurn {
              try fetchAnew(request, because: [.newRequest], took) { isPlanned = true }
            }
          } catch let error where error is EvaluationPool.Postponed || error is CalledOff {
            throw error
          } catch {
            failure = RequestFailure(
              request: request, error: error, kind: engine.kind(of: error), isOfRows: isPlanned,
              goal: max(goal, work?.goal ?? 0))
            failed = request
          }
        }
        if step == nil { step = try evaluateCurrent(pool, failed, took) }
        // Another request may have been set and drained meanwhile, so the list that was fetched is no longer needed.
        // But if requests are set faster than they can be fetched, some must be shown, or none ever would be.
        if let fresh = step?.fresh, let work, work.request !== fresh.request,
          work.request !== failed
        {
          if dropped < Self.mostDropped { step = nil } else { step?.isOutdated = true }
          dropped += 1
        }
        if step == nil, let work { request = work.request }
      }
      step?.failure = failure
      return finish(step ?? Step(), work)
    } catch let error as EvaluationPool.Postponed {
      putBack(work)
      throw error
    } catch is CalledOff {
      putBack(work)
      return Found(
        goal: withState { state in
          state.calledOff += 1
          return state.evaluated
        })
    } catch {
      return fail(error, work)
    }
  }

  /// How many outdated lists are dropped, one after another, before one is shown.
  private static var mostDropped: Int { 2 }

  /// Drains what has been recorded up to now. Called before the read's state is fixed, so that the read sees all of it.
  private func take() -> Work<E> {
    catchUp()
    return withState { state in
      defer { state.pending = Pending() }
      return Work(pending: state.pending, goal: state.noted, request: state.request, failed: state.failed)
    }
  }

  /// Adds what was recorded since then, without draining it: the read may or may not see it, so it is evaluated again.
  private func consider(_ work: inout Work<E>?) {
    guard work?.pending.isEmpty == false else { return }
    catchUp()
    work?.pending.merge(withState { $0.pending })
  }

  /// Evaluates the commits for the current list. Returns nil if another request must be fetched, other than the one
  /// that failed.
  private func evaluateCurrent(
    _ pool: EvaluationPool, _ failed: RequestVersion<E>?, _ took: (Work<E>) -> Work<E>
  ) throws -> Step<E>? {
    guard let current else { return Step() }
    current.storage.foundUnreadable = false
    var work: Work<E>?
    var outcome = Outcome<E>.anotherRequest
    try engine.read(taking: { work = took(take()) }, considering: { consider(&work) }) { view in
      guard let work else { return outcome = .step(Step()) }
      if work.request !== current.request, work.request !== failed { return outcome = .anotherRequest }
      outcome = try decide(work, current, view)
    }
    switch outcome {
    case .anotherRequest: return nil
    case .step(var step):
      step.work.reads = 1
      return step
    case .failed(let error):
      // The whole query would meet a row that can't be read too. Any other error may be one of this read alone: rows
      // outside the window, another way to evaluate a condition, or rows that seem to contradict each other.
      if current.storage.foundUnreadable, !current.list.isWindowed { throw error }
      return try pool.beingSlowInTurn { try fetchAnew(current.request, because: [.recovery], took) }
    case .reload(let reasons):
      return try pool.beingSlowInTurn { try fetchAnew(current.request, because: reasons, took) }
    }
  }

  private func decide(_ work: Work<E>, _ current: Followed, _ view: any EngineView) throws -> Outcome<E> {
    let list = current.list
    var reasons: [Reason] = []
    if current.isBroken { reasons.append(.recovery) }
    if let reload = work.pending.reload, reload != .newRequest { reasons.append(reload) }
    if reasons.isEmpty, try list.query.isOvertaken(view) { reasons.append(.schema) }
    guard reasons.isEmpty else { return .reload(reasons) }
    if work.pending.commits == 0 { return .step(Step()) }
    do {
      let affected = try affectedKeys(work.pending, list, view, &reasons)
      if affected.keys.count > 1000, affected.keys.count > list.slots.count / 2 { reasons.append(.mostRows) }
      guard reasons.isEmpty else { return .reload(reasons) }
      return .step(try update(current, affected, view))
    } catch {
      // The read can be newer than the commits that were drained, so rows may seem to contradict each other.
      return current.isBroken ? .reload([.recovery]) : .failed(error)
    }
  }

  /// The keys of the entity's rows that depend on the changes. Adds to `reasons` if they can't be determined.
  private func affectedKeys(
    _ pending: Pending, _ list: ResultList, _ view: any EngineView, _ reasons: inout [Reason]
  ) throws -> (keys: [RowKey], changed: Int, readsHeaders: Bool) {
    var keys: [RowKey] = []
    var changed = 0
    var readsHeaders = false
    var isMixed = false
    for (number, dependency) in list.query.dependencies.enumerated() {
      guard let change = pending.changes[dependency.table] else { continue }
      if dependency.role == .headers {
        readsHeaders = true
        continue
      }
      let rows: [RowKey]
      switch change {
      case .everything(let reason):
        reasons.append(.stated(reason))
        continue
      case .rows(let keys): rows = keys
      }
      changed += rows.count
      if let reason = list.reason {
        reasons.append(.stated(reason))
        continue
      }
      switch dependency.role {
      case .whole(let reason): reasons.append(.stated(reason))
      case .entity:
        isMixed = isMixed || !keys.isEmpty || pending.commits > 1
        keys += rows
      case .partner(let partner):
        isMixed = true
        for row in rows {
          list.partners[partner].forEachSlot(of: row) { slot in if let key = list.index?.key(slot) { keys.append(key) }
          }
        }
        fallthrough
      case .bystander:
        isMixed = true
        if dependency.needsOldState, pending.lacksOldState {
          reasons.append(.lacksOldState(table: dependency.table))
          continue
        }
        keys += try list.query.affected(by: rows, of: number, atMost: .max, view)
        keys += pending.before[.init(list.query, number)] ?? []
      case .headers: break
      }
    }
    if isMixed, keys.count > 1 {
      var seen: Set<RowKey> = []
      keys = keys.filter { seen.insert($0).inserted }
    }
    return (keys, changed, readsHeaders)
  }

  private func update(
    _ followed: Followed, _ affected: (keys: [RowKey], changed: Int, readsHeaders: Bool), _ view: any EngineView
  ) throws -> Step<E> {
    let list = followed.list
    let old = broadcaster.snapshot
    list.isChanging = false
    var step = Step<E>()
    do {
      step.rowsRead = try list.update(affected.keys, view)
      if affected.readsHeaders {
        list.isChanging = true
        try list.setHeaders(list.query.headers(view), view)
      }
      try list.show(view)
    } catch {
      if list.isChanging {
        followed.isBroken = true
        list.restoreContents()
      }
      throw error
    }
    list.endChange()
    step.work = list.work
    step.work.sections += list.storage.takeVisits()
    step.work.changed = affected.changed
    step.work.affected = affected.keys.count
    let new = followed.storage.shown
    let changes: Changes
    if list.headers.isEmpty, !affected.readsHeaders, let known = list.single?.changes {
      changes = known
    } else if operations.canCompare {
      changes = operations.changes(old, new, nil)
    } else {
      let changed = followed.storage.changedIDs
      changes = operations.changes(old, new) { _, new in !changed.contains(new.id) }
    }
    setUpdate(Update(old: old, new: new, changes: changes), of: &step)
    return step
  }

  private func setUpdate(_ update: Update<E>, of step: inout Step<E>) {
    let delivery = Delivery(.update(update, isFetch: false))
    releasedLater.append(delivery)
    step.update = update
    step.delivery = delivery
  }

  /// Returns drained work that was not evaluated, so that the next evaluation gets it.
  private func putBack(_ work: Work<E>?) {
    come(nil)
    withState { state in
      guard let work, state.isFetched else { return }
      var pending = work.pending
      pending.merge(state.pending)
      state.pending = pending
    }
  }

  /// Fetches a whole request into a new list. `planned` is called when the request is known to be valid. Throws
  /// `CalledOff` when nobody needs the result any more.
  private func fetchAnew(
    _ request: RequestVersion<E>, because reasons: [Reason], _ took: (Work<E>) -> Work<E>, planned: () -> Void = {}
  ) throws -> Step<E> {
    let access = Connection.Access()
    withState { state in
      state.wholeQuery = access
      state.work.fetches += 1
      let isOutdated = state.request !== request && state.request !== state.failed
      if !state.isFetched || (isOutdated && state.calledOff < State.mostCalledOff) { access.cancel() }
    }
    defer { withState { $0.wholeQuery = nil } }
    let began = MonotonicClock.now()
    do {
      let step = try fetchAnew(request, because: reasons, access, took, planned)
      withState { $0.restUntil = 0 }
      return step
    } catch {
      if access.isCancelled { throw CalledOff() }
      let now = MonotonicClock.now()
      withState { $0.restUntil = now + min(8 * (now - began), Self.longestRest) }
      throw error
    }
  }

  private func fetchAnew(
    _ request: RequestVersion<E>, because reasons: [Reason], _ access: Connection.Access,
    _ took: (Work<E>) -> Work<E>,
    _ planned: () -> Void
  ) throws -> Step<E> {
    var step = Step<E>()
    step.reasons = reasons
    var query = current.flatMap { $0.request === request ? $0.list.query : nil }
    if let known = query,
      try engine.read(access, taking: {}, { try known.isStale($0) })
    {
      query = nil
    }
    for _ in 0..<Planning.mostAttempts {
      let ready: any ResultQuery
      if let query {
        ready = query
      } else {
        ready = try engine.query(for: request.request.description, canCompare: operations.canCompare, access)
        step.following = follow(ready)
      }
      planned()
      let fresh = followed(request, ready)
      releasedLater.append(fresh)
      let isDone = try engine.read(
        access,
        taking: {
          step.following?.catchUp()
          _ = took(take())
        }
      ) { view in
        if try ready.isStale(view) { return false }
        step.rowsRead = try fresh.list.load(view, after: current?.request === request ? current?.list : nil)
        return true
      }
      guard isDone else {
        query = nil
        continue
      }
      setUpdate(update(to: fresh), of: &step)
      step.fresh = fresh
      return step
    }
    throw Planning.isAlwaysOvertaken
  }

  // MARK: Afterwards

  private func letGo() {
    if let current { releasedLater.append(current) }
    current = nil
  }

  private func finish(_ step: Step<E>, _ work: Work<E>?) -> Found<E> {
    defer { come(nil) }
    let fresh = step.fresh
    guard withState({ $0.isFetched }) else {
      // Following has stopped meanwhile. Readers don't have this list, and the next fetch starts from the beginning.
      if step.delivery != nil { letGo() }
      return Found()
    }
    if let fresh {
      letGo()
      leaveRequests()
      current = fresh
    } else {
      leaveError()
    }
    if let following = step.following, fresh != nil { replaceFollowing(following) }
    var found = Found<E>()
    let lostIndexes = fresh?.request.request.description.lostIndexes ?? []
    found.error = withState { state in
      if step.isOutdated || step.failure?.kind == .busy {
        state.pending.reload = state.pending.reload ?? .newRequest
      } else {
        state.evaluated = max(state.evaluated, work?.goal ?? 0)
      }
      found.goal = state.evaluated
      state.statistics.rowsRead += step.rowsRead
      if step.reasons.isEmpty {
        if let work, work.pending.commits > 0, fresh == nil { state.statistics.incremental += 1 }
        state.work += step.work
      } else {
        state.statistics.requeried += 1
        for reason in Set(step.reasons.map(\.description)) { state.statistics.reasons[reason, default: 0] += 1 }
      }
      if let fresh {
        state.calledOff = 0
        for reason in lostIndexes { state.statistics.reasons[reason, default: 0] += 1 }
        state.shown = fresh.request
        if fresh.request === state.request { (state.failed, state.refused) = (nil, nil) }
      }
      if let failure = step.failure, failure.request === state.request, failure.kind == .busy {
        // A busy database is not an error: the request is retried, and its waiters keep waiting.
        state.pending.reload = state.pending.reload ?? .newRequest
        state.isBlocked = true
        return nil
      }
      if let failure = step.failure, failure.request === state.request {
        let error = failure.error
        state.failed = state.request
        state.failure = Failure(
          error: error, kind: failure.kind, mayPass: failure.kind.isPassing || failure.isOfRows)
        // Commits that were recorded while the request was fetched did not retry it: it had not failed yet.
        let isOfEverything = state.pending.isOfEverything || work?.pending.isOfEverything == true
        if state.noted > failure.goal, isOfEverything || state.failure?.mayPass == true {
          state.retriesAfterRest = true
        }
        // A retry may fail with a different message, because it names another row. Don't report that again.
        let isNews = state.refused !== state.request && !Self.areSame(state.lastError, error)
        state.refused = state.request
        state.lastError = error
        return isNews ? error : nil
      }
      state.lastError = state.failed == nil ? nil : state.failure?.error
      if state.lastError == nil { state.retryPause = State.shortestPause }
      return nil
    }
    if let failure = step.failure, failure.kind.isPassing { retryLater(isBusy: failure.kind == .busy) }
    if let update = step.update {
      broadcaster.publish(update)
      if !update.changes.isEmpty { found.delivery = step.delivery }
    }
    return found
  }

  private func fail(_ error: any Error, _ work: Work<E>?) -> Found<E> {
    come(nil)
    leaveError()
    let kind = engine.kind(of: error)
    let isBusy = kind == .busy
    let (isNews, goal, isBlocked) = withState { state in
      if let work {
        // It is retried together with what comes next.
        var pending = work.pending
        pending.merge(state.pending)
        state.pending = pending
      }
      if state.pending.isEmpty { state.pending.reload = .recovery }
      let goal = work?.goal ?? state.noted
      // What was recorded meanwhile may have removed the cause.
      state.isBlocked = state.noted <= goal
      defer { if !isBusy { state.lastError = error } }
      return (!Self.areSame(state.lastError, error), goal, state.isBlocked)
    }
    if isBlocked, kind != .lasting { retryLater(isBusy: isBusy) }
    // Waiters keep waiting until the database is no longer busy.
    if isBusy { return Found(goal: withState { $0.evaluated }) }
    return Found(error: isNews ? error : nil, failure: (error, goal))
  }

  /// Whether two errors are the same to a reader: database errors with the same content, and others of the same type
  /// with the same description.
  private static func areSame(_ left: (any Error)?, _ right: any Error) -> Bool {
    guard let left else { return false }
    if let left = left as? DatabaseError, let right = right as? DatabaseError { return left == right }
    return type(of: left) == type(of: right) && "\(left)" == "\(right)"
  }
}
