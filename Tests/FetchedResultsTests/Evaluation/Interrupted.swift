import FetchedResults

@testable import FetchedResultsCore
@testable import SQLiteEngine
@testable import SQLiteStore

/// An engine that runs code before a read, before an evaluation drains the commits, after that, or when the state that
/// it reads is fixed.
final class Interrupted: ResultEngine {
  typealias Item = Record<ItemTable>

  /// A database that a controller follows through such an engine.
  struct Live: LiveDatabase {
    let liveEngine: LiveEngine
    init(_ engine: Interrupted) { liveEngine = LiveEngine(engine) }
  }

  private let engine: SQLiteEngine
  private let ahead: @Sendable () -> Void
  private let before: @Sendable () -> Void
  private let after: @Sendable () -> Void
  private let within: @Sendable () throws -> Void
  /// Whether no commits are delivered, so that each follower must catch up.
  private let isSlow: Bool

  init(
    _ database: Database, ahead: @escaping @Sendable () -> Void = {}, before: @escaping @Sendable () -> Void = {},
    after: @escaping @Sendable () -> Void = {},
    within: @escaping @Sendable () throws -> Void = {}, isSlow: Bool = false
  ) {
    engine = SQLiteEngine(database)
    self.ahead = ahead
    self.before = before
    self.after = after
    self.within = within
    self.isSlow = isSlow
  }

  var pool: EvaluationPool { engine.pool }
  var foreignChecks: ForeignCheckQueue { engine.foreignChecks }
  var timeout: Duration { engine.timeout }
  var log: @Sendable (String) -> Void { engine.log }
  func kind(of error: any Error) -> ErrorKind { engine.kind(of: error) }
  func query(
    for request: RequestDescription, canCompare: Bool, _ access: Connection.Access
  ) throws -> any ResultQuery {
    try engine.query(for: request, canCompare: canCompare, access)
  }
  func follow(
    _ tables: [String], asking questions: [OldStateQuestion], screening list: (any ScreenedList, any ResultQuery)?,
    committed: @escaping @Sendable (EngineCommit) -> Void, wake: @escaping @Sendable () -> Void
  ) -> CommitCursor {
    let following = engine.follow(
      tables, asking: questions, screening: list, committed: committed, wake: wake)
    if isSlow { following.stayAwake() }
    return following
  }
  func catchUp() throws { try engine.catchUp() }
  func screen() { engine.screen() }
  func read<R>(
    _ access: Connection.Access, taking: () -> Void, _ body: (any EngineView) throws -> R
  ) throws -> R {
    ahead()
    return try engine.read(access, taking: { take(taking) }) { view in
      try within()
      return try body(view)
    }
  }
  func read<R>(
    for query: any ResultQuery, taking: () -> Void, considering: () -> Void, _ body: (any EngineView) throws -> R
  ) throws -> R {
    ahead()
    return try engine.read(for: query, taking: { take(taking) }, considering: considering) { view in
      try within()
      return try body(view)
    }
  }
  private func take(_ taking: () -> Void) {
    before()
    taking()
    after()
  }
}

/// A closure to run on a thread that evaluates.
final class EvaluatorErrand: EvaluationPool.Job {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  func run(on pool: EvaluationPool) { body() }
}
