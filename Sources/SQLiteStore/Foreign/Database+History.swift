import FetchedResultsSupport

extension Database {
  /// Records the keys of every change to these tables in the database itself. Commits of other processes and libraries
  /// are then known row by row here.
  ///
  /// ```swift
  /// try database.recordHistory(of: ["item", "list"])
  /// ```
  ///
  /// It is opt-in, because it writes: a log (`frc_history`), and triggers on the tables, which fire for every writer
  /// without its cooperation. About `keeping` entries are kept; a reader that has missed more than that must treat
  /// everything as changed. Calling it again, also with more tables, is harmless. Call it again when a recorded table
  /// got another primary key or another UNIQUE constraint: until then foreign commits to it report everything.
  ///
  /// REPLACE is recorded even from programs that leave `recursive_triggers` off. The exception is a table with a UNIQUE
  /// index on an expression or on a generated column: the rows that REPLACE removes there can't be known, so foreign
  /// commits to it report everything. The same holds if REPLACE computes a default of a UNIQUE column in place of NULL.
  ///
  /// Changes that fire no trigger are not recorded: those of a program that switches triggers off
  /// (`SQLITE_DBCONFIG_ENABLE_TRIGGER`) or writes blobs in place (`sqlite3_blob_write`). If such a program writes to
  /// the same tables, don't record a history.
  ///
  /// ``Options/recordsHistory`` calls this for all tables when the database is opened and after each migration.
  public func recordHistory(of tables: [String], keeping limit: Int = 10_000) throws {
    try recordHistory(of: tables, limit, Connection.uncancellable)
  }

  /// The same without blocking the calling task. When the task is cancelled, what is recorded stays as it was.
  public func recordHistory(of tables: [String], keeping limit: Int = 10_000) async throws {
    try await onWriteQueue { try self.recordHistory(of: tables, limit, $0, $1) }
  }

  private func recordHistory(
    of tables: [String], _ limit: Int, _ access: Connection.Access, _ since: UInt64? = nil
  ) throws {
    require(limit > 0, "a history must keep at least one entry")
    // Every program that has the file open notices a changed schema, so existing triggers are left alone.
    if try performRead(access, since, { try Self.isRecorded(tables, limit, on: $0) }) { return }
    try performWrite(access, since) { connection in
      try connection.runScript(
        """
        \(try History.isLogInPlace(on: connection) ? "" : Self.makingLog)
        CREATE TABLE IF NOT EXISTS main.\(History.tables)(
          slot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, key_width INTEGER NOT NULL,
          without_rowid INTEGER NOT NULL, exact INTEGER NOT NULL);
        DROP TRIGGER IF EXISTS main.frc_history_prune;
        CREATE TRIGGER main.\(Self.pruning(limit));
        """, isInternal: true)
      connection.schemaWasTouched()
      for table in tables { try HistoryTriggers(table, on: connection).install(on: connection) }
    }
  }

  /// Records all tables that can be recorded, if the options say so.
  func recordHistoryIfWanted() throws {
    guard options.recordsHistory, !options.isReadOnly, file != nil else { return }
    let tables = try read { connection in
      try connection.tables().filter { try HistoryTriggers.expected($0, on: connection) != nil }
    }
    if !tables.isEmpty { try recordHistory(of: tables) }
  }

  private static let makingLog = "DROP TABLE IF EXISTS main.\(History.log); CREATE TABLE main.\(History.definition);"

  private static func pruning(_ limit: Int) -> String {
    """
    frc_history_prune AFTER INSERT ON \(History.log) WHEN NEW.seq % 64 = 0 BEGIN
      DELETE FROM \(History.log) WHERE seq <= NEW.seq - \(limit);
    END
    """
  }

  private static func isRecorded(_ tables: [String], _ limit: Int, on connection: Connection) throws -> Bool {
    guard let history = try History(on: connection, after: nil) else { return false }
    let pruning = try connection.internalValue("SELECT sql FROM main.sqlite_schema WHERE name = 'frc_history_prune'")
    return pruning == .text("CREATE TRIGGER \(Self.pruning(limit))") && tables.allSatisfy { history.knows($0) }
  }

  /// Stops recording and removes the log and the triggers.
  ///
  /// ```swift
  /// try database.stopRecordingHistory()
  /// ```
  public func stopRecordingHistory() throws {
    try write { connection in
      let triggers = try connection.internalRows(
        "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND name LIKE 'frc\\_history\\_%' ESCAPE '\\'")
      for trigger in triggers { try connection.run("DROP TRIGGER main.\(SQL.quoted(try trigger["name"]))") }
      try connection.run("DROP TABLE IF EXISTS main.\(History.log); DROP TABLE IF EXISTS main.\(History.tables)")
      connection.schemaWasTouched()
    }
  }
}

/// The persistent triggers that log one table's keys.
struct HistoryTriggers {
  private let shape: TableShape
  private let key: [String]
  /// For each UNIQUE index: its columns with their collations.
  private let uniques: [[(column: String, collation: String)]]
  /// The literals that REPLACE stores in NOT NULL columns in place of NULL.
  private let defaults: [String: String]
  /// The columns of UNIQUE indices in which REPLACE stores the result of an expression.
  private let computed: Set<String>
  /// Whether the triggers record every change.
  let isExact: Bool

  var keyWidth: Int { key.count }

  /// The triggers that a table would get; nil if it can't be recorded.
  static func expected(_ table: String, on connection: Connection) throws -> HistoryTriggers? {
    do {
      return try HistoryTriggers(table, on: connection)
    } catch let error as DatabaseError where error.code == .misuse {
      return nil
    }
  }

  init(_ table: String, on connection: Connection) throws {
    shape = try TableShape(table, on: connection)
    switch shape.key {
    case .rowID(let expression?): key = [expression]
    case .primaryKey(let columns) where columns.count <= History.keyWidth:
      key = columns.map { SQL.quoted($0.name.text) }
    case .primaryKey:
      throw DatabaseError.misuse(
        "the primary key of \(table) has more than \(History.keyWidth) columns, which the history has no room for")
    case .rowID(nil):
      throw DatabaseError.misuse(
        "columns of \(table) have taken all names of the row id, so that no trigger can tell it; rename one of them")
    case .unknown(let exists):
      throw DatabaseError.misuse(
        exists
          ? "\(table) is no ordinary table; record the tables that it is made of" : "there is no table \(table)")
    }
    guard shape.schema == "main" else {
      throw DatabaseError.misuse("\(table) is in an attached file; record it through a Database of its own")
    }
    // A trigger knows what REPLACE stores for NULL only if it is a literal.
    var defaults: [String: String] = [:]
    var generated: Set<String> = []
    var computed: Set<String> = []
    for column in try connection.columns(of: shape.name, in: "main") {
      if column.isGenerated { generated.insert(column.name) }
      guard column.isNotNull, let value = column.defaultValue else { continue }
      if Self.isLiteral(value) { defaults[column.name] = value } else { computed.insert(column.name) }
    }
    var uniques: [[(column: String, collation: String)]] = []
    var isExact = true
    let indices = try connection.internalRows(
      "SELECT name FROM pragma_index_list(?1, 'main') WHERE \"unique\" ORDER BY name", [.text(shape.name)])
    for index in indices {
      let parts = try connection.internalRows(
        "SELECT name, coll FROM pragma_index_xinfo(?1, 'main') WHERE key ORDER BY seqno", [.text(try index["name"])])
      let columns = try parts.compactMap { part in
        try (part["name"] as String?).map { (column: $0, collation: try part["coll"] as String) }
      }
      // An expression has no name, and a generated column may depend on what REPLACE stores in place of NULL.
      if columns.count < parts.count || columns.contains(where: { generated.contains($0.column) }) {
        isExact = false
      } else {
        uniques.append(columns)
      }
    }
    self.uniques = uniques
    self.defaults = defaults
    self.computed = computed.intersection(uniques.joined().map(\.column))
    self.isExact = isExact
  }

  private static func isLiteral(_ value: String) -> Bool {
    guard let first = value.utf8.first, let last = value.utf8.last else { return false }
    if first == UInt8(ascii: "'"), last == UInt8(ascii: "'"), value.utf8.count > 1 {
      return !value.utf8.dropFirst().dropLast().contains(first)
    }
    return value.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") || $0 == UInt8(ascii: "-") }
  }

  func install(on connection: Connection) throws {
    try connection.runInternal(
      """
      INSERT INTO main.\(History.tables)(name, key_width, without_rowid, exact) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (name) DO UPDATE
      SET key_width = excluded.key_width, without_rowid = excluded.without_rowid, exact = excluded.exact
      """,
      [
        .text(shape.name), .integer(Int64(key.count)), .integer(isWithoutRowID ? 1 : 0), .integer(isExact ? 1 : 0),
      ])
    let slot = try connection.internalValue(
      "SELECT slot FROM main.\(History.tables) WHERE name = ?1", [.text(shape.name)])
    guard case .integer(let slot) = slot else { return }
    for (name, definition) in definitions(slot) {
      let making = definition.map { "CREATE TRIGGER main.\($0)" }
      try connection.run("DROP TRIGGER IF EXISTS main.\(name); \(making ?? "")")
    }
  }

  /// Whether the database has these triggers, each exactly as it would be created now.
  func areInPlace(_ slot: Int64, on connection: Connection) throws -> Bool {
    try definitions(slot).allSatisfy { name, definition in
      let found = try connection.internalValue(
        "SELECT sql FROM main.sqlite_schema WHERE type = 'trigger' AND name = ?1", [.text(name)])
      return found == definition.map { .text("CREATE TRIGGER \($0)") } ?? .null
    }
  }

  /// What follows CREATE TRIGGER for each of them; nil if the table needs none of that name.
  private func definitions(_ slot: Int64) -> [(name: String, definition: String?)] {
    bodies(slot).map { name, event, body in
      let full = "frc_history_\(slot)_\(name)"
      return (full, body.isEmpty ? nil : "\(full) \(event) ON \(SQL.quoted(shape.name)) BEGIN \(body) END")
    }
  }

  var isWithoutRowID: Bool {
    if case .primaryKey = shape.key { true } else { false }
  }

  private func bodies(_ slot: Int64) -> [(name: String, event: String, body: String)] {
    let columns = key.indices.map { "k\($0)" }.joined(separator: ", ")
    func keys(_ row: String) -> String { key.map { "\(row).\($0)" }.joined(separator: ", ") }
    func note(_ what: String) -> String { "INSERT INTO \(History.log)(slot, \(columns)) SELECT \(slot), \(what);" }
    let moved = key.map { TableShape.differ("NEW.\($0)", "OLD.\($0)") }.joined(separator: " OR ")
    // The rows that a REPLACE is about to delete. Their own DELETE triggers fire only if the writer has
    // recursive_triggers on, which is not the default.
    let table = SQL.quoted(shape.name)
    // If that depends on a value which is not known yet, it may be any row.
    let unsure = computed.sorted().map { column in
      "INSERT INTO \(History.log)(slot) SELECT -\(slot) WHERE NEW.\(SQL.quoted(column)) IS NULL;"
    }.joined()
    let evicted =
      unsure
      + uniques.map { unique in
        let match = unique.map { part in
          let column = SQL.quoted(part.column)
          let new = defaults[part.column].map { "coalesce(NEW.\(column), \($0))" } ?? "NEW.\(column)"
          return "\(table).\(column) = \(new) COLLATE \(SQL.quoted(part.collation))"
        }
        return note("\(keys(table)) FROM \(table) WHERE \(match.joined(separator: " AND "))")
      }.joined()
    return [
      ("insert", "AFTER INSERT", note(keys("NEW"))),
      ("delete", "AFTER DELETE", note(keys("OLD"))),
      ("update", "AFTER UPDATE", note(keys("OLD")) + note("\(keys("NEW")) WHERE \(moved)")),
      ("before_insert", "BEFORE INSERT", evicted),
      ("before_update", "BEFORE UPDATE", evicted),
    ]
  }
}
