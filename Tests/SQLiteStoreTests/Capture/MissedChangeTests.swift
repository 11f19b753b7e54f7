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

  // MARK: The handle in other hands

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

  // MARK: Others' changes of the schema

  private static let recorded =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE other(x); CREATE TABLE third(x)"

  @Test func `a history that somebody has emptied hides nothing`() throws {
    let o = try make(CaptureSetup(capture: .automatic, isFile: true), Self.recorded)
    try o.database.recordHistory(of: ["t"])
    o.observe("t")
    let other = try RawDatabase(path: o.scratch.path())
    func foreign(_ sql: String) throws -> DirtyKeys? {
      try o.changes {
        try other.execute(sql)
      } _: { _ in
      }.reduce(into: nil) { all, commit in
        all = all.flatMap { old in commit["t"].map { old.union($0) } } ?? commit["t"]
      }
    }
    #expect(try foreign("INSERT INTO t VALUES (1, 1), (2, 2)") == .rowIDs([1, 2]))
    // Emptied, and as much written again as had been seen, and more.
    let emptied = try foreign(
      "BEGIN; DELETE FROM frc_history; INSERT INTO t VALUES (3, 3), (4, 4), (5, 5); UPDATE t SET a = 9 WHERE id = 1; COMMIT"
    )
    #expect(emptied == .rowIDs([1, 3, 4, 5]))
    let unseen = try foreign(
      "BEGIN; INSERT INTO t VALUES (6, 6); DELETE FROM frc_history; INSERT INTO t VALUES (7, 7); COMMIT")
    #expect(unseen == .everything(.historyGap))
    // Emptied twice: after the first time, no entry that was seen is missing.
    _ = try foreign("DELETE FROM frc_history")
    let emptiedAgain = try foreign("BEGIN; INSERT INTO t VALUES (10, 10); DELETE FROM frc_history; COMMIT")
    #expect(emptiedAgain == .everything(.historyGap))
    let oneDeleted = try foreign(
      "BEGIN; INSERT INTO t VALUES (11, 11), (12, 12), (13, 13); DELETE FROM frc_history WHERE k0 = 12; COMMIT")
    #expect(oneDeleted == .everything(.historyGap))
    #expect(try foreign("INSERT INTO t VALUES (14, 14)") == .rowIDs([14]))
    // A history of an earlier version, which gave numbers twice, is not believed.
    _ = try foreign(
      """
      DROP TABLE frc_history;
      CREATE TABLE frc_history(seq INTEGER PRIMARY KEY, slot INTEGER NOT NULL, k0, k1, k2, k3, k4, k5, k6, k7)
      """)
    #expect(try foreign("INSERT INTO t VALUES (8, 8)") == .everything(.foreignCommit))
    try o.database.recordHistory(of: ["t"])
    try o.database.catchUp()
    #expect(try foreign("INSERT INTO t VALUES (9, 9)") == .rowIDs([9]))
  }

  // MARK: Smaller ones

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
