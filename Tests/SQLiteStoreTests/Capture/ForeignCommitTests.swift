import FixtureSupport
import Foundation
import Synchronization
import Testing

@testable import SQLiteStore

// In turn: one of these uses up the system's watches for a moment.
@Suite(.serialized) struct ForeignCommitTests {
  let scratch: Scratch
  let database: Database
  let told = Box<[Commit]>([])

  init() throws {
    scratch = try Scratch()
    database = try scratch.database()
    try database.write { c in
      try c.executeScript(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE UNIQUE, b INTEGER, UNIQUE (b, a));
        CREATE TABLE pair(n INTEGER, v TEXT, x, PRIMARY KEY (n, v)) WITHOUT ROWID;
        CREATE TABLE plain(x);
        INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
        """)
    }
  }

  func observe(_ tables: String...) -> ObservationToken {
    database.observe(tables) { [told] commit in told.change { $0.append(commit) } }
  }

  /// The reported changes of other programs, after all of them have arrived.
  func news() throws -> [String: DirtyKeys] {
    try database.catchUp()
    defer { told.change { $0 = [] } }
    #expect(told.value.allSatisfy { $0.isForeign })
    return told.value.reduce(into: [:]) { all, commit in
      all.merge(commit.changes) { $0.union($1) }
    }
  }

  func waitForNews(within seconds: Double = 20) async throws -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while told.value.isEmpty, Date() < end { try await Task.sleep(for: .milliseconds(2)) }
    return !told.value.isEmpty
  }

  @Test func `an option records all tables, also those that a migration adds or makes anew`() throws {
    let options = Database.Options.fast.with { $0.recordsHistory = true }
    let first = Migration("0001_a", sql: "CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
    let second = Migration(
      "0002_b",
      sql: """
        CREATE TABLE b(k TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE c(id INTEGER PRIMARY KEY, v);
        DROP TABLE a; ALTER TABLE c RENAME TO a;
        """)
    for migrations in [[first], [first, second], [first, second]] {
      let recording = try scratch.database("recorded.db", options: options)
      try recording.migrate(migrations)
      let told = Box<[Commit]>([])
      let observation = recording.observe(migrations.count == 1 ? ["a"] : ["a", "b"]) { commit in
        told.change { $0.append(commit) }
      }
      let raw = try RawDatabase(path: scratch.path("recorded.db"))
      try raw.execute("INSERT OR REPLACE INTO a VALUES (7, 1)")
      try recording.catchUp()
      #expect(told.value.map(\.changes) == [["a": .rowIDs([7])]])
      observation.cancel()
      try recording.close()
    }
  }

  @Test(arguments: [Database.Options.Journal.wal, .delete])
  func `occasional writes of ours don't wake the thread that looks for others`(journal: Database.Options.Journal)
    async throws
  {
    let options = Database.Options.fast.with { ($0.foreignCommitInterval, $0.journal) = (.seconds(600), journal) }
    let patient = try scratch.database("patient.db", options: options)
    try await patient.write {
      try $0.executeScript("CREATE TABLE t(id INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 1)")
    }
    let raw = try RawDatabase(path: scratch.path("patient.db"))
    let observation = patient.observe(["t"]) { [told] commit in told.change { $0.append(commit) } }
    defer { observation.cancel() }
    try await Task.sleep(for: .milliseconds(200))
    let before = patient.watcher.wakeUps.load(ordering: .relaxed)
    for _ in 0..<10 {
      try await Task.sleep(for: .milliseconds(20))
      try writeOnce(patient)
    }
    // On a busy machine two of the ten may come within 2 ms of each other, and such writes wake it once.
    #expect(patient.watcher.wakeUps.load(ordering: .relaxed) <= before + 2)
    // Others' commits right after one of ours, and later, are found all the same.
    for number in 0..<10 {
      try await Task.sleep(for: .milliseconds(20))
      told.change { $0 = [] }
      try writeOnce(patient)
      if number % 2 == 0 { try await Task.sleep(for: .milliseconds(5)) }
      try raw.execute("UPDATE t SET b = \(number) WHERE id = 1")
      let end = Date().addingTimeInterval(60)
      while !told.value.contains(where: { $0.isForeign }), Date() < end {
        try await Task.sleep(for: .milliseconds(1))
      }
      #expect(told.value.contains { $0.isForeign }, "round \(number)")
    }
  }

  @Test func `without a history a foreign commit reports everything`() throws {
    let raw = try RawDatabase(path: scratch.path())
    let observation = observe("t", "pair")
    defer { observation.cancel() }
    try raw.execute("UPDATE plain SET x = 1; INSERT INTO plain VALUES (1)")
    #expect(try news() == ["t": .everything(.foreignCommit), "pair": .everything(.foreignCommit)])
    #expect(try news().isEmpty)
  }

  @Test func `our own commits are not foreign`() throws {
    let observation = observe("t")
    defer { observation.cancel() }
    for index in 0..<20 {
      try database.write { try $0.execute("UPDATE t SET b = \(index) WHERE id = 1") }
      _ = try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) }
      if index == 10 { try database.checkpoint() }
    }
    try database.catchUp()
    #expect(
      told.value.count == 20 && told.value.allSatisfy { !$0.isForeign && $0.changes == ["t": .rowIDs([1])] })
  }

  @Test func `with the recorded history the rows are known`() throws {
    try database.recordHistory(of: ["t", "pair"])
    let raw = try RawDatabase(path: scratch.path())
    let observation = observe("t", "pair", "plain")
    defer { observation.cancel() }
    try raw.execute("UPDATE t SET b = 9 WHERE id = 2")
    try raw.execute("BEGIN; INSERT INTO pair VALUES (1, 'x', 0); DELETE FROM t WHERE id = 3; COMMIT")
    #expect(
      try news() == ["t": .rowIDs([2, 3]), "pair": .primaryKeys([[1, "x"]]), "plain": .everything(.foreignCommit)])
    try raw.execute("UPDATE pair SET n = 2; UPDATE t SET id = 20 WHERE id = 2")
    let news = try news()
    #expect(news["t"] == .rowIDs([2, 20]) && news["pair"] == .primaryKeys([[1, "x"], [2, "x"]]))
    try raw.execute("BEGIN; UPDATE t SET b = 0; ROLLBACK")
    #expect(try self.news().isEmpty)
  }

  @Test func `a table with a unique expression is not trusted to its history`() throws {
    try database.write { try $0.execute("CREATE UNIQUE INDEX odd ON plain(abs(x))") }
    try database.recordHistory(of: ["plain"])
    let raw = try RawDatabase(path: scratch.path())
    let observation = observe("plain")
    defer { observation.cancel() }
    try raw.execute("INSERT INTO plain VALUES (1)")
    #expect(try news() == ["plain": .everything(.foreignCommit)])
  }

  @Test func `a history that was pruned too far reports everything`() throws {
    try database.recordHistory(of: ["t"], keeping: 100)
    let raw = try RawDatabase(path: scratch.path())
    let observation = observe("t")
    defer { observation.cancel() }
    for index in 0..<90 { try raw.execute("UPDATE t SET b = \(index) WHERE id = 1") }
    #expect(try news() == ["t": .rowIDs([1])])
    try raw.execute("BEGIN")
    for index in 0..<1000 { try raw.execute("UPDATE t SET b = \(index) WHERE id = 1") }
    try raw.execute("COMMIT")
    #expect(try news() == ["t": .everything(.historyGap)])
    let entries = try #require(try Int(raw.strings("SELECT count(*) FROM frc_history")[0][0]))
    #expect(entries <= 100 + 64)
    try raw.execute("UPDATE t SET b = 0 WHERE id = 2")
    #expect(try news() == ["t": .rowIDs([2])])
  }

  @Test func `recording can be repeated and stopped`() throws {
    try database.recordHistory(of: ["t"])
    try database.recordHistory(of: ["t", "pair"])
    let raw = try RawDatabase(path: scratch.path())
    let observation = observe("t", "pair")
    try raw.execute("INSERT INTO pair VALUES (1, 'x', 0)")
    #expect(try news() == ["pair": .primaryKeys([[1, "x"]])])
    try database.stopRecordingHistory()
    observation.cancel()
    told.change { $0 = [] }
    let again = observe("t")
    defer { again.cancel() }
    try raw.execute("UPDATE t SET b = 1 WHERE id = 1")
    #expect(try news() == ["t": .everything(.foreignCommit)])
    #expect(try raw.strings("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'frc%'") == [["0"]])
  }

  @Test func `a table that can't be recorded is refused with a reason`() throws {
    try database.write { c in
      try c.executeScript(
        """
        CREATE TABLE taken(rowid, oid, _rowid_); CREATE VIEW v AS SELECT 1;
        CREATE TABLE wide(a, b, c, d, e, f, g, h, i, PRIMARY KEY (a, b, c, d, e, f, g, h, i)) WITHOUT ROWID;
        """)
    }
    for (table, reason) in [
      ("taken", "names of the row id"), ("v", "no ordinary table"), ("none", "no table"), ("wide", "8 columns"),
    ] {
      #expect(try databaseError { try database.recordHistory(of: [table]) }.message.contains(reason))
    }
  }

  @Test func `commits before the observation are not reported`() throws {
    try database.recordHistory(of: ["t"])
    let raw = try RawDatabase(path: scratch.path())
    try raw.execute("UPDATE t SET b = 5 WHERE id = 1")
    let observation = observe("t")
    defer { observation.cancel() }
    #expect(try news().isEmpty)
  }

  @Test func `no wake up is lost however close a commit follows the one before`() async throws {
    // The interval is so long that only the watch can notice the commit.
    let patient = try scratch.database(options: .fast.with { $0.foreignCommitInterval = .seconds(600) })
    let raw = try RawDatabase(path: scratch.path())
    for round in 0..<40 {
      told.change { $0 = [] }
      let observation = patient.observe(["t"]) { [told] commit in told.change { $0.append(commit) } }
      for step in 0..<3 {
        usleep(UInt32.random(in: 0...2500))
        told.change { $0 = [] }
        try raw.execute("UPDATE t SET b = \(round * 10 + step) WHERE id = 1")
        #expect(try await waitForNews(within: 5), "round \(round), step \(step)")
      }
      observation.cancel()
    }
  }

  func writeOnce(_ database: Database) throws {
    try database.write { try $0.execute("UPDATE t SET b = b + 1 WHERE id = 2") }
  }

  @Test func `a commit is found that is made just as many of ours end`() async throws {
    let patient = try scratch.database(options: .fast.with { $0.foreignCommitInterval = .seconds(600) })
    let raw = try RawDatabase(path: scratch.path())
    let observation = patient.observe(["t"]) { [told] commit in
      if commit.isForeign { told.change { $0.append(commit) } }
    }
    defer { observation.cancel() }
    for round in 0..<20 {
      told.change { $0 = [] }
      let end = Date().addingTimeInterval(Double.random(in: 0...0.02))
      repeat { try writeOnce(patient) } while Date() < end
      try raw.execute("UPDATE t SET b = b + 1 WHERE id = 1")
      #expect(try await waitForNews(within: 5), "round \(round)")
      usleep(UInt32.random(in: 0...10_000))
    }
  }

  #if os(Linux)
    /// Takes all watches that the system still has.
    private static func allWatches() -> [Int32] {
      var taken: [Int32] = []
      while taken.count < 100_000 {
        let descriptor = inotify_init1(0)
        if descriptor < 0 { break }
        taken.append(descriptor)
      }
      return taken
    }

    @Test func `the timer covers for a watch that can't be set`() async throws {
      let taken = Self.allWatches()
      defer { for descriptor in taken { close(descriptor) } }
      let timed = try scratch.database(options: .fast.with { $0.foreignCommitInterval = .milliseconds(50) })
      let observation = timed.observe(["t"]) { [told] commit in told.change { $0.append(commit) } }
      defer { observation.cancel() }
      let raw = try RawDatabase(path: scratch.path())
      for round in 0..<3 {
        usleep(20_000)
        told.change { $0 = [] }
        try raw.execute("UPDATE t SET b = \(round) WHERE id = 1")
        #expect(try await waitForNews())
      }
    }
  #endif

  @Test func `another library in this process keeps its locks and we ours`() async throws {
    let raw = try RawDatabase(path: scratch.path())
    try raw.execute("BEGIN IMMEDIATE; UPDATE t SET b = 40 WHERE id = 1")
    let short = try scratch.database(options: .fast.with { $0.busyTimeout = .milliseconds(30) })
    // Opening and closing others of our connections to the file must not take the lock away.
    for _ in 0..<3 {
      let other = try scratch.database()
      #expect(try await other.read { try $0.value("SELECT b FROM t WHERE id = 1", as: Int.self) } == 1)
      try other.close()
    }
    let observation = short.observe(["t"]) { _ in }
    let error = try databaseError { try short.write { try $0.execute("UPDATE t SET b = 41 WHERE id = 1") } }
    #expect(error.code == .busy)
    try raw.execute("COMMIT")
    observation.cancel()
    try await short.write { try $0.execute("UPDATE t SET b = b + 2 WHERE id = 1") }
    #expect(try raw.strings("SELECT b FROM t WHERE id = 1") == [["42"]])
    // And the other way round: while we write, the other library waits.
    let release = DispatchSemaphore(value: 0)
    let inside = Box(false)
    let writer = Thread { [database] in
      do {
        try database.write { c in
          try c.execute("UPDATE t SET b = 50 WHERE id = 1")
          inside.change { $0 = true }
          release.wait()
        }
      } catch { Issue.record(error) }
    }
    writer.start()
    while !inside.value { try await Task.sleep(for: .milliseconds(1)) }
    try raw.execute("PRAGMA busy_timeout = 20")
    #expect(throws: RawDatabase.Failure.self) { try raw.execute("UPDATE t SET b = 51 WHERE id = 1") }
    release.signal()
    try raw.execute("PRAGMA busy_timeout = 5000; UPDATE t SET b = b + 1 WHERE id = 1")
    #expect(try await database.read { try $0.value("SELECT b FROM t WHERE id = 1", as: Int.self) } == 51)
    #expect(try await database.integrityCheck().isEmpty)
  }

  @Test func `a file that is opened through a link is followed at once too`() async throws {
    try FileManager.default.createDirectory(atPath: scratch.path("links"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("links/link.db"), withDestinationPath: scratch.path())
    // The interval is so long that only the watch can notice the commit.
    let linked = try scratch.database("links/link.db", options: .fast.with { $0.foreignCommitInterval = .seconds(600) })
    let observation = linked.observe(["t"]) { [told] commit in told.change { $0.append(commit) } }
    defer { observation.cancel() }
    try await Task.sleep(for: .milliseconds(50))
    let raw = try RawDatabase(path: scratch.path())
    try raw.execute("UPDATE t SET b = 5 WHERE id = 1")
    #expect(try await waitForNews())
  }

  @Test func `a read only database follows others too`() async throws {
    let reader = try scratch.database(options: .fast.with { $0.isReadOnly = true })
    let observation = reader.observe(["t"]) { [told] commit in told.change { $0.append(commit) } }
    defer { observation.cancel() }
    try await database.write { try $0.execute("UPDATE t SET b = 9 WHERE id = 1") }
    #expect(try await waitForNews())
  }

  @Test func `a rollback journal is followed too`() async throws {
    let path = try Fixture.copy(.rollbackJournal)
    let database = try Database(path: path, options: .fast.with { $0.journal = .delete })
    try await database.write { try $0.execute("CREATE TABLE mine(a)") }
    let observation = database.observe(["mine"]) { [told] commit in told.change { $0.append(commit) } }
    defer { observation.cancel() }
    let raw = try RawDatabase(path: path)
    try raw.execute("INSERT INTO mine VALUES (1)")
    #expect(try await waitForNews())
    try await database.write { try $0.execute("INSERT INTO mine VALUES (2)") }
    try database.catchUp()
    #expect(told.value.last?.changes == ["mine": .rowIDs([2])])
  }

  @Test func `releasing the database ends the following`() async throws {
    weak var gone: Database?
    do {
      let database = try scratch.database("gone.db")
      try await database.write { try $0.execute("CREATE TABLE t(a)") }
      let observation = database.observe(["t"]) { _ in }
      gone = database
      observation.cancel()
      _ = database.observe(["t"]) { _ in }
    }
    let end = Date().addingTimeInterval(10)
    while gone != nil, Date() < end { try await Task.sleep(for: .milliseconds(5)) }
    #expect(gone == nil)
  }
}
