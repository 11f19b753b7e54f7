import CFetchedResultsSQLite
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

@Suite struct OpeningTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  func opening(_ path: String, _ options: Database.Options = .fast) throws -> DatabaseError {
    try databaseError { try Database(path: path, options: options) }
  }

  @Test func `a new file is its owner's only and in WAL mode`() throws {
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(a)") }
    for file in try scratch.files() {
      let mode = try FileManager.default.attributesOfItem(atPath: scratch.path(file))[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(file)")
    }
    #expect(try scratch.files() == ["test.db", "test.db-shm", "test.db-wal"])
    #expect(try database.read { try $0.value("PRAGMA journal_mode", as: String.self) } == "wal")
  }

  @Test func `the defaults are safe`() throws {
    for database in [try scratch.database(options: .init()), try Database.inMemory()] {
      for read in [true, false] {
        func pragma(_ name: String) throws -> Int? {
          let body = { (c: Connection) in try c.value("PRAGMA \(raw: name)", as: Int.self) }
          return read ? try database.read(body) : try database.write(body)
        }
        #expect(try pragma("foreign_keys") == 1 && pragma("recursive_triggers") == 1 && pragma("trusted_schema") == 0)
        #expect(try pragma("synchronous") == 2)
      }
      #expect(throws: DatabaseError.self) {
        try database.write {
          try $0.execute("PRAGMA writable_schema = 1"); try $0.execute("DELETE FROM sqlite_schema")
        }
      }
    }
  }

  @Test func `the obstacle to opening is named`() throws {
    let missing = scratch.path("none.db")
    #expect(
      try opening(missing, .fast.with { $0.createsFile = false }).message
        == "\(missing) can't be opened: there is no such file")
    #expect(try opening(missing, .fast.with { $0.isReadOnly = true }).message.contains("there is no such file"))
    #expect(try opening(scratch.root.path).message.contains("it is a directory, not a database file"))
    #expect(
      try opening(scratch.path("no/such/test.db")).message.contains("there is no folder \(scratch.path("no/such"))"))
    #expect(try opening("").message.contains("the path is empty"))
    try "text".write(toFile: scratch.path("file"), atomically: true, encoding: .utf8)
    #expect(try opening(scratch.path("file/test.db")).code == .cantOpen)
    #expect(try scratch.files() == ["file"])
  }

  @Test func `a file that is not a database stays unchanged`() throws {
    for (fixture, code) in [(Fixture.notADatabase, ResultCode.notADatabase), (.truncated, .corrupt)] {
      let path = try Fixture.copy(fixture)
      let before = try Data(contentsOf: URL(filePath: path))
      let error = try databaseError {
        let database = try Database(path: path)
        _ = try database.read { try $0.rows("SELECT * FROM sqlite_schema") }
      }
      #expect(error.code == code && error.description.contains(error.code.name))
      #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }
  }

  @Test func `a damaged table is an error and the others stay readable`() throws {
    let database = try Database(path: Fixture.copy(.corrupt))
    let error = try databaseError { try database.read { try $0.rows("SELECT * FROM bad") } }
    #expect(error.code == .corrupt && error.message.contains("restore a backup"))
    #expect(try !database.read { try $0.rows("SELECT * FROM good") }.isEmpty)
    #expect(try !database.integrityCheck().isEmpty)
  }

  @Test func `an empty file is an empty database`() throws {
    let database = try Database(path: Fixture.copy(.empty))
    try database.write { try $0.execute("CREATE TABLE t(a)") }
  }

  @Test func `the journal of a crashed process is applied`() throws {
    let path = try Fixture.copy(.wal)
    let raw = try RawDatabase(path: Fixture.copy(.wal))
    let table = try #require(raw.strings("SELECT name FROM sqlite_schema WHERE type = 'table'").first?.first)
    let rows = try raw.rows("SELECT * FROM \(table)").count
    #expect(try Database(path: path).read { try $0.rows("SELECT * FROM \(identifier: table)") }.count == rows)
  }

  @Test(arguments: [Fixture.utf16LittleEndian, .utf16BigEndian]) func `the encoding of a file does not matter`(
    _ fixture: Fixture
  ) throws {
    let other = try Database(path: Fixture.copy(fixture))
    let utf8 = try Database(path: Fixture.copy(.utf8))
    let tables: SQL = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    let names = try utf8.read { try $0.values(tables, as: String.self) }
    #expect(!names.isEmpty)
    for name in names {
      let all: SQL = "SELECT * FROM \(identifier: name) ORDER BY rowid"
      #expect(
        try other.read { try $0.rows(all).map { try $0.values } }
          == utf8.read { try $0.rows(all).map { try $0.values } })
    }
    try other.write { c in
      try c.execute("CREATE TABLE mine(t TEXT)")
      try c.execute("INSERT INTO mine VALUES (\("naïve 日本 \u{0} 👍"))")
    }
    #expect(try other.read { try $0.value("SELECT t FROM mine", as: String.self) } == "naïve 日本 \u{0} 👍")
  }

  @Test func `the edge values are read as they are`() throws {
    let database = try Database(path: Fixture.copy(.edgeValues))
    let raw = try RawDatabase(path: Fixture.copy(.edgeValues))
    let names = try raw.strings("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").map
    { $0[0] }
    var compared = 0
    for name in names {
      let columns = try raw.strings("SELECT name FROM pragma_table_info('\(name)')").map { $0[0] }
      for column in columns {
        let expected = try raw.rows("SELECT \(SQL.quoted(column)) FROM \(SQL.quoted(name)) ORDER BY rowid").map {
          $0[0]
        }
        var found: [RawDatabase.Value] = []
        try database.read { c in
          try c.forEach("SELECT \(identifier: column) FROM \(identifier: name) ORDER BY rowid") { row in
            do {
              switch try row[0] as Value {
              case .null: found.append(.null)
              case .integer(let value): found.append(.integer(value))
              case .real(let value): found.append(.real(bits: value.bitPattern))
              case .text(let value): found.append(.text([UInt8](value.utf8)))
              case .blob(let value): found.append(.blob(value))
              }
            } catch let error as DatabaseError {
              #expect(error.message.contains("not valid UTF-8"))
              found.append(expected[found.count])
            }
          }
        }
        #expect(found == expected, "\(name).\(column)")
        compared += found.count
      }
    }
    #expect(compared > 20)
  }

  @Test func `a read only database reads and refuses to write`() throws {
    try scratch.database().write { try $0.execute("CREATE TABLE t(a)") }
    let database = try scratch.database(options: .fast.with { $0.isReadOnly = true })
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 0)
    let error = try databaseError { try database.write { try $0.execute("INSERT INTO t VALUES (1)") } }
    #expect(error.code == .readOnly && error.message == "the database was opened for reading only")
    #expect(throws: DatabaseError.self) { try database.migrate([Migration("1", sql: "CREATE TABLE x(a)")]) }
  }

  @Test(.disabled(if: getuid() == 0, "root writes whatever the mode says"))
  func `a file that may not be written is an error that says so`() throws {
    let path = try Fixture.copy(.readOnly)
    let error = try databaseError { try Database(path: path).write { try $0.execute("CREATE TABLE t(a)") } }
    #expect(error.code == .readOnly || error.code == .cantOpen)
  }

  @Test func `an immutable file is read without a file beside it, and one with a log is refused`() throws {
    let options = Database.Options.fast.with { $0.isImmutable = true }
    #expect(options.isReadOnly)
    let database = try scratch.database()
    try database.write { try $0.executeScript("CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    let refused = try databaseError { try scratch.database(options: options) }
    #expect(refused.message.contains("-wal may hold changes that are not in it"), "\(refused)")
    try database.close()
    let reading = try scratch.database(options: options)
    #expect(try reading.read { try $0.value("SELECT a FROM t", as: Int.self) } == 1)
    #expect(try scratch.files() == ["test.db"])
    #expect(try databaseError { try reading.write { try $0.execute("DELETE FROM t") } }.code == .readOnly)
    // So are attached files; a journal that is kept after its transaction holds nothing.
    try scratch.database("b.db").write { try $0.executeScript("CREATE TABLE u(a); INSERT INTO u VALUES (2)") }
    try scratch.database("kept.db", options: .fast.with { $0.journal = .delete }).close()
    let kept = try RawDatabase(path: scratch.path("kept.db"))
    try kept.execute("PRAGMA journal_mode = PERSIST")
    try kept.execute("CREATE TABLE v(a)")
    try reading.attach(scratch.path("b.db"), as: "b")
    try reading.attach(scratch.path("kept.db"), as: "kept")
    #expect(try reading.read { try $0.value("SELECT a FROM b.u", as: Int.self) } == 2)
    #expect(try scratch.files() == ["b.db", "kept.db", "kept.db-journal", "test.db"])
    let vacuumed = try databaseError { try reading.vacuum() }
    #expect(vacuumed.message == "the database was opened for reading only")
    // A journal of an interrupted transaction.
    try FileManager.default.copyItem(atPath: scratch.path("b.db"), toPath: scratch.path("hot.db"))
    try Data([0xd9, 0xd5, 0x05, 0xf9]).write(to: URL(filePath: scratch.path("hot.db-journal")))
    #expect(try databaseError { try scratch.database("hot.db", options: options) }.message.contains("may hold changes"))
    var other = options
    other.isImmutable = false
    #expect(other.isReadOnly && !other.isImmutable)
  }

  @Test(.disabled(if: getuid() == 0, "root writes whatever the mode says"))
  func `a file in WAL mode in a folder that can't be written is an error that says what to do`() throws {
    let database = try scratch.database()
    try database.write { try $0.executeScript("CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    try database.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: scratch.root.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: scratch.root.path) }
    let error = try databaseError { try scratch.database(options: .fast.with { $0.isReadOnly = true }) }
    #expect(error.message.contains("set Options.isImmutable"), "\(error)")
    let reading = try scratch.database(options: .fast.with { $0.isImmutable = true })
    #expect(try reading.read { try $0.value("SELECT a FROM t", as: Int.self) } == 1)
  }

  @Test func `the threads of asynchronous calls end with their database`() async throws {
    let names = Box<Int>(0)
    for number in 0..<40 {
      let database = try scratch.database("\(number).db")
      try await database.write { try $0.execute("CREATE TABLE t(a)") }
      _ = try await database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) }
      names.change { $0 += database.idleThreads }
      if number.isMultiple(of: 2) { try database.close() }
      if number.isMultiple(of: 2) { #expect(waits { database.idleThreads == 0 }) }
    }
    #expect(names.value > 0)
  }

  @Test func `a lock that lasts longer than the timeout is an error and the next try works`() throws {
    let database = try scratch.database(options: .fast.with { $0.busyTimeout = .milliseconds(50) })
    try database.write { try $0.execute("CREATE TABLE t(a)") }
    let raw = try RawDatabase(path: scratch.path())
    try raw.execute("BEGIN IMMEDIATE")
    let error = try databaseError { try database.write { try $0.execute("INSERT INTO t VALUES (1)") } }
    #expect(error.code == .busy && error.message.contains("another connection or process is writing; try again"))
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 0)
    try raw.execute("COMMIT")
    try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
  }

  @Test func `a full disk undoes the write and says so`() throws {
    let database = try scratch.database()
    try database.write { c in
      try c.execute("CREATE TABLE t(a)")
      try c.withUnsafeHandle { _ = sqlite3_exec($0, "PRAGMA max_page_count = 20", nil, nil, nil) }
    }
    let error = try databaseError {
      try database.write { c in
        for _ in 0..<1000 { try c.execute("INSERT INTO t VALUES (zeroblob(1000))") }
      }
    }
    #expect(error.code == .full && error.message.contains("free some space"))
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 0)
    try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
  }

  @Test func `a schema that somebody else wrote can't call our functions`() throws {
    let database = try scratch.database()
    let calls = Box(0)
    try database.addFunction("danger", arguments: 0) { _ in
      calls.change { $0 += 1 }
      return 1
    }
    #expect(try database.read { try $0.value("SELECT danger()", as: Int.self) } == 1)
    let raw = try RawDatabase(path: scratch.path())
    try raw.execute("CREATE TABLE t(a); CREATE VIEW v AS SELECT danger() AS x")
    #expect(throws: DatabaseError.self) { try database.read { try $0.rows("SELECT * FROM v") } }
    #expect(calls.value == 1)
  }

  @Test func `many readers at once wait for a connection and too long is an error`() async throws {
    let database = try scratch.database(
      options: .fast.with {
        $0.maximumReaders = 2; $0.busyTimeout = .milliseconds(200)
      })
    try await withThrowingTaskGroup(of: Int?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await database.read {
            usleep(5000); return try $0.value("SELECT 1", as: Int.self)
          }
        }
      }
      for try await one in group { #expect(one == 1) }
    }
    let mayLeave = DispatchSemaphore(value: 0)
    let inside = Box(0)
    for _ in 0..<2 {
      Thread {
        do {
          try database.read { _ in
            inside.change { $0 += 1 }
            mayLeave.wait()
          }
        } catch { Issue.record(error) }
      }.start()
    }
    while inside.value < 2 { try await Task.sleep(for: .milliseconds(1)) }
    let error = try databaseError { try database.read { _ in } }
    #expect(error.code == .busy && error.message.contains("all 2 readers"))
    mayLeave.signal()
    mayLeave.signal()
  }
}
