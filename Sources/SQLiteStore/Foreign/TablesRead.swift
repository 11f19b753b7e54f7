import CFetchedResultsSQLite
import FetchedResultsSupport

/// The tables that a read has read, found by asking SQLite about each of its statements.
final class TablesRead: Sendable {
  private struct State {
    var bySQL: [String: Set<String>] = [:]
    var tables: Set<String> = []
  }

  private let state = Locked(State())

  /// The names under which the tables are observed.
  var tables: Set<String> { state.withLock { $0.tables } }

  /// Forgets what is known of statements, because the schema has changed.
  func forget() { state.withLock { $0.bySQL = [:] } }

  /// Runs a read, and notes the tables of its statements in place of those before.
  func noting<T>(on connection: Connection, _ body: () throws -> T) rethrows -> T {
    let outer = connection.tablesRead
    connection.tablesRead = self
    state.withLock { $0.tables = [] }
    defer { connection.tablesRead = outer }
    return try body()
  }

  func note(_ sql: String, on connection: Connection) throws {
    let known = state.withLock { $0.bySQL[sql] }
    let tables = try known ?? connection.tables(readBy: sql)
    state.withLock { state in
      state.bySQL[sql] = tables
      state.tables.formUnion(tables)
    }
  }
}

extension Connection {
  /// The tables that a statement reads, also through views, by the names under which they are observed.
  fileprivate func tables(readBy sql: String) throws -> Set<String> {
    final class Collector {
      var found: Set<[String]> = []
    }
    let collector = Collector()
    sqlite3_set_authorizer(
      handle,
      { collector, action, table, _, schema, _ in
        if action == SQLITE_READ, let collector, let table {
          let found = [schema.map { String(cString: $0) } ?? "main", String(cString: table)]
          Unmanaged<Collector>.fromOpaque(collector).takeUnretainedValue().found.insert(found)
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(collector).toOpaque())
    var statement: OpaquePointer?
    withExtendedLifetime(collector) { _ = sqlite3_prepare_v2(handle, sql, -1, &statement, nil) }
    sqlite3_finalize(statement)
    guardStatements()
    var tables: Set<String> = []
    for table in collector.found {
      // Neither a view nor a function that is read like a table is one.
      let isTable = try internalValue(
        """
        SELECT EXISTS (SELECT 1 FROM pragma_table_list
          WHERE schema = ?1 COLLATE NOCASE AND name = ?2 COLLATE NOCASE AND type <> 'view')
        """, [.text(table[0]), .text(table[1])])
      if isTable == .integer(1) { tables.insert(table[0] == "main" ? table[1] : table.joined(separator: ".")) }
    }
    return tables
  }
}
