public import CFetchedResultsSQLite
import FetchedResultsSupport
public import RowModel

/// A prepared statement of one connection. It belongs to the connection's `read` or `write` and must not leave it.
@usableFromInline package final class Statement {
  @usableFromInline let handle: OpaquePointer
  /// The text that it was prepared from.
  package let sql: String
  /// Whether it leaves the database unchanged.
  package let isReadOnly: Bool
  /// The number of parameters.
  @usableFromInline package let parameterCount: Int
  let connection: Connection

  // Rises with every step, so that a row that was kept too long is recognised.
  @usableFromInline let cell = StepCell()
  // What its rows and parameters need; because the statement owns the memory, and outlives every use of it.
  @usableFromInline let engine = UnsafeMutablePointer<EngineStatement>.allocate(capacity: 1)
  private var names: [String]?
  private var preparations: Int32 = 0
  /// The column after the one that was looked up last; nil if two have the same name.
  private var nextNamed: Int?
  let startsTransaction: Bool
  private let touchesSchema: Bool
  /// Whether this run may have changed the schema.
  private var mayHaveTouchedSchema = false
  // SQLite counts some PRAGMAs as writing that only read, such as the one for the journal mode.
  private let mayWrite: Bool
  /// The step at which the last run ended.
  private var lastStep: UInt64 = 0
  // The connection's count of changed rows when this run began.
  private var totalChangesBefore: Int64 = 0

  init(handle: OpaquePointer, sql: String, connection: Connection) {
    self.handle = handle
    self.sql = sql
    self.connection = connection
    lastStep = cell.stamp.step
    // An EXPLAIN counts as writing if what it explains does.
    isReadOnly = sqlite3_stmt_readonly(handle) != 0 || sqlite3_stmt_isexplain(handle) != 0
    parameterCount = Int(sqlite3_bind_parameter_count(handle))
    let word = SQLText.firstWord(of: sql)
    mayWrite =
      !isReadOnly && !(word == "PRAGMA" && !sql.utf8.contains { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "(") })
    startsTransaction = ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"].contains(word)
    touchesSchema = ["CREATE", "DROP", "ALTER", "REINDEX", "ANALYZE", "PRAGMA"].contains(word)
    engine.initialize(to: EngineStatement(handle: handle, functions: EngineFunctions.sqlite, cell: cell, owner: self))
  }

  deinit {
    engine.pointee.plan.forget()
    engine.deinitialize(count: 1)
    engine.deallocate()
    cell.leave()
    sqlite3_finalize(handle)
  }

  /// The names of the result's columns, in order; empty if there is no result.
  package var columnNames: [String] { connection.isMine ? currentNames : [] }

  /// The same, also for the library's own statements, which run before any user has the connection.
  package var currentNames: [String] {
    let now = frc_preparations(handle)
    if let names, now == preparations { return names }
    let fresh = (0..<sqlite3_column_count(handle)).map { index in
      sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }
    names = fresh
    preparations = now
    nextNamed = Set(fresh).count == fresh.count ? 0 : nil
    return fresh
  }

  /// The position of a column, by its exact name or else by its name in any case.
  package func index(of name: String) -> Int? {
    let names = currentNames
    // Most rows are read in the order of their columns.
    if let next = nextNamed, next < names.count, names[next].hasSameBytes(as: name) {
      nextNamed = next + 1 < names.count ? next + 1 : 0
      return next
    }
    let found = names.firstIndex { $0.hasSameBytes(as: name) }
    if nextNamed != nil, let found { nextNamed = found + 1 < names.count ? found + 1 : 0 }
    return found ?? names.firstIndex { $0.isSameName(as: name) }
  }

  // MARK: Stepping

  /// Moves to the next row; returns false at the end.
  @inlinable @inline(__always)
  func step() throws -> Bool {
    cell.advance()
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    return try stepAgain(after: code)
  }

  /// A step has failed. The first one compiles the statement again if the schema has changed, perhaps to one that the
  /// connection has to be prepared for. After that, the statement may have done something already.
  @usableFromInline @inline(never)
  func stepAgain(after code: Int32) throws -> Bool {
    guard cell.stamp.step == lastStep &+ 1, connection.acceptsSchema(after: code) else { throw failure(code) }
    sqlite3_reset(handle)
    return try step()
  }

  /// Begins a run. Checks that the connection may be used, and makes the first row check the plan, because the first
  /// step may recompile the statement for a new schema.
  @usableFromInline
  func begin() throws {
    try connection.checkUsable()
    if mayWrite {
      if connection.refusesWrites { throw connection.refusal(of: self) }
      connection.mayHaveChangedAnything = true
    }
    if touchesSchema {
      connection.schemaWasTouched()
      mayHaveTouchedSchema = true
    }
    totalChangesBefore = sqlite3_total_changes64(connection.handle)
    engine.pointee.plan.suspend()
  }

  /// Ends a run. Afterwards the statement holds no lock, and no value, except small ones if the next run binds all of
  /// them again.
  @usableFromInline
  func end(keepingBindings: Bool = false) {
    cell.advance()
    lastStep = cell.stamp.step
    sqlite3_reset(handle)
    if parameterCount > 0, !keepingBindings || engine.pointee.holdsLargeValue {
      sqlite3_clear_bindings(handle)
      engine.pointee.holdsLargeValue = false
    }
    if mayHaveTouchedSchema {
      mayHaveTouchedSchema = false
      connection.resolveNamesAgain()
    }
  }

  @usableFromInline @inline(never)
  func failure(_ code: Int32) -> any Error {
    connection.failure(code, sql: sql)
  }

  // MARK: Binding

  /// Binds all parameters, from the first.
  @usableFromInline
  func bind(_ values: [Value]) throws {
    guard values.count == parameterCount else { throw wrongCount(values.count) }
    for index in values.indices {
      try Parameter(statement: engine, index: Int32(truncatingIfNeeded: index + 1)).bind(values[index])
    }
  }

  @usableFromInline @inline(never)
  func wrongCount(_ count: Int) -> DatabaseError {
    DatabaseError(
      code: .range,
      message: "the statement has \(parameterCount) parameters, but \(count) values were given"
        + (parameterCount < count
          ? "; an interpolated value is a parameter: write it outside of quotes" : "; interpolate the values"),
      sql: sql)
  }

  package func bindingError(_ code: Int32, at index: Int32) -> DatabaseError {
    DatabaseError(code, on: connection.handle, sql: sql, doing: "parameter \(index)")
  }

  /// Runs the statement to its end with these values, ignoring rows; returns the number of rows it changed.
  @discardableResult @inlinable
  package func run<each V: ValueConvertible>(_ values: repeat each V) throws -> Int {
    try begin()
    defer { end() }
    var index: Int32 = 0
    for value in repeat each values {
      index += 1
      try value.bind(to: Parameter(statement: engine, index: index))
    }
    guard Int(index) == parameterCount else { throw wrongCount(Int(index)) }
    while try step() {}
    return changes
  }

  /// Runs the statement with these values and copies the rows.
  package func rows(_ values: [Value] = []) throws -> [Row] {
    try begin()
    defer { end() }
    try bind(values)
    var rows: [Row] = []
    while try step() { rows.append(try Row(self).copied()) }
    return rows
  }

  /// The number of rows that this run has changed. A statement that changes none, such as CREATE INDEX, leaves SQLite's
  /// own count unchanged.
  @usableFromInline
  var changes: Int {
    if isReadOnly || touchesSchema || sqlite3_total_changes64(connection.handle) == totalChangesBefore { return 0 }
    return Int(sqlite3_changes64(connection.handle))
  }

  // MARK: Statistics

  /// The cost of the statement since it was prepared.
  package var statistics: StatementStatistics {
    let isMine = connection.isMine
    func counter(_ which: Int32) -> Int { !isMine ? 0 : Int(sqlite3_stmt_status(handle, which, 0)) }
    return StatementStatistics(
      runs: counter(SQLITE_STMTSTATUS_RUN), steps: counter(SQLITE_STMTSTATUS_VM_STEP),
      fullScanSteps: counter(SQLITE_STMTSTATUS_FULLSCAN_STEP), sorts: counter(SQLITE_STMTSTATUS_SORT),
      automaticIndexRows: counter(SQLITE_STMTSTATUS_AUTOINDEX), preparations: counter(SQLITE_STMTSTATUS_REPREPARE),
      memory: counter(SQLITE_STMTSTATUS_MEMUSED))
  }
}

extension Statement: EngineStatementOwner {}

extension Row {
  /// The current row of a statement.
  @inlinable @inline(__always)
  init(_ statement: Statement) { self.init(statement.engine) }
}
