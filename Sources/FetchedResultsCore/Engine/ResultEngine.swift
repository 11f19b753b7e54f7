package import FetchedResultsSupport
package import RowModel

/// A database as the controller sees it: the only interface between the two.
///
/// Through it pass requests, rows with the keys that order and identify them, and commits with the keys that they may
/// have changed. The engine decides how a query is run, restricted and compared.
package protocol ResultEngine: AnyObject, Sendable {
  /// Plans a query for a request, whose predicate it translates; throws if the request is wrong. If rows can't be
  /// compared, its batches contain fingerprints of their contents. `access` can cancel it.
  func query(
    for request: RequestDescription, canCompare: Bool, _ access: CancellableAccess
  ) throws -> any ResultQuery

  /// Reports every commit that touches the tables, in order, until the returned cursor is released.
  ///
  /// A list that can be screened receives no call for commits that don't concern it.
  ///
  /// The questions are answered on the writer's thread before the commit, while readers still see the old state.
  /// `committed` is called some time after the commit, one commit at a time, or by `catchUp` for all commits up to now.
  /// It must be quick. Then `wake` is called, when the writer waits for nothing any more.
  func follow(
    _ tables: [String], asking questions: [OldStateQuestion], screening list: (any ScreenedList, any ResultQuery)?,
    committed: @escaping @Sendable (EngineCommit) -> Void, wake: @escaping @Sendable () -> Void
  ) -> CommitCursor

  /// Finds the commits of other connections, and returns when all commits so far have been reported.
  func catchUp() throws

  /// Makes many lists leave out the commits that don't concern them, before each of them catches up by itself.
  func screen()

  /// The waiters for a check for foreign commits.
  var foreignChecks: ForeignCheckQueue { get }

  /// Whether trying again may help after an error.
  func kind(of error: any Error) -> ErrorKind

  /// Writes a line about something that nobody else hears of.
  var log: @Sendable (_ line: String) -> Void { get }

  /// How long a fetch waits for another fetch or evaluation of its list.
  var timeout: Duration { get }

  /// The threads that evaluate for this database.
  var pool: EvaluationPool { get }

  /// Runs `body` with a view of the newest state, which does not change meanwhile.
  ///
  /// `taking` is called before the state is fixed, perhaps several times. It drains the reported commits, all of which
  /// the view then contains. `access` can cancel it.
  func read<R>(
    _ access: CancellableAccess, taking: () -> Void, _ body: (any EngineView) throws -> R
  ) throws -> R

  /// Runs `body` with a view of the newest state, for an evaluation of `query`.
  ///
  /// The view contains no commit of this process other than those reported before `considering` was called.
  /// `considering` is called after the state was fixed, and only if there may be further commits. The state may or may
  /// not contain these.
  ///
  /// A commit of another program may be visible before it is reported, unless that could show an id twice. If the
  /// engine can't prevent that, the view says so (`mayHoldUnreported`), and the whole query runs.
  func read<R>(
    for query: any ResultQuery, taking: () -> Void, considering: () -> Void, _ body: (any EngineView) throws -> R
  ) throws -> R
}

/// Limits how many times a request is planned again because the schema was changed meanwhile.
package enum Planning {
  package static let mostAttempts = 50
  package static let isAlwaysOvertaken = DatabaseError(
    code: .busy,
    message: "another program changes the schema again and again, so that no request can be planned; try again")
}

/// A commit as an engine reports it.
package struct EngineCommit: Sendable {
  package var changes: [String: ChangedRows]
  /// Whether the old state could be read before it.
  package var hadOldState: Bool
  /// The answers about the old state; nil if no list asked.
  package var before: OldState?

  package init(changes: [String: ChangedRows], hadOldState: Bool) {
    self.changes = changes
    self.hadOldState = hadOldState
  }

  /// The number of rows that are known to have changed.
  package var rows: Int {
    changes.values.reduce(0) { count, rows in if case .rows(let rows) = rows { count + rows.count } else { count } }
  }

  /// Whether any row of a table may have changed.
  package var isOfEverything: Bool {
    changes.values.contains { if case .everything = $0 { true } else { false } }
  }
}

/// A state of the database during a read.
package protocol EngineView {
  /// Whether it may contain another program's commit that was not reported, although the query of the evaluation
  /// doesn't allow that.
  var mayHoldUnreported: Bool { get }
  /// Compares two texts under a collation.
  func compare(_ collation: String, _ left: String, _ right: String) throws -> Int
}

/// A table whose changes affect a query.
package struct ResultDependency: Sendable {
  package enum Role: Sendable, Equatable {
    /// The entity's own rows.
    case entity
    /// Rows joined to them; the result records which ones, as its partner with this number.
    case partner(Int)
    /// Rows that only decide whether other rows are in the result.
    case bystander
    /// Rows that decide about all others alike, such as settings. A change of one that counts before or after it runs
    /// the whole query again, for this reason.
    case common(String)
    /// Any change runs the whole query again, for this reason.
    case whole(String)
    /// The sections that exist without rows are read again.
    case headers

    package var isWhole: Bool {
      if case .whole = self { true } else { false }
    }
  }

  /// The name under which the table's commits are reported.
  package var table: String
  package var role: Role
  /// Whether the rows that depended on it before a commit must be known.
  package var needsOldState: Bool

  package init(table: String, role: Role, needsOldState: Bool = false) {
    self.table = table
    self.role = role
    self.needsOldState = needsOldState
  }
}

/// Identifies a query, also among queries that are made after it was released.
package final class QueryIdentity: Sendable {
  package init() {}
}

/// Thrown when rows are read one by one and that has cost more than to run the whole query. A condition may do the same
/// work for each of them that the whole query does once, such as reading a long list of values.
package struct CostlierThanWhole: Error {
  package init() {}
}

/// How many keys a search may find, and how much it may cost in the engine's own unit.
package struct SearchLimit: Sendable {
  package var keys: Int
  package var steps: Int

  package init(keys: Int, steps: Int) {
    self.keys = keys
    self.steps = steps
  }

  /// For searches that nobody's write waits for.
  package static var none: SearchLimit { SearchLimit(keys: .max, steps: .max) }
}

/// A request as an engine runs it.
package protocol ResultQuery: AnyObject, Sendable {
  var identity: QueryIdentity { get }
  var dependencies: [ResultDependency] { get }
  /// How its order keys compare.
  var order: KeyOrder { get }
  /// Why the whole query runs after each commit; nil if it is followed row by row.
  var reason: String? { get }
  /// Whether a section's name follows from its id, if that is a text.
  var isNameOfID: Bool { get }
  /// Whether an id is unique in the entity's table; a join can still repeat the row.
  var isIDUnique: Bool { get }
  var numberOfPartners: Int { get }
  var hasHeaders: Bool { get }
  /// The conditions for which no index can be used because of how values are stored, for `statistics`.
  var lostIndexes: Set<String> { get }
  /// What decides about a row, if that is a condition on the entity's table alone.
  var condition: RowCondition? { get }

  /// The columns of an entity's content.
  var contentNames: [String] { get }
  /// Puts all rows in the storage, in order. `former` names the content columns before the schema was changed.
  func fetch(_ view: any EngineView, onto storage: RowOperations, former: [String]?) throws -> RowBatch
  /// Appends to the storage those rows with these keys of the entity's table that are in the result. Throws
  /// ``CostlierThanWhole`` if that takes much longer than `fetch` did.
  func rows(of keys: [RowKey], _ view: any EngineView, onto storage: RowOperations) throws -> RowBatch
  /// The keys of the entity's rows that depend on rows of a table. Takes off the limit what it has found and cost, also
  /// if it throws. Throws ``OldState/TooMany`` if the limit is reached, and ``CostlierThanWhole`` if finding them takes
  /// much longer than `fetch` did.
  func affected(
    by rows: [RowKey], of dependency: Int, within limit: inout SearchLimit, _ view: any EngineView
  ) throws -> [RowKey]
  /// The statement that finds the keys of `affected`. Queries with the same statement find the same keys.
  func wording(of dependency: Int) -> SQL?
  /// The sections that exist without rows.
  func headers(_ view: any EngineView) throws -> [SectionHeader]
  /// Whether the query would be planned differently now, because the schema has changed.
  func isStale(_ view: any EngineView) throws -> Bool
  /// The same, asked just after the state was fixed, and only if the answer costs nothing. A schema change of another
  /// program can be visible before it is reported.
  func isOvertaken(_ view: any EngineView) throws -> Bool
}
