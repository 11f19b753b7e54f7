import CFetchedResultsSQLite
import FetchedResultsSupport
import RowModel

extension DatabaseError {
  /// The error that a connection has just reported. Call it before anything else happens on the connection.
  ///
  /// - Parameter script: The text before the statement in a script, for the position of the error.
  init(
    _ code: Int32, on handle: OpaquePointer?, sql: String? = nil, behind script: String = "", doing what: String? = nil
  ) {
    var extended = ResultCode(rawValue: code)
    var message = ""
    var offset: Int?
    if let handle {
      let last = ResultCode(rawValue: sqlite3_extended_errcode(handle))
      if last.primary == extended.primary { extended = last }
      if last.primary == extended.primary, let text = sqlite3_errmsg(handle) { message = String(cString: text) }
      let place = Int(frc_error_offset(handle))
      if place >= 0, sql != nil { offset = place }
    }
    if message.isEmpty || message == "not an error" {
      message = sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown error"
    }
    let columns = Self.constrainedColumns(message)
    if let sql, let offset, offset <= sql.utf8.count {
      let (line, column) = Self.place(of: script.utf8.count + offset, in: script + sql)
      message += " (line \(line), column \(column))"
    }
    if let handle, [.cantOpen, .ioError].contains(extended.primary),
      [EMFILE, ENFILE].contains(sqlite3_system_errno(handle))
    {
      message += ": too many files are open; close some, or allow this process more of them (ulimit -n)"
    }
    if let advice = Self.advice(on: message) ?? extended.advice { message += "; " + advice }
    if let what { message = "\(what): \(message)" }
    self.init(code: extended, message: message, sql: sql, offset: offset, columns: columns)
  }

  /// What to do about an error that only SQLite's message tells from others. If the schema uses what it must not,
  /// SQLite may call it damaged.
  private static func advice(on message: String) -> String? {
    if message.hasSuffix("SQL statements in progress") {
      return "let the statement that writes on this connection end first, such as one with RETURNING in a forEach"
    }
    if message.contains("unsafe use of virtual table") {
      return
        "a trigger or a view uses a virtual table; if only your programs write the schema, set "
        + "Database.Options.trustsSchema"
    }
    if message.contains("unsafe use of") {
      return
        "no view, trigger, CHECK, generated column or index may call a function that the program has added, and those "
        + "of extensions only if Database.Options.trustsSchema is set; call it in your statements"
    }
    if message.hasPrefix("row value misused") {
      return "an interpolated array is a list with its parentheses: write IN \\(ids), without others around it"
    }
    if message.hasPrefix("no such collation sequence") { return "add it with Database.addCollation" }
    if message.hasPrefix("malformed database schema") {
      return
        "the schema needs what this program lacks, such as a function or a newer SQLite, or is damaged; read it with "
        + "`sqlite3 FILE .schema`"
    }
    return nil
  }

  /// `item.title` from "UNIQUE constraint failed: item.list, item.title".
  private static func constrainedColumns(_ message: String) -> [String] {
    for kind in ["UNIQUE constraint failed: ", "NOT NULL constraint failed: "] where message.hasPrefix(kind) {
      return message.dropFirst(kind.count).split(separator: ",").map { name in
        String(name.drop(while: \.isWhitespace))
      }
    }
    return []
  }

  /// The line and the column of an offset in bytes.
  static func place(of offset: Int, in sql: String) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    for byte in sql.utf8.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return (line, column)
  }
}

extension ResultCode {
  /// What a person can do about it.
  fileprivate var advice: String? {
    switch primary {
    case _ where self == .readOnlyFileMoved:
      "the file was removed, renamed or replaced while it was open; close the database and open it again"
    case .busy: "another connection or process is writing; try again, or allow a longer busyTimeout"
    case .full:
      "free some space and try again; nothing was written. If there is space, a table has a row with the largest row id"
    case .mismatch: "a row id, and so an INTEGER PRIMARY KEY, must be an integer"
    case .corrupt: "the file is damaged; restore a backup, or recover what can be read with `sqlite3 FILE .recover`"
    case .notADatabase: "the file is something else, or is encrypted"
    case .readOnly: "check the permissions of the file and of its folder"
    default: nil
    }
  }
}
