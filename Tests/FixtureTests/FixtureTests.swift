import FixtureSupport
import Foundation
import Testing

@Suite struct FixtureTests {
  @Test func `a copy is a file of its own that may be written`() throws {
    let first = try Fixture.copy(.todoSample)
    let second = try Fixture.copy(.todoSample)
    #expect(first != second)
    let database = try RawDatabase(path: first)
    try database.execute("DELETE FROM item")
    #expect(try database.strings("SELECT count(*) FROM item") == [["0"]])
    #expect(try RawDatabase(path: second).strings("SELECT count(*) FROM item") == [["4"]])
    #expect(try Data(contentsOf: URL(filePath: Fixture.todoSample.original)) == Data(contentsOf: URL(filePath: second)))
  }

  @Test func `a copy belongs to its owner alone and a read only one to nobody`() throws {
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(Fixture.copy(.related)) == 0o600)
    #expect(try mode(Fixture.copy(.readOnly)) == 0o444)
  }

  @Test(
    arguments: [
      .todoSample, .todoOlder, .todoNewer, .related, .edgeValues, .withoutRowid, .utf8, .utf16LittleEndian,
      .utf16BigEndian, .rollbackJournal, .wal, .readOnly,
    ] as [Fixture])
  func `a fixture that is whole passes the integrity check`(fixture: Fixture) throws {
    let database = try RawDatabase(path: Fixture.copy(fixture))
    #expect(try database.strings("PRAGMA integrity_check") == [["ok"]])
    #expect(try database.rows("PRAGMA foreign_key_check") == [])
  }

  @Test func `the sample is that of the original example`() throws {
    let database = try RawDatabase(path: Fixture.copy(.todoSample))
    #expect(
      try database.strings(
        "SELECT list.name, title FROM item JOIN list ON list.id = item.list ORDER BY list.position, item.position")
        == [
          ["Errands", "Groceries"], ["Errands", "Post Office"], ["Career", "Presentation"],
          ["Career", "Multiple Selections"],
        ])
  }

  @Test func `the edge values are what their names say`() throws {
    let database = try RawDatabase(path: Fixture.copy(.edgeValues))
    func value(_ name: String) throws -> RawDatabase.Value? {
      try database.rows("SELECT v FROM value WHERE name = '\(name)'").first?.first
    }
    #expect(try value("2^53 + 1") == .integer((1 << 53) + 1))
    #expect(try value("int64 min") == .integer(.min))
    #expect(try value("real minus zero") == .real(bits: (-0.0).bitPattern))
    #expect(try value("minus infinity") == .real(bits: (-Double.infinity).bitPattern))
    #expect(try value("real largest") == .real(bits: Double.greatestFiniteMagnitude.bitPattern))
    #expect(try value("real smallest normal") == .real(bits: Double.leastNormalMagnitude.bitPattern))
    #expect(try value("text with NUL inside") == .text(Array("before\0after".utf8)))
    #expect(try value("invalid UTF-8: never a byte") == .text([0x61, 0xFF, 0x62]))
    #expect(try value("text of 64 KiB") == .text(Array(String(repeating: "ab", count: 32768).utf8)))
    #expect(try value("empty blob") == .blob([]))
    #expect(try value("blob of all bytes") == .blob(Array(0...255)))
  }
}
