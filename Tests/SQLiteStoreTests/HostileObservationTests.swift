import CFetchedResultsSQLite
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// What could make a commit go unnoticed, or be reported to an observer that has ended.
@Suite struct HostileObservationTests {
  @Test func `a handler that cancels is not called again`() throws {
    let database = try Database.inMemory()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    let calls = Box(0)
    let own = Box<ObservationToken?>(nil)
    let first = database.observe(["t"]) { commit in
      // More commits wait while this one is reported.
      if commit.sequence < 4 { _ = try? database.write { try $0.execute("INSERT INTO t VALUES (1)") } }
    }
    let second = database.observe(["t"]) { _ in
      calls.change { $0 += 1 }
      if calls.value == 1 {
        _ = try? database.write { try $0.execute("INSERT INTO t VALUES (1)") }
        _ = try? database.write { try $0.execute("INSERT INTO t VALUES (1)") }
      }
      if calls.value == 2 { own.value?.cancel() }
    }
    own.change { $0 = second }
    try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
    for _ in 0..<4 { try database.catchUp() }
    #expect(calls.value == 2)
    first.cancel()
  }

  @Test(.timeLimit(.minutes(10))) func `an observer that holds another observation can be released`() throws {
    final class Holder: Sendable {
      let observation: ObservationToken
      init(_ observation: ObservationToken) { self.observation = observation }
    }
    let database = try Database.inMemory()
    let inner = Holder(database.observe(["t"]) { _ in })
    let outer = Box<ObservationToken?>(
      { (held: Holder) in database.observe(["t"]) { _ in withExtendedLifetime(held) {} } }(inner))
    outer.change { $0 = nil }
    let other = database.observe(["t"]) { _ in }
    other.cancel()
  }

  @Test(arguments: CaptureSetup.all) func `a table observed under two names is reported under both`(
    _ setup: CaptureSetup
  ) throws {
    let it = try setup.make()
    try it.database.write { try $0.executeScript(CaptureTests.schema) }
    it.observe("t", "T", "main.t", "pair", "main.PAIR")
    let changes = try it.changes("INSERT INTO t(id) VALUES (7)", "INSERT INTO pair VALUES ('b', 1, 'v')")
    let key = DirtyKeys.primaryKeys([[.integer(1), .text("b")]])
    #expect(
      changes == [["t": .rowIDs([7]), "T": .rowIDs([7]), "main.t": .rowIDs([7]), "pair": key, "main.PAIR": key]])
  }

  @Test(arguments: CaptureSetup.all) func `a schema that is read again in a transaction confuses no tables`(
    _ setup: CaptureSetup
  ) throws {
    struct Undone: Error {}
    let it = try setup.make()
    let names = (0..<24).map { "tab\(String(format: "%02d", $0))" }
    try it.database.write { c in
      for name in names { try c.execute("CREATE TABLE \(identifier: name)(id INTEGER PRIMARY KEY, x)") }
    }
    it.observe(names[3], names[20])
    for round in 1...20 {
      let changes = try it.changes { c in
        for name in names where name != names[3] && name != names[20] {
          try c.execute("INSERT INTO \(identifier: name) VALUES (\(round), 0)")
        }
        try? c.savepoint {
          try c.execute("CREATE TABLE \(identifier: "zz" + String(repeating: "z", count: round))(x, y)")
          throw Undone()
        }
        for name in names.reversed() {
          try c.execute("INSERT INTO \(identifier: name) VALUES (\(round + 1000), 0)")
        }
      }
      for name in [names[3], names[20]] { #expect(changes.first?[name] == .rowIDs([Int64(round + 1000)])) }
    }
  }

  @Test func `observers that come and go on many threads leave the last one watching`() async throws {
    let scratch = try Scratch()
    let database = try scratch.database(options: .fast.with { $0.foreignCommitInterval = .milliseconds(20) })
    try await database.write { try $0.execute("CREATE TABLE t(x)") }
    let raw = try RawDatabase(path: scratch.path())
    for _ in 0..<60 {
      let old = database.observe(["t"]) { _ in }
      let told = Box(false)
      async let gone: Void = Task.detached { old.cancel() }.value
      let observation = await Task.detached { database.observe(["t"]) { _ in told.change { $0 = true } } }.value
      await gone
      try raw.execute("INSERT INTO t VALUES (1)")
      let deadline = Date().addingTimeInterval(5)
      while !told.value, Date() < deadline { try await Task.sleep(for: .milliseconds(1)) }
      #expect(told.value)
      observation.cancel()
      if !told.value { break }
    }
  }

  @Test func `a foreign commit's unreadable key reports everything and breaks no write`() throws {
    let scratch = try Scratch()
    let it = Observed(scratch, try scratch.database())
    try it.database.write { try $0.execute("CREATE TABLE k(id TEXT PRIMARY KEY, x) WITHOUT ROWID") }
    try it.database.recordHistory(of: ["k"])
    it.observe("k")
    let raw = try RawDatabase(path: scratch.path())
    let changes = try it.changes(after: { try raw.execute("INSERT INTO k VALUES (CAST(x'ff' AS TEXT), 1)") }) {
      try $0.execute("INSERT INTO k VALUES ('ours', 1)")
    }
    #expect(changes.count == 2)
    guard case .everything? = changes.first?["k"] else {
      Issue.record("\(changes)")
      return
    }
    #expect(changes.last == ["k": .primaryKeys([[.text("ours")]])])
  }

  @Test(arguments: CaptureSetup.all) func `an unreadable key of ours reports everything`(_ setup: CaptureSetup) throws {
    let it = try setup.make()
    try it.database.write { try $0.execute("CREATE TABLE k(id TEXT PRIMARY KEY, x) WITHOUT ROWID") }
    it.observe("k")
    #expect(try it.changes("INSERT INTO k VALUES (CAST(x'ff' AS TEXT), 1)") == [["k": .everything(.overflow)]])
    #expect(try it.changes("INSERT INTO k VALUES ('b', 1)") == [["k": .primaryKeys([[.text("b")]])]])
  }

  @Test(arguments: CaptureSetup.all) func `a table that another program drops and creates again is still reported`(
    _ setup: CaptureSetup
  ) throws {
    guard setup.isFile else { return }
    let it = try setup.make()
    try it.database.write { try $0.execute("CREATE TABLE t(id INTEGER PRIMARY KEY)") }
    try it.database.write { try $0.execute("CREATE TABLE other(id INTEGER PRIMARY KEY)") }
    it.observe("t")
    #expect(try it.changes("INSERT INTO t VALUES (1)") == [["t": .rowIDs([1])]])
    let raw = try RawDatabase(path: it.scratch.path())
    for round in 2...4 {
      try raw.execute("DROP TABLE t")
      try it.database.write { try $0.execute("INSERT INTO other VALUES (\(round))") }
      try raw.execute("CREATE TABLE t(id INTEGER PRIMARY KEY)")
      try it.database.write { try $0.execute("INSERT INTO other VALUES (\(round + 10))") }
      try it.database.catchUp()
      #expect(try it.changes("INSERT INTO t VALUES (\(round))") == [["t": .rowIDs([Int64(round)])]])
    }
  }

  @Test(arguments: CaptureSetup.all) func `an attached file is followed as well`(_ setup: CaptureSetup) throws {
    let it = try setup.make()
    it.observe("archive.item")
    try it.database.attach(it.scratch.path("archive.db"), as: "archive")
    let made = try it.changes("CREATE TABLE archive.item(id INTEGER PRIMARY KEY)")
    #expect(made == [["archive.item": .everything(.schemaChanged)]])
    #expect(try it.changes("INSERT INTO archive.item VALUES (1)") == [["archive.item": .rowIDs([1])]])
    if setup.isFile {
      let raw = try RawDatabase(path: it.scratch.path("archive.db"))
      it.commits.change { $0 = [] }
      try raw.execute("INSERT INTO item VALUES (2)")
      try it.database.catchUp()
      #expect(it.commits.value.map(\.changes) == [["archive.item": .everything(.foreignCommit)]])
    }
    #expect(try it.changes("DROP TABLE archive.item") == [["archive.item": .everything(.schemaChanged)]])
  }
}
