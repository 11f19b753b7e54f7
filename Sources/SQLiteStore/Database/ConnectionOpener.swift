import CFetchedResultsSQLite
import FetchedResultsSupport

/// Opens connections, all with the same safe settings.
struct ConnectionOpener: Sendable {
  let path: String?
  let options: Database.Options

  /// Opens a connection. `access` can cancel it while it waits for a process that has locked the file; the timeout
  /// counts from `since`. With a reason for `impatience`, it does not wait at all.
  func open(
    isReader: Bool, _ access: Connection.Access? = nil, since: UInt64? = nil,
    impatience: BusyHandler.Impatience? = nil
  ) throws -> Connection {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    if options.isReadOnly {
      flags |= options.removesFilesAfterReading ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    } else {
      flags |= SQLITE_OPEN_READWRITE
      if options.createsFile, !isReader { flags |= SQLITE_OPEN_CREATE }
    }
    var pointer: OpaquePointer?
    var name = path.map(FilePreparation.plain) ?? ":memory:"
    if options.isImmutable {
      flags |= SQLITE_OPEN_URI  // for attached files too
      if let path { name = FilePreparation.immutableURI(path) }
    }
    let code = sqlite3_open_v2(name, &pointer, flags, options.vfs)
    guard code == SQLITE_OK, let handle = pointer else {
      let error = DatabaseError(code, on: pointer, doing: "\(path ?? "memory") can't be opened")
      sqlite3_close_v2(pointer)
      throw error
    }
    let busy = BusyHandler(timeout: options.busyTimeout.nanoseconds)
    busy.install(on: handle)
    busy.access = access
    busy.since = since
    busy.impatience = impatience
    defer { (busy.access, busy.since, busy.impatience) = (nil, nil, nil) }
    let connection = Connection(
      handle: handle, isReadOnly: isReader || options.isReadOnly, options: options, busy: busy)
    do {
      try configure(connection, isReader: isReader)
    } catch {
      connection.close()
      if access?.isCancelled == true { throw CancellationError() }
      guard var error = error as? DatabaseError, let path, impatience == nil else { throw error }
      error.message = "\(path) can't be opened: \(FilePreparation.reason(error, path, options))"
      throw error
    }
    return connection
  }

  /// The value of `PRAGMA synchronous`.
  ///
  /// A rollback journal needs one more sync than a log: removing the journal is the commit, and it is durable once the
  /// folder is synced.
  private var synchronous: String {
    switch (options.journal, options.durability) {
    case (.delete, .full): "EXTRA"
    default: options.durability.rawValue
    }
  }

  /// Without this, temporary triggers don't see which rows REPLACE removes.
  static let captureSettings = "PRAGMA recursive_triggers = 1"

  /// - Parameter file: The schema name of the file, as attached.
  func setJournalMode(of connection: Connection, file: String = "main") throws {
    let mode = try connection.text("PRAGMA \(SQL.quoted(file)).journal_mode = \(options.journal.rawValue)")
    guard mode.uppercased() == options.journal.rawValue else {
      throw DatabaseError(
        code: .cantOpen,
        message: "the journal can't be kept as \(options.journal.rawValue), it stays \(mode.uppercased())")
    }
  }

  /// The settings of each file of a connection: how it is synced, and how much of it is cached.
  private func settings(ofFile file: String, isReader: Bool) -> String {
    let name = SQL.quoted(file)
    // Only for connections that write: it would make SQLite read the schema, which a reading connection may never need.
    let durability = options.isReadOnly ? "" : "; PRAGMA \(name).synchronous = \(synchronous)"
    let cacheBytes = isReader ? options.pageCacheBytes : options.writerPageCacheBytes ?? options.pageCacheBytes
    let cache =
      cacheBytes == Database.Options.usualPageCacheBytes
      ? "" : "; PRAGMA \(name).cache_size = -\(max(1, cacheBytes / 1024))"
    return durability + cache
  }

  /// Gives an attached file the settings of the main file.
  func configure(file: String, on connection: Connection) throws {
    let isReader = connection.isReadOnly && !options.isReadOnly
    if !connection.isReadOnly, !options.isReadOnly, !options.keepsJournalMode {
      try setJournalMode(of: connection, file: file)
    }
    let settings = settings(ofFile: file, isReader: isReader)
    if !settings.isEmpty { try connection.run(String(settings.dropFirst())) }
  }

  private func configure(_ connection: Connection, isReader: Bool) throws {
    // A row that fires a dozen triggers opens a cursor or two for each, more than the usual hundred slots hold. This
    // must come first: it can only be set while no slot is in use.
    if !isReader { _ = frc_set_lookaside(connection.handle, 1200, 500) }
    for (switched, on) in [
      (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
      // Functions used by an untrusted schema must be harmless, and SQL must not be able to corrupt its tables.
      (SQLITE_DBCONFIG_TRUSTED_SCHEMA, options.trustsSchema ? 1 : 0), (SQLITE_DBCONFIG_DEFENSIVE, 1),
      // A misspelt column in double quotes is an error, not a text.
      (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
      // No statement may load code: some systems' libraries have both of these enabled.
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
    ] as [(Int32, Int32)] {
      _ = frc_db_config(connection.handle, switched, on)
    }
    try DateFunction.add(to: connection)
    if isReader || options.isReadOnly {
      try connection.run("PRAGMA query_only = 1")
    } else if path != nil, !options.keepsJournalMode {
      try setJournalMode(of: connection)
    }
    let temporary = options.keepsTemporaryDataInMemory && !isReader ? "; PRAGMA temp_store = MEMORY" : ""
    try connection.run(Self.captureSettings + settings(ofFile: "main", isReader: isReader) + temporary)
    // Reads the header and the schema, so that a file that isn't a database fails here and not later.
    if !isReader { _ = try connection.text("PRAGMA schema_version") }
  }
}

extension Connection {
  /// Runs statements once, without caching them.
  func run(_ sql: String) throws {
    var code = asLibrary { sqlite3_exec(handle, sql, nil, nil, nil) }
    if acceptsSchema(after: code) { code = asLibrary { sqlite3_exec(handle, sql, nil, nil, nil) } }
    if code != SQLITE_OK { throw failure(code, sql: sql) }
  }

  /// The text of the first column of the first row; the statement is not cached.
  func text(_ sql: String) throws -> String {
    try asLibrary {
      var pointer: OpaquePointer?
      var code = sqlite3_prepare_v2(handle, sql, -1, &pointer, nil)
      if acceptsSchema(after: code) { code = sqlite3_prepare_v2(handle, sql, -1, &pointer, nil) }
      defer { sqlite3_finalize(pointer) }
      if code == SQLITE_OK { code = sqlite3_step(pointer) }
      guard code == SQLITE_ROW else { throw failure(code, sql: sql) }
      return sqlite3_column_text(pointer, 0).map { String(cString: $0) } ?? ""
    }
  }
}
