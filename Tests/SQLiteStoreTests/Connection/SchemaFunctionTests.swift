import CFetchedResultsSQLite
import FixtureSupport
import SQLiteStore
import Testing

/// Schemas that call what they must not, and what the database says and does then.
@Suite struct SchemaFunctionTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private func withFunctions() throws -> Database {
    let database = try scratch.database()
    try database.addFunction("pick", arguments: 1) { $0[0] }
    try database.addFunction("same", arguments: 1, isDeterministic: true) { $0[0] }
    try database.write { try $0.executeScript("CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    return database
  }

  @Test(arguments: [
    "CREATE TABLE u(a CHECK(same(a)))", "CREATE TABLE u(a, b AS (same(a)))", "CREATE INDEX i ON t(same(a))",
  ])
  func `a schema can't call a function of the program, whichever was there first`(sql: String) throws {
    let database = try withFunctions()
    let error = try databaseError { try database.write { try $0.execute(SQL(raw: sql)) } }
    #expect(error.message.contains("may call a function that the program has added"), "\(error)")
    let raw = try RawDatabase(path: scratch.path())
    let deterministic = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    sqlite3_create_function_v2(raw.handle, "theirs", 1, deterministic, nil, { _, _, _ in }, nil, nil, nil)
    try raw.execute(sql.replacing("same", with: "theirs"))
    let refused = try databaseError {
      try database.addFunction("theirs", arguments: 1, isDeterministic: true) { $0[0] }
    }
    #expect(refused.message.contains("may call a function that the program has added"), "\(refused)")
  }

  @Test func `the library's own queries call no function that the program has replaced`() throws {
    for capture in [Database.Options.Capture.preupdateHook, .triggers] {
      let database = try scratch.database("\(capture).db", options: Database.Options().with { $0.capture = capture })
      for name in ["lower", "upper", "count", "coalesce", "printf", "max", "min", "length", "substr"] {
        try database.addFunction(name) { _ in throw DatabaseError(code: .error, message: "the program's \(name)") }
      }
      let observation = database.observe(["item"]) { _ in }
      defer { observation.cancel() }
      try database.migrate([
        Migration("0001", sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, title, done, weight, note)")
      ])
      try database.recordHistory(of: ["item"])
      try database.write { c in
        try c.insert(Item(id: 1, title: "a"))
        #expect(try c.inserted(Item(id: nil, title: "b")).id == 2)
        try c.update(Item(id: 1, title: "c"))
        try c.upsert(Item(id: 1, title: "d"))
        #expect(try c.delete(Item.self, id: 2))
      }
      try database.catchUp()
      #expect(try database.integrityCheck() == [])
    }
  }

  private static let search = """
    CREATE TABLE note(id INTEGER PRIMARY KEY, body);
    CREATE VIRTUAL TABLE note_text USING fts5(body, content=note, content_rowid=id);
    CREATE TRIGGER note_added AFTER INSERT ON note BEGIN
      INSERT INTO note_text(rowid, body) VALUES (new.id, new.body);
    END;
    """

  @Test(arguments: [true, false])
  func `triggers may keep a full-text index up to date, whoever has made them`(isForeign: Bool) throws {
    let database = try scratch.database()
    try database.write { c in
      try c.execute("CREATE TABLE kept(id INTEGER PRIMARY KEY, body)")
      try c.execute("INSERT INTO kept(body) VALUES ('bread')")
      if !isForeign { try c.executeScript(Self.search) }
    }
    if isForeign { try RawDatabase(path: scratch.path()).execute(Self.search) }
    try database.write { c in try c.execute("INSERT INTO note(body) VALUES ('buy milk'), ('sleep')") }
    let found = try database.read { c in
      try c.values("SELECT rowid FROM note_text WHERE note_text MATCH 'milk'", as: Int.self)
    }
    #expect(found == [1])
    // A statement that was compiled before the trigger is compiled again.
    try RawDatabase(path: scratch.path()).execute(
      "CREATE TRIGGER kept_too AFTER INSERT ON kept BEGIN INSERT INTO note_text(rowid, body) VALUES (9, new.body); END")
    try database.write { c in try c.execute("INSERT INTO kept(body) VALUES ('bread')") }
    // The program's functions are not the schema's.
    try database.addFunction("same", arguments: 1, isDeterministic: true) { $0[0] }
    #expect(throws: DatabaseError.self) { try database.write { try $0.execute("CREATE TABLE u(a CHECK(same(a)))") } }
  }

  @Test(arguments: ["USING /* USING fts5( */ fts4(pgno)", "USING fts4(pgno) -- USING fts5("])
  func `a trigger may use no other virtual table unless the schema is trusted`(module: String) throws {
    let script = """
      CREATE TABLE t(a); CREATE VIRTUAL TABLE pages \(module)
      ; CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO t SELECT pgno FROM pages WHERE new.a IS NULL; END
      """
    let insert: SQL = "INSERT INTO t VALUES (1)"
    let refusing = try scratch.database()
    try refusing.write { try $0.executeScript(script) }
    let error = try databaseError { try refusing.write { try $0.execute(insert) } }
    #expect(error.message.contains("unsafe use") && error.message.contains("Database.Options.trustsSchema"), "\(error)")
    let trusting = try scratch.database(options: Database.Options().with { $0.trustsSchema = true })
    try trusting.write { _ = try $0.execute(insert) }
  }

  @Test(arguments: ["", "a\0b", "frc_x", "FRC_x"]) func `a name that can't be called is refused`(name: String) throws {
    let database = try scratch.database()
    #expect(try databaseError { try database.addFunction(name) { _ in .null } }.code == .misuse)
    #expect(try databaseError { try database.addCollation(name) { _, _ in 0 } }.code == .misuse)
  }

  @Test(arguments: ["BINARY", "nocase", "RTrim"]) func `a collation of SQLite's own is not replaced`(name: String)
    throws
  {
    let database = try scratch.database()
    #expect(try databaseError { try database.addCollation(name) { _, _ in 0 } }.message.contains("SQLite's own"))
  }
}
