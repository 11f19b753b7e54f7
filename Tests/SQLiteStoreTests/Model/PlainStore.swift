import CFetchedResultsSQLite
import FixtureSupport
import SQLiteStore

/// What the store is compared with: one plain connection in memory, which does what the store promises.
final class PlainStore: ModelSide {
  let handle: OpaquePointer
  private let folder: Scratch
  // What has ended the transaction of the access; everything after it fails with the same error.
  private var end: ModelFailure?
  private(set) var isReading = false
  private var expectsTransaction = false
  private var isCommitting = false

  init(_ folder: Scratch) throws {
    self.folder = folder
    var pointer: OpaquePointer?
    guard sqlite3_open_v2(":memory:", &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK,
      let pointer
    else {
      throw ModelFailure(code: SQLITE_CANTOPEN)
    }
    handle = pointer
    sqlite3_extended_result_codes(handle, 1)
    for (option, on) in [
      (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_DEFENSIVE, 1),
    ] as [(Int32, Int32)] {
      _ = frc_db_config(handle, option, on)
    }
    try execute("PRAGMA foreign_keys = 1; PRAGMA recursive_triggers = 1")
  }

  deinit { sqlite3_close_v2(handle) }

  // MARK: Accesses

  func write(_ body: () throws -> Void) throws { try access("BEGIN IMMEDIATE", body) }

  func read(_ body: () throws -> Void) throws {
    try execute("PRAGMA query_only = 1")
    isReading = true
    defer {
      isReading = false
      sqlite3_exec(handle, "PRAGMA query_only = 0", nil, nil, nil)
    }
    try access("BEGIN", body)
  }

  /// A migration: foreign keys are not enforced, and no reference may lead nowhere that did not before.
  func migrate(_ body: () throws -> Void) throws {
    try execute("PRAGMA foreign_keys = 0")
    defer { sqlite3_exec(handle, "PRAGMA foreign_keys = 1", nil, nil, nil) }
    try write {
      let before = try violations()
      // The store makes its list in the same transaction. After a change of the schema, ROLLBACK TO ends what is read
      // meanwhile.
      try execute("CREATE TABLE IF NOT EXISTS frc_migrations(x)")
      try body()
      try usable()
      if try violations() > before {
        throw ModelFailure(code: DatabaseError.Code.foreignKey, message: "refers to no row of")
      }
    }
  }

  private func access(_ begin: String, _ body: () throws -> Void) throws {
    try execute(begin)
    expectsTransaction = true
    do {
      try body()
      try usable()
      isCommitting = true
      defer { isCommitting = false }
      try execute("COMMIT")
      expectsTransaction = false
    } catch {
      expectsTransaction = false
      end = nil
      if isInTransaction { try execute("ROLLBACK") }
      throw error
    }
  }

  /// The number of references that lead nowhere.
  private func violations() throws -> Int {
    try rows("SELECT name FROM pragma_database_list", []).reduce(0) { sum, file in
      try sum + rows("PRAGMA \(text(file[0])).foreign_key_check", []).count
    }
  }

  // MARK: Steps

  func usable() throws { if let end { throw end } }

  func run(_ sql: String, _ values: [Value]) throws -> ModelOutcome {
    let before = sqlite3_total_changes64(handle)
    try forEachRow(of: sql, values) { _ in }
    let isChange = Self.counts(sql) && sqlite3_total_changes64(handle) != before
    let count = isChange ? Int(sqlite3_changes64(handle)) : 0
    return .changed(count, lastID: Self.inserts(sql) && count > 0 ? sqlite3_last_insert_rowid(handle) : nil)
  }

  func rows(_ sql: String, _ values: [Value]) throws -> [[RawDatabase.Value]] {
    var rows: [[RawDatabase.Value]] = []
    try forEachRow(of: sql, values) { statement in
      rows.append((0..<sqlite3_column_count(statement)).map { RawDatabase.Value(statement, $0) })
    }
    return rows
  }

  func setting(_ sql: String) throws {
    try usable()
    throw ModelFailure.misuse("")
  }

  func inSavepoint(_ body: () throws -> Void) throws {
    try usable()
    try execute("SAVEPOINT model")
    do {
      try body()
      try usable()
      try execute("RELEASE model")
    } catch {
      if isInTransaction { try execute("ROLLBACK TO model; RELEASE model") }
      throw error
    }
  }

  func forEachRow(_ sql: String, _ body: () throws -> Void) throws {
    try forEachRow(of: sql, []) { _ in try body() }
  }

  func script(_ script: ModelScript) throws {
    try usable()
    for (index, statement) in script.statements.enumerated() {
      do {
        try forEachRow(of: statement, [], inScript: true) { _ in }
      } catch var failure as ModelFailure {
        if !failure.hasEnded {
          failure.sql = statement
          if let offset { failure.place = script.place(of: script.start(of: index) + offset) }
        }
        throw failure
      }
    }
  }

  // The place of the last error, in a statement that could not be compiled.
  private var offset: Int?

  private func forEachRow(
    of sql: String, _ values: [Value], inScript: Bool = false, _ body: (OpaquePointer) throws -> Void
  ) throws {
    try usable()
    offset = nil
    var pointer: OpaquePointer?
    var rest = ""
    let code = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(handle, text, -1, &pointer, &tail)
      if let tail { rest = String(cString: tail) }
      return code
    }
    guard code == SQLITE_OK, let pointer else {
      let place = frc_error_offset(handle)
      if place >= 0, place < sql.utf8.count { offset = Int(place) }
      var failure = failure()
      failure.mayBeRefused = isReading
      throw failure
    }
    defer { sqlite3_finalize(pointer) }
    if !inScript, rest.contains(where: { $0 != " " && $0 != ";" }) {
      throw ModelFailure.misuse("one statement is expected")
    }
    if ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"].contains(String(sql.prefix { $0 != " " })) {
      throw ModelFailure.misuse("read and write begin and end transactions themselves")
    }
    if isReading, sqlite3_stmt_readonly(pointer) == 0 { throw ModelFailure(code: SQLITE_READONLY) }
    let count = sqlite3_bind_parameter_count(pointer)
    if inScript, count > 0 { throw ModelFailure.misuse("a script has no bound values") }
    guard values.count == count else { throw ModelFailure(code: SQLITE_RANGE) }
    for (index, value) in values.enumerated() { RawDatabase.Value(value).bind(to: pointer, Int32(index + 1)) }
    while true {
      switch sqlite3_step(pointer) {
      case SQLITE_ROW: try body(pointer)
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  // MARK: Help

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs statements that are no steps.
  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  private func failure() -> ModelFailure {
    var failure = ModelFailure(
      code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
    // A deferred key that is violated at COMMIT names rows in its message.
    failure.namesColumns = failure.code == DatabaseError.Code.foreignKey && !isCommitting
    if expectsTransaction, !isInTransaction, end == nil {
      end = failure
      end?.hasEnded = true
    }
    return failure
  }

  private func text(_ value: RawDatabase.Value) -> String {
    guard case .text(let bytes) = value else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func word(_ sql: String) -> String { String(sql.prefix { $0 != " " }) }

  /// Whether a statement changes rows and is no definition.
  static func counts(_ sql: String) -> Bool { ["INSERT", "REPLACE", "UPDATE", "DELETE"].contains(word(sql)) }

  /// Whether a statement inserts rows that have row ids.
  static func inserts(_ sql: String) -> Bool {
    ["INSERT", "REPLACE"].contains(word(sql)) && !sql.contains("ON CONFLICT") && !sql.contains("pair")
      && !sql.contains("shown")
  }

  // MARK: Files and functions

  func attach() throws { try execute("ATTACH '\(folder.path("plain.db"))' AS o; PRAGMA o.synchronous = 0") }

  func detach() throws { try execute("DETACH o") }

  /// Adds a function that gives a number and how many arguments it has.
  func addFunction(_ name: String, _ arguments: Int32, isDeterministic: Bool, _ number: Int64) {
    sqlite3_create_function_v2(
      handle, name, arguments, SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0),
      UnsafeMutableRawPointer(bitPattern: Int(number)),
      { context, count, _ in
        sqlite3_result_int64(context, Int64(Int(bitPattern: sqlite3_user_data(context))) * 10 + Int64(count))
      }, nil, nil, nil)
  }

  /// Has this database be a copy of another one.
  func become(_ other: PlainStore) throws {
    guard let backup = sqlite3_backup_init(handle, "main", other.handle, "main") else { throw failure() }
    sqlite3_backup_step(backup, -1)
    guard sqlite3_backup_finish(backup) == SQLITE_OK else { throw failure() }
  }
}

extension DatabaseError {
  enum Code {
    static let foreignKey: Int32 = ResultCode.constraintForeignKey.rawValue
  }
}

extension RawDatabase.Value {
  init(_ statement: OpaquePointer, _ column: Int32) {
    let count = Int(sqlite3_column_bytes(statement, column))
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: self = .real(bits: sqlite3_column_double(statement, column).bitPattern)
    case SQLITE_TEXT:
      self = .text(Array(UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: count)))
    case SQLITE_BLOB:
      self = .blob(Array(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: count)))
    default: self = .null
    }
  }

  func bind(to statement: OpaquePointer, _ index: Int32) {
    switch self {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let value): sqlite3_bind_int64(statement, index, value)
    case .real(let bits): sqlite3_bind_double(statement, index, Double(bitPattern: bits))
    case .text(let bytes):
      bytes.withUnsafeBytes {
        _ = sqlite3_bind_text64(
          statement, index, $0.bindMemory(to: CChar.self).baseAddress, UInt64($0.count), frc_transient(),
          UInt8(SQLITE_UTF8))
      }
    case .blob(let bytes):
      if bytes.isEmpty {
        sqlite3_bind_zeroblob(statement, index, 0)
      } else {
        bytes.withUnsafeBytes {
          _ = sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), frc_transient())
        }
      }
    }
  }
}
