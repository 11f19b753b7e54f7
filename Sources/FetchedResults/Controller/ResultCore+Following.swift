import DataSources
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
    let dependencies = query.dependencies
    var announced: Locked<Announcement?>?
    var willCommit: (@Sendable ([String: ChangedRows]) -> Void)?
    if dependencies.contains(where: { $0.needsOldState && !$0.role.isWhole }) {
      let last = Locked<Announcement?>(nil)
      announced = last
      willCommit = { [weak self] changes in
        let announcement = self?.announcement(of: changes, query, dependencies)
        last.withLock { $0 = announcement }
      }
    }
    return engine.follow(
      dependencies.map(\.table).uniqueByBytes(), willCommit: willCommit,
      committed: { [weak self, announced] commit in
        // Following may have begun between the call before COMMIT and the commit.
        let announcement = announced.map { $0.withLock { $0.take() } ?? Announcement(isKnown: false) }
        self?.committed(commit, announcement ?? Announcement())
      },
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

  /// Finds the entity's rows that depend on the rows that a commit is about to change.
  private func announcement(
    of changes: [String: ChangedRows], _ query: any ResultQuery, _ dependencies: [ResultDependency]
  ) -> Announcement {
    var announcement = Announcement()
    do {
      for (index, dependency) in dependencies.enumerated() where dependency.needsOldState {
        guard case .rows(let rows)? = changes[dependency.table], !dependency.role.isWhole else { continue }
        announcement.before[DependencyID(query, index)] = try engine.readNow {
          try query.affected(by: rows, of: index, $0)
        }
      }
    } catch {
      announcement.isKnown = false
    }
    return announcement
  }

  private func committed(_ commit: EngineCommit, _ announcement: Announcement) {
    withState { state in
      _ = state.note {
        $0.add(commit)
        $0.add(before: announcement.before)
        if !announcement.isKnown { $0.lacksOldState = true }
      }
      state.statistics.commits += 1
      // A request that could not be fetched may be valid now, with other rows or another schema.
      if state.failed != nil, commit.isOfEverything || state.failure?.mayPass == true { state.failed = nil }
    }
  }
}
