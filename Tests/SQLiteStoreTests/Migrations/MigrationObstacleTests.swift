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
    "ALTER TABLE item RENAME COLUMN list TO folder",
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
    "INSERT INTO item VALUES ('c', 9)", "INSERT INTO item VALUES ('c', 1)",
    "CREATE TABLE more(list REFERENCES list); INSERT INTO more VALUES (1)",
    "CREATE TABLE more(item REFERENCES item(list)); INSERT INTO more VALUES (1)",
  ])
  func `a migration that creates references to missing rows is refused, despite old ones`(sql: String) throws {
    let scratch = try Scratch()
    let database = try Self.database(scratch, Self.orphan)
    let error = try databaseError { try database.migrate([Self.first, Migration("0002", sql: sql)]) }
    #expect(error.extendedCode == .constraintForeignKey, "\(error)")
    #expect(error.message.contains("refers to no row of") || error.message.contains("mismatch"), "\(error)")
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
}
