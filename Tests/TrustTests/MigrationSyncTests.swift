import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

/// Migrations are synced together, and are there when `migrate` has returned.
@Suite(.serialized, .timeLimit(.minutes(30))) struct MigrationSyncTests {
  private static let migrations = (1...12).map { number in
    Migration("table \(number)", sql: "CREATE TABLE t\(number)(a); INSERT INTO t\(number) VALUES (\(number))")
  }

  private static func syncs(applying count: Int) throws -> Int {
    let files = try FaultyFiles()
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let database = try Database(path: folder + "/a.db", options: files.options(.wal))
    files.count(.sync)
    try database.migrate(Array(migrations.prefix(count)))
    return Int(files.calls)
  }

  @Test func `twelve migrations need as many syncs as one`() throws {
    #expect(try Self.syncs(applying: 12) == Self.syncs(applying: 1))
  }

  @Test func `later writes are synced, even after a failed migration`() throws {
    let files = try FaultyFiles()
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let database = try Database(path: folder + "/a.db", options: files.options(.wal))
    let wrong = [Migration("wrong", sql: "CREATE TABLE t1(a)"), Migration("last", sql: "CREATE TABLE last(a)")]
    #expect(throws: DatabaseError.self) { try database.migrate(Self.migrations + wrong) }
    for number in 0..<3 {
      files.count(.sync)
      try database.write { _ = try $0.execute("INSERT INTO t1 VALUES (\(number))") }
      #expect(files.calls == 1)
    }
  }

  @Test func `after a power loss the first migrations are there, and all once migrate has returned`() throws {
    for seed in 1...UInt64(Trials.rounds(sample: 60, short: 300, full: 2000)) {
      var chance = SeededGenerator(seed: seed)
      let files = try FaultyFiles()
      let folder = try TemporaryFolder.make()
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let path = folder + "/a.db"
      files.losePower(at: Int64(1 + chance.below(160)))
      var isThrough = false
      do {
        let database = try Database(path: path, options: files.options(.wal))
        try database.migrate(Self.migrations)
        isThrough = true
        // The loss may come in what follows.
        for _ in 0..<20 { try database.write { _ = try $0.execute("INSERT INTO t1 VALUES (0)") } }
      } catch {}
      files.restore(seed: chance.next())
      let raw = try RawDatabase.whole(path)
      let tables = try raw.integer("SELECT count(*) FROM sqlite_schema WHERE name GLOB 't[0-9]*'")
      let isRecorded = try raw.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'frc_migrations'") > 0
      let recorded = isRecorded ? try raw.integer("SELECT count(*) FROM frc_migrations") : 0
      try demand(tables == recorded, "SEED \(seed): \(tables) tables of \(recorded) migrations")
      try demand(!isThrough || recorded == 12, "SEED \(seed): \(recorded) of 12 migrations are left")
      for number in 0..<tables {
        let rows = try raw.integer("SELECT count(*) FROM t\(number + 1)")
        try demand(rows > 0, "SEED \(seed): migration \(number + 1) is there by half")
      }
    }
  }
}
