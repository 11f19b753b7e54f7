import CFetchedResultsSQLite

/// A database through the bare C interface: what tests look at, or write with, behind the store's back.
///
/// Like any other program that has the file open. Not for use from two threads at a time.
public final class RawDatabase {
  /// What SQLite says when it refuses.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    /// The extended result code.
    public var code: Int32
    /// SQLite's words.
    public var description: String
  }

  /// A value as it is stored. Reals are compared by their bits, so that -0.0 is not 0.0; text is its bytes, so that
  /// invalid UTF-8 is preserved.
  public enum Value: Hashable, Sendable {
    case null, integer(Int64), real(bits: UInt64), text([UInt8]), blob([UInt8])
  }

  /// The connection, for calls that this class doesn't have.
  public let handle: OpaquePointer

  /// Opens a file, which must exist, for reading and writing (or only for reading).
  public init(path: String, readOnly: Bool = false) throws {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw Failure(code: code, description: "cannot open \(path)")
    }
    self.handle = handle
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 5000)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs all statements in `sql`.
  public func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  /// Runs all statements in a text that need not be UTF-8.
  public func execute(bytes: [UInt8]) throws {
    let text = bytes.map { CChar(bitPattern: $0) } + [0]
    guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  /// The rows of the one statement in `sql`.
  public func rows(_ sql: String) throws -> [[Value]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure() }
    defer { sqlite3_finalize(statement) }
    var rows: [[Value]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { value(statement, $0) })
      case SQLITE_DONE: return rows
      default: throw failure()
      }
    }
  }

  /// The rows of the one statement in `sql`, as text: for what is known to hold nothing else.
  public func strings(_ sql: String) throws -> [[String]] {
    try rows(sql).map { row in
      row.map { value in
        switch value {
        case .null: "NULL"
        case .integer(let integer): String(integer)
        case .real(let bits): String(Double(bitPattern: bits))
        case .text(let bytes), .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
      }
    }
  }

  /// All that the database holds: its settings, its schema and every row of every table, in a fixed order.
  public func dump() throws -> [[Value]] {
    var result: [[Value]] = []
    for pragma in ["encoding", "page_size", "user_version", "application_id", "journal_mode"] {
      result += try rows("PRAGMA \(pragma)")
    }
    result += try rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    for table in try strings("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").map({ $0[0] }) {
      let quoted =
        "\"" + table.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
      result.append([.text(Array(table.utf8))])
      result += try rows("SELECT * FROM \(quoted)")
    }
    return result
  }

  private func failure() -> Failure {
    Failure(code: sqlite3_extended_errcode(handle), description: String(cString: sqlite3_errmsg(handle)))
  }

  private func value(_ statement: OpaquePointer?, _ column: Int32) -> Value {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(bits: sqlite3_column_double(statement, column).bitPattern)
    case SQLITE_TEXT:
      let start = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return .text(Array(UnsafeBufferPointer(start: start, count: count)))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
    default: return .null
    }
  }
}
