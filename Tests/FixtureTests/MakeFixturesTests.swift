import CFetchedResultsSQLite
import FixtureSupport
import Foundation
import Testing

@Suite struct MakeFixturesTests {
  /// Whether python3 is here, with a SQLite that knows what the recipes use.
  private static let canMake: Bool = {
    let check = """
      import sqlite3, sys
      sqlite3.connect(':memory:').execute('CREATE VIRTUAL TABLE t USING fts5(a)')
      sys.exit(sqlite3.sqlite_version_info < (3, 38) or sys.version_info < (3, 9))
      """
    return (try? run("python3", "-c", check)) == 0
  }()

  private static func run(_ command: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test(.enabled(if: canMake, "needs python3 (3.9 or later) with SQLite 3.38 or later and FTS5"))
  func `the script makes what is committed`() throws {
    let folder = try TemporaryFolder.make()
    #expect(try Self.run(Fixture.checkout + "/Scripts/make-fixtures", folder) == 0)
    func files(_ folder: String) throws -> [String] {
      let all = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".db") }
      return all.filter { $0 != Fixture.todoBeforeFirstRelease.name }.sorted()
    }
    let names = try files(Fixture.checkout + "/Fixtures")
    #expect(try files(folder) == names)
    for name in names {
      let committed = try Data(contentsOf: URL(filePath: "\(Fixture.checkout)/Fixtures/\(name)"))
      let made = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      if committed == made || name.hasSuffix("-wal") { continue }
      // Another version of SQLite, whose bytes may differ; what they say may not.
      let fixture = Fixture(name: name)
      #expect(try Self.content(Fixture.copy(fixture)) == Self.content("\(folder)/\(name)"), "\(name)")
    }
  }

  /// All that can be read: for a damaged file, the one table that is whole.
  private static func content(_ path: String) throws -> [[RawDatabase.Value]] {
    let database = try RawDatabase(path: path)
    do {
      return try database.dump()
    } catch let failure as RawDatabase.Failure where failure.code & 0xFF == SQLITE_CORRUPT {
      return (try? database.rows("SELECT * FROM good")) ?? []
    } catch let failure as RawDatabase.Failure where failure.code & 0xFF == SQLITE_NOTADB {
      return []
    }
  }
}
