import DataSources
import FetchedResultsSupport
import RowModel

// Running the whole query: of another request, or where the list can't be followed row by row.

extension Evaluation {
  /// Fetches the list of another request. Returns false if the request is wrong: the current list is followed instead.
  mutating func fetchNewRequest() throws -> Bool {
    let (pool, new) = (self.pool, self.request)
    var planned: (any ResultQuery)?
    let goal = core.withShared { $0.state.recorded }
    do {
      try pool.beingSlowInTurn { try fetch(new, because: [.newRequest]) { planned = $0 } }
      return true
    } catch let error where error is EvaluationPool.Postponed || error is Superseded {
      throw error
    } catch {
      attempt.requestFailed(
        .init(
          request: new.number, error: error, kind: core.engine.kind(of: error), isOfRows: planned != nil, goal: goal,
          isRepeated: core.isRepeated(error)))
      failedCursor = planned.flatMap { query in result.cursor.map { .init(query: query, cursor: $0) } }
      return false
    }
  }

  /// Fetches the current list again.
  mutating func fetchAgain(_ current: FollowedList<E>, because reasons: [Reason]) throws {
    let pool = self.pool
    result = EvaluationResult()
    try pool.beingSlowInTurn { try fetch(current.request, because: reasons) }
  }

  /// Fetches a whole request into a new list. `planned` is called with the query when the request is known to be valid.
  /// Throws `Superseded` when nobody needs the result any more.
  private mutating func fetch(
    _ request: RequestVersion<E>, because reasons: [Reason], planned: (any ResultQuery) -> Void = { _ in }
  ) throws {
    let core = self.core
    let access = CancellableAccess()
    core.withShared { shared in
      shared.wholeQuery = access
      shared.work.fetches += 1
      if shared.state.isInVain(request.number) { access.cancel() }
    }
    defer { core.withShared { $0.wholeQuery = nil } }
    result.reasons = reasons
    let began = MonotonicClock.now()
    do {
      try fetch(request, access, planned)
      core.withShared { $0.state.wholeQuerySucceeded() }
    } catch {
      if access.isCancelled { throw Superseded() }
      let now = MonotonicClock.now()
      core.withShared { $0.state.wholeQueryFailed(after: now - began, at: now) }
      throw error
    }
  }

  private mutating func fetch(
    _ request: RequestVersion<E>, _ access: CancellableAccess, _ planned: (any ResultQuery) -> Void
  ) throws {
    let (core, engine) = (self.core, self.core.engine)
    let current = core.current
    let former = current?.request === request ? current?.list : nil
    var query = former?.query
    if let known = query, try engine.read(access, taking: {}, { try known.isStale($0) }) { query = nil }
    for _ in 0..<Planning.mostAttempts {
      let ready: any ResultQuery
      if let query {
        ready = query
      } else {
        ready = try engine.query(for: request.request.description, canCompare: core.operations.canCompare, access)
        result.cursor = core.follow(ready)
      }
      planned(ready)
      let fetched = FollowedList(request, ready, core.operations, former: core.broadcaster.snapshot)
      core.releaseLater(fetched)
      let cursor = result.cursor
      let rowsRead = try engine.read(
        access,
        taking: {
          cursor?.catchUp()
          drain()
        }
      ) { view in
        try ready.isStale(view) ? nil : try fetched.list.load(view, after: former)
      }
      guard let rowsRead else {
        query = nil
        continue
      }
      result.rowsRead = rowsRead
      setUpdate(fetched.update(from: core.broadcaster.snapshot, current, core.operations))
      result.fetched = fetched
      return
    }
    throw Planning.isAlwaysOvertaken
  }
}
