import FixtureSupport
import Testing
import TodoCore

/// Every past state of a user's file becomes the newest one and loses nothing.
@Suite struct MigrationTests {
  @Test(arguments: 1...TodoSchema.migrations.count)
  func `a file that has lived migrates to the newest schema and keeps its rows`(number: Int) throws {
    let database = try TodoDatabase(.todo(afterMigration: number))
    let kept = "SELECT id, uuid, list, position, title, done, created, completed FROM item ORDER BY id"
    let before = try database.raw.rows(kept)
    try database.migrate(from: number + 1)
    #expect(try database.raw.rows(kept) == before)
    #expect(try database.raw.strings("PRAGMA integrity_check") == [["ok"]])

    let schema = "SELECT type, name, sql FROM sqlite_schema WHERE name <> 'frc_migrations' ORDER BY type, name"
    #expect(try database.raw.rows(schema) == TodoDatabase().raw.rows(schema))
  }

  @Test func `the note of the first version is the first of the notes`() throws {
    let database = try TodoDatabase(.todo(afterMigration: 1))
    try database.migrate(from: 2)
    #expect(
      try database.raw.strings("SELECT title, notes FROM item WHERE notes <> '[]' ORDER BY id")
        == [["Groceries", #"["milk\nbread"]"#], ["Multiple Selections", #"["say \"when\""]"#]])
    #expect(try database.search("bread") == ["1"])
    #expect(try database.raw.strings("SELECT count(*), count(tag) FROM item_tag") == [["5", "0"]])
  }

  @Test func `a number that was removed in an earlier version is not used again`() throws {
    let database = try TodoDatabase(.todo(afterMigration: 1))
    try database.migrate(from: 2)
    try database.change("add", "INSERT INTO item(list, position, title) VALUES (1, 1, 'new')")
    #expect(try database.raw.strings("SELECT id FROM item WHERE title = 'new'") == [["7"]])
  }

  @Test func `a change that was undone before can be redone`() throws {
    let database = try TodoDatabase(.todo(afterMigration: 6))
    try database.migrate(from: 7)
    try database.redo()
    #expect(try database.raw.strings("SELECT id FROM item WHERE title = 'Never mind'") == [["14"]])
    #expect(try database.search("mind") == ["14"])
  }

  @Test func `the checksums in the fixtures are of the files`() throws {
    func checksum(_ text: String) -> String {
      let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    let database = try TodoDatabase(.todoSample)
    #expect(
      try database.raw.strings("SELECT number, name, checksum FROM frc_migrations ORDER BY number")
        == TodoSchema.migrations.enumerated().map { ["\($0 + 1)", $1.name, checksum($1.sql)] })
  }
}
