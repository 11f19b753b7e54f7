import CFetchedResultsSQLite
import FetchedResultsCore
import RowModel
import SQLiteStore

/// Asks SQLite about statements without running them: what they read and call, how they would run, and how they compare
/// texts.
struct PlanProbe {
  let connection: Connection

  /// What a statement reads and calls.
  struct Reading {
    /// The tables and views whose columns it names, with their schema. `tables(readBy:_:)` knows all of them.
    var tables: Set<Table> = []
    var functions: Set<String> = []
    /// The views in which it calls functions, or through which it reads, even if it reads none of their columns; it may
    /// contain other names.
    var views: Set<String> = []
    var columnNames: [String] = []
    /// The origin of each result column, if it is a column of a table.
    var origins: [Origin?] = []
  }

  struct Table: Hashable {
    var schema: String
    var name: String
  }

  struct Origin: Equatable {
    var table: Table
    var column: String
  }

  /// Compiles a statement and returns what it reads; throws SQLite's error if it is wrong.
  func reading(_ sql: SQL) throws -> Reading {
    let collector = try collect(sql)
    // The first time that a connection calls a table-valued function, SQLite asks about the schema as if the statement
    // read and wrote it.
    return try collector.changes ? collect(sql).reading : collector.reading
  }

  private func collect(_ sql: SQL) throws -> Collector {
    let collector = Collector()
    // This asks SQLite about collations, which the request does not.
    let resolved = try connection.resolved(sql.text)
    let box = Unmanaged.passUnretained(collector).toOpaque()
    sqlite3_set_authorizer(
      connection.rawHandle,
      { box, action, first, second, database, inside in
        guard let box else { return SQLITE_OK }
        let collector = Unmanaged<Collector>.fromOpaque(box).takeUnretainedValue()
        if let inside { collector.reading.views.insert(String(cString: inside)) }
        if action == SQLITE_READ, let first {
          let schema = database.map { String(cString: $0) } ?? "main"
          collector.reading.tables.insert(Table(schema: schema, name: String(cString: first)))
        } else if action == SQLITE_FUNCTION, let second {
          collector.reading.functions.insert(String(cString: second).lowercased())
        } else if action == SQLITE_UPDATE {
          collector.changes = true
        }
        return SQLITE_OK
      }, box)
    defer { connection.guardStatements() }
    return try withExtendedLifetime(collector) {
      try prepare(sql.text, resolved: resolved) { statement in
        for index in 0..<sqlite3_column_count(statement) {
          collector.reading.columnNames.append(string(sqlite3_column_name(statement, index)) ?? "")
          collector.reading.origins.append(origin(statement, index))
        }
      }
      return collector
    }
  }

  private final class Collector {
    var reading = Reading()
    /// Whether the statement seems to change a table.
    var changes = false
  }

  // MARK: Tables

  /// The tables and views that a statement reads.
  ///
  /// SQLite does not report columns that only USING and NATURAL compare. So the tables are added that the statement
  /// opens.
  func tables(readBy sql: SQL, _ reading: Reading) throws -> Set<Table> {
    var tables = reading.tables
    var opensVirtual = false
    var roots: [Int: Set<Int>] = [:]
    for operation in try operations(sql) {
      switch operation.name {
      case "OpenRead", "ReopenIdx": roots[operation.third, default: []].insert(operation.second)
      case "VOpen": opensVirtual = true
      default: break
      }
    }
    let schemas = try connection.copiedRows("SELECT seq, name FROM pragma_database_list")
    for row in schemas {
      guard let pages = try roots[row[0]] else { continue }
      let schema: String = try row[1]
      if pages.contains(1) { tables.insert(Table(schema: schema, name: "sqlite_master")) }
      for row in try connection.copiedRows(
        """
        SELECT DISTINCT tbl_name FROM \(SQL.quoted(schema)).sqlite_schema
        WHERE rootpage IN (\(pages.map(String.init).joined(separator: ",")))
        """)
      {
        tables.insert(Table(schema: schema, name: try row[0]))
      }
    }
    if opensVirtual { tables.formUnion(try virtualTables(namedBy: sql, reading)) }
    return tables
  }

  /// A statement, and the views that it reads.
  private func texts(_ sql: SQL, _ reading: Reading) throws -> [SQL] {
    var texts = [sql]
    if reading.views.isEmpty { return texts }
    for row in try connection.copiedRows("SELECT name FROM pragma_database_list") {
      let schema: String = try row[0]
      let views = try connection.copiedRows(
        "SELECT name, sql FROM \(SQL.quoted(schema)).sqlite_schema WHERE type = 'view'")
      for view in views {
        let name: String = try view[0]
        if reading.views.contains(where: { $0.isSameName(as: name) }) { texts.append(SQL(raw: try view[1])) }
      }
    }
    return texts
  }

  /// The origins of the result columns of a statement. They are nil for a compound, for which SQLite reports those of
  /// one part.
  func origins(_ reading: Reading, of sql: SQL) throws -> [Origin?] {
    let isCompound = try texts(sql, reading).contains { text in
      let tokens = SQLTokens(text)
      return ["UNION", "INTERSECT", "EXCEPT"].contains { tokens.contains(word: $0) }
    }
    return isCompound ? reading.origins.map { _ in nil } : reading.origins
  }

  /// The virtual tables whose names occur in a statement, or in a view that it reads. SQLite does not say which ones it
  /// opens.
  private func virtualTables(namedBy sql: SQL, _ reading: Reading) throws -> [Table] {
    let texts = try texts(sql, reading)
    let names = Set(texts.flatMap { SQLTokens($0).names })
    let virtual = try connection.copiedRows("SELECT schema, name FROM pragma_table_list WHERE type = 'virtual'")
    return try virtual.map { Table(schema: try $0[0], name: try $0[1]) }.filter {
      names.contains($0.name.asciiUppercased)
    }
  }

  private func string(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }

  private func origin(_ statement: OpaquePointer, _ index: Int32) -> Origin? {
    guard let table = string(sqlite3_column_table_name(statement, index)),
      let column = string(sqlite3_column_origin_name(statement, index))
    else { return nil }
    let schema = string(sqlite3_column_database_name(statement, index)) ?? "main"
    return Origin(table: Table(schema: schema, name: table), column: column)
  }

  /// Whether a statement can be compiled.
  func compiles(_ sql: SQL) -> Bool {
    do {
      try prepare(sql.text) { _ in }
      return true
    } catch {
      return false
    }
  }

  /// Whether an expression aggregates the rows of the query that it is part of. SQLite refuses that in a condition.
  func aggregates(_ expression: SQL, from: SQL) -> Bool {
    guard expression.text.utf8.contains(UInt8(ascii: "(")) else { return false }
    do {
      try prepare("SELECT 1 FROM \(from.text)\nWHERE (\(expression.text)\n) IS NULL") { _ in }
      return false
    } catch {
      return (error as? DatabaseError)?.message.contains("misuse of aggregate") == true
    }
  }

  private func prepare(_ text: String, _ body: (OpaquePointer) throws -> Void) throws {
    try prepare(text, resolved: connection.resolved(text), body)
  }

  private func prepare(_ text: String, resolved: String, _ body: (OpaquePointer) throws -> Void) throws {
    var pointer: OpaquePointer?
    var code = sqlite3_prepare_v2(connection.rawHandle, resolved, -1, &pointer, nil)
    if connection.acceptsSchema(after: code) {
      code = sqlite3_prepare_v2(connection.rawHandle, resolved, -1, &pointer, nil)
    }
    defer { sqlite3_finalize(pointer) }
    guard code == SQLITE_OK, let pointer else {
      throw connection.planningFailure(code == SQLITE_OK ? SQLITE_MISUSE : code, sql: text)
    }
    try body(pointer)
  }

  // MARK: EXPLAIN

  /// A row of EXPLAIN, with its second, third and fourth parameters.
  private struct Operation {
    var name: String
    var second: Int
    var third: Int
    var detail: String
  }

  private func operations(_ sql: SQL) throws -> [Operation] {
    var operations: [Operation] = []
    try prepare("EXPLAIN " + sql.text) { statement in
      while sqlite3_step(statement) == SQLITE_ROW {
        operations.append(
          Operation(
            name: text(statement, 1), second: Int(sqlite3_column_int64(statement, 3)),
            third: Int(sqlite3_column_int64(statement, 4)), detail: text(statement, 5)))
      }
    }
    return operations
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }

  /// Whether a statement aggregates rows, or reads several at once.
  func isAggregate(_ sql: SQL) throws -> Bool { try operations(sql).contains { $0.name.hasPrefix("Agg") } }

  /// The collation by which SQLite sorts an expression over some tables.
  ///
  /// The plus prevents the use of an index, so that there is a sorter, which shows its collation. The terms that follow
  /// distinguish it from sorters of other parts of the query.
  func collation(of expression: SQL, from: SQL) throws -> String {
    let sql = SQL(
      raw: "SELECT 1 FROM \(from.text)\nORDER BY +(\(expression.text)\n), random() DESC, random(), random() DESC")
    // A number alone would mean a column of the result.
    guard compiles(sql) else { return "BINARY" }
    let mark = ",-B,B,-B)"
    let sorters = try operations(sql).filter {
      ($0.name == "SorterOpen" || $0.name == "OpenEphemeral") && $0.detail.hasPrefix("k(") && $0.detail.hasSuffix(mark)
    }
    // k(4,NOCASE,…): the number of columns, and the collation of each. A constant is left out.
    guard sorters.count == 1, let terms = sorters.first?.detail.dropLast(mark.utf8.count) else {
      throw FromClause.NotUnderstood("a term whose collation can't be told")
    }
    guard let comma = terms.firstIndex(of: ",") else { return "BINARY" }
    let shown = terms[terms.index(after: comma)...]
    // SQLite shows BINARY as B, and a collation can have that name too.
    let names = try connection.copiedRows("SELECT name FROM pragma_collation_list").map { try $0[0] as String }
    let matches = names.filter { ($0 == "BINARY" ? "B" : $0).hasSameBytes(as: String(shown)) }
    if matches.count == 2, shown == "B", matches.contains("BINARY") {
      return try comparesAsB(expression, from) ? "B" : "BINARY"
    }
    guard let name = matches.first, matches.count == 1 else {
      throw FromClause.NotUnderstood("a term whose collation can't be told from another one")
    }
    return name
  }

  /// Whether an expression is compared by a collation called B. Comparisons show the whole name of their collation,
  /// with the encoding.
  private func comparesAsB(_ expression: SQL, _ from: SQL) throws -> Bool {
    func comparisons(_ column: String) throws -> Int {
      try operations(SQL(raw: "SELECT \(column) FROM \(from.text)")).filter {
        ["B-8", "B-16LE", "B-16BE"].contains($0.detail)
      }.count
    }
    return try comparisons("+(\(expression.text)\n) < ?") > comparisons("1")
  }

  /// The table that a statement would scan as a whole, or with an automatic index; nil if it searches.
  ///
  /// - Parameters:
  ///   - ignoringConstants: Whether a subquery may scan that is computed once for the whole statement, such as
  ///     `IN (SELECT id FROM list WHERE shown)` or `(SELECT value FROM setting WHERE name = 'limit')`.
  ///   - tiny: The aliases of tables that may be scanned.
  func scan(in sql: SQL, ignoringConstants: Bool = false, tiny: Set<String> = []) throws -> String? {
    var found: String?
    try prepare("EXPLAIN QUERY PLAN " + sql.text) { statement in
      var constants: Set<Int64> = []
      while sqlite3_step(statement) == SQLITE_ROW {
        let detail = text(statement, 3)
        if detail.hasPrefix("LIST SUBQUERY") || detail.hasPrefix("SCALAR SUBQUERY")
          || constants.contains(sqlite3_column_int64(statement, 1))
        {
          constants.insert(sqlite3_column_int64(statement, 0))
          if ignoringConstants { continue }
        }
        if detail.contains("VIRTUAL TABLE") || detail == "SCAN CONSTANT ROW" { continue }
        if detail.hasPrefix("SCAN") || detail.contains("AUTOMATIC") {
          let name = String(detail.split(separator: " ").dropFirst().first ?? "")
          if found == nil, !tiny.contains(name) { found = name }
        }
      }
    }
    return found
  }
}
