import CFetchedResultsSQLite
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// Odd paths, links that move, files that go, and closing more than once.
@Suite struct HostileOpeningTests {
  @Test func `closing twice is harmless also from many threads`() async throws {
    for _ in 0..<20 {
      let scratch = try Scratch()
      let database = try scratch.database()
      try await database.write { try $0.execute("CREATE TABLE t(x)") }
      await withTaskGroup { group in
        for index in 0..<4 { group.addTask { try? database.close(interrupting: index % 2 == 0) } }
      }
      try database.close(interrupting: true)
      await #expect(throws: DatabaseError.self) { try await database.read { try $0.value("SELECT 1", as: Int.self) } }
    }
  }

  @Test func `a connection that was kept past its database is refused`() throws {
    let database = try Database.inMemory()
    let kept = try database.write { $0 }
    try database.close()
    #expect(!kept.isInTransaction)
    #expect(kept.lastInsertedRowID == 0)
    #expect(kept.changesCount == 0)
    #expect(throws: DatabaseError.self) { try kept.execute("SELECT 1") }
  }

  @Test(arguments: ["file:x.db", "file:x.db?mode=memory", "50%41 or?so#.db", "Größe ☃.db", " .db", "a'b\"c.db"])
  func `any name is the name of a file`(_ name: String) throws {
    let scratch = try Scratch()
    let before = FileManager.default.currentDirectoryPath
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    let database = try scratch.database(name)
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    #expect(try database.read { try $0.values("SELECT name FROM sqlite_schema", as: String.self) } == ["t"])
    try database.attach(scratch.path("other " + name), as: "other")
    try database.write { try $0.execute("CREATE TABLE other.u(x)") }
    try database.close()
    #expect(try scratch.files() == [name, "other " + name].sorted())
  }

  @Test func `a link is followed to its file`() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("real"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link.db"), withDestinationPath: "real/far.db")
    try scratch.database("real/far.db").close()
    let it = Observed(
      scratch, try scratch.database("link.db", options: .fast.with { $0.foreignCommitInterval = .seconds(100) }))
    try it.database.write { try $0.execute("CREATE TABLE t(x)") }
    let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path("real/far.db"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let raw = try RawDatabase(path: scratch.path("real/far.db"))
    // Several, as a busy machine may lose a wake-up or have no more watches to give for a moment; the timer would find
    // none of these commits in time.
    for turn in 0..<60 where it.commits.value.isEmpty {
      if turn % 20 == 0 { it.observe("t") }
      try raw.execute("INSERT INTO t VALUES (1)")
      Thread.sleep(forTimeInterval: 0.1)
    }
    #expect(!it.commits.value.isEmpty)
  }

  @Test func `a link that is changed doesn't separate readers from the writer`() throws {
    let scratch = try Scratch()
    try scratch.database("other.db").write { try $0.execute("CREATE TABLE wrong(x)") }
    try scratch.database("first.db").close()
    let link = scratch.path("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "first.db")
    let database = try Database(path: link, options: .fast)
    try database.write { try $0.execute("CREATE TABLE right(x)") }
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "other.db")
    #expect(try database.read { try $0.values("SELECT name FROM sqlite_schema", as: String.self) } == ["right"])
  }

  @Test(arguments: [true, false]) func `a backup onto a link leaves what it leads to`(_ exists: Bool) throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    if exists { try "keep".write(toFile: scratch.path("far"), atomically: true, encoding: .utf8) }
    try FileManager.default.createSymbolicLink(atPath: scratch.path("link"), withDestinationPath: "far")
    _ = try databaseError { try database.backup(to: scratch.path("link")) }
    try database.backup(to: scratch.path("link"), replacing: true)
    #expect(try scratch.database("link").integrityCheck() == [])
    #expect(FileManager.default.fileExists(atPath: scratch.path("far")) == exists)
    if exists { #expect(try String(contentsOfFile: scratch.path("far"), encoding: .utf8) == "keep") }
  }
}
