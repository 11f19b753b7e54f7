import FixtureSupport
import SQLiteStore
import Testing

/// The place in a script that its error names.
@Suite struct ScriptTests {
  let database: Database
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(a CHECK (a <> 'no'), b)") }
  }

  private func failure(_ script: String) throws -> DatabaseError {
    try databaseError { try database.write { try $0.executeScript(script) } }
  }

  @Test(arguments: [
    "INSERT INTO t VALUES ('a;b', c;d)", "INSERT INTO t(\"x;y\") VALUES (1)", "INSERT INTO [u;v] VALUES (1)",
    "INSERT INTO `u;v` VALUES (1)", "INSERT INTO t VALUES (1, /* one; */ nothing)",
    "INSERT INTO t VALUES (1, -- one;\n nothing)", "INSERT INTO t VALUES ('it''s; here', nothing)",
    "CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; SELECT nothing( ; END",
    "CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; SELECT FROM; END",
  ])
  func `the statement that can't be compiled is named, and nothing after it`(statement: String) throws {
    let error = try failure("INSERT INTO t VALUES (1, 2);\n\(statement);\nINSERT INTO t VALUES (3, 4);")
    #expect(error.sql.map { !$0.isEmpty && statement.hasPrefix($0) } == true, "\(error)")
    #expect(error.message.contains("line "), "\(error)")
  }

  @Test(arguments: ["BEGIN;", "INSERT INTO t VALUES (1, ?);", "SELECT 1 \0;"]) func `every refusal says where it is`(
    statement: String
  ) throws {
    let error = try failure("SELECT 1;\n  \(statement)")
    #expect(error.message.contains("line 2, column "), "\(error)")
  }

  @Test func `a trigger without an end does not make the rest of a script slow`() throws {
    let insertions = String(repeating: "INSERT INTO t VALUES (1, 2);\n", count: 40_000)
    let error = try failure("CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; ENDD;\n" + insertions)
    #expect(error.message.contains("ENDD"), "\(error)")
  }

  @Test func `a statement that fails while it runs is found in the script`() throws {
    let error = try failure("INSERT INTO t VALUES (1, 2);\n\n  INSERT INTO t\n  VALUES ('no', 1);\nDELETE FROM t;")
    #expect(error.extendedCode == .constraintCheck)
    #expect(error.message.hasSuffix("(statement at line 3, column 3)"), "\(error)")
    #expect(error.sql == "INSERT INTO t\n  VALUES ('no', 1);")
  }

  @Test(arguments: ["?", "?1", ":a", "@b", "$c"]) func `a parameter in a script is an error, and not NULL`(
    parameter: String
  ) throws {
    let error = try failure("INSERT INTO t VALUES (1, 2); INSERT INTO t VALUES (\(parameter), 2)")
    #expect(error.code == .misuse && error.message.contains("a parameter"), "\(error)")
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 0)
  }

  @Test func `a read accepts EXPLAIN of a statement that would write`() throws {
    let rows = try database.read { try $0.rows("EXPLAIN QUERY PLAN INSERT INTO t SELECT * FROM t") }
    #expect(!rows.isEmpty)
  }
}
