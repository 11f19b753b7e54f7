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
    /// Tables and views, with their schema.
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
    let collector = Collector()
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
        }
        return SQLITE_OK
      }, box)
    defer { connection.guardStatements() }
    return try withExtendedLifetime(collector) {
      try prepare(sql.text) { statement in
        for index in 0..<sqlite3_column_count(statement) {
          collector.reading.columnNames.append(string(sqlite3_column_name(statement, index)) ?? "")
          collector.reading.origins.append(origin(statement, index))
        }
      }
      return collector.reading
    }
  }

  private final class Collector {
    var reading = Reading()
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

  private func prepare(_ text: String, _ body: (OpaquePointer) throws -> Void) throws {
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v2(connection.rawHandle, try connection.resolved(text), -1, &pointer, nil)
    defer { sqlite3_finalize(pointer) }
    guard code == SQLITE_OK, let pointer else {
      throw connection.planningFailure(code == SQLITE_OK ? SQLITE_MISUSE : code, sql: text)
    }
    try body(pointer)
  }

  // MARK: EXPLAIN

  /// The rows of EXPLAIN: operations with their fourth parameters.
  private func operations(_ sql: SQL) throws -> [(name: String, detail: String)] {
    var operations: [(String, String)] = []
    try prepare("EXPLAIN " + sql.text) { statement in
      while sqlite3_step(statement) == SQLITE_ROW {
        operations.append((text(statement, 1), text(statement, 5)))
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
    // k(4,-N.NOCASE,…): the number of columns, and for each its direction, its NULLs and its collation. A constant is
    // left out.
    guard sorters.count == 1, let terms = sorters.first?.detail.dropLast(mark.utf8.count) else {
      throw FromClause.NotUnderstood("a term whose collation can't be told")
    }
    let parts = terms.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return "BINARY" }
    var name = parts[1]
    if name.hasPrefix("-") { name = name.dropFirst() }
    if name.hasPrefix("N.") { name = name.dropFirst(2) }
    return name == "B" || name.isEmpty ? "BINARY" : String(name)
  }

  /// The table that a statement would scan as a whole, or with an automatic index; nil if it searches.
  func scan(in sql: SQL) throws -> String? {
    var found: String?
    try prepare("EXPLAIN QUERY PLAN " + sql.text) { statement in
      while sqlite3_step(statement) == SQLITE_ROW {
        let detail = text(statement, 3)
        if detail.contains("VIRTUAL TABLE") || detail == "SCAN CONSTANT ROW" { continue }
        if detail.hasPrefix("SCAN") || detail.contains("AUTOMATIC") {
          found = found ?? String(detail.split(separator: " ").dropFirst().first ?? "")
        }
      }
    }
    return found
  }
}
