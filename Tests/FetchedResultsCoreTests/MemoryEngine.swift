import EngineConformance
import FetchedResultsCore
import FetchedResultsSupport
import RowModel

/// The engine of a `MemoryDatabase`.
final class MemoryEngine: ResultEngine {
  private let database: MemoryDatabase

  init(_ database: MemoryDatabase) { self.database = database }

  var pool: EvaluationPool { database.pool }
  var foreignChecks: ForeignCheckQueue { database.foreignChecks }
  var timeout: Duration { .seconds(5) }

  func query(
    for request: RequestDescription, canCompare: Bool, _ access: CancellableAccess
  ) throws -> any ResultQuery {
    if let failure = request.failure { throw failure }
    return try MemoryQuery(request, database.fault)
  }

  func follow(
    _ tables: [String], asking questions: [OldStateQuestion], screening list: (any ScreenedList, any ResultQuery)?,
    committed: @escaping @Sendable (EngineCommit) -> Void, wake: @escaping @Sendable () -> Void
  ) -> CommitCursor {
    database.log.add(asking: questions, screening: list, committed: committed, wake: wake)
  }

  func catchUp() throws { database.reportAll() }

  func screen() {}

  func kind(of error: any Error) -> ErrorKind { .lasting }

  var log: @Sendable (String) -> Void { { _ in } }

  func read<R>(
    _ access: CancellableAccess, taking: () -> Void, _ body: (any EngineView) throws -> R
  ) throws -> R {
    taking()
    return try body(MemoryView(state: database.state()))
  }

  func read<R>(
    for query: any ResultQuery, taking: () -> Void, considering: () -> Void, _ body: (any EngineView) throws -> R
  ) throws -> R {
    taking()
    let state = database.state()
    if database.fault != .reportsAfterReads {
      // The state may contain commits that the feed has not reported yet.
      database.report(upTo: state.position)
      considering()
    }
    return try body(MemoryView(state: state))
  }
}

/// A state of the table, which does not change.
struct MemoryView: EngineView {
  let state: MemoryDatabase.State
  var mayHoldUnreported: Bool { false }

  func compare(_ collation: String, _ left: String, _ right: String) throws -> Int {
    throw DatabaseError.misuse("this database has no collations")
  }
}
