import DataSources
import FetchedResultsSupport
import RowModel

/// What a list follows: the tables of the current list, of one that is being fetched, and of a failed request.
///
/// A cursor that is replaced under the lock of `ResultCore` is released outside of it.
struct CommitCursors {
  var current: CommitCursor?
  var next: CommitCursor?
  /// Of a request that could not be fetched because of its rows: commits may end that.
  var failed: Failed?

  struct Failed {
    var query: any ResultQuery
    var cursor: CommitCursor
  }

  func catchUp() {
    current?.catchUp()
    next?.catchUp()
    failed?.cursor.catchUp()
  }

  /// The commits to the lists' tables that were not drained yet.
  var numberOfWaitingCommits: Int { (current?.numberOfWaitingCommits ?? 0) + (next?.numberOfWaitingCommits ?? 0) }
}

extension ResultCore {
  /// Records the commits up to now. Call it before reading what was recorded or is pending.
  func catchUp() { withShared { $0.cursors }.catchUp() }

  /// What was done so far. It counts the commits that were not drained yet too.
  var statistics: Statistics {
    var (statistics, waiting) = (withShared { $0.statistics }, 0)
    // A commit that is drained during the reading could be counted twice or not at all. So try again if that happens,
    // but only a few times, because commits may follow each other all the time.
    for _ in 0..<10 {
      waiting = withShared { $0.cursors }.numberOfWaitingCommits
      let before = statistics.commits
      statistics = withShared { $0.statistics }
      if statistics.commits == before { break }
    }
    statistics.commits += waiting
    return statistics
  }

  /// Begins to follow the tables of a query, in addition to those of the current list. From now on, waiters also wait
  /// for commits to these tables.
  func follow(_ query: any ResultQuery) -> CommitCursor {
    let questions = OldStateQuestion.all(of: query)
    let cursor = engine.follow(
      query.dependencies.map(\.table).uniqueByBytes(), asking: questions.compactMap(\.self),
      screening: query.condition == nil ? nil : (self, query),
      committed: { [weak self] commit in self?.committed(commit, query, questions) },
      wake: { [weak self] in self?.schedule() })
    cursor.setOwner(self)
    setNextCursor(cursor)
    return cursor
  }

  /// Sets the cursor of what is being fetched.
  func setNextCursor(_ cursor: CommitCursor?) {
    // The previous cursor is released outside the lock.
    let former = withShared { shared in
      defer { shared.cursors.next = cursor }
      return shared.cursors.next
    }
    withExtendedLifetime(former) {}
  }

  private func committed(_ commit: EngineCommit, _ query: any ResultQuery, _ questions: [OldStateQuestion?]) {
    var before: [DependencyID: [RowKey]] = [:]
    var isKnown = true
    for (number, question) in questions.enumerated() {
      guard let question, case .rows? = commit.changes[question.table] else { continue }
      // Following may have begun between the commit's last statement and the commit.
      guard let keys = commit.before?.answer(to: question) else {
        isKnown = false
        break
      }
      before[DependencyID(query, number)] = keys
    }
    let actions = withShared { shared in
      if shared.cursors.failed?.query === query {
        // The list doesn't read these tables.
        return shared.state.committedToFailed(isOfEverything: commit.isOfEverything, at: MonotonicClock.now())
      }
      shared.statistics.commits += 1
      return shared.state.committed(isOfEverything: commit.isOfEverything, at: MonotonicClock.now()) {
        $0.add(commit)
        if !isKnown { $0.lacksOldState = true }
        $0.add(before: before)
      }
    }
    perform(actions)
  }
}
