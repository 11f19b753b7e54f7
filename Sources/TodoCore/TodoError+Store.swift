import SQLiteStore

extension TodoError {
  /// Converts any error to a readable one.
  ///
  /// An error of the store is described by its kind, without codes and SQL.
  public init(_ error: any Error) {
    switch error {
    case let error as TodoError: self = error
    case let error as DatabaseError: self.init(error)
    case let error as JSONError: self = .badData("the database holds what is no JSON, at \(error); run `todo doctor`")
    case is CancellationError: self = .failure("the command was called off")
    default: self = .failure("\(error)")
    }
  }

  private init(_ error: DatabaseError) {
    switch error.code {
    case _ where error.isOfMigration:
      self = .badData(
        "the database is of an older version, and can't be brought up to date, as something in it was changed by another program "
          + "(\(Self.firstSentence(error.message))); change that back, or go back to a backup with `todo restore FILE`")
    case .busy, .locked:
      self = .busy("another program has been writing to the database for too long; try again in a moment")
    case .full: self = .inputOutput("the disk is full and nothing was written; free some space and try again")
    case .cantOpen, .permission: self = .inputOutput(Self.firstSentence(error.message))
    case .readOnly where error.extendedCode == .readOnlyFileMoved:
      let end = error.message.firstRange(of: ", so nothing can")?.lowerBound ?? error.message.endIndex
      self = .inputOutput("\(error.message[..<end]); start `todo` again")
    case .readOnly:
      self = .inputOutput("the database can't be written; check the permissions of the file and of its folder")
    case .ioError: self = .inputOutput(Self.failureOfDisk(error.extendedCode.rawValue >> 8))
    case .notADatabase: self = .badData("the file is no database; choose another one with --db FILE")
    case _ where Self.isOfSearch(error): self = Self.damagedSearch
    case .corrupt: self = Self.damaged
    case _ where error.isOfUnknownFormat: self = Self.damaged
    case .schema: self = .badData(Self.firstSentence(error.message))
    case .mismatch: self = .badData("the database holds a value that makes no sense; look at it with `todo doctor`")
    case .noMemory, .tooBig: self = .failure("that is too large to be kept")
    case .error where error.message.hasPrefix("unsafe use of"):
      let what = Self.firstSentence(error.message)
      self = .badData("the database itself calls what it must not (\(what)); it is not to be trusted")
    case .error where error.message.contains("malformed JSON"):
      self = .badData("the database holds what is no JSON; run `todo doctor`, which says where")
    default: self = .failure("the database refused: \(Self.firstSentence(error.message))")
    }
  }

  /// What failed, by the number in SQLite's extended code.
  private static func failureOfDisk(_ number: Int32) -> String {
    switch number {
    case 1, 2: "the disk failed while the database was read"
    case 8, 9, 14, 15:
      "the disk failed when the database was to be locked, as some network folders do; copy it to a folder on this computer"
    case 18, 19, 20, 21:
      "the disk failed when the file was to be made that programs share while they use the database (it ends in -shm); is it "
        + "full? Nothing was changed"
    default: "the disk failed while the database was read or written; is it full? Nothing was changed"
    }
  }

  package static let damaged = TodoError.badData(
    "the database is damaged; look at it with `todo doctor`, or go back to a backup with `todo restore FILE`")

  static let damagedSearch = TodoError.badData(
    "the search index is damaged; go back to a backup with `todo restore FILE`, or export, and import into a new database"
  )

  static func unwritableFormat(_ path: String) -> TodoError {
    .badData(
      "the header of \(path) says that only a later version of SQLite can write it; if that is damage, go back to a backup with "
        + "`todo restore FILE`")
  }

  /// Whether the search index reports damage of itself: by a code for virtual tables, or in words.
  static func isOfSearch(_ error: DatabaseError) -> Bool {
    error.extendedCode.rawValue == 11 | 1 << 8  // SQLITE_CORRUPT_VTAB
      || error.message.contains("fts5") || error.message.contains("item_search")
  }

  private static func firstSentence(_ message: String) -> String {
    String(message.split(separator: "\n").first ?? "something went wrong")
  }
}

/// Runs code that may throw anything, and throws readable errors.
func readable<T>(_ body: () throws -> T) throws(TodoError) -> T {
  do {
    return try body()
  } catch {
    throw TodoError(error)
  }
}

extension DatabaseError {
  /// Whether the header of the file may name a format that this version of SQLite can only read, if the permissions are
  /// not the reason.
  var isOfUnwritableFormat: Bool {
    extendedCode == .readOnly && message.contains("attempt to write a readonly database")
  }

  /// Whether the database can't be brought up to date, and why.
  var isOfMigration: Bool { message.hasPrefix("migration ") && [.error, .constraint, .corrupt].contains(code) }

  /// Whether the header of the file names a format that SQLite doesn't know.
  var isOfUnknownFormat: Bool { code == .error && message.contains("unsupported file format") }
}
