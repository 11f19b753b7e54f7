import CFetchedResultsSQLite

/// A database error: SQLite's codes, and one readable sentence.
///
/// ```swift
/// do { try database.write { try $0.insert(item) } }
/// catch let error as DatabaseError where error.code == .constraint { … }
/// ```
public struct DatabaseError: Error, Equatable, Sendable {
  /// The primary result code, such as `.constraint`.
  public var code: ResultCode
  /// The extended result code, such as `.constraintUnique`; the primary code if there is no finer one.
  public var extendedCode: ResultCode
  /// What happened, where, and what to do about it.
  public var message: String
  /// The statement that failed, if any.
  public var sql: String?
  /// The offset in `sql`, in bytes, that SQLite points at.
  public var offset: Int?
  /// The table and column or columns that caused the error, such as `item.title`, if they are known.
  public var columns: [String]

  /// Creates an error.
  public init(
    code: ResultCode, message: String, sql: String? = nil, offset: Int? = nil, columns: [String] = []
  ) {
    self.code = code.primary
    self.extendedCode = code
    self.message = message
    self.sql = sql
    self.offset = offset
    self.columns = columns
  }
}

extension DatabaseError: CustomStringConvertible {
  /// One sentence with the message, the code and, if it helps, the SQL.
  public var description: String {
    var text = "\(message) [\(extendedCode.name)]"
    if let sql {
      let flat = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      text += ", in: " + (flat.count > 300 ? flat.prefix(297) + "..." : flat)
    }
    return text
  }
}

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
    if let advice = Self.adviceOnSchema(message) ?? extended.advice { message += "; " + advice }
    if let what { message = "\(what): \(message)" }
    self.init(code: extended, message: message, sql: sql, offset: offset, columns: columns)
  }

  /// What to do if the schema uses what it must not. SQLite may call it damaged then.
  private static func adviceOnSchema(_ message: String) -> String? {
    if message.contains("unsafe use of virtual table") {
      return
        "a trigger or a view uses a virtual table, such as a full-text index; if only your programs write the schema, "
        + "set Database.Options.trustsSchema"
    }
    if message.contains("unsafe use of") {
      return
        "no view, trigger, CHECK, generated column or index may call a function that the program has added, and those "
        + "of extensions only if Database.Options.trustsSchema is set; call it in your statements"
    }
    if message.hasPrefix("malformed database schema") {
      return
        "the schema needs what this program lacks, such as a function or a newer SQLite, or is damaged; read it with "
        + "`sqlite3 FILE .schema`"
    }
    return nil
  }

  /// A caller's mistake, or a state that SQLite itself does not report.
  package static func misuse(_ message: String, sql: String? = nil) -> DatabaseError {
    DatabaseError(code: .misuse, message: message, sql: sql)
  }

  /// An integer too large to store.
  @usableFromInline
  static func overflow(of value: some FixedWidthInteger) -> DatabaseError {
    DatabaseError(code: .mismatch, message: "\(value) does not fit into SQLite's 64-bit signed integers")
  }

  /// A double that SQLite would store as NULL.
  @usableFromInline static let notANumber = DatabaseError(
    code: .mismatch, message: "a NaN can't be stored, as SQLite has none and would store NULL")

  /// An id for a message. It doesn't use the id's own description: Foundation stops the program for the description of
  /// a date that is not finite.
  static func shown(_ id: any ValueConvertible) -> String {
    do { return try id.databaseValue.description } catch { return "a \(Swift.type(of: id))" }
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
