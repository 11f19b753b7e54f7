import CFetchedResultsSQLite

/// A result code of SQLite, primary or extended.
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  public let rawValue: Int32

  /// Wraps SQLite's number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The code without its extension: its low byte.
  public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// SQLITE_ERROR: the SQL is wrong, or names something that doesn't exist.
  public static let error = ResultCode(rawValue: SQLITE_ERROR)
  /// SQLITE_PERM: permission denied.
  public static let permission = ResultCode(rawValue: SQLITE_PERM)
  /// SQLITE_ABORT: stopped by a rollback or a callback.
  public static let abort = ResultCode(rawValue: SQLITE_ABORT)
  /// SQLITE_BUSY: another connection held the lock for longer than the timeout.
  public static let busy = ResultCode(rawValue: SQLITE_BUSY)
  /// SQLITE_LOCKED: this connection itself holds a conflicting lock.
  public static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  /// SQLITE_NOMEM: out of memory.
  public static let noMemory = ResultCode(rawValue: SQLITE_NOMEM)
  /// SQLITE_READONLY: the database, or this access to it, is read-only.
  public static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  /// SQLITE_INTERRUPT: interrupted.
  public static let interrupt = ResultCode(rawValue: SQLITE_INTERRUPT)
  /// SQLITE_IOERR: the file system failed.
  public static let ioError = ResultCode(rawValue: SQLITE_IOERR)
  /// SQLITE_CORRUPT: the file is damaged.
  public static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  /// SQLITE_NOTFOUND: there is no such row.
  public static let notFound = ResultCode(rawValue: SQLITE_NOTFOUND)
  /// SQLITE_FULL: the disk is full.
  public static let full = ResultCode(rawValue: SQLITE_FULL)
  /// SQLITE_CANTOPEN: the file can't be opened.
  public static let cantOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  /// SQLITE_SCHEMA: the schema changed under the statement.
  public static let schema = ResultCode(rawValue: SQLITE_SCHEMA)
  /// SQLITE_TOOBIG: a text, blob or statement is too long.
  public static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
  /// SQLITE_CONSTRAINT: a constraint forbids it.
  public static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  /// SQLITE_MISMATCH: a value has the wrong type.
  public static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
  /// SQLITE_MISUSE: the caller's mistake.
  public static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  /// SQLITE_AUTH: not allowed.
  public static let notAuthorized = ResultCode(rawValue: SQLITE_AUTH)
  /// SQLITE_RANGE: no such parameter or column.
  public static let range = ResultCode(rawValue: SQLITE_RANGE)
  /// SQLITE_NOTADB: the file is not a database.
  public static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)

  /// A UNIQUE constraint.
  public static let constraintUnique = ResultCode(rawValue: SQLITE_CONSTRAINT | 8 << 8)
  /// A PRIMARY KEY constraint.
  public static let constraintPrimaryKey = ResultCode(rawValue: SQLITE_CONSTRAINT | 6 << 8)
  /// A FOREIGN KEY constraint.
  public static let constraintForeignKey = ResultCode(rawValue: SQLITE_CONSTRAINT | 3 << 8)
  /// A NOT NULL constraint.
  public static let constraintNotNull = ResultCode(rawValue: SQLITE_CONSTRAINT | 5 << 8)
  /// A CHECK constraint.
  public static let constraintCheck = ResultCode(rawValue: SQLITE_CONSTRAINT | 1 << 8)
  /// A commit hook refused the commit.
  public static let constraintCommitHook = ResultCode(rawValue: SQLITE_CONSTRAINT | 2 << 8)
  /// A value has another type than the column of a STRICT table.
  public static let constraintDataType = ResultCode(rawValue: SQLITE_CONSTRAINT | 12 << 8)

  /// SQLite's name of the primary code with the number of the extended one, such as `SQLITE_CONSTRAINT (2067)`.
  public var name: String {
    let name = Self.names[primary.rawValue] ?? "SQLITE_\(primary.rawValue)"
    return rawValue == primary.rawValue ? name : "\(name) (\(rawValue))"
  }

  /// What a person can do about it.
  var advice: String? {
    switch primary {
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

  private static let names: [Int32: String] = [
    SQLITE_ERROR: "SQLITE_ERROR", SQLITE_INTERNAL: "SQLITE_INTERNAL", SQLITE_PERM: "SQLITE_PERM",
    SQLITE_ABORT: "SQLITE_ABORT", SQLITE_BUSY: "SQLITE_BUSY", SQLITE_LOCKED: "SQLITE_LOCKED",
    SQLITE_NOMEM: "SQLITE_NOMEM", SQLITE_READONLY: "SQLITE_READONLY", SQLITE_INTERRUPT: "SQLITE_INTERRUPT",
    SQLITE_IOERR: "SQLITE_IOERR", SQLITE_CORRUPT: "SQLITE_CORRUPT", SQLITE_NOTFOUND: "SQLITE_NOTFOUND",
    SQLITE_FULL: "SQLITE_FULL", SQLITE_CANTOPEN: "SQLITE_CANTOPEN", SQLITE_PROTOCOL: "SQLITE_PROTOCOL",
    SQLITE_SCHEMA: "SQLITE_SCHEMA", SQLITE_TOOBIG: "SQLITE_TOOBIG", SQLITE_CONSTRAINT: "SQLITE_CONSTRAINT",
    SQLITE_MISMATCH: "SQLITE_MISMATCH", SQLITE_MISUSE: "SQLITE_MISUSE", SQLITE_NOLFS: "SQLITE_NOLFS",
    SQLITE_AUTH: "SQLITE_AUTH", SQLITE_RANGE: "SQLITE_RANGE", SQLITE_NOTADB: "SQLITE_NOTADB",
  ]
}
