import CFetchedResultsSQLite
import FixtureSupport
import SQLiteStore
import Testing

/// Changes that a capture can miss: each of these was missed once.
@Suite struct MissedChangeTests {
  static let hook = CaptureSetup.all.filter { $0.capture == .preupdateHook }

  private func make(_ setup: CaptureSetup, _ script: String) throws -> Observed {
    let observed = try setup.make()
    try observed.database.write { try $0.executeScript(script) }
    return observed
  }

  @Test(arguments: hook) func `a hook removed through the handle is noticed`(_ setup: CaptureSetup) throws {
    let o = try make(setup, "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)")
    o.observe("t")
    #expect(try o.changes("DELETE FROM t WHERE id = 3") == [["t": .rowIDs([3])]])
    let changes = try o.changes { c in
      try c.withUnsafeHandle { handle in
        _ = sqlite3_preupdate_hook(handle, nil, nil)
        #expect(sqlite3_exec(handle, "DELETE FROM t WHERE id = 1", nil, nil, nil) == SQLITE_OK)
      }
    }
    #expect(changes == [["t": .everything(.hookReplaced)]])
    #expect(try o.changes("DELETE FROM t") == [["t": .rowIDs([2])]])
  }

  @Test(arguments: hook, [true, false]) func `a session works beside observers`(
    _ setup: CaptureSetup, _ observesFirst: Bool
  ) throws {
    let o = try make(setup, "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)")
    if observesFirst { o.observe("t") }
    nonisolated(unsafe) var session: OpaquePointer?
    try o.database.write { c in
      try c.withUnsafeHandle { handle in
        #expect(sqlite3session_create(handle, "main", &session) == SQLITE_OK)
        #expect(sqlite3session_attach(session, nil) == SQLITE_OK)
      }
      try c.execute("UPDATE t SET id = 3 WHERE id = 2")
    }
    try o.database.catchUp()
    if observesFirst { #expect(o.commits.value.map(\.changes) == [["t": .everything(.hookReplaced)]]) }
    o.observe("t")
    #expect(try o.changes("INSERT INTO t VALUES (9)") == [["t": .rowIDs([9])]])
    try o.database.write { c in
      try c.withUnsafeHandle { _ in
        #expect(sqlite3session_isempty(session) == 0)
        sqlite3session_delete(session)
      }
    }
    #expect(try o.changes("DELETE FROM t") == [["t": .rowIDs([1, 3, 9])]])
  }

  @Test(arguments: hook) func `a harmless use of the handle leaves the changes exact`(_ setup: CaptureSetup) throws {
    let o = try make(setup, "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)")
    o.observe("t")
    let changes = try o.changes { c in
      try c.execute("DELETE FROM t WHERE id = 1")
      #expect(try c.withUnsafeHandle { sqlite3_total_changes64($0) } > 0)
      #expect(c.changesCount == 1)
    }
    #expect(changes == [["t": .rowIDs([1])]])
  }

  @Test(arguments: CaptureSetup.all) func `no setting of SQLite hides rows that REPLACE deletes`(_ setup: CaptureSetup)
    throws
  {
    let o = try make(setup, "CREATE TABLE t(id INTEGER PRIMARY KEY, code UNIQUE); INSERT INTO t VALUES (1, 'a')")
    o.observe("t")
    let spellings = ["= 0", "(off)", "=OFF"]
    for spelling in spellings {
      #expect(throws: DatabaseError.self) {
        try o.database.write { try $0.execute("PRAGMA recursive_triggers \(raw: spelling)") }
      }
      #expect(throws: DatabaseError.self) {
        try o.database.write { try $0.executeScript("/* a */ pragma main.Recursive_Triggers\(spelling)") }
      }
    }
    #expect(try o.changes("REPLACE INTO t VALUES (2, 'a')") == [["t": .rowIDs([1, 2])]])
    _ = try o.changes { c in
      try c.withUnsafeHandle { handle in
        #expect(sqlite3_exec(handle, "PRAGMA recursive_triggers = 0", nil, nil, nil) == SQLITE_AUTH)
        sqlite3_set_authorizer(handle, nil, nil)
        #expect(sqlite3_exec(handle, "PRAGMA recursive_triggers = 0", nil, nil, nil) == SQLITE_OK)
      }
      #expect(try c.value("PRAGMA recursive_triggers", as: Int.self) == 1)
    }
    #expect(try o.changes("REPLACE INTO t VALUES (3, 'a')") == [["t": .rowIDs([2, 3])]])
  }

  @Test func `a file that is attached later is also locked during a write`() throws {
    let scratch = try Scratch()
    let other = try scratch.database("other.db", options: .fast.with { $0.busyTimeout = .milliseconds(20) })
    try other.write { try $0.execute("CREATE TABLE u(a)") }
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(a)") }
    try database.attach(scratch.path("other.db"), as: "o")
    try database.write { _ in
      let error = try databaseError { try other.write { try $0.execute("INSERT INTO u VALUES (1)") } }
      #expect(error.code == .busy)
    }
  }
}
