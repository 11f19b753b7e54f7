import DataSources
import SQLiteStore

extension ResultCore {
  /// Begins to follow the tables of a query. Who waits for commits waits for what these tell too, from now on.
  func follow(_ query: any ResultQuery) -> any EngineFollowing {
    let following = beginFollowing(query)
    come(following)
    return following
  }

  /// Notes which query's tables are followed besides those of the list that there is.
  func come(_ following: (any EngineFollowing)?) {
    // The old one ends outside of the lock.
    let old = withState { state in
      defer { state.coming = following }
      return state.coming
    }
    withExtendedLifetime(old) {}
  }

  private func beginFollowing(_ query: any ResultQuery) -> any EngineFollowing {
    let dependencies = query.dependencies
    let id = ObjectIdentifier(query)
    let needsOldState = dependencies.contains { $0.needsOldState && !$0.role.isWhole }
    var willCommit: (@Sendable ([String: ChangedRows]) -> Void)?
    if needsOldState {
      willCommit = { [weak self] changes in self?.willCommit(changes, query, dependencies) }
    }
    return engine.follow(
      dependencies.map(\.table).uniqueByBytes(), willCommit: willCommit,
      committed: { [weak self] commit in self?.committed(commit, id, needsOldState: needsOldState) },
      wake: { [weak self] in self?.schedule() })
  }

  func replaceFollowing(_ following: any EngineFollowing, of query: any ResultQuery) {
    // The old one ends outside of the lock.
    let old = withState { state in
      defer { state.following = following }
      state.announced = state.announced.filter { $0.key == ObjectIdentifier(query) }
      return state.following
    }
    withExtendedLifetime(old) {}
  }

  private func willCommit(
    _ changes: [String: ChangedRows], _ query: any ResultQuery, _ dependencies: [ResultDependency]
  ) {
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
    withState { $0.announced[ObjectIdentifier(query)] = announcement }
  }

  private func committed(_ commit: EngineCommit, _ query: ObjectIdentifier, needsOldState: Bool) {
    withState { state in
      // Following may have begun between the moment before the commit and the commit.
      let announcement =
        needsOldState ? state.announced.removeValue(forKey: query) ?? Announcement(isKnown: false) : Announcement()
      _ = state.note {
        $0.add(commit)
        $0.add(before: announcement.before)
        if !announcement.isKnown { $0.lacksOldState = true }
      }
      state.statistics.commits += 1
      // A request that could not be fetched may be right by now, with other rows or another schema.
      if state.failed != nil, commit.isOfEverything || state.failure?.mayPass == true { state.failed = nil }
    }
  }
}
