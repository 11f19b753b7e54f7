import DataSources
import FetchedResultsSupport
import RowModel

// Fetching a request because a caller asks for it.

extension ResultCore {
  /// Fetches the request now, on this thread, and follows it from then on. `access` can cancel it.
  func fetch(_ access: CancellableAccess = CancellableAccess.uncancellable) throws {
    if isEvaluator {
      throw DatabaseError.misuse(
        "performFetch was called while a row of the same list is being made, compared or released, and would wait "
          + "for that forever")
    }
    try takeTurn(access)
    try alone { try fetchAlone(access) }
    deliverHere(atMost: deliveries.count)
    schedule()
  }

  /// Takes `evaluation` on a user's thread, which may already hold that of another list.
  private func takeTurn(_ access: CancellableAccess) throws {
    if evaluation.tryLock() { return }
    try WaitingThreads.shared.wait(
      for: { [self] in withShared { $0.evaluator } }, timeout: engine.timeout, turn: { withShared { $0.turns } }
    ) {
      if access.isCancelled { throw CancellationError() }
      return evaluation.tryLock()
    }
  }

  private func fetchAlone(_ access: CancellableAccess) throws {
    if access.isCancelled { throw CancellationError() }
    let request = withShared { shared in
      shared.state.fetchBegan()
      shared.hasBegun = true
      return shared.request
    }
    do {
      try fetchAlone(request, access)
    } catch {
      setNextCursor(nil)
      let former = withShared { $0.state.fetchFailed() }
      releaseLater(former)
      throw error
    }
  }

  private func fetchAlone(_ request: RequestVersion<E>, _ access: CancellableAccess) throws {
    let former = current?.request === request ? current?.list : nil
    // Following begins before the fetch, so that no commit is missed. Commits during the fetch are evaluated
    // afterwards.
    var goal = 0
    for _ in 0..<Planning.mostAttempts {
      let query = try engine.query(for: request.request.description, canCompare: operations.canCompare, access)
      let cursor = follow(query)
      let fetched = FollowedList(request, query, operations, former: broadcaster.snapshot)
      releaseLater(fetched)
      // Commits that the fetch sees but has not drained are evaluated afterwards too; they change nothing then.
      let loaded = try engine.read(
        access,
        taking: {
          cursor.catchUp()
          // If another request was set meanwhile, the fetch doesn't contain it: keep the earlier goal.
          goal = withShared { $0.state.goal(ofFetching: request.number) } ?? goal
        }
      ) { view in
        // The schema may have changed before following began.
        try query.isStale(view) ? nil : try fetched.list.load(view, after: former)
      }
      guard let rowsRead = loaded else { continue }
      if access.isCancelled { throw CancellationError() }
      return show(fetched, cursor, goal, rowsRead)
    }
    throw Planning.isAlwaysOvertaken
  }

  /// Publishes a list that was fetched.
  private func show(_ fetched: FollowedList<E>, _ cursor: CommitCursor, _ goal: Int, _ rowsRead: Int) {
    let update = fetched.update(from: broadcaster.snapshot, current, operations)
    let delivery = Delivery(.update(update, isFetch: true))
    let lostIndexes = fetched.list.query.lostIndexes
    releaseLater(delivery)
    setCurrent(fetched)
    // Release the previous ones outside the lock.
    let (error, evaluated, shown, cursors) = withShared { shared in
      let (shown, cursors) = (shared.shown, shared.cursors)
      shared.cursors = CommitCursors(current: cursor)
      shared.shown = fetched.request
      shared.statistics.rowsRead += rowsRead
      for reason in lostIndexes { shared.statistics.reasons[reason, default: 0] += 1 }
      let error = shared.state.fetchSucceeded(fetched.request.number, upTo: goal)
      return (error, shared.state.evaluated, shown, cursors)
    }
    withExtendedLifetime(cursors) {}
    releaseLater(shown)
    releaseLater(error)
    deliveries.publish(update)
    deliveries.add(update.changes.isEmpty ? nil : delivery, upTo: evaluated)
  }
}
