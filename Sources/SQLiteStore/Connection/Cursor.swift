import CFetchedResultsSQLite

/// A running statement of the library above the store: its rows, and SQLite's handle for reading them.
package struct Cursor {
  private let statement: Statement

  init(_ statement: Statement) { self.statement = statement }

  /// SQLite's statement. Valid while the cursor is lent.
  package var handle: OpaquePointer { statement.handle }

  /// How many steps of SQLite's virtual machine the statement has taken, also for other cursors before; it wraps.
  package var steps: UInt32 { UInt32(truncatingIfNeeded: sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

  /// Moves to the next row; returns false at the end.
  @inline(__always)
  package func step() throws -> Bool { try statement.step() }

  /// The current row, a window on it.
  @inline(__always)
  package var row: Row { Row(statement) }

  /// Hides columns at the end from the rows, from now on.
  @inline(__always)
  package func hide(last count: Int32) { statement.engine.pointee.hiddenColumnCount = count }

  /// The value of a column, which may be hidden.
  package func value(_ column: Int32) throws -> Value {
    try Value.read(Column(statement: statement.engine, index: column))
  }

  /// Restarts with other values.
  package func restart(_ bindings: [Value]) throws {
    statement.end()
    try statement.begin()
    try statement.bind(bindings)
  }
}

extension Connection {
  /// Runs `body` with a statement that is bound and ready for its first step. It is cached, apart from the user's.
  package func withCursor<T>(_ sql: String, _ bindings: [Value] = [], _ body: (Cursor) throws -> T) throws -> T {
    let statement = try takeForCursor(sql)
    let result: T
    do {
      try statement.begin()
      try statement.bind(bindings)
      result = try body(Cursor(statement))
    } catch {
      statement.end()
      throw error
    }
    statement.end()
    giveBackFromCursor(statement)
    return result
  }

  /// Returns all rows of a statement of the library's own, copied.
  package func copiedRows(_ sql: String, _ bindings: [Value] = []) throws -> [Row] {
    try withCursor(sql, bindings) { cursor in
      var rows: [Row] = []
      while try cursor.step() { rows.append(try cursor.row.copied()) }
      return rows
    }
  }

  /// SQLite's own handle, for examining statements. Don't leave changes of the connection behind.
  package var rawHandle: OpaquePointer { handle }
}

extension Connection {
  /// The error that SQLite has just reported for a statement.
  package func planningFailure(_ code: Int32, sql: String) -> any Error { failure(code, sql: sql) }
}
