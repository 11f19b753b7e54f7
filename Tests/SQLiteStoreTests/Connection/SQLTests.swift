import SQLiteStore
import Testing

@Suite struct SQLTests {
  let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
      for index in 1...5 { try c.execute("INSERT INTO t VALUES (\(index), \("n\(index)"))") }
    }
  }

  @Test func `interpolated values are bound and never text`() throws {
    let nasty = "'; DROP TABLE t; --"
    let sql: SQL = "SELECT * FROM t WHERE name = \(nasty)"
    #expect(sql.text == "SELECT * FROM t WHERE name = ?" && sql.bindings == [.text(nasty)])
    #expect(try database.read { try $0.rows(sql) }.isEmpty)
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 5)
  }

  @Test func `an array binds as a list`() throws {
    #expect(
      try database.read { try $0.values("SELECT id FROM t WHERE id IN \([1, 3, 9]) ORDER BY id", as: Int.self) } == [
        1, 3,
      ])
    #expect(try database.read { try $0.values("SELECT id FROM t WHERE id IN \([] as [Int])", as: Int.self) }.isEmpty)
    #expect(try database.read { try $0.values("SELECT id FROM t WHERE name IN \(Set(["n2"]))", as: Int.self) } == [2])
    #expect(try database.read { try $0.value("SELECT \([1, 2] as [UInt8])", as: [UInt8].self) } == [1, 2])
  }

  @Test func `a long list of integers has no limit and one of reals says where it is`() throws {
    let numbers = Array(-10...100_000)
    let sql: SQL = "SELECT count(*) FROM t WHERE id IN \(numbers)"
    #expect(sql.bindings.count == 1)
    #expect(try database.read { try $0.value(sql, as: Int.self) } == 5)
    let error = try databaseError {
      try database.read { _ = try $0.rows("SELECT 1 WHERE 0.5 IN \((0..<40_000).map(Double.init))") }
    }
    #expect(error.code == .tooBig && error.message.contains("40000"))
  }

  @Test func `the advice for a list that is too long works inside a read`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    let numbers = (0..<40_000).map { Double($0) + 0.5 }
    let error = try databaseError { try database.read { try $0.rows("SELECT 0.5 IN \(numbers)") } }
    #expect(error.code == .tooBig && !error.message.contains("temporary"), "\(error)")
    #expect(error.message.contains("write { }"))
    try database.write { c in
      try c.execute("CREATE TABLE number(value REAL PRIMARY KEY)")
      for number in numbers { try c.execute("INSERT INTO number VALUES (\(number))") }
    }
    let joined: SQL = "SELECT count(*) FROM number JOIN (SELECT 7.5 AS x UNION SELECT 0.25) ON x = number.value"
    #expect(try database.read { try $0.value(joined, as: Int.self) } == 1)
    let (integers, texts) = (Array(0..<20_000), (0..<20_000).map { "t\($0)" })
    let sql: SQL = "SELECT 7 IN \(integers) OR 7 IN \(texts)"
    #expect(try database.read { try $0.value(sql, as: Bool.self) } == true)
  }

  @Test func `identifiers are quoted`() throws {
    let sql: SQL = "CREATE TABLE \(identifier: "we\"ird; name")(\(identifier: "select") INTEGER)"
    try database.write { try $0.execute(sql) }
    #expect(
      try database.read { try $0.value("SELECT count(*) FROM \(identifier: "we\"ird; name")", as: Int.self) } == 0)
  }

  @Test func `pieces are composed with their values`() throws {
    var condition: SQL = "id > \(1)"
    condition += " AND id < \(4)"
    let sql: SQL = "SELECT id FROM t WHERE \(condition) ORDER BY \(raw: "id DESC")"
    #expect(try database.read { try $0.values(sql, as: Int.self) } == [3, 2])
    #expect(sql == "SELECT id FROM t WHERE id > \(1) AND id < \(4) ORDER BY id DESC")
  }

  @Test func `nil and values bind`() throws {
    let nothing: String? = nil
    #expect(
      try database.read { try $0.value("SELECT \(nothing) IS NULL AND \(Value.null) IS NULL", as: Bool.self) } == true)
  }

  @Test func `a wrong number of values is an error with both numbers`() throws {
    let error = try databaseError { try database.read { _ = try $0.rows(SQL(raw: "SELECT ?, ?", bindings: [1])) } }
    #expect(error.code == .range && error.message.contains("2 parameters") && error.message.contains("1 values"))
  }

  @Test func `a syntax error names the place`() throws {
    let error = try databaseError { try database.read { _ = try $0.rows("SELECT *\n  FORM t") } }
    #expect(error.code == .error && error.sql == "SELECT *\n  FORM t" && error.offset == 11)
    #expect(error.description == "near \"FORM\": syntax error (line 2, column 3) [SQLITE_ERROR], in: SELECT * FORM t")
  }

  @Test func `a misspelt name in quotes is no text`() {
    #expect(throws: DatabaseError.self) {
      try database.read { try $0.rows("SELECT * FROM t WHERE \(identifier: "nmae") = 'x'") }
    }
  }

  @Test func `execute takes one statement and execute script many`() throws {
    let error = try databaseError { try database.write { try $0.execute("DELETE FROM t; DELETE FROM t") } }
    #expect(error.code == .misuse && error.message.contains("executeScript"))
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 5)
    try database.write { c in
      try c.execute("DELETE FROM t WHERE id = 1; -- and no more")
      try c.executeScript("/* two */ DELETE FROM t WHERE id = 2; ; DELETE FROM t WHERE id = 3; -- the end")
    }
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 2)
    #expect(throws: DatabaseError.self) { try database.write { try $0.execute("  -- nothing") } }
    try database.write { try $0.executeScript(" ; /* nothing */ ") }
  }

  @Test func `an error in a script says where in the script it is, and names its statement`() throws {
    let script =
      "CREATE TABLE s(a);\nINSERT INTO s VALUES (1);\n\n-- a remark;\n  INSERT INTO s VALEUS ('é', 2); SELECT 1;\n"
    let error = try databaseError { try database.write { try $0.executeScript(script) } }
    #expect(error.message.contains("(line 5, column 17)"), "\(error)")
    #expect(error.sql == "INSERT INTO s VALEUS ('é', 2)")
    let refused = try databaseError { try database.write { try $0.executeScript("SELECT 1;\n SELECT x; SELECT 2") } }
    #expect(refused.message.contains("(line 2, column 9)") && refused.sql == "SELECT x", "\(refused)")
    let cut = try databaseError { try database.write { try $0.executeScript("SELECT 1;\nSELECT (1") } }
    #expect(cut.message.contains("incomplete") && cut.sql == "SELECT (1", "\(cut)")
    for script in ["\u{FEFF}SELECT 1; -- x", "/* a", "--", ";;", "SELECT 1;/* a */ ; -- b\n"] {
      try database.write { try $0.executeScript(script) }
    }
    for script in ["\0", "SELECT 1;\0", "SELECT 1;\0SELECT 2", "SELECT \0 1"] {
      #expect(throws: DatabaseError.self, "\(script.debugDescription)") {
        try database.write { try $0.executeScript(script) }
      }
    }
  }

  @Test func `transactions are not begun by hand`() {
    for sql in ["BEGIN", "COMMIT", "rollback", "SAVEPOINT x", "RELEASE x", "/* x */ END"] {
      #expect(throws: DatabaseError.self, "\(sql)") { try database.write { try $0.execute(SQL(raw: sql)) } }
      #expect(throws: DatabaseError.self, "\(sql)") { try database.write { try $0.executeScript(sql) } }
    }
  }
}
