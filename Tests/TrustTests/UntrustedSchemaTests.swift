import CFetchedResultsSQLite
import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// Nothing in a file can make the program run code or touch another file.
@Suite struct UntrustedSchemaTests {
  /// The places of a schema that call functions, and what has each of them evaluated.
  private static let places: [(name: String, script: String, use: String)] = [
    ("a view", "CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT abs(1) FROM t", "SELECT * FROM v"),
    (
      "a trigger", "CREATE TABLE t(a); CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT abs(1); END",
      "INSERT INTO t VALUES (1)"
    ),
    (
      "a trigger's condition",
      "CREATE TABLE t(a); CREATE TRIGGER r BEFORE DELETE ON t WHEN abs(1) BEGIN SELECT 1; END; INSERT INTO t VALUES (1)",
      "DELETE FROM t"
    ),
    (
      "an INSTEAD OF trigger",
      "CREATE VIEW v AS SELECT 1 AS a; CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN SELECT abs(1); END",
      "INSERT INTO v VALUES (1)"
    ),
    ("a CHECK", "CREATE TABLE t(a CHECK (abs(1) IS NOT 7))", "INSERT INTO t VALUES (1)"),
    ("a DEFAULT", "CREATE TABLE t(a, b DEFAULT (abs(1)))", "INSERT INTO t(a) VALUES (1)"),
    (
      "a generated column", "CREATE TABLE t(a, b AS (abs(1))); INSERT INTO t(a) VALUES (1)", "SELECT b FROM t"
    ),
    ("a stored column", "CREATE TABLE t(a, b AS (abs(1)) STORED)", "INSERT INTO t(a) VALUES (1)"),
    ("an index on an expression", "CREATE TABLE t(a); CREATE INDEX i ON t(a, abs(1))", "INSERT INTO t VALUES (1)"),
    ("a partial index", "CREATE TABLE t(a); CREATE INDEX i ON t(a) WHERE abs(1)", "INSERT INTO t VALUES (1)"),
  ]

  /// What harm a schema could do: our own functions, and those of SQLite that are more than arithmetic.
  private static let calls = [
    "danger()", "certain(1)", "frc_date('2031-01-02')", "frc_section(1, 1)", "load_extension('/tmp/x')",
    "fts3_tokenizer('simple', x'0000000000000000')", "writefile('/tmp/x', 'x')",
    "readfile('/etc/passwd')", "edit('x')", "(SELECT count(*) FROM fsdir('/'))",
    "(SELECT count(*) FROM pragma_database_list)", "(SELECT count(*) FROM dbstat)",
  ]

  private struct Row: MappedEntity {
    static let table = "v"
    static let mapping = Mapping(Row.init, ("a", \.id))
    var id: Int64
  }

  /// Opens a database with functions of the user's and of the controller's.
  private static func open(_ path: String, _ calls: Counter) throws -> Database {
    let database = try Database(path: path)
    try database.addFunction("danger", arguments: 0) { _ in calls.add() }
    try database.addFunction("certain", arguments: 1, isDeterministic: true) { _ in calls.add() }
    // The function of sections is there from the first controller on.
    _ = FetchedResultsController(fetchRequest: FetchRequest<Row>(), database: database)
    return database
  }

  @Test(arguments: calls) func `no part of a schema can call a harmful function`(call: String) throws {
    for place in Self.places {
      // SQLite itself takes no subquery in these.
      if call.contains("SELECT"), !place.name.hasSuffix("view"), !place.name.hasSuffix("trigger") { continue }
      // Nor does it look there for a function that is not deterministic: SECURITY.md says so.
      if call == "danger()", place.name == "a CHECK" { continue }
      let file = try UntrustedFile(place.script, calling: call)
      for trusts in [false, true] where !trusts || Self.isOurs(call) {
        let calls = Counter()
        #expect(throws: DatabaseError.self, "\(call) in \(place.name), trusted: \(trusts)") {
          let database = try Self.open(file.path, calls)
          defer {
            _ = try? database.integrityCheck()
            _ = try? database.vacuum()
          }
          try database.write { connection in
            // Ours stay out of reach even where somebody else's code has switched the protection off.
            if trusts { try connection.asLibrary { try connection.execute("PRAGMA trusted_schema = 1") } }
            try connection.execute(SQL(raw: place.use))
          }
        }
        #expect(calls.value == 0, "\(call) in \(place.name)")
      }
    }
  }

  private static func isOurs(_ call: String) -> Bool {
    ["danger", "certain", "frc_"].contains { call.hasPrefix($0) }
  }

  @Test func `a controller can call the program's functions, and follows no view that does`() throws {
    let file = try UntrustedFile(
      "CREATE TABLE t(a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT a, abs(1) AS b FROM t",
      calling: "certain(1)")
    let calls = Counter()
    let database = try Self.open(file.path, calls)
    let reader = FetchedResultsController(fetchRequest: FetchRequest<Row>(where: "b = 1"), database: database)
    #expect(throws: DatabaseError.self) { try reader.performFetch() }
    #expect(calls.value == 0)
    let request = FetchRequest<Row>(sql: "SELECT a FROM t WHERE certain(a) = 7")
    let own = FetchedResultsController(fetchRequest: request, database: database)
    try own.performFetch()
    #expect(own.snapshot.numberOfItems == 1)
    #expect(calls.value > 0)
    #expect(throws: DatabaseError.self) { try database.write { try $0.execute("CREATE INDEX i ON t(certain(a))") } }
  }

  @Test func `an attached file can't call the program's functions either`() throws {
    let file = try UntrustedFile("CREATE TABLE t(a CHECK (abs(1) IS NOT 7))", calling: "certain(1)")
    let calls = Counter()
    let database = try Self.open(file.folder + "/own.db", calls)
    #expect(throws: DatabaseError.self) {
      try database.attach(file.path, as: "other")
      try database.write { try $0.execute("INSERT INTO other.t VALUES (1)") }
    }
    #expect(calls.value == 0)
    #expect(try database.read { try $0.value("SELECT danger()", as: Int.self) } == 7)
  }

  @Test func `no extension is loaded, and no tokenizer is set, by SQL or by C`() throws {
    let database = try Database(path: try TemporaryFolder.make() + "/test.db")
    for isWrite in [true, false] {
      for call in ["load_extension('/tmp/x')", "fts3_tokenizer('simple', x'0000000000000000')"] {
        let select = SQL(raw: "SELECT \(call)")
        #expect(throws: DatabaseError.self, "\(call)") {
          if isWrite {
            _ = try database.write { try $0.rows(select) }
          } else {
            _ = try database.read { try $0.rows(select) }
          }
        }
      }
      let look = { (connection: Connection) in
        var message: UnsafeMutablePointer<CChar>?
        defer { sqlite3_free(message) }
        sqlite3_load_extension(connection.rawHandle, "/nowhere/x", nil, &message)
        return message.map { String(cString: $0) }
      }
      #expect(try (isWrite ? database.write(look) : database.read(look)) == "not authorized")
    }
  }

  @Test func `a schema can't change itself, attach a file or set how SQLite works`() throws {
    let scripts = [
      "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 2, 'CREATE TABLE x(a)')", "DELETE FROM sqlite_schema",
      "SELECT * FROM pragma_trusted_schema", "INSERT INTO other.x VALUES (1)",
    ]
    for script in scripts {
      let trigger = "CREATE TRIGGER r AFTER INSERT ON t BEGIN \(script); END"
      let file = try UntrustedFile("CREATE TABLE t(a); CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END")
      do {
        let raw = try RawDatabase(path: file.path)
        let quoted = trigger.replacingOccurrences(of: "'", with: "''")
        try raw.execute("PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = '\(quoted)' WHERE name = 'r'")
      }
      #expect(throws: DatabaseError.self, "\(script)") {
        let database = try Database(path: file.path)
        try database.attach(file.folder + "/other.db", as: "other")
        try database.write { try $0.execute("CREATE TABLE IF NOT EXISTS other.x(a)") }
        try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
      }
    }
  }

  @Test func `triggers that fire each other without end fail, and are undone`() throws {
    let file = try UntrustedFile(
      "CREATE TABLE t(a); CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO t VALUES (NEW.a + 1); END")
    let database = try Database(path: file.path)
    #expect(throws: DatabaseError.self) { try database.write { try $0.execute("INSERT INTO t VALUES (1)") } }
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 0)
  }

  // A view that begins to count when there is a row to begin with, and never ends.
  private static let endless = """
    CREATE TABLE t(a INTEGER PRIMARY KEY);
    CREATE VIEW v AS WITH RECURSIVE n(a) AS (SELECT a FROM t UNION ALL SELECT a + 1 FROM n)
      SELECT a FROM n WHERE a < 0;
    """

  @Test(.timeLimit(.minutes(10))) func `a view without end can be cancelled`() async throws {
    let file = try UntrustedFile(Self.endless + "INSERT INTO t VALUES (1)")
    let database = try Database(path: file.path)
    let read = Task { try await database.read { try $0.rows("SELECT * FROM v").count } }
    let controller = FetchedResultsController(fetchRequest: FetchRequest<TestRow>(), database: database)
    let fetch = Task { try await controller.performFetch() }
    try await Task.sleep(for: .milliseconds(50))
    // No writer waits for the counting readers.
    try await database.write { _ = try $0.execute("INSERT INTO t VALUES (2)") }
    read.cancel()
    await #expect(throws: CancellationError.self) { try await read.value }
    try database.close(interrupting: true)
    await #expect(throws: (any Error).self) { try await fetch.value }
  }

  // So long as a soak runs beside it on two processors: what must not happen is that it never ends.
  @Test(.timeLimit(.minutes(5))) func `a list that never ends prevents no write and no close`() async throws {
    let file = try UntrustedFile(Self.endless)
    let database = try Database(path: file.path)
    let controller = FetchedResultsController(fetchRequest: FetchRequest<TestRow>(), database: database)
    try await controller.performFetch()
    for number in 1...50 { try await database.write { _ = try $0.execute("INSERT INTO t VALUES (\(number))") } }
    #expect(try await database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 50)
    try database.close(interrupting: true)
  }
}

/// A row of a view.
private struct TestRow: MappedEntity, Equatable {
  static let table = "v"
  static let mapping = Mapping(TestRow.init, ("a", \.id))
  static let idColumn = "a"
  var id: Int64
}

/// How often a function was called.
private final class Counter: Sendable {
  private let lock = NSLock()
  // because every access is under `lock`
  nonisolated(unsafe) private var count = 0
  var value: Int { lock.withLock { count } }

  func add() -> Value {
    lock.withLock { count += 1 }
    return 7
  }
}
