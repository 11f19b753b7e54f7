import CFetchedResultsSQLite
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// What a statement must not leave behind on a connection that others use later.
@Suite struct StatementGuardTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func databases(_ change: (inout Database.Options) -> Void = { _ in }) throws -> [Database] {
    var options = Database.Options()
    change(&options)
    return [
      try scratch.database("\(UUID()).db", options: options), try Database.inMemory(options: options),
    ]
  }

  @Test(arguments: [
    ("ignore_check_constraints = 1", "leave it as it is"), ("main.query_only = ON", "leave it as it is"),
    ("busy_timeout(7)", "Options.busyTimeout"), ("case_sensitive_like = 1", "withUnsafeHandle"),
    ("foreign_keys = OFF", "leave it as it is"), ("journal_mode = MEMORY", "Options.journal"),
    ("synchronous = 0", "Options.durability"), ("cache_size = 5", "Options.pageCacheBytes"),
    ("soft_heap_limit(100000000)", "leave it as it is"), ("trusted_schema = 1", "Options.trustsSchema"),
    ("a_setting_to_come = 1", "leave it as it is"),
  ])
  func `a setting that would outlive its access is refused`(setting: String, advice: String) throws {
    for database in try databases() {
      let settings = ["PRAGMA \(setting)", "/* a */ pragma \(setting)", "EXPLAIN PRAGMA \(setting)"]
      for sql in settings {
        for error in [
          try databaseError { try database.read { try $0.execute(SQL(raw: sql)) } },
          try databaseError { try database.write { try $0.execute(SQL(raw: sql)) } },
          try databaseError { try database.write { try $0.executeScript("CREATE TABLE gone(a);" + sql) } },
          try databaseError { try database.write { _ = try $0.prepare(sql) } },
        ] {
          #expect(error.code == .misuse && error.message.contains(advice), "\(error)")
        }
      }
      #expect(try database.read { try $0.value("SELECT count(*) FROM sqlite_schema", as: Int.self) } == 0)
    }
  }

  @Test func `settings that change nothing or belong to the file are allowed`() throws {
    for database in try databases({ $0.journal = .wal }) {
      try database.write { c in
        try c.executeScript(
          """
          PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = 1; PRAGMA defer_foreign_keys = 1;
          PRAGMA user_version = 7; PRAGMA application_id = 8; PRAGMA optimize; PRAGMA table_info(item); PRAGMA main.index_list(item); PRAGMA integrity_check(1);
          """)
        #expect(try c.value("PRAGMA user_version", as: Int.self) == 7)
        #expect(try c.value("PRAGMA cache_size", as: Int.self) != nil)
      }
    }
  }

  @Test func `the page cache is as large as the option says`() throws {
    for database in try databases({ $0.pageCacheBytes = 20 << 20 }) {
      #expect(try database.read { try $0.value("PRAGMA cache_size", as: Int.self) } == -20480)
      #expect(try database.write { try $0.value("PRAGMA cache_size", as: Int.self) } == -20480)
    }
  }

  @Test func `ATTACH is refused, in SQL and through the handle`() throws {
    let other = scratch.path("other.db")
    for database in try databases() {
      for sql in ["ATTACH '\(other)' AS other", "DETACH main"] {
        let error = try databaseError { try database.write { try $0.execute(SQL(raw: sql)) } }
        #expect(error.code == .misuse && error.message.contains("Database."), "\(error)")
        // Nobody would follow the file's commits, and it could not be detached again inside the transaction.
        let code = try database.write { try $0.withUnsafeHandle { sqlite3_exec($0, sql, nil, nil, nil) } }
        #expect(code == SQLITE_AUTH)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: other))
  }

  @Test func `settings can be changed through the handle`() throws {
    let database = try scratch.database()
    try database.write { c in
      try c.execute("CREATE TABLE t(a CHECK (a > 0))")
      #expect(try c.withUnsafeHandle { sqlite3_exec($0, "PRAGMA cache_size = 50", nil, nil, nil) } == SQLITE_OK)
      #expect(
        try c.withUnsafeHandle { sqlite3_exec($0, "PRAGMA recursive_triggers = 0", nil, nil, nil) } == SQLITE_AUTH)
      // Other statements are not refused with it.
      try c.withUnsafeHandle { handle in
        #expect(sqlite3_exec(handle, "PRAGMA recursive_triggers = 0", nil, nil, nil) == SQLITE_AUTH)
        #expect(sqlite3_exec(handle, "INSERT INTO t VALUES (7)", nil, nil, nil) == SQLITE_OK)
      }
      // An authorizer that a user leaves behind is replaced.
      _ = try c.withUnsafeHandle { sqlite3_set_authorizer($0, { _, _, _, _, _, _ in SQLITE_DENY }, nil) }
      #expect(try c.value("PRAGMA cache_size", as: Int.self) == 50)
      #expect(throws: DatabaseError.self) { try c.execute("PRAGMA ignore_check_constraints = 1") }
    }
  }
}
