import SQLiteStore

/// How a database is opened: cheaply where all is well, and with a sentence where it is not.
enum Opening {
  enum Purpose {
    case toRead, toWrite
  }

  static func migrations() -> [Migration] { TodoSchema.migrations.map { Migration($0.name, sql: $0.sql) } }

  /// What a look at the database says of its schema.
  private enum State {
    case current, older, empty, foreign, newer
  }

  static func open(
    _ path: String, _ clock: @escaping @Sendable () -> Moment, _ purpose: Purpose
  ) throws -> TodoStore {
    var options = Database.Options()
    options.isReadOnly = purpose == .toRead
    options.creation = purpose == .toRead ? .never : .ifMissing
    options.maximumReaders = 3
    let database = try retrying { try Database(path: path, options: options) }
    switch try retrying({ try state(of: database) }) {
    case .current: return TodoStore(database, clock)
    case .foreign:
      throw TodoError.badData("\(path) is a database of another program; choose another one with --db FILE")
    case .newer:
      throw TodoError.badData("\(path) was written by a newer version of this program; update the program to use it")
    case .older, .empty:
      if purpose == .toRead {
        try database.close()
        return try open(path, clock, .toWrite)
      }
      try retrying { try database.migrate(migrations()) }
      // Other programs' commits are then known row by row to whoever watches.
      try retrying { try database.recordHistory(of: followedTables) }
      return TodoStore(database, clock)
    }
  }

  /// The tables whose rows the views are made of.
  static let followedTables = ["item", "item_tag", "list"]

  /// A look at the number and the last of the migrations: some microseconds, where comparing them all takes a hundred.
  private static func state(of database: Database) throws -> State {
    let known = TodoSchema.migrations
    return try database.read { connection in
      let tables = try connection.values(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
        as: String.self)
      if tables.isEmpty { return .empty }
      guard tables.contains("frc_migrations") else { return .foreign }
      let applied = try connection.rows("SELECT number, name FROM frc_migrations ORDER BY number")
      let names = try applied.map { try $0[1] as String }
      guard names.first == known.first?.name else { return .foreign }
      if names.count > known.count { return .newer }
      return names.count == known.count && names.last == known.last?.name ? .current : .older
    }
  }

  /// Tries again while somebody else makes the same database: a file's first moments know no waiting.
  private static func retrying<T>(_ body: () throws -> T) throws -> T {
    var attempts = 0
    while true {
      do {
        return try body()
      } catch let error as DatabaseError where error.code == .busy && attempts < 200 {
        attempts += 1
        Platform.sleep(milliseconds: 5)
      }
    }
  }
}
