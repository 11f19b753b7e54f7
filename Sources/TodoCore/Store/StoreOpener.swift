import FetchedResultsSupport
import SQLiteStore

/// Opens a database: cheaply if all is well, and with a readable error if not.
enum StoreOpener {
  enum Purpose {
    case toRead, toWrite
  }

  static func migrations() -> [Migration] { TodoSchema.migrations.map { Migration($0.name, sql: $0.sql) } }

  /// The state of the database's schema.
  enum State {
    case current, older, empty, newer
    /// Another program's, or with texts in UTF-16.
    case foreign
    /// Another program has changed or dropped tables, indexes, triggers or views of ours; the first difference.
    case altered(String)
    /// A development version before 0.9.0 wrote it; the name of its last migration.
    case beforeFirstRelease(String)
  }

  static func openToWrite(
    _ path: String, _ clock: @escaping @Sendable () -> Moment, _ given: Database.Options = Database.Options()
  ) throws -> TodoStore {
    // SQLite would open it to read all the same, and make files beside it that can't be written either.
    if let status = Platform.status(of: path), status.isFile, let error = readOnlyFile(path) { throw error }
    do {
      return try openAndMigrate(path, clock, given)
    } catch let error as DatabaseError where [.cantOpen, .readOnly, .permission].contains(error.code) {
      if let obstacle = obstacle(to: path) { throw obstacle }
      throw error.isOfUnwritableFormat && Platform.canWrite(Platform.resolved(path))
        ? TodoError.unwritableFormat(path) : error
    }
  }

  /// Why an existing file can't be written; nil if permissions are not the reason.
  private static func obstacle(to path: String) -> TodoError? {
    guard Platform.status(of: path)?.isFile == true else { return nil }
    if let error = readOnlyFile(path) { return error }
    let folder = DatabaseLocation(path: Platform.resolved(path)).folder
    return Platform.canWrite(folder) ? nil : cantBeWritten(path, "no files can be made in its folder \(folder)")
  }

  /// The error for a file, or a file of its log, that this user may only read; nil if they can be written.
  private static func readOnlyFile(_ path: String) -> TodoError? {
    let file = Platform.resolved(path)
    if !Platform.canWrite(file) { return cantBeWritten(path, "the file is read-only for this user") }
    for other in [file + "-wal", file + "-shm"] where Platform.isReadOnly(other) {
      return .inputOutput(
        "\(path) can't be written: the file \(other) is read-only for this user; run: chmod 600 \(other)")
    }
    return nil
  }

  private static func cantBeWritten(_ path: String, _ what: String) -> TodoError {
    let file = Platform.resolved(path)
    let files = Platform.status(of: file + "-wal") == nil ? "it" : "it and \(file)-wal"
    return .inputOutput(
      "\(path) can't be written: \(what); change the permissions, or copy \(files) to a folder that you may write to and use that with "
        + "--db FILE")
  }

  /// The options for a to-do database, in which other programs may have objects of their own.
  ///
  /// SQLite's own functions and tables may be used by them, as in every other program: JSON functions in a CHECK, a
  /// full-text index that triggers write to. The functions that can do harm (`load_extension` and this program's own)
  /// can't be called by a schema in any case.
  static func trusting(_ given: Database.Options) -> Database.Options {
    var options = given
    options.trustsSchema = true
    return options
  }

  private static func openAndMigrate(
    _ path: String, _ clock: @escaping @Sendable () -> Moment, _ given: Database.Options
  ) throws -> TodoStore {
    var options = withRoomForChanges(given)
    options.maximumReaders = 3
    // The file may be another program's, whose journal mode must not change.
    options.keepsJournalMode = true
    let database = try retrying { try Database(path: path, options: options) }
    let found = try retrying { try state(of: database, .toWrite) }
    try check(found, path)
    try retrying { try database.adoptJournal() }
    switch found {
    case .empty, .older: try migrate(database, path)
    case .current, .foreign, .newer, .altered, .beforeFirstRelease: break
    }
    return TodoStore(database, clock)
  }

  /// Applies the missing migrations: all of them, or none if there is no room for them.
  private static func migrate(_ database: Database, _ path: String) throws {
    try retrying { try database.migrateAtOnce(migrations()) }
    try check(state(of: database, .toWrite), path)
  }

  /// Triggers make SQLite record how each statement can be undone, and large changes take space: keep that in memory
  /// and not in files.
  private static func withRoomForChanges(_ given: Database.Options) -> Database.Options {
    var options = trusting(given)
    options.keepsTemporaryDataInMemory = true
    options.writerPageCacheBytes = 64 << 20
    return options
  }

  /// Returns nil if nothing was written to the database yet, not even its tables.
  ///
  /// - Parameters:
  ///   - acceptsAltered: Whether to open it even if the tables or triggers are not those of this version.
  ///   - migrates: Whether a file of an older version is migrated, if it can be written.
  static func openToRead(
    _ path: String, _ clock: @escaping @Sendable () -> Moment, _ acceptsAltered: Bool = false,
    _ given: Database.Options = Database.Options(), migrates: Bool = true
  ) throws -> TodoStore? {
    let ways = ReadOnlyFile.ways(to: path, vfs: given.vfs)
    for (index, way) in ways.enumerated() {
      do {
        return try openToRead(path, way, clock, acceptsAltered, given, migrates)
      } catch let error as DatabaseError
        where index + 1 < ways.count && [.cantOpen, .readOnly, .ioError, .full].contains(error.code)
      {
        continue
      }
    }
    throw DatabaseError(code: .cantOpen, message: "\(path) can't be opened")
  }

  private static func openToRead(
    _ path: String, _ way: ReadOnlyFile.Way, _ clock: @escaping @Sendable () -> Moment, _ acceptsAltered: Bool,
    _ given: Database.Options, _ migrates: Bool
  ) throws -> TodoStore? {
    var options = trusting(given)
    options.isReadOnly = true
    options.createsFile = false
    options.maximumReaders = 3
    switch way {
    case .tidying: options.removesFilesAfterReading = true
    case .immutable: options.isImmutable = true
    case .plain: break
    case .copy: return try openCopy(of: path, clock, acceptsAltered, given)
    }
    let database = try retrying { try Database(path: path, options: options) }
    let found = try retrying { try state(of: database, .toRead) }
    try check(found, path, acceptsAltered)
    switch found {
    case .current, .foreign, .newer, .altered, .beforeFirstRelease: return TodoStore(database, clock)
    case .empty:
      try database.close()
      return nil
    case .older where !migrates: return TodoStore(database, clock)
    case .older:
      try database.close()
      // The tables are migrated in the file if possible, otherwise for this reader only.
      guard way == .tidying else { return try openCopy(of: path, clock, acceptsAltered, given) }
      do {
        return try openAndMigrate(path, clock, given)
      } catch let error as DatabaseError where [.full, .ioError].contains(error.code) {
        return try openCopy(of: path, clock, acceptsAltered, given)
      }
    }
  }

  /// Opens a temporary copy, which is deleted with the store; nil if nothing was written to the database yet.
  private static func openCopy(
    of path: String, _ clock: @escaping @Sendable () -> Moment, _ acceptsAltered: Bool, _ given: Database.Options
  ) throws -> TodoStore? {
    let copy = try ReadOnlyFile.copy(path)
    do {
      var options = withRoomForChanges(given)
      options.keepsJournalMode = true
      let database = try Database(path: copy, options: options)
      let found = try state(of: database, .toWrite)
      try check(found, path, acceptsAltered)
      switch found {
      case .empty:
        try database.close()
        ReadOnlyFile.remove(copy)
        return nil
      case .older: try migrate(database, path)
      case .current, .foreign, .newer, .altered, .beforeFirstRelease: break
      }
      try database.close()
      options.isReadOnly = true
      options.createsFile = false
      options.removesFilesAfterReading = true
      return TodoStore(try Database(path: copy, options: options), clock, copyOf: path, isTemporary: true)
    } catch {
      ReadOnlyFile.remove(copy)
      throw error
    }
  }

  static func check(_ state: State, _ path: String, _ acceptsAltered: Bool = false) throws(TodoError) {
    let ways = "`todo export` prints what can be read of it, and `todo restore FILE` goes back to a backup"
    switch state {
    case .foreign: throw .badData("\(path) is a database of another program; choose another file")
    case .newer: throw .badData("\(path) was written by a newer version of this program; update the program to use it")
    case .altered(let what) where !acceptsAltered:
      throw .badData("another program has altered tables or triggers of this one in \(path) (\(what)); \(ways)")
    case .beforeFirstRelease(let last) where !acceptsAltered:
      throw .badData(
        "\(path) was written by a development version before 0.9.0 (its last migration is \(last)); \(ways)")
    case .current, .older, .empty, .altered, .beforeFirstRelease: break
    }
  }

  /// Checks the number of migrations and the last one, which takes some microseconds; comparing all of them takes a
  /// hundred.
  ///
  /// If the caller will write, this check uses the writing connection, so that no other one has to read the schema.
  static func state(of database: Database, _ purpose: Purpose) throws -> State {
    switch purpose {
    case .toRead: try database.read(state)
    case .toWrite:
      try database.write { connection in
        let state = try state(connection)
        // Fails if the header of the file forbids to write it, which SQLite notices only now.
        if case .current = state { try connection.execute("DELETE FROM journal WHERE false") }
        return state
      }
    }
  }

  private static func state(_ connection: Connection) throws -> State {
    if try connection.value("PRAGMA encoding", as: String.self) != "UTF-8" { return .foreign }
    let known = TodoSchema.migrations
    // A file that has only views belongs to another program too.
    let isEmpty = try connection.value(
      "SELECT NOT EXISTS(SELECT 1 FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\')", as: Bool.self)
    if isEmpty == true { return .empty }
    guard try listsMigrations(connection) else { return .foreign }
    let names = try connection.values("SELECT name FROM frc_migrations ORDER BY number", as: String.self)
    if names.first == TodoSchema.firstBeforeRelease { return .beforeFirstRelease(names.last ?? "") }
    guard names.first == known.first?.name else { return .foreign }
    if names.count > known.count { return .newer }
    guard names.count == known.count && names.last == known.last?.name else { return .older }
    return try OwnSchema.difference(connection).map { .altered($0) } ?? .current
  }

  /// Whether the table with that name is the list of migrations, and not another program's.
  private static func listsMigrations(_ connection: Connection) throws -> Bool {
    try connection.values(
      """
      SELECT name FROM pragma_table_info('frc_migrations')
      WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'frc_migrations')
      """, as: String.self) == ["number", "name", "checksum", "applied"]
  }

  /// Retries if somebody else is creating the same database: SQLite does not wait in a file's first moments.
  private static func retrying<T>(_ body: () throws -> T) throws -> T {
    let start = MonotonicClock.now()
    while true {
      do {
        return try body()
      } catch let error as DatabaseError where error.code == .busy {
        if MonotonicClock.now() - start > 4_000_000_000 { throw error }
        MonotonicClock.sleep(microseconds: 5000)
      }
    }
  }
}
