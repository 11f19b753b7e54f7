/// A result code of SQLite, primary or extended. Other engines use these codes for the same errors.
///
/// ```swift
/// do {
///   try database.write { c in try c.insert(order) }
/// } catch let error as DatabaseError where error.extendedCode == ResultCode.constraintUnique {
///   print("there is such an order")
/// }
/// ```
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  public let rawValue: Int32

  /// Wraps SQLite's number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The code without its extension: its low byte.
  public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// SQLITE_ERROR: the SQL is wrong, or names something that doesn't exist.
  public static let error = ResultCode(rawValue: 1)
  /// SQLITE_PERM: permission denied.
  public static let permission = ResultCode(rawValue: 3)
  /// SQLITE_ABORT: stopped by a rollback or a callback.
  public static let abort = ResultCode(rawValue: 4)
  /// SQLITE_BUSY: another connection held the lock for longer than the timeout.
  public static let busy = ResultCode(rawValue: 5)
  /// SQLITE_LOCKED: this connection itself holds a conflicting lock.
  public static let locked = ResultCode(rawValue: 6)
  /// SQLITE_NOMEM: out of memory.
  public static let noMemory = ResultCode(rawValue: 7)
  /// SQLITE_READONLY: the database, or this access to it, is read-only.
  public static let readOnly = ResultCode(rawValue: 8)
  /// SQLITE_INTERRUPT: interrupted.
  public static let interrupt = ResultCode(rawValue: 9)
  /// SQLITE_IOERR: the file system failed.
  public static let ioError = ResultCode(rawValue: 10)
  /// SQLITE_CORRUPT: the file is damaged.
  public static let corrupt = ResultCode(rawValue: 11)
  /// SQLITE_NOTFOUND: there is no such row.
  public static let notFound = ResultCode(rawValue: 12)
  /// SQLITE_FULL: the disk is full.
  public static let full = ResultCode(rawValue: 13)
  /// SQLITE_CANTOPEN: the file can't be opened.
  public static let cantOpen = ResultCode(rawValue: 14)
  /// SQLITE_SCHEMA: the schema changed under the statement.
  public static let schema = ResultCode(rawValue: 17)
  /// SQLITE_TOOBIG: a text, blob or statement is too long.
  public static let tooBig = ResultCode(rawValue: 18)
  /// SQLITE_CONSTRAINT: a constraint forbids it.
  public static let constraint = ResultCode(rawValue: 19)
  /// SQLITE_MISMATCH: a value has the wrong type.
  public static let mismatch = ResultCode(rawValue: 20)
  /// SQLITE_MISUSE: the caller's mistake.
  public static let misuse = ResultCode(rawValue: 21)
  /// SQLITE_AUTH: not allowed.
  public static let notAuthorized = ResultCode(rawValue: 23)
  /// SQLITE_RANGE: no such parameter or column.
  public static let range = ResultCode(rawValue: 25)
  /// SQLITE_NOTADB: the file is not a database.
  public static let notADatabase = ResultCode(rawValue: 26)

  /// SQLITE_READONLY_DBMOVED: the file was removed, renamed or replaced while it was open. Reads fail with it too.
  public static let readOnlyFileMoved = ResultCode(rawValue: 8 | 4 << 8)
  /// A UNIQUE constraint.
  public static let constraintUnique = ResultCode(rawValue: 19 | 8 << 8)
  /// A PRIMARY KEY constraint.
  public static let constraintPrimaryKey = ResultCode(rawValue: 19 | 6 << 8)
  /// A FOREIGN KEY constraint.
  public static let constraintForeignKey = ResultCode(rawValue: 19 | 3 << 8)
  /// A trigger that refuses a change with RAISE.
  public static let constraintTrigger = ResultCode(rawValue: 19 | 7 << 8)
  /// A NOT NULL constraint.
  public static let constraintNotNull = ResultCode(rawValue: 19 | 5 << 8)
  /// A CHECK constraint.
  public static let constraintCheck = ResultCode(rawValue: 19 | 1 << 8)
  /// A commit hook refused the commit.
  public static let constraintCommitHook = ResultCode(rawValue: 19 | 2 << 8)
  /// A value has another type than the column of a STRICT table.
  public static let constraintDataType = ResultCode(rawValue: 19 | 12 << 8)

  /// SQLite's name of the primary code with the number of the extended one, such as `SQLITE_CONSTRAINT (2067)`.
  public var name: String {
    let name = Self.names[primary.rawValue] ?? "SQLITE_\(primary.rawValue)"
    return rawValue == primary.rawValue ? name : "\(name) (\(rawValue))"
  }

  private static let names: [Int32: String] = [
    1: "SQLITE_ERROR", 2: "SQLITE_INTERNAL", 3: "SQLITE_PERM",
    4: "SQLITE_ABORT", 5: "SQLITE_BUSY", 6: "SQLITE_LOCKED",
    7: "SQLITE_NOMEM", 8: "SQLITE_READONLY", 9: "SQLITE_INTERRUPT",
    10: "SQLITE_IOERR", 11: "SQLITE_CORRUPT", 12: "SQLITE_NOTFOUND",
    13: "SQLITE_FULL", 14: "SQLITE_CANTOPEN", 15: "SQLITE_PROTOCOL",
    17: "SQLITE_SCHEMA", 18: "SQLITE_TOOBIG", 19: "SQLITE_CONSTRAINT",
    20: "SQLITE_MISMATCH", 21: "SQLITE_MISUSE", 22: "SQLITE_NOLFS",
    23: "SQLITE_AUTH", 25: "SQLITE_RANGE", 26: "SQLITE_NOTADB",
  ]
}

extension ResultCode: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
