import CFetchedResultsSQLite
package import FetchedResultsSupport
import Synchronization

/// One connection to the database, lent for one `read` or `write`.
///
/// ```swift
/// func number(of list: Int64, _ c: Connection) throws -> Int {
///   try c.value("SELECT count(*) FROM item WHERE list = \(list)") ?? 0
/// }
/// let seven = try database.read { c in try number(of: 7, c) }
/// ```
///
/// Everything that runs SQL is here. A connection must not leave the closure that it was passed to. If it does, using
/// it on another thread throws, and so does using it while no closure has it; properties that can't throw return 0
/// then.
public final class Connection {
  let handle: OpaquePointer
  /// Whether writing through this connection fails.
  public let isReadOnly: Bool
  weak var database: Database?
  /// Notes the tables that the user's statements read, while a value is observed.
  var tablesRead: TablesRead?
  let busy: BusyHandler
  let statementGuard: StatementGuard
  private var userStatements: StatementCache
  var internalStatements = StatementCache(capacity: 64)
  // The statements of the library above the store. Every followed request has a few, and those of a thousand lists may
  // be needed for each commit, in turn.
  private var cursorStatements = StatementCache(capacity: 4096)
  /// The version of the database's registrations (functions, collations, attached files) that this connection has
  /// applied.
  var registrationVersion = 0
  // The thread that uses the connection now; 0 for none. Everything else here belongs to that thread. So code that has
  // kept the connection must check this first.
  private let user = Atomic<UInt>(0)
  // The access of the current user; nil if unused.
  private(set) var access: Access? {
    didSet { needsNoCheck = access === Self.uncancellable }
  }
  /// Whether `access` is that of synchronous reads and writes, which can't be cancelled, so statements need not check
  /// it.
  // because only the thread of the access uses it; an exclusivity check for each statement would cost more than the
  // rest
  @exclusivity(unchecked) private var needsNoCheck = false
  // The same access, kept even after an error has ended the use.
  private var holder: Access?
  private var savepoints = 0
  /// Whether statements that would write are refused, whatever SQLite's settings are.
  var refusesWrites: Bool
  private(set) var isClosed = false
  // Whether a transaction must be open. An error can end it (a full disk, ON CONFLICT ROLLBACK, an interruption), and a
  // later statement would then be committed on its own.
  private var expectsTransaction = false
  private var transactionEndedBy: DatabaseError?
  /// The version of the main file's schema in the state that the last exact read saw; 0 for none.
  package internal(set) var snapshotSchema: Int64 = 0
  /// The names of the files attached by `Database.attach`.
  var attachedNames: [String] = []
  /// The numbers of these attachments, which are the same on every connection. Another file under the same name has the
  /// same schema version perhaps, but not the same number.
  package var attachments: [Int64] = []
  /// The main file and those attached by `Database.attach`: the same on every connection. For a database in memory,
  /// also the temporary schema.
  package var files: [String] { ["main"] + attachedNames.sorted() + (database?.path == nil ? ["temp"] : []) }
  /// The versions of the files' schemas that statements were compiled for, if files are attached.
  var compiledSchemas: [Int64] = []
  var tracer: Tracer?
  var hasAcceptedSchema = false
  // The entity statements in use last: found without hashing SQL.
  @usableFromInline var entityStatements: [ObjectIdentifier: EntityStatements] = [:]
  @usableFromInline var recentEntityStatements: EntityStatements?
  var entityTables: [ObjectIdentifier: EntityTable] = [:]
  // The versions of the files' schemas that these belong to, and whether they were compared in this transaction.
  var entitySchema: [Int64] = []
  var isSchemaKnown = false

  init(handle: OpaquePointer, isReadOnly: Bool, options: Database.Options, busy: BusyHandler) {
    self.handle = handle
    self.isReadOnly = isReadOnly
    refusesWrites = isReadOnly
    self.busy = busy
    statementGuard = StatementGuard(options)
    userStatements = StatementCache(capacity: options.statementCacheSize)
    guardStatements()
  }

  /// Closes the connection, once; it must not be used again.
  func close() {
    forgetStatements()
    guard !isClosed else { return }
    isClosed = true
    sqlite3_close_v2(handle)
  }

  func forgetStatements() {
    forgetEntityStatements()
    userStatements.removeAll()
    internalStatements.removeAll()
    cursorStatements.removeAll()
  }

  // MARK: Who may use it

  package typealias Access = CancellableAccess

  /// The access for calls that can't be cancelled.
  package static let uncancellable = Access.uncancellable

  func begin(_ access: Access) {
    user.store(ThreadID.current.raw, ordering: .relaxed)
    entityTransactionBegins()
    hasTouchedSchema = false
    self.access = access
    holder = access
    if access !== Self.uncancellable { attach(access) }
    busy.access = access
  }

  /// SQLite asks from time to time whether to continue. An interruption alone could come between two statements, and
  /// would then be forgotten.
  private func attach(_ access: Access) {
    access.attach(handle) { sqlite3_interrupt($0) }
    sqlite3_progress_handler(
      handle, 1000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Access>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
      }, Unmanaged.passUnretained(access).toOpaque())
  }

  /// The access may have been attached to another connection since; this one's handler is removed in any case.
  private func detach(_ access: Access) {
    access.detach { _ in }
    sqlite3_progress_handler(handle, 0, nil, nil)
  }

  /// Interrupts what runs in `body` after about so many steps of SQLite's virtual machine. It must not run where calls
  /// can be cancelled, as SQLite has only one handler for both.
  package func limitingSteps<T>(to most: Int, _ body: () throws -> T) throws -> T {
    let pause = 1000
    // How many more times the handler lets it go on.
    var pauses = most / pause
    return try withUnsafeMutablePointer(to: &pauses) { pauses in
      sqlite3_progress_handler(
        handle, Int32(pause),
        { context in
          guard let pauses = context?.assumingMemoryBound(to: Int.self) else { return 0 }
          pauses.pointee -= 1
          return pauses.pointee < 0 ? 1 : 0
        }, pauses)
      defer { sqlite3_progress_handler(handle, 0, nil, nil) }
      return try body()
    }
  }

  /// From now on what runs here can't be cancelled: it cleans up, or commits.
  func shield() { if let holder, holder !== Self.uncancellable { detach(holder) } }

  /// Makes what runs here cancellable again.
  func unshield() { if let holder, holder !== Self.uncancellable { attach(holder) } }

  func endAccess() {
    if let holder, holder !== Self.uncancellable { detach(holder) }
    access = nil
    holder = nil
    expectsTransaction = false
    transactionEndedBy = nil
    busy.access = nil
    user.store(0, ordering: .relaxed)
  }

  /// Whether this thread uses the connection now.
  var isMine: Bool { user.load(ordering: .relaxed) == ThreadID.current.raw }

  @usableFromInline
  package func checkUsable() throws {
    guard isMine else { throw Self.leftItsClosure }
    if needsNoCheck { return }
    guard let access else {
      if let transactionEndedBy { throw transactionEndedBy }
      throw Self.leftItsClosure
    }
    if access.isCancelled { throw CancellationError() }
  }

  /// Throws the error that has ended the transaction, where one has.
  func checkNotEnded() throws { if let transactionEndedBy { throw transactionEndedBy } }

  private static var leftItsClosure: DatabaseError {
    .misuse("the connection was used outside the read or write that it belongs to")
  }

  // MARK: Statements

  /// Compiles a statement to be run many times, until the end of the `read` or `write`.
  package func prepare(_ sql: String) throws -> Statement {
    try checkUsable()
    return try compile(sql)
  }

  func compile(_ sql: String, isInternal: Bool = false) throws -> Statement {
    var pointer: OpaquePointer?
    var failed: (any Error)?
    var text = try resolved(sql)
    var rest = 0
    statementGuard.statementBegins()
    text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { bytes in
        var tail: UnsafePointer<CChar>?
        func prepare() -> Int32 {
          sqlite3_prepare_v3(
            handle, bytes.baseAddress ?? Parameter.nothing, Int32(clamping: bytes.count),
            UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, &tail)
        }
        var code = prepare()
        if acceptsSchema(after: code) { code = prepare() }
        if code != SQLITE_OK { failed = failure(code, sql: sql) }
        if let tail, let base = bytes.baseAddress { rest = max(0, base.distance(to: tail)) }
      }
    }
    if let failed { throw failed }
    guard let pointer else {
      throw DatabaseError.misuse(
        sql.utf8.first == 0 ? SQLText.nulProblem : "there is no statement in the SQL", sql: sql)
    }
    let statement = Statement(handle: pointer, sql: sql, connection: self)
    if rest < text.utf8.count {
      let remainder = text[text.utf8.index(text.utf8.startIndex, offsetBy: rest)...]
      guard SQLText.isBlank(remainder) else {
        if remainder.utf8.first == 0 { throw DatabaseError.misuse(SQLText.nulProblem, sql: sql) }
        throw DatabaseError.misuse(
          "one statement is expected, but another follows it; run several with executeScript", sql: sql)
      }
    }
    if statement.startsTransaction, !isInternal {
      throw DatabaseError.misuse(
        "read and write begin and end transactions themselves; to undo a part use savepoint { }", sql: sql)
    }
    return statement
  }

  /// Runs `body` with a cached statement and its values bound, and returns the statement to the cache if it succeeds.
  @usableFromInline
  func withStatement<T>(_ sql: SQL, _ body: (Statement) throws -> T) throws -> T {
    if let failure = sql.failure { throw failure }
    try checkUsable()
    let statement = try userStatements.take(sql.text) ?? compile(sql.text)
    if let tablesRead { try tablesRead.note(sql.text, on: self) }
    try statement.begin()
    let result: T
    do {
      if !(sql.bindings.isEmpty && statement.parameterCount == 0) { try statement.bind(sql.bindings) }
      result = try body(statement)
    } catch {
      statement.end()
      throw error
    }
    statement.end()
    userStatements.give(back: statement)
    return result
  }

  /// Makes SQLite ask about each statement, even after somebody replaced the authorizer.
  package func guardStatements() { statementGuard.install(on: handle) }

  /// A statement is about to be compiled that the store does not cache.
  func statementBegins() { statementGuard.statementBegins() }

  func takeForCursor(_ sql: String) throws -> Statement { try cursorStatements.take(sql) ?? compile(sql) }

  func giveBackFromCursor(_ statement: Statement) { cursorStatements.give(back: statement) }

  /// The costs of the user's cached statements, by their SQL.
  package var statementStatistics: [(sql: String, statistics: StatementStatistics)] {
    isMine ? userStatements.statistics : []
  }

  /// The error for a statement that would write inside a read.
  func refusal(of statement: Statement) -> DatabaseError {
    let message =
      database?.isReadOnly == true
      ? "the database was opened for reading only" : "a read does not write; use write { } for this"
    return DatabaseError(code: .readOnly, message: message, sql: statement.sql)
  }

  // MARK: State

  // What this transaction has done, for the capture: whether it may have changed the schema, and whether it may have
  // changed anything, a row of any table or a setting by a PRAGMA. A statement that changes no row may write too: an
  // INSERT of none notes its table in sqlite_sequence.
  private(set) var hasTouchedSchema = false
  var mayHaveChangedAnything = false

  func transactionBegins() {
    entityTransactionBegins()
    hasTouchedSchema = false
    expectsTransaction = false
    mayHaveChangedAnything = false
  }

  /// The transaction is open, and must stay so until it is committed or rolled back as a whole.
  func transactionHasBegun() { expectsTransaction = true }

  /// Called when SQLite may read the schema again, and so move its table structures in memory.
  var whenSchemaIsTouched: (() -> Void)?

  @usableFromInline
  func schemaWasTouched() {
    hasTouchedSchema = true
    mayHaveChangedAnything = true
    // These depend on the declared types of the columns.
    forgetEntityStatements()
    isSchemaKnown = false
    whenSchemaIsTouched?()
  }

  /// Forgets what was read of the schema in a transaction, or in a part of one, that was undone. The version of the
  /// schema goes back then, so that another change may reach the same number.
  func schemaWasUndone() {
    schemaWasTouched()
    entitySchema = []
    compiledSchemas = []
    expireStatements()
    // SQLite forgets its own schema when it undoes a change, unless it has read it again since.
    asLibrary { _ = sqlite3_exec(handle, "PRAGMA writable_schema = RESET", nil, nil, nil) }
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { isMine && hasTransaction }

  /// The same for the library, which may use the connection while no user does.
  var hasTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The row id of the last insertion.
  public var lastInsertedRowID: Int64 { isMine ? sqlite3_last_insert_rowid(handle) : 0 }

  /// The number of rows that the last statement changed, without those changed by triggers and foreign keys.
  public var changesCount: Int { isMine ? Int(sqlite3_changes64(handle)) : 0 }

  /// Called when an error has ended the transaction.
  var whenTransactionEndsEarly: (() -> Void)?

  /// Called after SQLite's handle was lent to a user.
  var whenHandleWasLent: (() -> Void)?

  func nextSavepointName() -> String {
    savepoints += 1
    return "frc_\(savepoints)"
  }

  func savepointEnded() { savepoints -= 1 }

  // MARK: Errors

  /// The error that has just happened here, or a cancellation if that was its cause.
  @usableFromInline
  func failure(_ code: Int32, sql: String?, behind script: String = "") -> any Error {
    if code & 0xFF == SQLITE_INTERRUPT || code & 0xFF == SQLITE_BUSY, access?.isCancelled == true {
      return CancellationError()
    }
    var error = DatabaseError(code, on: handle, sql: sql, behind: script)
    if error.extendedCode == .constraintForeignKey { explainForeignKey(&error) }
    // The error of a type in a STRICT table names the column only inside a sentence.
    if error.extendedCode == .constraintDataType, let column = error.message.split(separator: " ").last {
      error.columns = [String(column)]
    }
    if error.code == .readOnly, isReadOnly, database?.isReadOnly == false {
      error.message = "a read does not write; use write { } for this"
    }
    if error.code == .busy, case .ownWrite? = busy.impatience {
      error.message =
        "read was called inside a write that has outgrown the page cache: with a rollback journal nobody can read then "
        + "until it ends; use the connection that the write has"
    }
    if error.code == .notAuthorized, let refusal = statementGuard.takeRefusal() { error = .misuse(refusal, sql: sql) }
    if expectsTransaction, !hasTransaction { transactionEnded(by: error) }
    return error
  }

  /// Refuses further statements: they would run outside the transaction that they were meant for.
  func transactionEnded(by error: any Error) {
    guard transactionEndedBy == nil else { return }
    whenTransactionEndsEarly?()
    let cause = error as? DatabaseError
    let what =
      isReadOnly
      ? "an error has ended this read, as what follows would be read from another state"
      : "an error has ended the transaction and undone all of it"
    transactionEndedBy = DatabaseError(
      code: cause?.extendedCode ?? .abort, message: "\(what): \(cause?.message ?? "\(error)")",
      sql: cause?.sql, columns: cause?.columns ?? [])
    access = nil
  }
}
