import SQLiteStore

/// The followers of a database by their tables: those that follow the same tables share one observation.
final class FollowerGroups: Sendable {
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var groups: [[ByteString]: Group] = [:]
  private let translation = CommitTranslation()

  private struct Group {
    weak var followers: Followers?
  }

  /// Reports every commit that touches the tables, which are sorted, as documented at `ResultEngine.follow`.
  func add(
    _ tables: [String], willCommit: (@Sendable ([String: ChangedRows]) -> Void)?,
    committed: @escaping @Sendable (EngineCommit) -> Void, wake: @escaping @Sendable () -> Void,
    of database: Database, _ evaluators: Evaluators
  ) -> any EngineFollowing {
    if let willCommit {
      // What was found before a commit belongs to that commit, so both are reported on the writer's thread.
      return LoneFollower(
        database.observe(
          tables, willCommit: { changes in willCommit(changes.mapValues { ChangedRows($0) }) },
          commitComes: { evaluators.expect() },
          didCommit: { [translation] commit in committed(translation.of(commit)) }
        ) { _ in wake() })
    }
    return lock.withLock {
      let followers = groups[tables.map { ByteString($0) }]?.followers ?? begin(tables, of: database, evaluators)
      return followers.add(committed: committed, wake: wake)
    }
  }

  /// The caller holds the lock.
  private func begin(_ tables: [String], of database: Database, _ evaluators: Evaluators) -> Followers {
    groups = groups.filter { $0.value.followers != nil }
    let followers = Followers(evaluators)
    groups[tables.map { ByteString($0) }] = Group(followers: followers)
    followers.hold(
      database.observe(
        tables, willCommit: nil, commitComes: { evaluators.expect() },
        didCommit: { [translation, weak followers] commit in followers?.committed(translation.of(commit)) }
      ) { [weak followers] _ in followers?.wake() })
    return followers
  }
}

/// A follower that receives each commit by itself, on the writer's thread.
private final class LoneFollower: EngineFollowing {
  private let observation: CommitObservation
  init(_ observation: CommitObservation) { self.observation = observation }
  func catchUp() {}
  func stayAwake() {}
  func sleep() -> Bool { true }
}

/// Converts a commit to the engine's type once for all followers of a database, because the writer waits for it.
private final class CommitTranslation: Sendable {
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var last: (sequence: UInt64, commit: EngineCommit)?

  func of(_ commit: Commit) -> EngineCommit {
    lock.withLock {
      if let last, last.sequence == commit.sequence { return last.commit }
      let translated = EngineCommit(
        changes: commit.changes.mapValues { ChangedRows($0) }, hadOldState: commit.origin == .local)
      // Don't keep a large one for later.
      last = translated.rows <= 10_000 ? (commit.sequence, translated) : nil
      return translated
    }
  }
}
