/// A database error: SQLite's codes, and one readable sentence.
///
/// ```swift
/// do {
///   try database.write { c in try c.insert(order) }
/// } catch let error as DatabaseError where error.code == .constraint {
///   print(error.columns, error)
/// }
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
  /// The error of `init(databaseValue:)` if no instance has that stored value. A row adds the column's name to it.
  public static func mismatch(expected: String, found: Value) -> DatabaseError {
    let found = found.isNull ? "NULL" : "\(found.storageClass) \(found)"
    return DatabaseError(code: .mismatch, message: "expected \(expected), found \(found)")
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
  @usableFromInline package static let notANumber = DatabaseError(
    code: .mismatch, message: "a NaN can't be stored, as SQLite has none and would store NULL")

  /// An id for a message. It doesn't use the id's own description: Foundation stops the program for the description of
  /// a date that is not finite.
  package static func shown(_ id: any ValueConvertible) -> String {
    do { return try id.databaseValue.description } catch { return "a \(Swift.type(of: id))" }
  }

  /// An entity whose id is not the value of its id column: reading, updating or deleting by it would concern another
  /// row.
  package static func otherID(_ type: Any.Type, _ problem: String) -> DatabaseError {
    .misuse(
      "the id of \(type) is not its id column: \(problem); name the column that holds it with `static let idColumn`")
  }
}
