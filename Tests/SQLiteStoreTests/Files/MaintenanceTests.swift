import FixtureSupport
import Foundation
import SQLiteStore
import Testing

@Suite struct MaintenanceTests {
  let scratch: Scratch
  let database: Database

  init() throws {
    scratch = try Scratch()
    database = try scratch.database()
    try database.write { c in
      try c.execute(Item.schema)
      for index in 0..<500 { try c.insert(Item(id: nil, title: "title \(index)")) }
    }
  }

  @Test func `a function in Swift is called on every connection`() throws {
    try database.read { reader in _ = try reader.rows("SELECT 1") }  // opens a reader before the function is there
    try database.addFunction("shout", arguments: 1, isDeterministic: true) { values in
      guard case .text(let text) = values[0] else { return values[0] }
      return .text(text.uppercased() + "!")
    }
    try database.addFunction("total") { values in
      .integer(values.reduce(0) { if case .integer(let value) = $1 { $0 + value } else { $0 } })
    }
    for value in ["SELECT shout(\("é\u{0}x"))", "SELECT shout('é' || char(0) || 'x')"] as [SQL] {
      #expect(try database.read { try $0.value(value, as: String.self) } == "É\u{0}X!")
    }
    #expect(try database.read { try $0.value("SELECT total(1, 2, 3)", as: Int.self) } == 6)
    #expect(try database.write { try $0.value("SELECT total(1) + length(shout(x'0102'))", as: Int.self) } == 3)
    #expect(try database.read { try $0.row("SELECT shout(NULL), shout(1.5)")?.values } == [.null, 1.5])
    try database.write { try $0.execute("CREATE INDEX shouted ON item(title) WHERE title <> ''") }
  }

  @Test func `an error that a function throws is the error of the statement`() throws {
    struct Refused: Error, CustomStringConvertible { var description: String { "not today" } }
    try database.addFunction("refuse", arguments: 0) { _ in throw Refused() }
    let error = try databaseError { try database.read { try $0.rows("SELECT refuse()") } }
    #expect(error.code == .error && error.message.contains("not today"))
    #expect(throws: DatabaseError.self) { try database.addFunction(String(repeating: "x", count: 300)) { _ in .null } }
  }

  @Test func `a collation in Swift orders and compares`() throws {
    try database.addCollation("by_length") { $0.count - $1.count }
    let ordered = try database.read {
      try $0.values(
        "SELECT column1 FROM (VALUES ('ccc'), ('a'), ('bb')) ORDER BY column1 COLLATE by_length", as: String.self)
    }
    #expect(ordered == ["a", "bb", "ccc"])
    #expect(try database.write { try $0.value("SELECT 'xy' = 'ab' COLLATE by_length", as: Bool.self) } == true)
  }

  @Test func `an attached file is there on every connection`() throws {
    let other = try scratch.database("other.db")
    try other.write { try $0.executeScript("CREATE TABLE extra(a); INSERT INTO extra VALUES (5)") }
    try database.read { _ = try $0.rows("SELECT 1") }
    try database.attach(scratch.path("other.db"), as: "second \"file\"")
    let sql: SQL = "SELECT a FROM \(identifier: "second \"file\"").extra"
    #expect(try database.read { try $0.value(sql, as: Int.self) } == 5)
    let commits = Box<[Commit]>([])
    try database.detach("second \"file\"")
    try database.attach(scratch.path("other.db"), as: "o")
    let observation = database.observe(["o.extra"]) { commit in commits.change { $0.append(commit) } }
    try database.write { try $0.execute("INSERT INTO o.extra VALUES (6)") }
    try database.catchUp()
    #expect(commits.value.map(\.changes) == [["o.extra": .rowIDs([2])]])
    observation.cancel()
    try database.detach("o")
    #expect(throws: DatabaseError.self) { try database.read { try $0.rows("SELECT * FROM o.extra") } }
    #expect(throws: DatabaseError.self) { try database.attach(scratch.root.path, as: "folder") }
  }

  @Test func `a trace reports what runs and how long`() throws {
    let events = Box<[(sql: String, duration: Duration)]>([])
    try database.trace(expanding: true) { sql, duration in events.change { $0.append((sql, duration)) } }
    try database.write { try $0.execute("UPDATE item SET note = \("n") WHERE id = \(1)") }
    _ = try database.read { try $0.rows("SELECT title FROM item WHERE id = \(2)") }
    #expect(events.value.map(\.sql).contains("UPDATE item SET note = 'n' WHERE id = 1"))
    #expect(events.value.contains { $0.sql == "SELECT title FROM item WHERE id = 2" && $0.duration >= .zero })
    try database.trace(nil)
    events.change { $0 = [] }
    _ = try database.read { try $0.rows("SELECT 1") }
    #expect(events.value.isEmpty)
  }

  @Test func `a backup is the state of one moment and shows its progress`() throws {
    var steps: [Int] = []
    try database.backup(to: scratch.path("copy.db"), pagesPerStep: 2) { copied, _ in
      steps.append(copied)
      // Others go on writing meanwhile, and the copy does not see it.
      try database.write { try $0.insert(Item(id: nil, title: "later")) }
    }
    #expect(steps.count > 2 && steps == steps.sorted())
    // It needs no log beside it: 1 means a rollback journal; the copied database has 2.
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path("copy.db")))[18...19] == Data([1, 1]))
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path()))[18...19] == Data([2, 2]))
    let copy = try scratch.database("copy.db")
    #expect(try copy.read { try $0.count(Item.self) } == 500)
    #expect(try copy.integrityCheck().isEmpty)
    #expect(try database.read { try $0.count(Item.self) } == 500 + steps.count)
    let mode = try FileManager.default.attributesOfItem(atPath: scratch.path("copy.db"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test(arguments: ["", ":memory:", "test.db-wal", "test.db-journal", "other.db-shm", "other.db, NUL"])
  func `a name that can't be a backup's is refused`(name: String) throws {
    let scratch = try Scratch()
    let database = try scratch.database("test.db")
    try scratch.database("other.db").close()
    try database.write { try $0.execute("CREATE TABLE t(a)") }
    for replacing in [false, true] {
      let path = (name.contains(".db") ? scratch.path(name) : name).replacing(", NUL", with: "\0x")
      let error = try databaseError { try database.backup(to: path, replacing: replacing) }
      let text = "\(error)".replacing("\0", with: "NUL")
      #expect(error.code == .cantOpen && error.message.contains("can't be written: "), "\(text)")
    }
    #expect(try database.integrityCheck() == [])
  }

  @Test func `leftovers of a killed backup are removed by the next one`() throws {
    // No process has so high a number.
    let old = scratch.path("copy.db.partial-99999999-x000000001")
    let fresh = scratch.path("copy.db.partial-99999999-x000000002-journal")
    let running = scratch.path("copy.db.partial-\(ProcessInfo.processInfo.processIdentifier)-x000000003")
    let other = scratch.path("other.db.partial-99999999-x000000004")
    for file in [old, fresh, running, other] { try Data("x".utf8).write(to: URL(fileURLWithPath: file)) }
    let hourAgo = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -3600)]
    for file in [old, running, other] { try FileManager.default.setAttributes(hourAgo, ofItemAtPath: file) }
    try database.backup(to: scratch.path("copy.db"))
    #expect([old, fresh, running, other].map(FileManager.default.fileExists) == [false, true, true, true])
  }

  @Test func `a file that another program makes during a backup is not replaced`() throws {
    let path = scratch.path("copy.db")
    var other: RawDatabase?
    let error = try databaseError {
      try database.backup(to: path, replacing: true, pagesPerStep: 2) { _, _ in
        if other != nil { return }
        try Data().write(to: URL(fileURLWithPath: path))
        let raw = try RawDatabase(path: path)
        try raw.execute("PRAGMA journal_mode = WAL; CREATE TABLE theirs(a); INSERT INTO theirs VALUES (1)")
        other = raw
      }
    }
    #expect(error.message.contains("meanwhile"), "\(error)")
    #expect(try #require(other).strings("SELECT a FROM theirs") == [["1"]])
    #expect(try #require(other).strings("PRAGMA integrity_check") == [["ok"]])
  }

  @Test func `a damaged database that another connection has open is not replaced`() throws {
    let path = scratch.path("copy.db")
    try Data().write(to: URL(fileURLWithPath: path))
    let other = try RawDatabase(path: path)
    try other.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(a); PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.write(contentsOf: Data("no database at all".utf8))
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = try databaseError { try database.backup(to: path, replacing: true) }
    #expect(error.message.contains("in use"), "\(error)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    withExtendedLifetime((other, file)) {}
  }

  @Test func `a backup that is cancelled or in the way leaves nothing`() throws {
    struct Stop: Error {}
    let before = try scratch.files()
    #expect(throws: Stop.self) {
      try database.backup(to: scratch.path("copy.db"), pagesPerStep: 1) { _, _ in throw Stop() }
    }
    #expect(try scratch.files() == before)
    try "precious".write(toFile: scratch.path("there"), atomically: true, encoding: .utf8)
    let error = try databaseError { try database.backup(to: scratch.path("there")) }
    #expect(error.message.contains("there is a file of that name already"))
    #expect(try String(contentsOfFile: scratch.path("there"), encoding: .utf8) == "precious")
    try database.backup(to: scratch.path("there"), replacing: true)
    #expect(try scratch.database("there").read { try $0.count(Item.self) } == 500)
    #expect(throws: DatabaseError.self) { try database.backup(to: scratch.path("no/folder/copy.db")) }
  }

  @Test func `a backup, a checkpoint and a history need not block the task`() async throws {
    let steps = Box(0)
    try await database.backup(to: scratch.path("copy.db"), pagesPerStep: 2) { _, _ in steps.change { $0 += 1 } }
    #expect(steps.value > 2)
    #expect(try await scratch.database("copy.db").read { try $0.count(Item.self) } == 500)
    let memory = try Database.inMemory()
    try await memory.backup(to: scratch.path("memory.db"))
    #expect(try await scratch.database("memory.db").read { try $0.tables() } == [])
    try await database.checkpoint()
    let size = try FileManager.default.attributesOfItem(atPath: scratch.path() + "-wal")[.size] as? Int
    #expect(size == 0)
    try await database.recordHistory(of: ["item"])
    #expect(try await database.read { try $0.tableExists("frc_history") })
  }

  @Test func `a cancelled task ends its backup, which leaves nothing, and its checkpoint`() async throws {
    let path = scratch.path("copy.db")
    let (steps, mayGoOn) = (Box(0), Box(false))
    let backup = Task { [database] in
      try await database.backup(to: path, pagesPerStep: 1) { _, _ in
        steps.change { $0 += 1 }
        _ = waits { mayGoOn.value }
      }
    }
    #expect(waits { steps.value == 1 })
    backup.cancel()
    mayGoOn.change { $0 = true }
    await #expect(throws: CancellationError.self) { try await backup.value }
    #expect(steps.value == 1)
    #expect(try scratch.files().filter { $0.hasPrefix("copy.db") } == [])
    // Somebody reads from the log, so the checkpoint waits.
    let other = try RawDatabase(path: scratch.path())
    try other.execute("BEGIN; SELECT count(*) FROM item")
    try await database.write { _ = try $0.insert(Item(id: nil, title: "later")) }
    let checkpoint = Task { [database] in try await database.checkpoint() }
    try await Task.sleep(for: .milliseconds(100))
    checkpoint.cancel()
    await #expect(throws: CancellationError.self) { try await checkpoint.value }
  }

  @Test func `a database in memory is backed up too`() throws {
    let memory = try Database.inMemory()
    try memory.write { try $0.executeScript("CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    try memory.backup(to: scratch.path("memory.db"))
    #expect(try scratch.database("memory.db").read { try $0.value("SELECT a FROM t", as: Int.self) } == 1)
  }

  @Test func `an integrity check names what is wrong`() throws {
    #expect(try database.integrityCheck().isEmpty)
    #expect(try database.integrityCheck(quick: true).isEmpty)
    let raw = try RawDatabase(path: scratch.path())
    try raw.execute("CREATE TABLE child(item INTEGER REFERENCES item(id)); INSERT INTO child VALUES (9999)")
    #expect(try database.integrityCheck() == ["row 1 of child refers to no row of item"])
  }

  @Test func `an integrity check finds a failed CHECK`() throws {
    try database.write { try $0.execute("CREATE TABLE checked(a INTEGER CHECK (a > 0))") }
    let raw = try RawDatabase(path: scratch.path())
    try raw.execute("PRAGMA ignore_check_constraints = ON; INSERT INTO checked VALUES (-1)")
    let other = try scratch.database(options: .fast)
    #expect(try other.integrityCheck() == ["CHECK constraint failed in checked"])
    #expect(try other.integrityCheck(quick: true) == ["CHECK constraint failed in checked"])
    try raw.execute("DELETE FROM checked")
    #expect(try other.integrityCheck() == [])
  }

  @Test func `a read after an asynchronous integrity check is not interrupted`() async throws {
    try await database.write { c in
      try c.execute("CREATE TABLE many(a)")
      try c.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO many SELECT i FROM n"
      )
    }
    let other = try scratch.database(options: .fast.with { $0.isReadOnly = true })
    for _ in 0..<20 {
      let check = Task { try await other.integrityCheck() }
      #expect(try await check.value == [])
      check.cancel()
      #expect(
        try await Self.blocking { try other.read { try $0.value("SELECT sum(a > 0) FROM many", as: Int.self) } }
          == 20_000)
    }
  }

  /// Calls the variant that blocks the thread.
  private static func blocking<T>(_ body: () throws -> T) async throws -> T { try body() }

  @Test func `the last connection to close leaves the whole database in its file`() throws {
    try database.read { _ = try $0.rows("SELECT 1") }
    let other = try scratch.database()
    try other.write { _ = try $0.insert(Item(id: nil, title: "the last")) }
    try database.close()
    #expect(try scratch.files().contains("test.db-wal"))
    try other.close()
    #expect(try scratch.files() == ["test.db"])
    try FileManager.default.copyItem(atPath: scratch.path(), toPath: scratch.path("copy.db"))
    let copy = try scratch.database("copy.db")
    #expect(try copy.read { try $0.count(Item.self) } == 501)
    // So does a database that is released.
    do {
      let third = try scratch.database()
      try third.write { _ = try $0.insert(Item(id: nil, title: "more")) }
    }
    #expect(try scratch.files().filter { $0.hasPrefix("test.db") } == ["test.db"])
  }

  @Test func `vacuum runs outside write and shrinks the file`() async throws {
    try await database.write { try $0.execute("DELETE FROM item") }
    await #expect(throws: DatabaseError.self) { try await database.write { try $0.execute("VACUUM") } }
    let before = try await database.read { try $0.value("PRAGMA page_count", as: Int.self) ?? 0 }
    try await database.vacuum()
    try await database.checkpoint()
    #expect(try await database.read { try $0.value("PRAGMA page_count", as: Int.self) ?? 0 } < before)
  }
}
