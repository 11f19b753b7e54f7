import CFetchedResultsSQLite
import SQLiteStore
import Synchronization

/// A database in memory in which any SQL may be run: it ends soon, is never large, and gets at no file.
enum SmallDatabase {
  static func make() throws -> Database {
    let database = try Database.inMemory()
    try database.write { connection in
      try connection.executeScript(
        """
        CREATE TABLE list(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, position INTEGER);
        CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, list INTEGER REFERENCES list(id), due TEXT, size REAL);
        INSERT INTO list VALUES (1, 'Errands', 2), (2, 'Career', 1);
        INSERT INTO item VALUES (1, 'Milk', 1, NULL, 1.5), (2, 'Bread', 1, '2031-01-02', 2), (3, 'Slides', 2, '', NULL);
        """)
      try connection.withUnsafeHandle(limit)
    }
    return database
  }

  private static func limit(_ handle: OpaquePointer) {
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 100_000)
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 100)
    sqlite3_limit(handle, SQLITE_LIMIT_VDBE_OP, 25_000)
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
    // The running statement is interrupted from time to time, so that one that never ends is ended.
    let interrupt: @convention(c) (UnsafeMutableRawPointer?) -> CInt = { _ in
      progress.add(1, ordering: .relaxed).newValue % 2000 == 0 ? 1 : 0
    }
    sqlite3_progress_handler(handle, 1000, interrupt, nil)
  }

  static func content(_ database: Database) throws -> [[Value]] {
    try database.read { connection in
      let statements: [SQL] = ["SELECT * FROM list", "SELECT * FROM item", "SELECT type, name, sql FROM sqlite_schema"]
      return try statements.flatMap { try connection.rows($0).map { try $0.values } }
    }
  }
}

/// How often SQLite has told that it is still at work.
private let progress = Atomic(0)

/// Counts, from whatever thread.
final class Counter: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .relaxed) }
  func add() { number.add(1, ordering: .relaxed) }
}
