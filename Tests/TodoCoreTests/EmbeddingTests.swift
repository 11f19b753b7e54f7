import FetchedResultsMigrationTool
import FixtureSupport
import Foundation
import Testing

@Suite struct EmbeddingTests {
  private func files(_ names: String...) -> [MigrationFile] {
    names.map { MigrationFile(name: $0, bytes: Array("SELECT 1;\n".utf8)) }
  }

  private func refusal(_ files: [MigrationFile]) -> String? {
    do {
      _ = try embedding(of: files)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `files are embedded in the order of their numbers, however they are given`() throws {
    let source = try embedding(of: files("0002_b.sql", "0001_a.sql"))
    let first = try #require(source.firstRange(of: "\"0001_a\""))
    let second = try #require(source.firstRange(of: "\"0002_b\""))
    #expect(first.lowerBound < second.lowerBound)
  }

  @Test func `two files with the same number are refused by name`() {
    #expect(
      refusal(files("0001_a.sql", "0002_b.sql", "0002_c.sql"))
        == "0002_b.sql and 0002_c.sql have the same number; give the later one the next free number")
  }

  @Test func `a gap is refused by the number that is missing`() {
    #expect(
      refusal(files("0001_a.sql", "0003_c.sql"))
        == "0003_c.sql: number 0002 is missing; numbers go from 0001 without gaps")
    #expect(refusal(files("0002_b.sql")) == "0002_b.sql: number 0001 is missing; numbers go from 0001 without gaps")
    #expect(refusal(files("0000_a.sql")) != nil)
  }

  @Test(arguments: [
    "1_a.sql", "0001.sql", "0001_.sql", "0001-a.sql", "0001_A.sql", "0001_é.sql", "a.sql", "०००१_a.sql",
  ])
  func `a file with another name is refused`(name: String) {
    #expect(refusal(files(name)) == "\(name): a migration is named NNNN_name.sql, in lower case, as in 0001_lists.sql")
  }

  @Test func `a file with an upper-case extension is an error, and not ignored`() {
    let names = migrationNames(among: ["0002_b.sql", "0003_c.SQL", "0001_a.sql", "README.md", "0004_d.sql~", "e.Sql"])
    #expect(names == ["0001_a.sql", "0002_b.sql", "0003_c.SQL", "e.Sql"])
    #expect(
      refusal(files("0001_a.sql", "0002_b.sql", "0003_c.SQL"))
        == "0003_c.SQL: a migration is named NNNN_name.sql, in lower case, as in 0001_lists.sql")
  }

  @Test func `an editor's lock file is not a migration`() {
    let names = [".", "..", ".#0003_c.sql", ".0003_c.sql.swp", "#0003_c.sql#", ".hidden.sql", "0001_a.sql"]
    #expect(migrationNames(among: names) == ["0001_a.sql"])
  }

  @Test func `a file that is not UTF-8 is refused`() {
    #expect(refusal([MigrationFile(name: "0001_a.sql", bytes: [0x2D, 0x2D, 0xFF])]) == "0001_a.sql: this is not UTF-8")
  }

  @Test func `characters that would end or change a literal are escaped`() throws {
    let sql = "SELECT \"\"\"a\"\"\", '\\(b)', '\\', 'é';\r\n-- no line feed at the end"
    let source = try embedding(of: [MigrationFile(name: "0001_a.sql", bytes: Array(sql.utf8))])
    #expect(
      source.contains(
        #"SELECT \"\"\"a\"\"\", '\\(b)', '\\', '\u{e9}';\u{d}"# + "\n" + #"-- no line feed at the end"# + "\n\"\"\"\n"))
  }

  @Test func `the source is written when it changes, and only then`() throws {
    let output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: output) }
    /// Runs the tool, and says when the source was written.
    func embed() throws -> Date {
      let tool = Process()
      tool.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "FetchedResultsMigrationTool")
      tool.arguments = [output.path(percentEncoded: false), Fixture.checkout + "/Migrations"]
      try tool.run()
      tool.waitUntilExit()
      try #require(tool.terminationStatus == 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: output.path(percentEncoded: false))
      return try #require(attributes[.modificationDate] as? Date)
    }
    _ = try embed()
    let source = try Data(contentsOf: output)
    let longAgo = Date(timeIntervalSince1970: 1_000_000)
    try FileManager.default.setAttributes(
      [.modificationDate: longAgo], ofItemAtPath: output.path(percentEncoded: false))
    #expect(try embed() == longAgo)
    try Data("before".utf8).write(to: output)
    _ = try embed()
    #expect(try Data(contentsOf: output) == source)
  }
}
