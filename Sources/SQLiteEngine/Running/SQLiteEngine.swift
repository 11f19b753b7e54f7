import DataSources
public import FetchedResultsCore
import FetchedResultsSupport
import RowModel
public import SQLiteStore

extension Database: LiveDatabase {
  /// SQLite as the engine of a controller.
  public var liveEngine: LiveEngine { LiveEngine(SQLiteEngine(self)) }
}

/// SQLite as the controller's engine.
final class SQLiteEngine: ResultEngine {
  private let database: Database
  private let groups: CommitLogs

  let pool: EvaluationPool
  let foreignChecks: ForeignCheckQueue
  let timeout: Duration

  init(_ database: Database) {
    self.database = database
    // An evaluation may take longer than the timeout for other programs.
    timeout = max(database.options.busyTimeout, .seconds(1))
    groups = database.shared(CommitLogs.self) { CommitLogs() }
    let pool = database.shared(EvaluationPool.self) { EvaluationPool() }
    self.pool = pool
    foreignChecks = database.shared(ForeignCheckQueue.self) { ForeignCheckQueue(pool) }
  }

  func query(
    for request: RequestDescription, canCompare: Bool, _ access: CancellableAccess
  ) throws -> any ResultQuery {
    // Translate here and not in the planner, which may have to plan several times.
    let request = try request.translated(by: ConditionTranslator())
    if let failure = request.failure { throw failure }
    if request.sectionBy?.function != nil {
      _ = try database.shared(SectionFunctions.self) { try SectionFunctions(in: database) }
    }
    return try database.withPlanner(access) { connection in
      // Repeat until the schema is the same before and after, because another process may change it in between.
      for _ in 0..<Planning.mostAttempts {
        let versions = try SQLiteView.schemaVersions(of: connection)
        try connection.readCurrentSchema()
        let encoding: String = try connection.copiedRows("PRAGMA encoding")[0][0]
        let planner = QueryPlanner(
          probe: PlanProbe(connection: connection), request: request, encoding: encoding,
          isInMemory: database.path == nil, sectionFunction: SectionFunctions.name)
        var plan = try planner.plan()
        if plan.dependencies.isEmpty { plan.dependencies = [Self.missingTable] }
        if try SQLiteView.schemaVersions(of: connection) == versions {
          return SQLiteQuery(plan: plan, schemaVersions: versions, request: request, isFingerprinted: !canCompare)
        }
      }
      throw Planning.isAlwaysOvertaken
    }
  }

  /// What a request that reads no table depends on, such as one of a view of constants: commits report a missing table
  /// only if the schema has changed.
  private static let missingTable = QueryPlan.Dependency(
    table: "frc_missing", role: .whole("a request that reads no table"))

  func follow(
    _ tables: [String], asking questions: [OldStateQuestion], screening list: (any ScreenedList, any ResultQuery)?,
    committed: @escaping @Sendable (EngineCommit) -> Void, wake: @escaping @Sendable () -> Void
  ) -> CommitCursor {
    groups.add(
      tables, asking: questions, screening: list, committed: committed, wake: wake, of: database, pool)
  }

  func catchUp() throws { try database.lookForCommits() }

  var log: @Sendable (_ line: String) -> Void { database.options.log }

  func screen() { groups.screen() }

  func kind(of error: any Error) -> ErrorKind {
    guard let error = error as? DatabaseError else { return .lasting }
    switch error.code {
    case .busy, .locked: return .busy
    case .ioError, .full, .cantOpen, .noMemory, .interrupt: return .passing
    case .misuse where database.wasClosed: return .final
    // A row that can't be read.
    case .misuse, .mismatch: return .lasting
    default: return .unclear
    }
  }

  func read<R>(
    _ access: CancellableAccess, taking: () -> Void, _ body: (any EngineView) throws -> R
  ) throws -> R {
    try database.read(access, taking: taking) { try body(SQLiteView(connection: $0)) }
  }

  func read<R>(
    for query: any ResultQuery, taking: () -> Void, considering: () -> Void, _ body: (any EngineView) throws -> R
  ) throws -> R {
    // Where two rows can exchange their ids, a list must not show one of them after that and the other before.
    let isLooking = (query as? SQLiteQuery)?.canExchangeIDs ?? false
    var isLookedAt = true
    return try database.readExactly(
      .uncancellable, isLooking: isLooking, taking: taking, considering: considering, notLooked: { isLookedAt = false }
    ) { try body(SQLiteView(connection: $0, mayHoldUnreported: !isLookedAt)) }
  }
}

/// A read transaction.
struct SQLiteView: EngineView {
  let connection: Connection
  var mayHoldUnreported = false

  func compare(_ collation: String, _ left: String, _ right: String) throws -> Int {
    let name = SQL.quoted(collation)
    return try connection.withCursor(
      "SELECT CASE WHEN ?1 = ?2 COLLATE \(name) THEN 0 WHEN ?1 < ?2 COLLATE \(name) THEN -1 ELSE 1 END",
      [.text(left), .text(right)]
    ) { cursor in
      try cursor.step() ? try cursor.row[0] : 0
    }
  }

  /// The versions of the schemas of the file and of the attached files, and the numbers of these attachments. If one
  /// differs, statements must be planned again.
  ///
  /// Other files of the connection don't count: one connection may have opened a file for temporary tables, and another
  /// not.
  static func schemaVersions(of connection: Connection) throws -> [Int64] {
    try connection.files.map { name in
      try connection.copiedRows("PRAGMA \(SQL.quoted(name)).schema_version")[0][0]
    } + connection.attachments
  }
}

extension ChangedRows {
  init(_ keys: DirtyKeys) {
    switch keys {
    case .rowIDs(let ids): self = .rows(ids.map { .number($0) })
    case .primaryKeys(let keys): self = .rows(keys.map { .values($0) })
    case .everything(let reason): self = .everything(reason.explanation)
    }
  }
}

extension EverythingReason {
  /// The reason in words, for `Statistics.reasons`.
  var explanation: String {
    switch self {
    case .schemaChanged: "the schema was changed, or VACUUM ran"
    case .overflow: "more rows changed in one commit than are noted one by one"
    case .foreignCommit:
      "another program or library committed, and no history is recorded; set Database.Options.recordsHistory"
    case .historyGap: "the recorded history does not reach back to what was seen last"
    case .notATable: "changes of a view, a virtual table or a table of SQLite's own, which are not reported row by row"
    case .hookReplaced: "another preupdate hook was set through the connection's handle"
    case .handleLent: "the connection's handle was lent, through which changes can be made that triggers do not see"
    case .observationBegan: "a commit was under way when following began"
    }
  }
}
