import FetchedResultsCore
import FetchedResultsSupport
import RowModel
import SQLiteStore

/// The cursors of a database by their tables: those that follow the same tables share one observation.
final class CommitLogs: Sendable {
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var groups: [Tables: Group] = [:]
  private let translation = CommitTranslation()
  /// What the writers have done for lists that need the state before a commit.
  let oldStateWork = OldStateWork()

  private struct Group {
    weak var cursors: CommitLog?
  }

  private struct Tables: Hashable {
    var names: [ByteString]
    /// Whether the cursors ask about the state before a commit. The others' commits don't wait for that.
    var isAsking: Bool
  }

  /// Reports every commit that touches the tables, which are sorted, as documented at `ResultEngine.follow`.
  func add(
    _ tables: [String], asking questions: [OldStateQuestion], screening list: (any ScreenedList, any ResultQuery)?,
    committed: @escaping @Sendable (EngineCommit) -> Void, wake: @escaping @Sendable () -> Void,
    of database: Database, _ pool: EvaluationPool
  ) -> CommitCursor {
    lock.withLock {
      let group = Tables(names: tables.map { ByteString($0) }, isAsking: !questions.isEmpty)
      let cursors = groups[group]?.cursors ?? begin(group, tables, of: database, pool)
      return cursors.add(asking: questions, screening: list, committed: committed, wake: wake)
    }
  }

  /// Makes the lists of all groups leave out the commits that don't concern them.
  func screen() {
    for cursors in lock.withLock({ groups.values.map { $0 } }).compactMap(\.cursors) { cursors.screen() }
  }

  /// The caller holds the lock.
  private func begin(
    _ group: Tables, _ tables: [String], of database: Database, _ pool: EvaluationPool
  ) -> CommitLog {
    groups = groups.filter { $0.value.cursors != nil }
    let screening = RowScreening(
      read: { [weak database] taking, body in
        try database?.read(taking: taking) { try body(SQLiteView(connection: $0)) }
      },
      screen: { lists in
        let screen = ConditionScreen(lists)
        return { rows, view in
          guard let view = view as? SQLiteView else { return Set(lists.map(\.number)) }
          return try screen.lists(matching: rows, view.connection)
        }
      })
    let cursors = CommitLog(pool, screening)
    groups[group] = Group(cursors: cursors)
    var willCommit: (@Sendable ([String: DirtyKeys]) -> Void)?
    if group.isAsking {
      willCommit = { [oldStateWork, weak cursors, weak database] changes in
        guard let cursors, let database else { return }
        cursors.announce(
          OldState.answers(to: cursors.questions, changes.mapValues { ChangedRows($0) }, oldStateWork) { body in
            try database.readOldState { try body(SQLiteView(connection: $0)) }
          })
      }
    }
    cursors.hold(
      database.observe(
        tables, willCommit: willCommit, commitComes: { pool.expect() },
        didCommit: { [translation, weak cursors] commit in cursors?.committed(translation.of(commit)) }
      ) { [weak cursors] _ in cursors?.wake() })
    return cursors
  }
}

/// Converts a commit to the engine's type once for all cursors of a database, because the writer waits for it.
private final class CommitTranslation: Sendable {
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var last: (sequence: UInt64, commit: EngineCommit)?

  func of(_ commit: Commit) -> EngineCommit {
    lock.withLock {
      if let last, last.sequence == commit.sequence { return last.commit }
      let translated = EngineCommit(
        changes: commit.changes.mapValues { ChangedRows($0) }, hadOldState: !commit.isForeign)
      // Don't keep a large one for later.
      last = translated.rows <= 10_000 ? (commit.sequence, translated) : nil
      return translated
    }
  }
}
