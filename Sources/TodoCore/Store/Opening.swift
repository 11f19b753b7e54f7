import SQLiteStore

/// How a database is opened: cheaply where all is well, and with a sentence where it is not.
enum Opening {
  enum Purpose {
    case toRead, toWrite
  }

  static func migrations() -> [Migration] { TodoSchema.migrations.map { Migration($0.name, sql: $0.sql) } }

  /// What a look at the database says of its schema.
  enum State {
    case current, older, empty, foreign, newer
    /// A table that there must be is not there, or is a view, which could be anything.
    case lacking(String)
  }

  static func open(
    _ path: String, _ clock: @escaping @Sendable () -> Moment, _ purpose: Purpose,
    _ given: Database.Options = Database.Options()
  ) throws -> TodoStore {
    var options = given
    options.isReadOnly = purpose == .toRead
    options.creation = purpose == .toRead ? .never : .ifMissing
    options.maximumReaders = 3
    // Who opens to write sets the journal's mode, and must not do so in a file of somebody else. One with a log beside it is
    // in that mode already; any other is looked at first.
    if purpose == .toWrite, (Platform.status(of: path)?.size ?? 0) > 0, Platform.status(of: path + "-wal") == nil {
      var looking = options
      looking.isReadOnly = true
      try check(try look(path, looking), path)
    }
    let database = try retrying { try whole(path, options) }
    let found = try retrying { try state(of: database, purpose) }
    try check(found, path)
    switch found {
    case .current, .foreign, .newer, .lacking: return TodoStore(database, clock)
    case .older, .empty:
      if purpose == .toRead {
        try database.close()
        return try open(path, clock, .toWrite, given)
      }
      try retrying { try database.migrate(migrations()) }
      return TodoStore(database, clock)
    }
  }

  /// Opens a database only to see what it is.
  static func look(_ path: String, _ options: Database.Options) throws -> State {
    let database = try retrying { try whole(path, options) }
    defer { try? database.close() }
    return try retrying { try state(of: database, .toRead) }
  }

  /// Opens a database; what a program left half done in it when it was killed is taken back first, which can't be done by
  /// reading only.
  private static func whole(_ path: String, _ options: Database.Options) throws -> Database {
    do {
      return try Database(path: path, options: options)
    } catch let error as DatabaseError where error.code == .readOnly && options.isReadOnly {
      guard (Platform.status(of: path + "-journal")?.size ?? 0) > 0 else { throw error }
      var mending = options
      mending.isReadOnly = false
      mending.creation = .never
      // As it is: a file with such a journal has no log.
      mending.journal = .delete
      try Database(path: path, options: mending).close()
      return try Database(path: path, options: options)
    }
  }

  static func check(_ state: State, _ path: String) throws(TodoError) {
    switch state {
    case .foreign: throw .badData("\(path) is a database of another program; choose another one with --db FILE")
    case .newer: throw .badData("\(path) was written by a newer version of this program; update the program to use it")
    case .lacking(let table):
      throw .badData(
        "\(path) has no table \(table), which every database of this program has; `todo restore FILE` goes back to a backup"
      )
    case .current, .older, .empty: break
    }
  }

  /// The tables whose rows the views are made of.
  static let followedTables = ["item", "item_tag", "list"]

  /// The tables that the program reads and writes by name.
  private static let ownTables = followedTables + ["change", "item_search", "item_to_index", "journal"]

  /// A look at the number and the last of the migrations: some microseconds, where comparing them all takes a hundred.
  ///
  /// Who will write looks on the connection that writes, so that no other one has to read the schema.
  private static func state(of database: Database, _ purpose: Purpose) throws -> State {
    switch purpose {
    case .toRead: try database.read(state)
    case .toWrite:
      try database.write { connection in
        // Triggers have SQLite note how each statement can be undone, and large changes take room: in memory, and not by way
        // of files. Before the transaction that is about it, in which it can't be set.
        try connection.execute("PRAGMA temp_store = MEMORY")
        try connection.execute("PRAGMA cache_size = -65536")
        return try state(connection)
      }
    }
  }

  private static func state(_ connection: Connection) throws -> State {
    let known = TodoSchema.migrations
    let tables = try connection.values(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'", as: String.self)
    if tables.isEmpty { return .empty }
    guard tables.contains("frc_migrations") else { return .foreign }
    let names = try connection.values("SELECT name FROM frc_migrations ORDER BY number", as: String.self)
    guard names.first == known.first?.name else { return .foreign }
    if names.count > known.count { return .newer }
    guard names.count == known.count && names.last == known.last?.name else { return .older }
    return ownTables.first { !tables.contains($0) }.map { .lacking($0) } ?? .current
  }

  /// Tries again while somebody else makes the same database: a file's first moments know no waiting.
  private static func retrying<T>(_ body: () throws -> T) throws -> T {
    let start = Platform.monotonicMilliseconds()
    while true {
      do {
        return try body()
      } catch let error as DatabaseError where error.code == .busy {
        if Platform.monotonicMilliseconds() - start > 4000 { throw error }
        Platform.sleep(milliseconds: 5)
      }
    }
  }
}
