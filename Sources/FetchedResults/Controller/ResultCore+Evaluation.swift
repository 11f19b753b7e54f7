import DataSources
import SQLiteStore

// All of this runs under `evaluation`.

// None of these depends on the entity's type, for the reason that `Delivery` gives: what does is held by reference.

/// What an evaluation found.
private struct Step {
  /// What became of the list: a `Delivery`.
  var delivery: (any AnyObject & Sendable)?
  var rowsRead = 0
  /// Why the query was run as a whole; empty where it wasn't.
  var reasons: [String] = []
  /// The list to go on with, where it is a new one: a `Followed`.
  var fresh: AnyObject?
  var following: (any EngineFollowing)?
  /// Whether there is another request already, which is to be fetched next.
  var isOutdated = false
  /// A new request that something is wrong with, while the old one is still followed, and what.
  var failure: RequestFailure?
}

/// What is wrong with a new request.
private struct RequestFailure {
  var request: AnyObject
  var error: any Error
  /// Whether it is about the rows that there are, and not about what was asked for.
  var isOfRows: Bool
}

/// What an evaluation begins with. The requests are `Asked`.
private struct Work {
  var pending: Pending
  var goal: Int
  var request: AnyObject
  var failed: AnyObject?
}

/// Why a whole query has ended: nobody wants what it finds.
private struct CalledOff: Error {}

private enum Outcome {
  case step(Step)
  case reload([String])
  case anotherRequest
}

/// What is to be delivered after an evaluation.
struct Found {
  var delivery: (any AnyObject & Sendable)?
  var error: (any Error)?
  /// Up to where everything has been evaluated.
  var goal = 0
  /// What those are to be told who wait for no more than this.
  var failure: (error: any Error, goal: Int)?
}

extension ResultCore {
  /// Takes what was noted, and publishes what became of the list. Returns what is to be delivered. Throws `Evaluators.Postponed`.
  func evaluateOnce(on evaluators: Evaluators) throws -> Found {
    var work: Work?
    // What was taken for something that failed is not lost, but goes with what is taken next.
    func took(_ more: Work) -> Work {
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
      var (request, failed) = withState { ($0.request as AnyObject, $0.failed as AnyObject?) }
      var step: Step?
      var failure: RequestFailure?
      var dropped = 0
      while step == nil {
        if let current, current.request !== request, failed !== request {
          var isPlanned = false
          do {
            let request = unsafeDowncast(request, to: Asked<E>.self)
            step = try evaluators.beingSlowInTurn {
              try fetchAnew(request, because: [Reason.newRequest], took) { isPlanned = true }
            }
          } catch let error where error is Evaluators.Postponed || error is CalledOff {
            throw error
          } catch {
            failure = RequestFailure(request: request, error: error, isOfRows: isPlanned)
            failed = request
          }
        }
        if step == nil { step = try evaluateCurrent(evaluators, failed, took) }
        // Another request may have been set meanwhile, and taken: a list that was fetched is not wanted any more. But where
        // requests are set faster than they can be fetched, some must be shown, or none ever would be.
        if let fresh = step?.fresh, let work, work.request !== unsafeDowncast(fresh, to: Followed.self).request,
          work.request !== failed
        {
          if dropped < Self.mostDropped { step = nil } else { step?.isOutdated = true }
          dropped += 1
        }
        if step == nil, let work { request = work.request }
      }
      step?.failure = failure
      return finish(step ?? Step(), work)
    } catch let error as Evaluators.Postponed {
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

  /// How many lists of requests that others have followed are dropped, one after another.
  private static var mostDropped: Int { 2 }

  /// Everything that is noted up to now. Called before what is read is fixed, so that all of it can be seen.
  private func take() -> Work {
    catchUp()
    return withState { state in
      defer { state.pending = Pending() }
      return Work(pending: state.pending, goal: state.noted, request: state.request, failed: state.failed)
    }
  }

  /// Has what was noted since considered too, without taking it: what is read may have it or not, so that it is evaluated again.
  private func consider(_ work: inout Work?) {
    guard work?.pending.isEmpty == false else { return }
    catchUp()
    work?.pending.merge(withState { $0.pending })
  }

  /// Evaluates the commits for the list that there is; nil where there is another request to be fetched, other than that which
  /// has failed.
  private func evaluateCurrent(
    _ evaluators: Evaluators, _ failed: AnyObject?, _ took: (Work) -> Work
  ) throws -> Step? {
    guard let current else { return Step() }
    var work: Work?
    let outcome: Outcome = try engine.read(taking: { work = took(take()) }, considering: { consider(&work) }) { view in
      guard let work else { return .step(Step()) }
      if work.request !== current.request, work.request !== failed { return .anotherRequest }
      return try decide(work, current, view)
    }
    switch outcome {
    case .anotherRequest: return nil
    case .step(let step): return step
    case .reload(let reasons):
      return try evaluators.beingSlowInTurn { try fetchAnew(current.request, because: reasons, took) }
    }
  }

  private func decide(_ work: Work, _ current: Followed, _ view: any EngineView) throws -> Outcome {
    let list = current.list
    var reasons: [String] = []
    if current.isBroken { reasons.append(Reason.recovery) }
    if let reload = work.pending.reload, reload != Reason.newRequest { reasons.append(reload) }
    if reasons.isEmpty, try list.query.isOvertaken(view) { reasons.append(Reason.schema) }
    guard reasons.isEmpty else { return .reload(reasons) }
    if work.pending.commits == 0 { return .step(Step()) }
    do {
      let affected = try affectedKeys(work.pending, list, view, &reasons)
      if affected.keys.count > 1000, affected.keys.count > list.slots.count / 2 { reasons.append(Reason.most) }
      guard reasons.isEmpty else { return .reload(reasons) }
      return .step(try update(current, affected, view))
    } catch {
      // What is read can be newer than what was told of, so that rows seem to contradict each other. Fetching all of them
      // tells whether they do.
      return .reload([Reason.recovery])
    }
  }

  /// The keys of the entity's rows that changes have to do with. Puts reasons in where that can't be told.
  private func affectedKeys(
    _ pending: Pending, _ list: ResultList, _ view: any EngineView, _ reasons: inout [String]
  ) throws -> (keys: [RowKey], readsHeaders: Bool) {
    var keys: [RowKey] = []
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
        reasons.append(reason)
        continue
      case .rows(let changed): rows = changed
      }
      if let reason = list.reason {
        reasons.append(reason)
        continue
      }
      switch dependency.role {
      case .whole(let reason): reasons.append(reason)
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
          reasons.append(Reason.lacksOldState(dependency.table))
          continue
        }
        keys += try list.query.affected(by: rows, of: number, view)
        keys += pending.before[.init(list.query, number)] ?? []
      case .headers: break
      }
    }
    if isMixed, keys.count > 1 {
      var seen: Set<RowKey> = []
      keys = keys.filter { seen.insert($0).inserted }
    }
    return (keys, readsHeaders)
  }

  private func update(
    _ followed: Followed, _ affected: (keys: [RowKey], readsHeaders: Bool), _ view: any EngineView
  ) throws -> Step {
    let list = followed.list
    let old = broadcaster.snapshot
    list.isChanging = false
    var step = Step()
    do {
      step.rowsRead = try list.update(affected.keys, view)
      if affected.readsHeaders {
        list.isChanging = true
        list.headers = try list.query.headers(view)
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
    let new = followed.shelf.shown
    let changes: Changes
    if list.headers.isEmpty, !affected.readsHeaders, let known = list.single?.changes {
      changes = known
    } else if operations.canCompare {
      changes = operations.changes(old, new, nil)
    } else {
      let changed = followed.shelf.changedIDs
      changes = operations.changes(old, new) { _, new in !changed.contains(new.id) }
    }
    let delivery = Delivery(Update(old: old, new: new, changes: changes), isFetch: false)
    leaving.append(delivery)
    step.delivery = delivery
    return step
  }

  /// What was taken for an evaluation that has not been is taken by the next.
  private func putBack(_ work: Work?) {
    come(nil)
    withState { state in
      guard let work, state.isFetched else { return }
      var pending = work.pending
      pending.merge(state.pending)
      state.pending = pending
    }
  }

  /// Fetches a request as a whole, into a new list. `planned` is called when the request is known to make sense. Throws `CalledOff` when
  /// nobody wants it any more.
  private func fetchAnew(
    _ request: Asked<E>, because reasons: [String], _ took: (Work) -> Work, planned: () -> Void = {}
  ) throws -> Step {
    let access = Connection.Access()
    withState { state in
      state.wholeQuery = access
      let isOutdated = state.request !== request && state.request !== state.failed
      if !state.isFetched || (isOutdated && state.calledOff < State.mostCalledOff) { access.cancel() }
    }
    defer { withState { $0.wholeQuery = nil } }
    do {
      return try fetchAnew(request, because: reasons, access, took, planned)
    } catch {
      throw access.isCancelled ? CalledOff() : error
    }
  }

  private func fetchAnew(
    _ request: Asked<E>, because reasons: [String], _ access: Connection.Access, _ took: (Work) -> Work,
    _ planned: () -> Void
  ) throws -> Step {
    var step = Step()
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
      leaving.append(fresh)
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
      let delivery = Delivery(update(to: fresh), isFetch: false)
      leaving.append(delivery)
      step.delivery = delivery
      step.fresh = fresh
      return step
    }
    throw Planning.isAlwaysOvertaken
  }

  // MARK: Afterwards

  private func letGo() {
    if let current { leaving.append(current) }
    current = nil
  }

  private func finish(_ step: Step, _ work: Work?) -> Found {
    defer { come(nil) }
    let fresh = step.fresh.map { unsafeDowncast($0, to: Followed.self) }
    guard withState({ $0.isFetched }) else {
      // Following has ended meanwhile. The list is not the one that readers have, and the next fetch begins anew.
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
    var found = Found()
    let lostIndexes = fresh?.request.request.description.lostIndexes ?? []
    found.error = withState { state in
      if step.isOutdated || step.failure.map({ Self.isBusy($0.error) }) == true {
        state.pending.reload = state.pending.reload ?? Reason.newRequest
      } else {
        state.evaluated = max(state.evaluated, work?.goal ?? 0)
      }
      found.goal = state.evaluated
      state.statistics.rowsRead += step.rowsRead
      if step.reasons.isEmpty {
        if let work, work.pending.commits > 0, fresh == nil { state.statistics.incremental += 1 }
      } else {
        state.statistics.requeried += 1
        for reason in Set(step.reasons) { state.statistics.reasons[reason, default: 0] += 1 }
      }
      if let fresh {
        state.calledOff = 0
        for reason in lostIndexes { state.statistics.reasons[reason, default: 0] += 1 }
        state.shown = fresh.request
        if fresh.request === state.request { (state.failed, state.refused) = (nil, nil) }
      }
      if let failure = step.failure, failure.request === state.request, Self.isBusy(failure.error) {
        // It is no error that the database is busy: the request is tried again, and who waits for it goes on waiting.
        state.pending.reload = state.pending.reload ?? Reason.newRequest
        state.isBlocked = true
        return nil
      }
      if let failure = step.failure, failure.request === state.request {
        let error = failure.error
        state.failed = state.request
        let isOfMoment = Self.isOfMoment(error)
        state.failure = Failure(error: error, isOfMoment: isOfMoment, mayPass: isOfMoment || failure.isOfRows)
        // Tried again it may fail with other words, as they name a row; that is no news.
        let isNews = state.refused !== state.request && !Self.areSame(state.lastError, error)
        state.refused = state.request
        state.lastError = error
        return isNews ? error : nil
      }
      state.lastError = state.failed == nil ? nil : state.failure?.error
      if state.lastError == nil { state.retryPause = State.shortestPause }
      return nil
    }
    if step.failure.map({ Self.isOfMoment($0.error) }) == true {
      retryLater(isBusy: step.failure.map { Self.isBusy($0.error) } == true)
    }
    if let delivery = step.delivery {
      let update = unsafeDowncast(delivery, to: Delivery<E>.self).update
      broadcaster.publish(update)
      if !update.changes.isEmpty { found.delivery = delivery }
    }
    return found
  }

  private func fail(_ error: any Error, _ work: Work?) -> Found {
    come(nil)
    leaveError()
    let isBusy = Self.isBusy(error)
    let (isNews, goal, isBlocked) = withState { state in
      if let work {
        // It is tried again with what comes next.
        var pending = work.pending
        pending.merge(state.pending)
        state.pending = pending
      }
      if state.pending.isEmpty { state.pending.reload = Reason.recovery }
      let goal = work?.goal ?? state.noted
      // What has come meanwhile may have put it right.
      state.isBlocked = state.noted <= goal
      defer { if !isBusy { state.lastError = error } }
      return (!Self.areSame(state.lastError, error), goal, state.isBlocked)
    }
    if isBlocked, Self.mayPassByItself(error) { retryLater(isBusy: isBusy) }
    // Who waits goes on waiting until it is not busy any more.
    if isBusy { return Found(goal: withState { $0.evaluated }) }
    return Found(error: isNews ? error : nil, failure: (error, goal))
  }

  /// Whether an error says that somebody else has the database just now.
  static func isBusy(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return error.code == .busy || error.code == .locked
  }

  /// Whether an error is one that may go away without a commit.
  private static func isOfMoment(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return [.busy, .locked, .ioError, .full, .cantOpen, .noMemory, .interrupt].contains(error.code)
  }

  /// Whether it may succeed without a commit if it is tried again: not where the database is closed, or a row can't be read.
  private static func mayPassByItself(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return error.code != .misuse && error.code != .mismatch
  }

  private static func areSame(_ left: (any Error)?, _ right: any Error) -> Bool {
    guard let left else { return false }
    if let left = left as? DatabaseError, let right = right as? DatabaseError { return left == right }
    return "\(left)" == "\(right)"
  }
}
