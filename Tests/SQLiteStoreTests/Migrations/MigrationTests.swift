import FixtureSupport
import Foundation
import SQLiteStore
import Testing

@testable import TodoCore

@Suite struct MigrationTests {
  static let first = Migration(
    "0001_item",
    sql:
      "CREATE TABLE item(id INTEGER PRIMARY KEY, list INTEGER REFERENCES list(id)); CREATE TABLE list(id INTEGER PRIMARY KEY)"
  )
  static let second = Migration("0002_note", sql: "ALTER TABLE item ADD COLUMN note TEXT")
  static let third = Migration("0003_swift") { c in try c.execute("INSERT INTO list VALUES (\(7))") }

  func columns(_ database: Database) throws -> [String] {
    try database.read { try $0.values("SELECT name FROM pragma_table_info('item')", as: String.self) }
  }

  @Test func `migrations are applied once in order and recorded`() throws {
    let database = try Database.inMemory()
    #expect(try database.pendingMigrations([Self.first, Self.second]).map(\.name) == ["0001_item", "0002_note"])
    try database.migrate([Self.first])
    #expect(try database.pendingMigrations([Self.first, Self.second]).map(\.name) == ["0002_note"])
    #expect(try columns(database) == ["id", "list"])
    for _ in 0..<2 { try database.migrate([Self.first, Self.second, Self.third]) }
    #expect(try columns(database) == ["id", "list", "note"])
    #expect(
      try database.read { try $0.values("SELECT name FROM frc_migrations ORDER BY number", as: String.self) } == [
        "0001_item", "0002_note", "0003_swift",
      ])
    #expect(try database.read { try $0.values("SELECT id FROM list", as: Int.self) } == [7])
  }

  @Test func `migrations without names, or with one name twice, are refused`() throws {
    let database = try Database.inMemory()
    for (migrations, words) in [
      ([Self.first, Self.first], "the same name, 0001_item"),
      ([Self.first, Migration("", sql: "")], "migration 2 has no name"),
    ] {
      for refused in [{ try database.migrate(migrations) }, { _ = try database.pendingMigrations(migrations) }] {
        #expect(try databaseError { try refused() }.message.contains(words))
      }
    }
    #expect(try database.read { try $0.value("SELECT count(*) FROM sqlite_schema", as: Int.self) } == 0)
  }

  @Test func `a dry run writes nothing`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    _ = try database.pendingMigrations([Self.first])
    #expect(try database.read { try $0.value("SELECT count(*) FROM sqlite_schema", as: Int.self) } == 0)
  }

  @Test func `a failing migration leaves nothing behind and those before stay`() throws {
    let database = try Database.inMemory()
    for (bad, reason) in [
      (Migration("0002_bad", sql: "CREATE TABLE more(a); INSERT INTO nowhere VALUES (1)"), "no such table"),
      (
        Migration("0002_bad", sql: "CREATE TABLE more(a); INSERT INTO item(list) VALUES (99)"),
        "row 1 of item refers to no row of list"
      ),
      (Migration("0002_bad", sql: "CREATE TABLE more(a); COMMIT"), "begin and end transactions themselves"),
    ] {
      let error = try databaseError { try database.migrate([Self.first, bad]) }
      #expect(
        error.message.hasPrefix("migration 0002_bad failed and was undone: ") && error.message.contains(reason),
        "\(error)")
      #expect(try database.read { try $0.values("SELECT name FROM frc_migrations", as: String.self) } == ["0001_item"])
      #expect(
        try database.read { try $0.value("SELECT count(*) FROM sqlite_schema WHERE name = 'more'", as: Int.self) } == 0)
    }
    #expect(throws: DatabaseError.self) { try database.write { try $0.execute("INSERT INTO item(list) VALUES (5)") } }
  }

  @Test func `a table can be rebuilt although others refer to it`() throws {
    let database = try Database.inMemory()
    try database.migrate([Self.first])
    try database.write { try $0.executeScript("INSERT INTO list VALUES (1); INSERT INTO item(list) VALUES (1)") }
    let remake = Migration(
      "0002_list",
      sql:
        "CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO new(id) SELECT id FROM list; DROP TABLE list; ALTER TABLE new RENAME TO list"
    )
    try database.migrate([Self.first, remake])
    #expect(try database.read { try $0.values("SELECT list FROM item", as: Int.self) } == [1])
  }

  @Test(arguments: ["VIEW open AS SELECT * FROM list", "TRIGGER t AFTER INSERT ON item BEGIN DELETE FROM list; END"])
  func `a rebuilt table that a view or a trigger reads says what to do`(object: String) throws {
    let rebuild =
      "CREATE TABLE new(id INTEGER PRIMARY KEY); DROP TABLE list; ALTER TABLE new RENAME TO list"
    let database = try Database.inMemory()
    let second = Migration("2", sql: "CREATE \(object)")
    try database.migrate([Self.first, second])
    let error = try databaseError { try database.migrate([Self.first, second, Migration("3", sql: rebuild)]) }
    let words = object.split(separator: " ")
    #expect(error.message.contains("drop the \(words[0].lowercased()) first, and create it again"), "\(error)")
    try database.migrate([
      Self.first, second, Migration("3", sql: "DROP \(words[0]) \(words[1]); \(rebuild); CREATE \(object)"),
    ])
  }

  @Test func `a changed, missing or reordered migration is refused`() throws {
    let database = try Database.inMemory()
    try database.migrate([Self.first, Self.second])
    let changed = Migration("0002_note", sql: "ALTER TABLE item ADD COLUMN note TEXT ")
    for (list, reason) in [
      ([Self.first, changed], "migration 0002_note has been changed since it was applied"),
      ([Self.second, Self.first], "put into another order"),
      ([Self.first, Self.third], "0002_note is missing from the program"),
      (
        [Self.first],
        "the database is newer than this program: it has 2 migrations, the last of them 0002_note, where the program knows 1"
      ),
    ] {
      for attempt in [{ try database.migrate(list) }, { _ = try database.pendingMigrations(list) }] {
        let error = try databaseError(attempt)
        #expect(error.code == .schema && error.message.contains(reason), "\(error)")
      }
    }
    #expect(try columns(database) == ["id", "list", "note"])
  }

  @Test func `two programs that migrate at once do not get in each other's way`() async throws {
    let scratch = try Scratch()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let database = try scratch.database()
          try await database.migrate([Self.first, Self.second, Self.third])
        }
      }
      try await group.waitForAll()
    }
    let database = try scratch.database()
    #expect(try await database.read { try $0.value("SELECT count(*) FROM frc_migrations", as: Int.self) } == 3)
  }

  @Test func `a cancelled migration is undone`() async throws {
    let database = try Database.inMemory()
    let started = Box(false)
    let slow = Migration("0001_slow") { c in
      try c.execute("CREATE TABLE x(a)")
      started.change { $0 = true }
      _ = try c.value(WaitingTests.endless, as: Int.self)
    }
    let task = Task { try await database.migrate([slow]) }
    while !started.value { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await database.read { try $0.value("SELECT count(*) FROM sqlite_schema", as: Int.self) } == 0)
  }
}
