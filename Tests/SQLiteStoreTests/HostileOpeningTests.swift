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
    let link = scratch.path("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "first.db")
    let database = try Database(path: link, options: .fast)
    try database.write { try $0.execute("CREATE TABLE right(x)") }
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "other.db")
    #expect(try database.read { try $0.values("SELECT name FROM sqlite_schema", as: String.self) } == ["right"])
  }

  @Test func `a database in memory is attached without a file`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    let error = try databaseError { try database.attach(":memory:", as: "m") }
    #expect(error.message.contains("memory"))
    #expect(!FileManager.default.fileExists(atPath: ":memory:"))
  }

  @Test func `a file that was detached is not needed any more`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.attach(scratch.path("gone.db"), as: "gone")
    try database.detach("gone")
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.path("gone.db\(suffix)")) }
    #expect(try database.read { try $0.value("SELECT 1", as: Int.self) } == 1)
    _ = try databaseError { try database.detach("gone") }
    #expect(try database.read { try $0.value("SELECT 1", as: Int.self) } == 1)
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

  /// Another program's connection.
  private static func plain(_ path: String) throws -> RawDatabase {
    if access(path, F_OK) != 0 { fclose(fopen(path, "w")) }
    return try RawDatabase(path: path)
  }

  /// Whatever its log contains, whichever process has it open, and whether that has done anything yet.
  @Test(arguments: ["wal", "delete"], [true, false]) func `a backup never replaces a database that is open`(
    journal: String, logIsEmpty: Bool
  ) throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.executeScript("CREATE TABLE t(x); INSERT INTO t VALUES ('ours')") }
    _ = try databaseError { try database.backup(to: scratch.path(), replacing: true) }
    let path = scratch.path("other.db")
    let other = try Self.plain(path)
    try other.execute("PRAGMA journal_mode = \(journal); CREATE TABLE u(x); INSERT INTO u VALUES ('theirs')")
    if logIsEmpty { try other.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    if journal == "delete" {
      // An idle connection holds no lock: the copy is an ordinary commit to it.
      try database.backup(to: path, replacing: true)
      #expect(try other.strings("SELECT count(*) FROM t") == [["1"]])
      try other.execute("INSERT INTO t VALUES ('theirs')")
      #expect(
        try Database(path: path).read { try $0.values("SELECT x FROM t", as: String.self) } == ["ours", "theirs"])
      try other.execute("BEGIN; SELECT * FROM t")
      let error = try databaseError { try database.backup(to: path, replacing: true) }
      #expect(error.code == .cantOpen || error.code == .busy, "\(error)")
    } else {
      let error = try databaseError { try database.backup(to: path, replacing: true) }
      #expect(error.message.contains("other.db") && error.message.contains("in use"), "\(error)")
      try other.execute("INSERT INTO u VALUES ('more')")
      #expect(try other.strings("SELECT count(*) FROM u") == [["2"]])
    }
    #expect(try other.strings("PRAGMA integrity_check") == [["ok"]])
  }

  @Test(arguments: [512, 4096, 65536], ["wal", "delete"]) func `a backup replaces a database of any form`(
    pageSize: Int, journal: String
  ) throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.executeScript("CREATE TABLE t(x); INSERT INTO t VALUES ('ours')") }
    let path = scratch.path("other.db")
    do {
      let other = try Self.plain(path)
      try other.execute(
        """
        PRAGMA page_size = \(pageSize); PRAGMA encoding = 'UTF-16'; PRAGMA journal_mode = \(journal);
        CREATE TABLE u(x); INSERT INTO u VALUES (zeroblob(300000))
        """)
    }
    // It was called off: the old content is there.
    struct Enough: Error {}
    #expect(throws: Enough.self) {
      try database.backup(to: path, replacing: true, pagesPerStep: 1) { _, _ in throw Enough() }
    }
    #expect(try Self.plain(path).strings("SELECT length(x) FROM u") == [["300000"]])
    // One that was opened before and reads only now sees the copy.
    let early = try Self.plain(path)
    chmod(path, 0o644)
    try database.backup(to: path, replacing: true)
    #expect(try early.strings("SELECT count(*) FROM t") == [["1"]])
    #expect(try early.strings("PRAGMA integrity_check") == [["ok"]])
    #expect(try early.strings("PRAGMA journal_mode") == [["delete"]])
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    for suffix in ["-wal", "-shm"] { #expect(access(path + suffix, F_OK) != 0) }
  }

  @Test func `a backup replaces what is no database`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    let path = scratch.path("notes.txt")
    for bytes in [[], Array("hello".utf8), Array(repeating: UInt8(7), count: 5000)] {
      let file = fopen(path, "w")
      fwrite(bytes, 1, bytes.count, file)
      fclose(file)
      try database.backup(to: path, replacing: true)
      #expect(try Self.plain(path).strings("SELECT count(*) FROM t") == [["0"]])
    }
    // A link is replaced itself, and what it leads to stays.
    let link = scratch.path("link.db")
    #expect(symlink(path, link) == 0)
    try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
    try database.backup(to: link, replacing: true)
    #expect(try Self.plain(link).strings("SELECT count(*) FROM t") == [["1"]])
    #expect(try Self.plain(path).strings("SELECT count(*) FROM t") == [["0"]])
  }
}
