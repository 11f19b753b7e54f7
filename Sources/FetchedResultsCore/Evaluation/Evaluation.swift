import DataSources
import FetchedResultsSupport
import RowModel

// Everything in this file runs under `ResultCore.evaluation`. Values that depend on the entity's type are not passed to
// functions that are generic over them, for the reason given at `Delivery`.

typealias ResultState = EvaluationState<Pending, CheckedContinuation<Void, any Error>>

/// One evaluation of a list: turns the pending commits into one difference.
struct Evaluation<E: Entity> {
  let core: ResultCore<E>
  let pool: EvaluationPool
  var attempt: ResultState.Attempt
  /// The request that was set when the attempt drained last.
  private(set) var request: RequestVersion<E>
  /// The work of the current list: what was drained, and perhaps what was recorded since.
  private(set) var work = Pending()
  /// Of a new request that could not be fetched because of its rows.
  var failedCursor: CommitCursors.Failed?
  var result = EvaluationResult<E>()

  init(_ core: ResultCore<E>, on pool: EvaluationPool) {
    self.core = core
    self.pool = pool
    (attempt, request) = core.withShared { ($0.state.evaluationBegan(), $0.request) }
  }

  /// Drains the pending commits, edits the list, publishes the difference, and hands it over for delivery. Throws
  /// `EvaluationPool.Postponed` if it would be slow and too many threads are.
  mutating func run() throws -> ResultState.Ended {
    do {
      while let current = core.current {
        result = EvaluationResult()
        if attempt.mustReplace(current.request.number) {
          guard try fetchNewRequest() else { continue }
        } else {
          var outcome = Outcome.otherRequest
          try core.engine.read(for: current.list.query, taking: { drain() }, considering: { consider() }) { view in
            outcome = try edit(current, view)
          }
          switch outcome {
          case .edited: takeDifference(of: current)
          case .nothingToDo: break
          case .needsWholeQuery(let reasons): try fetchAgain(current, because: reasons)
          case .otherRequest: continue
          }
        }
        if let fetched = result.fetched, !attempt.shows(fetched.request.number) { continue }
        break
      }
      let ended = publish()
      deliver(ended)
      return ended
    } catch {
      return try recover(from: error)
    }
  }

  /// The result of reading the changed rows.
  enum Outcome {
    case edited, nothingToDo
    case needsWholeQuery([Reason])
    /// Another request must be fetched.
    case otherRequest
  }

  // MARK: Draining

  /// Drains what is pending. The engine calls it before it fixes the state to read, so that the read sees all of it.
  mutating func drain() {
    core.catchUp()
    request = core.withShared { shared in
      shared.state.drain(into: &attempt)
      return shared.request
    }
    work = attempt.pending
  }

  /// Adds what was recorded since then, without draining it: the read may or may not see it, so it is evaluated again.
  private mutating func consider() {
    if work.isEmpty { return }
    core.catchUp()
    work.merge(core.withShared { $0.state.pending })
  }

  // MARK: Publishing

  mutating func setUpdate(_ update: Update<E>) {
    let delivery = Delivery(.update(update, isFetch: false))
    core.releaseLater(delivery)
    result.delivery = delivery
  }

  /// Makes the list current, and publishes its update.
  private func publish() -> ResultState.Ended {
    let (result, fetched) = (self.result, self.result.fetched)
    let lostIndexes = fetched?.list.query.lostIndexes ?? []
    // Release the previous ones outside the lock.
    let (ended, cursors, shown) = core.withShared { shared in
      let ended = shared.state.evaluated(attempt, fetched: fetched?.request.number)
      let (cursors, shown) = (shared.cursors, shared.shown)
      shared.cursors.next = nil
      if shared.state.failed == nil {
        shared.cursors.failed = nil
      } else if attempt.failure != nil {
        shared.cursors.failed = failedCursor
      }
      guard ended.isPublished else { return (ended, cursors, shown) }
      shared.count(result, commits: attempt.pending.commits, lostIndexes)
      if let fetched { shared.shown = fetched.request }
      if fetched != nil, let new = result.cursor { shared.cursors.current = new }
      return (ended, cursors, shown)
    }
    withExtendedLifetime(cursors) {}
    // Commits since the request was fetched may have woken nobody.
    if failedCursor != nil { core.catchUp() }
    core.releaseLater(ended.formerError)
    guard ended.isPublished else {
      // Following has stopped meanwhile. Readers don't have this list, and the next fetch starts from the beginning.
      if result.delivery != nil { core.setCurrent(nil) }
      return ended
    }
    if let fetched {
      core.releaseLater(shown)
      core.setCurrent(fetched)
    }
    if case .update(let update, _)? = result.delivery?.event { core.deliveries.publish(update) }
    return ended
  }

  /// Hands the update and the error over for delivery.
  private func deliver(_ ended: ResultState.Ended) {
    let hasChanges = if case .update(let update, _)? = result.delivery?.event { !update.changes.isEmpty } else { false }
    core.deliveries.add(ended.isPublished && hasChanges ? result.delivery : nil, upTo: ended.goal)
    guard let error = ended.error else { return }
    let isLast = core.engine.kind(of: error) == .final
    let isReceived = core.deliveries.add(Delivery(.error(error, isLast: isLast)), upTo: ended.goal)
    if !isReceived, !isLast { core.reportUnheard(error) }
  }

  // MARK: Errors

  /// Thrown when a whole query was cancelled because nobody needs its result any more.
  struct Superseded: Error {}

  private mutating func recover(from error: any Error) throws -> ResultState.Ended {
    core.setNextCursor(nil)
    result = EvaluationResult()
    if error is EvaluationPool.Postponed {
      core.withShared { $0.state.putBack(attempt) }
      throw error
    }
    var ended = ResultState.Ended()
    if error is Superseded {
      ended.goal = core.withShared { $0.state.superseded(attempt) }
    } else {
      let (kind, isRepeated) = (core.engine.kind(of: error), core.isRepeated(error))
      ended = core.withShared { $0.state.evaluationFailed(attempt, error, kind, isRepeated: isRepeated) }
      core.releaseLater(ended.formerError)
    }
    deliver(ended)
    return ended
  }
}

/// What an evaluation has done.
struct EvaluationResult<E: Entity> {
  /// The update of the list.
  var delivery: Delivery<E>?
  var rowsRead = 0
  /// What an incremental evaluation has done.
  var work = WorkCount()
  /// Whether the sections that exist without rows were read.
  var readsHeaders = false
  /// Why the whole query ran; empty if it didn't.
  var reasons: [Reason] = []
  /// The list that was fetched by a whole query, and its cursor if it is a new one.
  var fetched: FollowedList<E>?
  var cursor: CommitCursor?
}
