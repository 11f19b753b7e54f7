import DataSources
import FetchedResultsSupport
import SQLiteStore

extension ResultCore {
  /// Begins to follow the tables of a query. From now on, waiters also wait for commits to these tables.
  func follow(_ query: any ResultQuery) -> any EngineFollowing {
    let following = beginFollowing(query)
    come(following)
    return following
  }

  /// Sets the query whose tables are followed in addition to those of the current list.
  func come(_ following: (any EngineFollowing)?) {
    // Release the old one outside the lock.
    let old = withState { state in
      defer { state.coming = following }
      return state.coming
    }
    withExtendedLifetime(old) {}
  }

  private func beginFollowing(_ query: any ResultQuery) -> any EngineFollowing {
    let questions = OldStateQuestion.all(of: query)
    return engine.follow(
      query.dependencies.map(\.table).uniqueByBytes(), asking: questions.compactMap(\.self),
      screening: query.condition == nil ? nil : (self, query),
      committed: { [weak self] commit in self?.committed(commit, query, questions) },
      wake: { [weak self] in self?.schedule() })
  }

  func replaceFollowing(_ following: any EngineFollowing) {
    // Release the old one outside the lock.
    let old = withState { state in
      defer { state.following = following }
      return state.following
    }
    withExtendedLifetime(old) {}
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
    withState { state in
      _ = state.note {
        $0.add(commit)
        if !isKnown { $0.lacksOldState = true }
        $0.add(before: before)
      }
      state.statistics.commits += 1
      // A request that could not be fetched may be valid now, with other rows or another schema.
      guard state.failed != nil, commit.isOfEverything || state.failure?.mayPass == true else { return }
      // Running the query for each commit would take as long as the rows are many.
      if state.restUntil > MonotonicClock.now() { state.retriesAfterRest = true } else { state.failed = nil }
    }
    restIfNeeded()
  }
}
