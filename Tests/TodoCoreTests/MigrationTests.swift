import FixtureSupport
import SQLiteStore
import Testing
import TodoCore

@Suite struct MigrationTests {
  @Test func `a file that lacks the last migration is brought up to date and keeps its rows`() throws {
    let path = try Fixture.copy(.todoOlder)
    let kept = "SELECT * FROM item ORDER BY id"
    let before = try RawDatabase(path: path).rows(kept)
    let test = try TestStore(path: path)
    try test.add("new")
    let raw = try RawDatabase(path: path)
    let after = try raw.rows("SELECT * FROM item WHERE id < 3 ORDER BY id")
    #expect(zip(after, before).allSatisfy { $0.starts(with: $1) } && after.count == 2 && before.count == 2)
    let schema = "SELECT type, name, sql FROM sqlite_schema WHERE name <> 'frc_migrations' ORDER BY type, name"
    #expect(try raw.rows(schema) == TodoDatabase().raw.rows(schema))
    #expect(try test.store.items(Selection(filter: Filter(.text(["bread"])))).map(\.id) == [1])
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    _ = try test.store.undo()
    _ = try test.store.undo()
    #expect(try raw.strings("SELECT id FROM item") == [["1"]])
  }

  @Test func `the checksums in the fixtures are of the files`() throws {
    let database = try TodoDatabase(.todoSample)
    #expect(
      try database.raw.strings("SELECT number, name, checksum FROM frc_migrations ORDER BY number")
        == TodoSchema.migrations.enumerated().map {
          ["\($0 + 1)", $1.name, Migration($1.name, sql: $1.sql).checksum]
        })
  }
}
