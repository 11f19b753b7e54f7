import DataSources
import FetchedResultsSupport
import RowModel

extension ResultCore {
  /// Records the commits up to now. Call it before reading what was recorded or is pending.
  func catchUp() {
    let (following, next, failed) = withShared { ($0.following, $0.nextFollowing, $0.failedFollowing) }
    following?.catchUp()
    next?.catchUp()
    failed?.cursor.catchUp()
  }

  /// What was done so far. It counts the commits that were not drained yet too.
  var statistics: Statistics {
    var (statistics, waiting) = (withShared { $0.statistics }, 0)
    // A commit that is drained during the reading could be counted twice or not at all. So try again if that happens,
    // but only a few times, because commits may follow each other all the time.
    for _ in 0..<10 {
      let (following, next) = withShared { ($0.following, $0.nextFollowing) }
      waiting = (following?.numberOfWaitingCommits ?? 0) + (next?.numberOfWaitingCommits ?? 0)
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
    let following = engine.follow(
      query.dependencies.map(\.table).uniqueByBytes(), asking: questions.compactMap(\.self),
      screening: query.condition == nil ? nil : (self, query),
      committed: { [weak self] commit in self?.committed(commit, query, questions) },
      wake: { [weak self] in self?.schedule() })
    setNextFollowing(following)
    return following
  }

  /// Sets the query whose tables are followed in addition to those of the current list.
  func setNextFollowing(_ following: CommitCursor?) {
    // Release the old one outside the lock.
    let former = withShared { shared in
      defer { shared.nextFollowing = following }
      return shared.nextFollowing
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
      if shared.failedFollowing?.query === query {
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
