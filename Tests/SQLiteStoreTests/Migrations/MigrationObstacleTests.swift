import FixtureSupport
import SQLiteStore
import Testing

/// What others have left in a database that is to be migrated.
@Suite struct MigrationObstacleTests {
  private static let first = Migration(
    "0001",
    sql: "CREATE TABLE list(id INTEGER PRIMARY KEY); CREATE TABLE item(id TEXT PRIMARY KEY, list REFERENCES list)")
  /// Another program's connection does not enforce foreign keys unless it says so.
  private static let orphan =
    "INSERT INTO list VALUES (1); INSERT INTO item VALUES ('a', 1), ('b', 1); DELETE FROM list"

  private static func database(_ scratch: Scratch, _ script: String) throws -> Database {
    let database = try scratch.database()
    try database.migrate([first])
    try RawDatabase(path: scratch.path()).execute(script)
    return database
  }

  @Test(arguments: [
    "ALTER TABLE item ADD COLUMN note",
    "INSERT INTO list VALUES (2)",
    "INSERT INTO list VALUES (1)",
    // Created again, with other row ids.
    """
    CREATE TABLE more(id TEXT PRIMARY KEY, list REFERENCES list, note); INSERT INTO more SELECT id, list, 7 FROM item ORDER BY id DESC;
    DROP TABLE item; ALTER TABLE more RENAME TO item
    """,
    "ALTER TABLE item RENAME TO entry", "ALTER TABLE list RENAME TO folder",
    "DELETE FROM item WHERE id = 'a'; UPDATE item SET rowid = 1",
    // Created again under another name, without row ids, with other types and names of columns.
    """
    CREATE TABLE entry(name TEXT PRIMARY KEY, folder TEXT REFERENCES list) WITHOUT ROWID;
    INSERT INTO entry SELECT id, list FROM item; DROP TABLE item
    """,
    """
    CREATE TABLE folder(id REAL PRIMARY KEY); CREATE TABLE more(id TEXT PRIMARY KEY, list REAL REFERENCES folder);
    INSERT INTO more SELECT id, list FROM item; DROP TABLE item; DROP TABLE list; ALTER TABLE more RENAME TO item
    """,
    "ALTER TABLE item RENAME COLUMN list TO folder",
    // In the page of a table that is gone.
    """
    CREATE TABLE junk(a); DROP TABLE junk; CREATE TABLE entry(id TEXT PRIMARY KEY, list REFERENCES list);
    INSERT INTO entry SELECT id, list FROM item; DROP TABLE item
    """,
  ])
  func `earlier references to missing rows are no obstacle`(sql: String) throws {
    let scratch = try Scratch()
    let database = try Self.database(scratch, Self.orphan)
    try database.migrate([Self.first, Migration("0002", sql: sql), Migration("0003", sql: "CREATE TABLE other(x)")])
    #expect(
      try database.integrityCheck().count
        == database.read { c in
          try c.values("SELECT parent FROM pragma_foreign_key_check", as: String.self).count
        })
  }

  @Test(arguments: [
    "INSERT INTO item VALUES ('c', 9)", "INSERT INTO item VALUES ('c', 1)", "UPDATE item SET list = 9 WHERE id = 'b'",
    "CREATE TABLE more(list REFERENCES list); INSERT INTO more VALUES (1)",
    "CREATE TABLE more(item REFERENCES item(list)); INSERT INTO more VALUES (1)",
    // The same value, by another column, or to another table.
    """
    ALTER TABLE item ADD COLUMN owner REFERENCES list; UPDATE item SET owner = list, list = NULL
    """,
    """
    CREATE TABLE person(id INTEGER PRIMARY KEY); CREATE TABLE more(id TEXT PRIMARY KEY, list REFERENCES person);
    INSERT INTO more SELECT * FROM item; DROP TABLE item; ALTER TABLE more RENAME TO item
    """,
  ])
  func `a migration that creates references to missing rows is refused, despite old ones`(sql: String) throws {
    let scratch = try Scratch()
    let database = try Self.database(scratch, Self.orphan)
    let error = try databaseError { try database.migrate([Self.first, Migration("0002", sql: sql)]) }
    #expect(error.extendedCode == .constraintForeignKey, "\(error)")
    #expect(error.message.contains("unlike 2 others, which integrityCheck() lists"), "\(error)")
    #expect(try database.read { try $0.values("SELECT name FROM frc_migrations", as: String.self) } == ["0001"])
  }

  @Test
  func
    `a reference that one migration leaves is no obstacle to the next, and one that a refused migration left is gone`()
    throws
  {
    let scratch = try Scratch()
    let database = try Self.database(scratch, Self.orphan)
    let bad = Migration("0002", sql: "INSERT INTO item VALUES ('c', 9)")
    for _ in 0..<2 { _ = try databaseError { try database.migrate([Self.first, bad]) } }
    try database.migrate([
      Self.first, Migration("0002", sql: "INSERT INTO list VALUES (1)"), Migration("0003", sql: "SELECT 1"),
    ])
    let error = try databaseError {
      try database.migrate([
        Self.first, Migration("0002", sql: "INSERT INTO list VALUES (1)"), Migration("0003", sql: "SELECT 1"),
        Migration("0004", sql: "DELETE FROM list"),
      ])
    }
    #expect(error.extendedCode == .constraintForeignKey, "\(error)")
  }

  @Test func `a foreign key that refers to no key is reported by the check, and blocks no migration`() throws {
    let scratch = try Scratch()
    let database = try Self.database(
      scratch,
      """
      CREATE TABLE wrong(item REFERENCES item(list)); INSERT INTO wrong VALUES (1); CREATE TABLE gone(x REFERENCES nowhere(y));
      INSERT INTO gone VALUES (1); \(Self.orphan)
      """)
    let problems = try database.integrityCheck()
    #expect(problems.count == 4, "\(problems)")
    #expect(problems.contains { $0.contains("wrong") && $0.contains("foreign key mismatch") }, "\(problems)")
    #expect(problems.filter { $0.hasSuffix("of item refers to no row of list") }.count == 2, "\(problems)")
    try database.migrate([Self.first, Migration("0002", sql: "CREATE TABLE other(x)")])
  }

  @Test func `a table without row ids has old and new references to missing rows`() throws {
    let scratch = try Scratch()
    let first = Migration(
      "0001",
      sql: """
        CREATE TABLE list(id INTEGER PRIMARY KEY);
        CREATE TABLE item(id TEXT PRIMARY KEY, list REFERENCES list) WITHOUT ROWID; INSERT INTO list VALUES (3)
        """)
    let database = try scratch.database()
    try database.migrate([first])
    try RawDatabase(path: scratch.path()).execute("INSERT INTO item VALUES ('a', 1), ('b', 1), ('c', 2), ('d', '3')")
    try database.migrate([first, Migration("0002", sql: "ALTER TABLE item ADD COLUMN note")])
    for change in ["UPDATE item SET list = 9 WHERE id = 'a'", "INSERT INTO item(id, list) VALUES ('e', 1)"] {
      let error = try databaseError {
        try database.migrate([
          first, Migration("0002", sql: "ALTER TABLE item ADD COLUMN note"), Migration("0003", sql: change),
        ])
      }
      #expect(error.extendedCode == .constraintForeignKey, "\(error)")
      #expect(error.message.contains("a row with list = \(change.hasPrefix("UPDATE") ? 9 : 1) of item"), "\(error)")
    }
    #expect(try database.integrityCheck().contains("a row of item refers to no row of list"))
  }

  @Test func `rows that SQLite could not check before are no obstacle`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try RawDatabase(path: scratch.path()).execute(
      "CREATE TABLE list(name); CREATE TABLE item(list REFERENCES list(name)); INSERT INTO item VALUES (1), (2)")
    let rename = Migration("0001", sql: "ALTER TABLE item RENAME TO entry")
    try database.migrate([rename, Migration("0002", sql: "CREATE UNIQUE INDEX list_name ON list(name)")])
    #expect(try database.integrityCheck().count == 2)
  }

  @Test(arguments: [
    ("BLOB", "x'ff'", "x'fd'"), ("TEXT", "char(233)", "'e' || char(769)"), ("TEXT", "'5'", "'5.0'"), ("", "5", "6"),
    ("REAL", "5", "5.5"),
  ])
  func `a reference to another missing row is new`(type: String, old: String, new: String) throws {
    for own in ["", "rowid TEXT, ", "rowid TEXT, oid, _rowid_, "] {
      let scratch = try Scratch()
      let first = Migration(
        "0001", sql: "CREATE TABLE p(id \(type) PRIMARY KEY); CREATE TABLE c(\(own)x \(type) REFERENCES p)")
      let database = try scratch.database()
      try database.migrate([first])
      try RawDatabase(path: scratch.path()).execute("INSERT INTO c(x) VALUES (\(old))")
      let error = try databaseError {
        try database.migrate([first, Migration("0002", sql: "UPDATE c SET x = \(new)")])
      }
      #expect(error.extendedCode == .constraintForeignKey, "\(error)")
      try database.migrate([first, Migration("0002", sql: "UPDATE c SET x = \(old)")])
    }
  }

  @Test func `the cost of old references to missing rows grows with their number only`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try RawDatabase(path: scratch.path()).execute(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(x REFERENCES p, y REFERENCES p);
      CREATE TABLE d(x REFERENCES p);
      WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 20000) INSERT INTO c SELECT 5, 5 FROM n;
      INSERT INTO d SELECT 5 FROM c;
      """)
    try database.migrate([Migration("0001", sql: "CREATE TABLE z(a)")])
  }

  @Test func `a virtual table that this program can't open is no obstacle`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.close()
    let raw = try RawDatabase(path: scratch.path())
    try raw.execute(
      """
      CREATE TABLE t(a); PRAGMA writable_schema = 1;
      INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING spellfix1')
      """)
    try scratch.database().migrate([Migration("0001", sql: "CREATE TABLE z(a)")])
  }

  @Test func `a temporary table is not the list of migrations`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TEMP TABLE frc_migrations(a)") }
    try database.migrate([Self.first])
    try database.migrate([Self.first])
    #expect(try database.read { try $0.values("SELECT name FROM frc_migrations", as: String.self) } == ["0001"])
  }

  @Test(arguments: [
    "CREATE VIEW frc_migrations AS SELECT 1 AS number, '0001' AS name, '' AS checksum, '' AS applied",
    "CREATE VIEW frc_migrations AS SELECT 1 WHERE 0", "CREATE TABLE frc_migrations(a)",
    "CREATE TABLE FRC_Migrations(a)",
    "CREATE TABLE frc_migrations(number, name, checksum, applied)",
  ])
  func `another object with the name of the list of migrations is refused`(sql: String) throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try RawDatabase(path: scratch.path()).execute(sql)
    for attempt in [{ try database.migrate([Self.first]) }, { _ = try database.pendingMigrations([Self.first]) }] {
      let error = try databaseError(attempt)
      #expect(error.code == .schema && error.message.contains("is not the list of its migrations"), "\(error)")
    }
    #expect(try database.read { try $0.value("SELECT count(*) FROM sqlite_schema", as: Int.self) } == 1)
  }

  @Test(arguments: ["SELECT RAISE(IGNORE)", "UPDATE frc_migrations SET checksum = 'x'", "DELETE FROM frc_migrations"])
  func `a trigger that keeps a migration from being recorded ends it with an error`(action: String) throws {
    let scratch = try Scratch()
    let moment = action.hasPrefix("SELECT") ? "BEFORE" : "AFTER"
    let database = try Self.database(
      scratch, "CREATE TRIGGER forget \(moment) INSERT ON frc_migrations BEGIN \(action); END")
    let error = try databaseError {
      try database.migrate([Self.first, Migration("0002", sql: "CREATE TABLE other(x)")])
    }
    #expect(error.code == .schema && error.message.contains("could not be recorded"), "\(error)")
    #expect(try database.read { try $0.values("SELECT name FROM frc_migrations", as: String.self) } == ["0001"])
  }
}
