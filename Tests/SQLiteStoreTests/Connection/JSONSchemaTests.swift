import FixtureSupport
import SQLiteStore
import Testing

/// A schema may use SQLite's own JSON functions without any option.
@Suite struct JSONSchemaTests {
  @Test(arguments: [
    "CREATE TABLE t(a CHECK (json_valid(a)))", "CREATE TABLE t(a, b AS (json_extract(a, '$.x')))",
    "CREATE TABLE t(a, b TEXT AS (a ->> '$.x') STORED)",
    "CREATE TABLE t(a); CREATE INDEX i ON t(json_extract(a, '$.x'))",
    "CREATE TABLE t(a); CREATE INDEX i ON t(a) WHERE json_type(a) = 'object'",
    "CREATE TABLE t(a DEFAULT (json_array(1)))",
    "CREATE TABLE t(a); CREATE TABLE log(b); CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log SELECT value FROM json_each(new.a); END",
    "CREATE TABLE t(a); CREATE VIEW v AS SELECT json_extract(a, '$.x') AS x FROM t",
  ]) func `a schema with JSON functions can be made, opened, written and read`(script: String) throws {
    let scratch = try Scratch()
    for _ in 0..<2 {
      let database = try scratch.database()
      try database.write { c in
        if try c.value("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0 { try c.executeScript(script) }
        try c.execute("INSERT INTO t(a) VALUES ('{\"x\":1}')")
      }
      #expect(try database.read { try $0.value("SELECT a FROM t", as: String.self) } == "{\"x\":1}")
      if script.contains("VIEW") { #expect(try database.read { try $0.value("SELECT x FROM v", as: Int.self) } == 1) }
      try database.close()
    }
  }

  @Test(arguments: [true, false]) func `another program may add JSON functions at any time`(hasRead: Bool) throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.executeScript("CREATE TABLE t(a); INSERT INTO t VALUES ('{\"x\":1}')") }
    func check() throws {
      #expect(try database.read { try $0.value("SELECT count(*) FROM t WHERE a LIKE '%x%'", as: Int.self) } == 1)
      try database.write { try $0.execute("UPDATE t SET a = a") }
    }
    if hasRead { try check() }
    let observer = database.observe(["t"]) { _ in }
    try RawDatabase(path: #require(database.path)).execute("CREATE INDEX i ON t(json_extract(a, '$.x'))")
    try check()
    try RawDatabase(path: #require(database.path)).execute("CREATE TABLE other(a CHECK (json_valid(a)))")
    try check()
    withExtendedLifetime(observer) {}
  }

  @Test(
    arguments: [
      "CREATE TABLE z(q CHECK (json_valid(q)))", "CREATE INDEX z ON t(json_extract(a, '$.x'))",
      "CREATE TABLE z(q, r AS (json_extract(q, '$.x')))", "CREATE INDEX z ON t(a) WHERE json_valid(a)",
      "CREATE VIEW z AS SELECT json_extract(a, '$.x') FROM t",
      "CREATE TRIGGER z AFTER UPDATE ON t BEGIN SELECT json_array(new.a); END",
    ], [Database.Options.Journal.wal, .delete])
  func `whatever comes first after that succeeds`(sql: String, journal: Database.Options.Journal) throws {
    let calls: [(String, (Database) throws -> Void)] = [
      ("vacuum", { try $0.vacuum() }), ("integrityCheck", { try #require(try $0.integrityCheck() == []) }),
      ("checkpoint", { try $0.checkpoint() }), ("recordHistory", { try $0.recordHistory(of: ["t"]) }),
      ("catchUp", { try $0.catchUp() }), ("backup", { try $0.backup(to: $0.path.map { $0 + ".copy" } ?? "") }),
      ("write", { try $0.write { try $0.execute("UPDATE t SET a = a") } }),
      ("read", { _ = try $0.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } }),
      ("migrate", { try $0.migrate([Migration("one", sql: "CREATE TABLE one(a)")]) }),
    ]
    for (name, call) in calls {
      let scratch = try Scratch()
      let database = try scratch.database(options: Database.Options().with { $0.journal = journal })
      try database.write { try $0.executeScript("CREATE TABLE t(a); INSERT INTO t VALUES ('{\"x\":1}')") }
      let observer = database.observe(["t"]) { _ in }
      try RawDatabase(path: #require(database.path)).execute(sql)
      #expect(throws: Never.self, "\(name)") {
        try call(database)
        try database.vacuum()
      }
      withExtendedLifetime(observer) {}
    }
  }

  @Test func `what can do harm stays refused beside JSON functions`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.addFunction("mine", isDeterministic: true) { _ in .null }
    try database.write { try $0.executeScript("CREATE TABLE t(a CHECK (json_valid(a)))") }
    for sql in [
      "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT mine(); END; INSERT INTO t VALUES ('1')",
      "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT load_extension('x'); END; INSERT INTO t VALUES ('1')",
      "CREATE TABLE u(a CHECK (mine()))",
    ] {
      #expect(throws: DatabaseError.self) { try database.write { try $0.executeScript(sql) } }
    }
    try database.write { try $0.execute("INSERT INTO t VALUES ('1')") }
  }
}
