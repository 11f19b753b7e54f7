import DataSources
import SQLiteStore

/// A database as the controller sees it: the one seam between the two.
///
/// What crosses it are requests, rows with the keys that order and identify them, and commits with the keys that they may have
/// changed. How a query is run, restricted and compared is the engine's business.
protocol ResultEngine: AnyObject, Sendable {
  /// Makes a query of a request; throws what is wrong with it. Where rows can't be compared, its batches say what they hold.
  /// `access` may call it off.
  func query(
    for request: RequestDescription, canCompare: Bool, _ access: Connection.Access
  ) throws -> any ResultQuery

  /// Tells of every commit that touches the tables, in order. It ends with the object it returns.
  ///
  /// `willCommit` is called before the commit, while what others read is still the old state, on the writer's thread. `committed`
  /// is called some time after, one commit at a time, or for all up to now by `catchUp`; and then `wake`, when the writer waits
  /// for nothing any more. The first two must be quick.
  func follow(
    _ tables: [String], willCommit: (@Sendable ([String: ChangedRows]) -> Void)?,
    committed: @escaping @Sendable (EngineCommit) -> Void, wake: @escaping @Sendable () -> Void
  ) -> any EngineFollowing

  /// Finds out what others have committed, and returns when all commits so far have been reported.
  func catchUp() throws

  /// Who waits for that.
  var lookouts: Lookouts { get }

  /// Runs `body` with a view of what has been committed. For `willCommit`, which is called where nothing else can be waited for.
  func readNow<R>(_ body: (any EngineView) throws -> R) throws -> R

  /// How long a fetch waits for one and the same other fetch or evaluation of its list.
  var timeout: Duration { get }

  /// The threads that evaluate for this database.
  var evaluators: Evaluators { get }

  /// Runs `body` with a view of the newest state that does not change meanwhile.
  ///
  /// `taking` is called before the state is fixed, perhaps several times, catches up and takes what has been told of: all of it can
  /// be seen. `access` may call it off.
  func read<R>(
    _ access: Connection.Access, taking: () -> Void, _ body: (any EngineView) throws -> R
  ) throws -> R

  /// The same, and of the commits that were made here no other can be seen than what has been told of when `considering` is called:
  /// after the state was fixed, and only where there may be more. That may be in the state or not.
  func read<R>(taking: () -> Void, considering: () -> Void, _ body: (any EngineView) throws -> R) throws -> R
}

/// How often a request is planned anew because the schema was changed meanwhile.
enum Planning {
  static let mostAttempts = 50
  static let isAlwaysOvertaken = DatabaseError(
    code: .busy,
    message: "another program changes the schema again and again, so that no request can be planned; try again")
}

/// Tables that are followed, for as long as this is held.
protocol EngineFollowing: AnyObject, Sendable {
  /// Calls `committed` for every commit that can be read by now, as far as that has not been done; when it returns, it has.
  func catchUp()

  /// `wake` need not be called from now on: the caller catches up by itself, until it sleeps.
  func stayAwake()
  /// `wake` is called again for what is committed from now on. False where something has been before of which the caller does not know.
  func sleep() -> Bool
}

/// A commit as an engine reports it.
struct EngineCommit: Sendable {
  var changes: [String: ChangedRows]
  /// Whether the state before it could be asked about in `willCommit`.
  var hadOldState: Bool

  /// How many rows are known to have changed.
  var rows: Int {
    changes.values.reduce(0) { count, rows in if case .rows(let rows) = rows { count + rows.count } else { count } }
  }

  /// Whether of a table any row may have changed.
  var isOfEverything: Bool {
    changes.values.contains { if case .everything = $0 { true } else { false } }
  }
}

/// A state of the database, while it is read.
protocol EngineView {
  /// How two texts stand to each other under a collation.
  func compare(_ collation: String, _ left: String, _ right: String) throws -> Int
}

/// A table whose changes matter to a query.
struct ResultDependency: Sendable {
  enum Role: Sendable, Equatable {
    /// The entity's own rows.
    case entity
    /// Rows joined to them; the result remembers which, as its partner of this number.
    case partner(Int)
    /// Rows that only decide about others.
    case bystander
    /// Any change makes the query run again, for this reason.
    case whole(String)
    /// The sections that stand without rows are read again.
    case headers
  }

  /// The name that its commits are reported under.
  var table: String
  var role: Role
  /// Whether what it had to do with before a commit must be known.
  var needsOldState = false
}

/// Tells a query from every other one, also from those that are made after it has gone.
final class QueryIdentity: Sendable {}

/// A request as an engine runs it.
protocol ResultQuery: AnyObject, Sendable {
  var identity: QueryIdentity { get }
  var dependencies: [ResultDependency] { get }
  /// How its order keys compare.
  var order: KeyOrder { get }
  /// Why it is run as a whole after each commit; nil when it is followed row by row.
  var reason: String? { get }
  /// Whether a section's name follows from its id, if that is a text.
  var isNameOfID: Bool { get }
  /// Whether an id stands once in the entity's table; a join can still repeat the row.
  var isIDUnique: Bool { get }
  var numberOfPartners: Int { get }
  var hasHeaders: Bool { get }

  /// The columns that an entity's content is made of.
  var contentNames: [String] { get }
  /// Puts all rows on the shelf, in order. `former` names the columns of the content before the schema was changed.
  func fetch(_ view: any EngineView, onto shelf: RowShelf, former: [String]?) throws -> RowBatch
  /// Puts the rows of these keys of the entity's table on the shelf, as far as they are in the result, behind what is there.
  func rows(of keys: [RowKey], _ view: any EngineView, onto shelf: RowShelf) throws -> RowBatch
  /// The keys of the entity's rows that rows of a table have to do with.
  func affected(by rows: [RowKey], of dependency: Int, _ view: any EngineView) throws -> [RowKey]
  /// The sections that stand without rows.
  func headers(_ view: any EngineView) throws -> [SectionHeader]
  /// Whether the query would be run in another way by now, as the schema has changed.
  func isStale(_ view: any EngineView) throws -> Bool
  /// The same for a view whose state was just fixed, as far as it can be told at no cost. Another program's change of the schema
  /// can be seen before it is told of.
  func isOvertaken(_ view: any EngineView) throws -> Bool
}
