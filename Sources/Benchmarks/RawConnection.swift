import CFetchedResultsSQLite

/// A connection and statements as a careful C programmer would use them, to compare with.
final class RawConnection {
  let handle: OpaquePointer

  init(_ path: String) throws {
    var pointer: OpaquePointer?
    guard
      sqlite3_open_v2(path, &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        == SQLITE_OK, let pointer
    else { throw WrongResult("\(path) can't be opened") }
    handle = pointer
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = 1")
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw WrongResult(String(cString: sqlite3_errmsg(handle)))
    }
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw WrongResult(String(cString: sqlite3_errmsg(handle))) }
    return statement
  }

  /// Runs a statement to its end with two numbers.
  func run(_ statement: OpaquePointer, _ first: Int64? = nil, _ second: Int64? = nil) throws {
    if let first { sqlite3_bind_int64(statement, 1, first) }
    if let second { sqlite3_bind_int64(statement, 2, second) }
    while sqlite3_step(statement) == SQLITE_ROW {}
    guard sqlite3_reset(statement) == SQLITE_OK else { throw WrongResult(String(cString: sqlite3_errmsg(handle))) }
  }

  /// All rows of a query as entities, with the C interface.
  func items(_ statement: OpaquePointer) -> [BenchItem] {
    var items: [BenchItem] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      items.append(
        BenchItem(
          id: sqlite3_column_int64(statement, 0), section: text(statement, 1), title: text(statement, 2),
          done: sqlite3_column_int64(statement, 3) != 0, position: sqlite3_column_int64(statement, 4)))
    }
    sqlite3_reset(statement)
    return items
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    String(
      decoding: UnsafeBufferPointer(
        start: sqlite3_column_text(statement, column), count: Int(sqlite3_column_bytes(statement, column))),
      as: UTF8.self)
  }
}
