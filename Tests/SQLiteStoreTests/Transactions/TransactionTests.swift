import CFetchedResultsSQLite
import Foundation
import SQLiteStore
import Testing

@Suite struct TransactionTests {
  let scratch: Scratch
  let database: Database

  init() throws {
    scratch = try Scratch()
    database = try scratch.database()
    try database.write { try $0.execute(Item.schema) }
  }

  var titles: [String] {
    get throws { try database.read { try $0.values("SELECT title FROM item ORDER BY id", as: String.self) } }
  }

  @Test func `a read sees one state and waits for no write`() throws {
    try database.write { try $0.insert(Item(id: nil, title: "a")) }
    try database.read { reader in
      #expect(try reader.value("SELECT count(*) FROM item", as: Int.self) == 1)
      try database.write { writer in
        try writer.insert(Item(id: nil, title: "b"))
        // Inside the write, a read sees the state before it; so does the read outside, for as long as it lasts.
        #expect(try database.read { try $0.value("SELECT count(*) FROM item", as: Int.self) } == 1)
      }
      #expect(try reader.value("SELECT count(*) FROM item", as: Int.self) == 1)
      #expect(try database.read { try $0.value("SELECT count(*) FROM item", as: Int.self) } == 1)
    }
    #expect(try titles == ["a", "b"])
  }

  @Test func `a read never writes`() throws {
    for database in [database, try Database.inMemory()] {
      let error = try databaseError { try database.read { try $0.execute("CREATE TABLE x(a)") } }
      #expect(error.code == .readOnly)
      try database.write { try $0.execute("CREATE TABLE x(a)") }
    }
    let error = try databaseError { try database.read { try $0.execute("DELETE FROM item") } }
    #expect(error.message == "a read does not write; use write { } for this")
  }

  @Test func `a read that turns SQLite's query_only off still does not write`() throws {
    let memory = try Database.inMemory()
    try memory.write { try $0.execute(Item.schema) }
    for database in [database, memory] {
      let error = try databaseError {
        try database.read { c in
          try c.withUnsafeHandle { _ = sqlite3_exec($0, "PRAGMA query_only = 0", nil, nil, nil) }
          try c.execute("DELETE FROM item")
        }
      }
      #expect(error.code == .readOnly)
      #expect(throws: DatabaseError.self) { try database.read { try $0.executeScript("DELETE FROM item") } }
      try database.write { try $0.execute("DELETE FROM item") }
    }
  }

  @Test func `a write inside a write is an error and not a hang`() throws {
    for database in [database, try Database.inMemory()] {
      let error = try databaseError { try database.write { _ in try database.write { _ in } } }
      #expect(error.code == .misuse && error.message.contains("write was called inside a write"))
      try database.write { _ in }
    }
  }

  @Test func `a read inside a write in memory is an error and a read inside a read is not`() throws {
    let database = try Database.inMemory()
    let error = try databaseError { try database.write { _ in try database.read { _ in } } }
    #expect(error.code == .misuse && error.message.contains("one connection"))
    #expect(try database.read { _ in try database.read { try $0.value("SELECT 1", as: Int.self) } } == 1)
  }

  @Test func `two writes that wait for each other end in an error`() throws {
    let options = Database.Options.fast.with { $0.busyTimeout = .milliseconds(100) }
    let a = try scratch.database("a.db", options: options)
    let b = try scratch.database("b.db", options: options)
    let failures = Box<[DatabaseError]>([])
    let bothIn = DispatchGroup()
    bothIn.enter()
    bothIn.enter()
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      let (outer, inner) = index == 0 ? (a, b) : (b, a)
      do {
        try outer.write { _ in
          bothIn.leave()
          bothIn.wait()
          try inner.write { _ in }
        }
      } catch let error as DatabaseError {
        failures.change { $0.append(error) }
      } catch {}
    }
    #expect(!failures.value.isEmpty && failures.value.allSatisfy { $0.code == .busy })
    #expect(failures.value.first?.message.contains("longer than the timeout") == true)
  }

  @Test func `a connection that leaves its read is refused`() throws {
    let kept = Box<[Connection]>([])
    try database.read { connection in kept.change { $0.append(connection) } }
    let error = try databaseError { try kept.value[0].rows("SELECT 1") }
    #expect(error.code == .misuse && error.message.contains("outside the read or write"))
    let statement = try database.write { try $0.prepare("INSERT INTO item(title) VALUES (?)") }
    #expect(throws: DatabaseError.self) { try statement.run("x") }
  }

  @Test func `a prepared statement runs many times`() throws {
    try database.write { c in
      let insert = try c.prepare("INSERT INTO item(title, weight) VALUES (?, ?)")
      for index in 0..<5 { #expect(try insert.run("t\(index)", Double(index)) == 1) }
      #expect(throws: DatabaseError.self) { try insert.run("too few") }
      let select = try c.prepare("SELECT title FROM item WHERE weight > ?")
      #expect(try select.rows([2.5]).count == 2)
      #expect(insert.statistics.runs >= 5 && select.statistics.fullScanSteps > 0)
    }
    #expect(try titles.count == 5)
  }

  @Test func `foreign keys are enforced and the error names the columns`() throws {
    try database.write { c in
      try c.execute("CREATE TABLE list(id INTEGER PRIMARY KEY)")
      try c.execute("CREATE TABLE entry(id INTEGER PRIMARY KEY, list INTEGER NOT NULL REFERENCES list(id))")
      try c.execute(
        "CREATE TABLE late(id INTEGER PRIMARY KEY, list INTEGER REFERENCES list(id) DEFERRABLE INITIALLY DEFERRED)")
      try c.execute("INSERT INTO list VALUES (1)")
      try c.execute("INSERT INTO entry VALUES (1, 1)")
    }
    let child = try databaseError { try database.write { try $0.execute("INSERT INTO entry VALUES (2, 9)") } }
    #expect(child.extendedCode == .constraintForeignKey && child.columns == ["entry.list"])
    #expect(child.message == "FOREIGN KEY constraint failed: entry.list refers to list.id")
    let parent = try databaseError { try database.write { try $0.execute("DELETE FROM list") } }
    #expect(parent.columns.contains("entry.list"))
    let deferred = try databaseError { try database.write { try $0.execute("INSERT INTO late VALUES (7, 9)") } }
    #expect(deferred.message == "FOREIGN KEY constraint failed at COMMIT: row 7 of late refers to no row of list")
    #expect(try database.read { try $0.value("SELECT count(*) FROM late", as: Int.self) } == 0)
  }

  @Test func `constraint violations name table and column`() throws {
    try database.write { c in
      try c.execute("CREATE TABLE k(a INTEGER UNIQUE, b TEXT NOT NULL, c INTEGER CHECK (c > 0))")
      try c.execute("INSERT INTO k VALUES (1, 'x', 1)")
      try c.execute("CREATE TABLE s(n INTEGER) STRICT")
    }
    let cases: [(SQL, ResultCode, [String])] = [
      ("INSERT INTO k VALUES (1, 'x', 1)", .constraintUnique, ["k.a"]),
      ("INSERT INTO k VALUES (2, NULL, 1)", .constraintNotNull, ["k.b"]),
      ("INSERT INTO k VALUES (2, 'x', 0)", .constraintCheck, []),
      ("INSERT INTO s VALUES ('x')", .constraintDataType, ["s.n"]),
    ]
    for (sql, code, columns) in cases {
      let error = try databaseError { try database.write { try $0.execute(sql) } }
      #expect(error.code == .constraint && error.extendedCode == code && error.columns == columns)
    }
  }

  @Test func `a vetoed commit leaves nothing`() throws {
    let error = try databaseError {
      try database.write { c in
        try c.insert(Item(id: nil, title: "x"))
        try c.withUnsafeHandle { _ = sqlite3_commit_hook($0, { _ in 1 }, nil) }
      }
    }
    #expect(error.extendedCode == .constraintCommitHook)
    try database.write { c in try c.withUnsafeHandle { _ = sqlite3_commit_hook($0, nil, nil) } }
    #expect(try titles.isEmpty)
  }
}

@Suite struct AsyncTests {
  let scratch: Scratch
  let database: Database

  init() throws {
    scratch = try Scratch()
    // The tests share the threads that they block: what waits here may wait long.
    database = try scratch.database(options: .fast.with { $0.busyTimeout = .seconds(60) })
    try database.write { try $0.execute(Item.schema) }
  }

  @Test func `reads and writes have asynchronous twins`() async throws {
    let id = try await database.write { try $0.insert(Item(id: nil, title: "a")) }
    #expect(try await database.read { try $0.entity(Item.self, id: id) }?.title == "a")
    await #expect(throws: DatabaseError.self) { try await database.write { try $0.execute("nonsense") } }
  }

  @Test func `a cancelled write is undone also between statements`() async throws {
    let entered = Box(false)
    let mayLeave = Box(false)
    let task = Task { [database] in
      try await database.write { c in
        try c.insert(Item(id: nil, title: "x"))
        entered.change { $0 = true }
        while !mayLeave.value { usleep(1000) }
      }
    }
    while !entered.value { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    mayLeave.change { $0 = true }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await database.read { try $0.count(Item.self) } == 0)
  }

  @Test func `closing waits for running calls and refuses new ones`() async throws {
    let entered = Box(false)
    let task = Task { [database] in
      try await database.write { c in
        try c.insert(Item(id: nil, title: "x"))
        entered.change { $0 = true }
        usleep(50_000)
      }
    }
    while !entered.value { try await Task.sleep(for: .milliseconds(1)) }
    try database.close()
    try await task.value
    #expect(try scratch.files() == ["test.db"], "the journal is gone with the last connection")
    try database.close()
    let error = try databaseError { try database.read { try $0.count(Item.self) } }
    #expect(error.message.contains("closed"))
    #expect(throws: DatabaseError.self) { try database.write { _ in } }
    let again = try scratch.database()
    #expect(try await again.read { try $0.count(Item.self) } == 1)
  }

  @Test func `closing inside a write is an error`() throws {
    let error = try databaseError { try database.write { _ in try database.close() } }
    #expect(error.code == .misuse)
  }

  @Test func `a call that waits too long for a database in memory names what may hold it`() throws {
    let memory = try Database.inMemory(options: .fast.with { $0.busyTimeout = .milliseconds(30) })
    let (entered, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      try? memory.read { _ in
        entered.signal()
        release.wait()
      }
    }
    entered.wait()
    defer { release.signal() }
    for error in [try databaseError { try memory.write { _ in } }, try databaseError { try memory.read { _ in } }] {
      #expect(error.code == .busy)
      #expect(error.message.hasPrefix("a read, a write or a list has used the only connection"), "\(error)")
    }
  }
}
