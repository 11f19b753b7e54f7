import CFetchedResultsSQLite
import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

/// What both ways of capturing changes must do alike.
struct CaptureSetup: CustomTestStringConvertible, Sendable {
  var capture: Database.Options.Capture
  var isFile: Bool
  var testDescription: String { "\(capture), \(isFile ? "file" : "memory")" }

  static let all = [
    CaptureSetup(capture: .preupdateHook, isFile: true), CaptureSetup(capture: .preupdateHook, isFile: false),
    CaptureSetup(capture: .triggers, isFile: true), CaptureSetup(capture: .triggers, isFile: false),
  ]

  func make(limit: Int = 1_000_000) throws -> Observed {
    let options = Database.Options.fast.with {
      $0.capture = capture
      $0.captureLimit = limit
    }
    let scratch = try Scratch()
    let database = isFile ? try scratch.database(options: options) : try Database.inMemory(options: options)
    return Observed(scratch, database)
  }
}

/// A database and the commits that an observer was told.
final class Observed {
  let scratch: Scratch
  let database: Database
  let commits = Box<[Commit]>([])
  private var observation: ObservationToken?

  init(_ scratch: Scratch, _ database: Database) {
    self.scratch = scratch
    self.database = database
  }

  func observe(_ tables: String...) { observe(tables) }

  func observe(_ tables: [String]) {
    observation = database.observe(tables) { [commits] commit in commits.change { $0.append(commit) } }
  }

  func stop() { observation = nil }

  /// The reports of a write, commit by commit.
  ///
  /// - Parameter before: What another program does before the write. Our write reports its commit, or the thread that
  ///   watches the file if that is faster; it counts either way.
  func changes(
    after before: () throws -> Void = {}, _ body: (Connection) throws -> Void
  ) throws -> [[String: DirtyKeys]] {
    // Observers are called on threads of their own: what was before must not count.
    try database.catchUp()
    commits.change { $0 = [] }
    try before()
    try database.write(body)
    try database.catchUp()
    return commits.value.map(\.changes)
  }

  func changes(_ sql: SQL...) throws -> [[String: DirtyKeys]] {
    try changes { c in for piece in sql { try c.execute(piece) } }
  }
}

@Suite struct CaptureTests {
  static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b INTEGER);
    CREATE TABLE other(id INTEGER PRIMARY KEY, t INTEGER REFERENCES t(id) ON DELETE CASCADE ON UPDATE CASCADE);
    CREATE TABLE hidden(x TEXT);
    CREATE TABLE pair(b TEXT, n INTEGER, v TEXT, PRIMARY KEY (n, b)) WITHOUT ROWID;
    CREATE TABLE shifted(g AS (v || '!') VIRTUAL, k TEXT, v TEXT, h AS (k || '?') VIRTUAL, j INTEGER,
      PRIMARY KEY (j, k)) WITHOUT ROWID;
    CREATE VIEW seen AS SELECT id, a FROM t;
    CREATE TRIGGER seen_insert INSTEAD OF INSERT ON seen BEGIN INSERT INTO t(id, a) VALUES (NEW.id, NEW.a); END;
    """

  func make(_ setup: CaptureSetup, limit: Int = 1_000_000) throws -> Observed {
    let observed = try setup.make(limit: limit)
    try observed.database.write { c in
      try c.executeScript(Self.schema)
      try c.executeScript("INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)")
      try c.executeScript("INSERT INTO other VALUES (10, 1), (11, 1), (12, 2)")
    }
    return observed
  }

  @Test(arguments: CaptureSetup.all.filter(\.isFile)) func `tables that another program drops and creates are captured`(
    _ setup: CaptureSetup
  ) throws {
    let shapes = [
      "(id INTEGER PRIMARY KEY, x)", "(a, b, PRIMARY KEY (a, b)) WITHOUT ROWID", "(x, id INTEGER PRIMARY KEY)", "(x)",
    ]
    for seed in Seeds.all(30, of: "dropped tables", perSoak: 0.1) {
      var random = SeededGenerator(seed: seed)
      func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
      let observed = try setup.make()
      let raw = try RawDatabase(path: observed.scratch.path())
      var tables: Set<String> = []
      var (number, followed) = (0, [] as [String])
      var done: [String] = []
      do {
        for _ in 0..<100 {
          let table = ["t", "u", "w"][below(3)]
          switch below(5) {
          case 0:
            followed = ["t", "u", "w"].filter { _ in below(2) == 0 }
            done.append("observe \(followed)")
            if followed.isEmpty { observed.stop() } else { observed.observe(followed) }
          case 1:
            let sql = tables.contains(table) ? "DROP TABLE \(table)" : "CREATE TABLE \(table)\(shapes[below(4)])"
            done.append(sql)
            try raw.execute(sql)
            tables.formSymmetricDifference([table])
          case 2 where tables.contains(table) && !tables.contains("old"):
            done.append("rename \(table)")
            try raw.execute(
              "ALTER TABLE \(table) RENAME TO old; DROP TABLE IF EXISTS older; ALTER TABLE old RENAME TO older")
            tables.remove(table)
          case _ where tables.contains(table):
            number += 1
            done.append("insert into \(table)")
            let columns = try raw.strings("SELECT name FROM pragma_table_info('\(table)')").map { $0[0] }
            let (names, values) = (
              columns.joined(separator: ", "), columns.map { _ in "\(number)" }.joined(separator: ", ")
            )
            let changes = try observed.changes("INSERT INTO \(raw: table)(\(raw: names)) VALUES (\(raw: values))")
            let isSeen = changes.contains { $0[table] != nil }
            if isSeen != followed.contains(table) { Issue.record("SEED=\(seed) \(changes) after \(done.suffix(12))") }
          default: break
          }
        }
      } catch {
        Issue.record("SEED=\(seed) \(error) after \(done.suffix(12))")
      }
    }
  }

  @Test(arguments: CaptureSetup.all) func `cascades, triggers, views and truncation are reported`(_ setup: CaptureSetup)
    throws
  {
    let o = try make(setup)
    o.observe("t", "other")
    #expect(try o.changes("DELETE FROM t WHERE id = 1") == [["t": .rowIDs([1]), "other": .rowIDs([10, 11])]])
    #expect(try o.changes("UPDATE t SET id = 20 WHERE id = 2") == [["t": .rowIDs([2, 20]), "other": .rowIDs([12])]])
    #expect(try o.changes("INSERT INTO seen VALUES (5, 'v')") == [["t": .rowIDs([5])]])
    #expect(try o.changes("DELETE FROM other") == [["other": .rowIDs([12])]])
    #expect(try o.changes("DELETE FROM t") == [["t": .rowIDs([3, 5, 20])]])
  }

  @Test(arguments: CaptureSetup.all) func `tables without a row id are reported by primary key`(_ setup: CaptureSetup)
    throws
  {
    let o = try make(setup)
    o.observe("pair", "shifted")
    #expect(try o.changes("INSERT INTO pair VALUES ('x', 1, 'v')") == [["pair": .primaryKeys([[1, "x"]])]])
    #expect(try o.changes("UPDATE pair SET v = 'w'") == [["pair": .primaryKeys([[1, "x"]])]])
    #expect(try o.changes("UPDATE pair SET n = 2") == [["pair": .primaryKeys([[1, "x"], [2, "x"]])]])
    #expect(try o.changes("REPLACE INTO pair VALUES ('x', 2, 'z')") == [["pair": .primaryKeys([[2, "x"]])]])
    #expect(try o.changes("DELETE FROM pair") == [["pair": .primaryKeys([[2, "x"]])]])
    // Virtual generated columns are not stored, and shift the columns after them.
    #expect(
      try o.changes("INSERT INTO shifted(k, v, j) VALUES ('k', 'v', 7)") == [["shifted": .primaryKeys([[7, "k"]])]])
    #expect(try o.changes("UPDATE shifted SET v = 'w'") == [["shifted": .primaryKeys([[7, "k"]])]])
    #expect(try o.changes("UPDATE shifted SET j = 8, k = 'l'") == [["shifted": .primaryKeys([[7, "k"], [8, "l"]])]])
    #expect(try o.changes("DELETE FROM shifted") == [["shifted": .primaryKeys([[8, "l"]])]])
  }

  @Test(arguments: CaptureSetup.all) func `hidden row ids are keys too`(_ setup: CaptureSetup) throws {
    let o = try make(setup)
    o.observe("hidden")
    #expect(try o.changes("INSERT INTO hidden VALUES ('a'), ('b')") == [["hidden": .rowIDs([1, 2])]])
    #expect(try o.changes("UPDATE hidden SET x = 'c' WHERE x = 'b'") == [["hidden": .rowIDs([2])]])
  }

  @Test(arguments: CaptureSetup.all) func `changes that were undone are not reported`(_ setup: CaptureSetup) throws {
    struct Stop: Error {}
    let o = try make(setup)
    o.observe("t", "other")
    #expect(throws: Stop.self) {
      try o.changes { c in
        try c.execute("DELETE FROM t")
        throw Stop()
      }
    }
    #expect(o.commits.value.isEmpty)
    #expect(throws: DatabaseError.self) {
      try o.changes { c in
        try c.execute("UPDATE t SET b = 0")
        try c.withUnsafeHandle { _ = sqlite3_commit_hook($0, { _ in 1 }, nil) }
      }
    }
    let mended = try o.changes { c in try c.withUnsafeHandle { _ = sqlite3_commit_hook($0, nil, nil) } }
    let all = DirtyKeys.everything(.handleLent)
    #expect(mended == (setup.capture == .triggers ? [["t": all, "other": all]] : []))
    o.commits.change { $0 = [] }
    #expect(throws: DatabaseError.self) {
      try o.changes { c in
        try c.execute("PRAGMA defer_foreign_keys = 1")
        try c.execute("INSERT INTO other VALUES (99, 99)")
      }
    }
    #expect(o.commits.value.isEmpty)
    // And the next commit reports its own changes and none of those.
    #expect(try o.changes("UPDATE t SET b = 1 WHERE id = 2") == [["t": .rowIDs([2])]])
  }

  @Test(arguments: CaptureSetup.all) func `changes undone by a savepoint may be reported, and others must be`(
    _ setup: CaptureSetup
  ) throws {
    struct Stop: Error {}
    let o = try make(setup)
    o.observe("t")
    let changes = try o.changes { c in
      do {
        try c.savepoint {
          try c.execute("UPDATE t SET b = 0 WHERE id = 3")
          throw Stop()
        }
      } catch is Stop {}
      do { try c.execute("INSERT INTO t VALUES (7, 'n', 0), (1, 'x', 0)") } catch is DatabaseError {}
      try c.savepoint { try c.execute("UPDATE t SET b = 0 WHERE id = 1") }
    }
    guard case .rowIDs(let ids)? = changes.first?["t"] else { Issue.record("\(changes)"); return }
    #expect(changes.count == 1 && ids.contains(1) && Set(ids).isSubset(of: [1, 3, 7]))
  }

  @Test(arguments: CaptureSetup.all) func `a change of a temporary table that is observed reports it`(
    _ setup: CaptureSetup
  ) throws {
    let o = try make(setup)
    try o.database.write { try $0.execute("CREATE TEMP TABLE q(id INTEGER PRIMARY KEY, a)") }
    o.observe("temp.q")
    let everything: [[String: DirtyKeys]] = [["temp.q": .everything(.schemaChanged)]]
    #expect(try o.changes("INSERT INTO q VALUES (7, 7)") == [["temp.q": .rowIDs([7])]])
    #expect(try o.changes("ALTER TABLE q ADD COLUMN b") == everything)
    #expect(try o.changes("DROP TABLE q") == everything)
    #expect(try o.changes("CREATE TEMP TABLE q(k TEXT PRIMARY KEY, a) WITHOUT ROWID") == everything)
    #expect(try o.changes("INSERT INTO q VALUES ('x', 1)") == [["temp.q": .primaryKeys([["x"]])]])
  }

  @Test(arguments: CaptureSetup.all) func `a change of the schema reports everything`(_ setup: CaptureSetup) throws {
    let o = try make(setup)
    try o.database.write { try $0.execute("DROP TABLE other") }
    o.observe("t", "pair")
    let everything: [String: DirtyKeys] = ["t": .everything(.schemaChanged), "pair": .everything(.schemaChanged)]
    #expect(try o.changes("ALTER TABLE t ADD COLUMN c DEFAULT 5") == [everything])
    #expect(try o.changes("UPDATE t SET c = 6 WHERE id = 1") == [["t": .rowIDs([1])]])
    #expect(try o.changes("CREATE INDEX i ON t(b)") == [everything])
    #expect(try o.changes("DROP TABLE t") == [everything])
    #expect(try o.changes("CREATE TABLE t(id INTEGER PRIMARY KEY)", "INSERT INTO t VALUES (5)") == [everything])
    #expect(try o.changes("INSERT INTO t VALUES (6)") == [["t": .rowIDs([6])]])
    #expect(
      try o.changes { try $0.executeScript("DROP TABLE t; CREATE TABLE t(k TEXT PRIMARY KEY) WITHOUT ROWID") } == [
        everything
      ])
    #expect(try o.changes("INSERT INTO t VALUES ('x')") == [["t": .primaryKeys([["x"]])]])
    o.commits.change { $0 = [] }
    try o.database.vacuum()
    try o.database.catchUp()
    #expect(o.commits.value.map(\.changes) == [everything])
    #expect(try o.changes("INSERT INTO t VALUES ('y')") == [["t": .primaryKeys([["y"]])]])
    o.commits.change { $0 = [] }
    try o.database.migrate([Migration("1", sql: "UPDATE t SET k = k || k")])
    try o.database.catchUp()
    #expect(o.commits.value.map(\.changes) == [everything])
  }

  @Test(arguments: CaptureSetup.all) func `more than the limit is everything`(_ setup: CaptureSetup) throws {
    let o = try make(setup, limit: 100)
    o.observe("t", "pair")
    func insert(_ count: Int) throws -> [[String: DirtyKeys]] {
      try o.changes { c in
        try c.execute("DELETE FROM t")
        for index in 0..<count { try c.execute("INSERT INTO t(id) VALUES (\(index + 1000))") }
        for _ in 0..<3 { try c.execute("UPDATE t SET b = 1") }
      }
    }
    _ = try insert(1)
    #expect(try insert(99) == [["t": .rowIDs(Array(1000..<1099))]])
    _ = try o.changes("DELETE FROM t")
    #expect(try insert(101) == [["t": .everything(.overflow)]])
    #expect(try insert(3000) == [["t": .everything(.overflow)]])
    #expect(
      try o.changes { c in for index in 0..<101 { try c.execute("INSERT INTO pair VALUES ('x', \(index), '')") } }
        == [["pair": .everything(.overflow)]])
    #expect(try o.changes("UPDATE pair SET v = 'y' WHERE n = 5") == [["pair": .primaryKeys([[5, "x"]])]])
  }

  @Test(arguments: CaptureSetup.all) func `views and virtual tables report everything`(_ setup: CaptureSetup) throws {
    let o = try make(setup)
    try o.database.write { try $0.execute("CREATE VIRTUAL TABLE words USING fts5(w)") }
    o.observe("words", "seen", "nowhere")
    #expect(
      try o.changes("INSERT INTO words VALUES ('hello')")
        == [["words": .everything(.notATable), "seen": .everything(.notATable)]])
  }

  @Test(arguments: CaptureSetup.all) func `names are matched in any case, and reported as observed`(
    _ setup: CaptureSetup
  ) throws {
    let o = try make(setup)
    o.observe("T", "main.pair")
    #expect(
      try o.changes("UPDATE t SET b = 0 WHERE id = 1", "INSERT INTO pair VALUES ('x', 1, '')")
        == [["T": .rowIDs([1]), "main.pair": .primaryKeys([[1, "x"]])]])
  }

  @Test(arguments: CaptureSetup.all) func `a table whose columns take the row id's names is still reported`(
    _ setup: CaptureSetup
  ) throws {
    let o = try make(setup)
    try o.database.write { try $0.execute("CREATE TABLE taken(rowid TEXT, oid TEXT, _rowid_ TEXT)") }
    try o.database.write { try $0.execute("CREATE TABLE partly(rowid TEXT, n INTEGER PRIMARY KEY)") }
    o.observe("taken", "partly")
    let changes = try o.changes("INSERT INTO taken VALUES ('a', 'b', 'c')")
    #expect(changes.count == 1 && changes[0]["taken"] != nil)
    let partly = try o.changes("INSERT INTO partly VALUES ('a', 12)")
    #expect(partly.count == 1 && partly[0]["partly"] == .rowIDs([12]))
  }

  @Test(arguments: CaptureSetup.all) func `incremental blob writes are reported`(
    _ setup: CaptureSetup
  ) throws {
    let o = try make(setup)
    try o.database.write { try $0.execute("CREATE TABLE b(id INTEGER PRIMARY KEY, data BLOB)") }
    try o.database.write { try $0.execute("INSERT INTO b VALUES (4, zeroblob(10))") }
    o.observe("b")
    let changes = try o.changes { c in
      try c.withUnsafeHandle { handle in
        var blob: OpaquePointer?
        #expect(sqlite3_blob_open(handle, "main", "b", "data", 4, 1, &blob) == SQLITE_OK)
        #expect(sqlite3_blob_write(blob, "xyz", 3, 0) == SQLITE_OK)
        sqlite3_blob_close(blob)
      }
    }
    #expect(changes == [["b": setup.capture == .triggers ? .everything(.handleLent) : .rowIDs([4])]])
  }

  @Test(arguments: CaptureSetup.all) func `an observer receives only its tables, and only while it observes`(
    _ setup: CaptureSetup
  )
    throws
  {
    let o = try make(setup)
    o.observe("t")
    let others = Box<[Commit]>([])
    let second = o.database.observe(["other"]) { commit in others.change { $0.append(commit) } }
    #expect(try o.changes("UPDATE t SET b = 0 WHERE id = 1") == [["t": .rowIDs([1])]])
    #expect(try o.changes("DELETE FROM other WHERE id = 10").isEmpty)
    #expect(others.value.map(\.changes) == [["other": .rowIDs([10])]])
    second.cancel()
    _ = try o.changes("DELETE FROM other WHERE id = 11")
    #expect(others.value.count == 1)
    o.stop()
    #expect(try o.changes("UPDATE t SET b = 9").isEmpty)
    o.observe("t")
    #expect(try o.changes("UPDATE t SET b = 8 WHERE id = 2") == [["t": .rowIDs([2])]])
  }

  @Test(arguments: CaptureSetup.all) func `an observation that begins during a write is notified of everything`(
    _ setup: CaptureSetup
  )
    throws
  {
    let o = try make(setup)
    let changes = try o.changes { c in
      try c.execute("UPDATE t SET b = 0 WHERE id = 1")
      o.observe("t")
    }
    #expect(changes == [["t": .everything(.observationBegan)]])
    #expect(try o.changes("UPDATE t SET b = 1 WHERE id = 1") == [["t": .rowIDs([1])]])
  }

  @Test(arguments: CaptureSetup.all) func `a handler may write read and cancel`(_ setup: CaptureSetup) throws {
    let o = try make(setup)
    let told = Box<[DirtyKeys?]>([])
    let observation = Box<ObservationToken?>(nil)
    let database = o.database
    observation.change {
      $0 = database.observe(["t"]) { commit in
        told.change { $0.append(commit.changes["t"]) }
        do {
          let count = try database.read { try $0.value("SELECT count(*) FROM t WHERE b = 77", as: Int.self) }
          #expect(count == told.value.count)
          if told.value.count < 3 {
            try database.write { try $0.execute("UPDATE t SET b = 77 WHERE id = \(told.value.count + 1)") }
          }
          if told.value.count == 3 { observation.change { $0?.cancel() } }
        } catch { Issue.record(error) }
      }
    }
    try database.write { try $0.execute("UPDATE t SET b = 77 WHERE id = 1") }
    // Each call makes one more commit, which the next wait waits for.
    for _ in 0..<3 { try database.catchUp() }
    #expect(told.value == [.rowIDs([1]), .rowIDs([2]), .rowIDs([3])])
    try database.write { try $0.execute("UPDATE t SET b = 77 WHERE id = 1") }
    #expect(told.value.count == 3)
  }

  @Test(arguments: CaptureSetup.all) func `the same write gives the same data whichever capture`(_ setup: CaptureSetup)
    throws
  {
    let o = try make(setup)
    try o.database.write { c in
      try c.executeScript(
        """
        CREATE TABLE log(x); CREATE TRIGGER t_deleted AFTER DELETE ON t BEGIN INSERT INTO log VALUES (OLD.id); END;
        """)
    }
    o.observe("t", "log")
    _ = try o.changes("REPLACE INTO t VALUES (1, 'b', 0)")
    #expect(try o.database.read { try $0.values("SELECT x FROM log ORDER BY x", as: Int.self) } == [1, 2])
    #expect(try o.database.read { try $0.value("SELECT last_insert_rowid()", as: Int.self) } != nil)
  }

  @Test(arguments: CaptureSetup.all) func `random transactions report every row that differs`(_ setup: CaptureSetup)
    throws
  {
    let seed = Seeds.repeated ?? 20_261
    // Scripts/soak asks for more.
    let rounds = Seeds.soak.map { max(150, Int($0) / 100) } ?? 150
    var random = SeededGenerator(seed: seed)
    let o = try make(setup)
    o.observe("t", "other", "pair")
    func state() throws -> [String: [[Value]: [Value]]] {
      try o.database.read { c in
        var state: [String: [[Value]: [Value]]] = [:]
        for (table, key) in [("t", "id"), ("other", "id"), ("pair", "n, b")] {
          for row in try c.rows("SELECT \(raw: key), * FROM \(raw: table)") {
            let values = try row.values
            let width = key.contains(",") ? 2 : 1
            state[table, default: [:]][Array(values[..<width])] = values
          }
        }
        return state
      }
    }
    for round in 0..<rounds {
      let before = try state()
      let count = Int.random(in: 1...5, using: &random)
      var told: [String: DirtyKeys] = [:]
      let isKept = Bool.random(using: &random) || Bool.random(using: &random)
      do {
        let changes = try o.changes { c in
          for _ in 0..<count {
            do { try c.execute(Self.randomStatement(&random)) } catch is DatabaseError {}
          }
          if !isKept { throw CancellationError() }
        }
        #expect(changes.count <= 1)
        told = changes.first ?? [:]
      } catch is CancellationError { #expect(o.commits.value.isEmpty) } catch is DatabaseError {}
      let after = try state()
      for table in ["t", "other", "pair"] {
        let old = before[table] ?? [:]
        let new = after[table] ?? [:]
        for key in Set(old.keys).union(new.keys) where old[key] != new[key] {
          let isTold =
            switch (told[table], key[0]) {
            case (.rowIDs(let ids)?, .integer(let id)): ids.contains(id)
            case (.primaryKeys(let keys)?, _): keys.contains(key)
            default: false
            }
          #expect(isTold, "round \(round) of SEED=\(seed): \(table) \(key) differs, told: \(told)")
        }
      }
    }
  }

  private static func randomStatement(_ random: inout SeededGenerator) -> SQL {
    let id = Int.random(in: 1...8, using: &random)
    let other = Int.random(in: 1...8, using: &random)
    let text = ["a", "b", "c", "d", "e"].randomElement(using: &random) ?? "a"
    return [
      "INSERT OR REPLACE INTO t VALUES (\(id), \(text), \(other))",
      "INSERT OR IGNORE INTO t VALUES (\(id), \(text), 0)",
      "INSERT OR FAIL INTO t VALUES (\(id + 20), \(text), 0), (\(id), 'f', 0)",
      "UPDATE OR REPLACE t SET a = \(text) WHERE id = \(id)",
      "UPDATE t SET id = \(other) WHERE id = \(id)", "DELETE FROM t WHERE id = \(id)",
      "UPDATE t SET b = b + 1 WHERE b > \(id)",
      "INSERT INTO other(t) VALUES (\(id))", "DELETE FROM other WHERE t = \(id)",
      "REPLACE INTO pair VALUES (\(text), \(id), 'v')",
      "UPDATE pair SET n = \(other) WHERE n = \(id)", "DELETE FROM pair WHERE b = \(text)",
      "INSERT INTO seen VALUES (\(id), \(text))",
      "INSERT INTO t VALUES (\(id), \(text), 1) ON CONFLICT (a) DO UPDATE SET b = 9",
    ].randomElement(using: &random) ?? "SELECT 1"
  }
}
