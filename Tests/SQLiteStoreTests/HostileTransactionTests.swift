import CFetchedResultsSQLite
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// Transactions that end early, and SQL that hides something.
@Suite struct HostileTransactionTests {
  @Test func `statements after an error that ended the transaction write nothing`() throws {
    for isFile in [true, false] {
      let scratch = try Scratch()
      let database = try isFile ? scratch.database() : Database.inMemory(options: .fast)
      try database.write { try $0.execute("CREATE TABLE t(id INTEGER PRIMARY KEY)") }
      try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
      let error = try databaseError {
        try database.write { c in
          try c.execute("INSERT INTO t VALUES (2)")
          _ = try? c.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
          _ = try? c.execute("INSERT INTO t VALUES (3)")
        }
      }
      #expect(error.description.contains("transaction"), "\(error)")
      #expect(try database.read { try $0.values("SELECT id FROM t", as: Int.self) } == [1])
      try database.write { try $0.execute("INSERT INTO t VALUES (4)") }
      #expect(try database.read { try $0.values("SELECT id FROM t", as: Int.self) } == [1, 4])
    }
  }

  @Test(arguments: ["caught inside", "caught in the middle", "thrown inside"], [1, 2, 3])
  func `a statement that ends the transaction inside a savepoint is the error of the write`(
    how: String, depth: Int
  ) throws {
    struct Other: Error {}
    let scratch = try Scratch()
    for database in [try scratch.database(), try Database.inMemory(options: .fast)] {
      try database.write { try $0.executeScript("CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)") }
      var errors: [any Error] = []
      let error = try databaseError {
        try database.write { c in
          try c.execute("INSERT INTO t VALUES (2)")
          func nest(_ level: Int) throws {
            try c.savepoint {
              try c.execute("INSERT INTO t VALUES (\(10 + level))")
              guard level < depth else {
                _ = try? c.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
                if how == "thrown inside" { throw Other() }
                return
              }
              do {
                try nest(level + 1)
              } catch {
                errors.append(error)
                if how != "caught in the middle" { throw error }
              }
            }
          }
          do { try nest(1) } catch { errors.append(error) }
        }
      }
      let all = errors.compactMap { $0 as? DatabaseError } + [error]
      #expect(errors.count == depth)
      for error in all {
        #expect(error.message.contains("has ended the transaction and undone all of it"), "\(error)")
        #expect(error.sql?.contains("OR ROLLBACK") == true && error.code == .constraint, "\(error)")
      }
      #expect(try database.read { try $0.values("SELECT id FROM t", as: Int.self) } == [1])
      try database.write { c in try c.savepoint { try c.execute("INSERT INTO t VALUES (4)") } }
      #expect(try database.read { try $0.values("SELECT id FROM t", as: Int.self) } == [1, 4])
    }
  }

  @Test func `a trigger that ends the transaction inside a savepoint is the error of the write`() throws {
    let database = try Database.inMemory(options: .fast)
    try database.write { c in
      try c.executeScript(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY);
        CREATE TRIGGER r BEFORE INSERT ON t WHEN new.id > 9 BEGIN SELECT RAISE(ROLLBACK, 'too many'); END;
        """)
    }
    let error = try databaseError {
      try database.write { c in
        try c.execute("INSERT INTO t VALUES (1)")
        try c.transaction { try? c.savepoint { _ = try c.execute("INSERT INTO t VALUES (10)") } }
      }
    }
    #expect(error.message.contains("undone all of it: too many"), "\(error)")
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 0)
  }

  @Test func `a migration whose transaction ended early leaves nothing`() throws {
    let database = try Database.inMemory(options: .fast)
    let migration = Migration("0001") { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY)")
      try c.execute("INSERT INTO t VALUES (1)")
      _ = try? c.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
      _ = try? c.execute("CREATE TABLE u(id INTEGER PRIMARY KEY)")
    }
    _ = try databaseError { try database.migrate([migration]) }
    #expect(try database.read { try $0.values("SELECT name FROM sqlite_schema", as: String.self) } == [])
  }

  @Test func `a script is not cut short by a NUL`() throws {
    let database = try Database.inMemory()
    _ = try databaseError { try database.write { try $0.executeScript("CREATE TABLE a(x);\0CREATE TABLE b(x)") } }
    _ = try databaseError { try database.write { try $0.execute("CREATE TABLE a(x);\0CREATE TABLE b(x)") } }
    #expect(try database.read { try $0.values("SELECT name FROM sqlite_schema", as: String.self) } == [])
  }

  @Test func `a byte order mark hides no statement`() throws {
    let database = try Database.inMemory()
    _ = try databaseError { try database.write { try $0.execute("\u{FEFF}COMMIT") } }
    let told = Box(0)
    let observation = database.observe(["t"]) { _ in told.change { $0 += 1 } }
    try database.write { try $0.executeScript("\u{FEFF}CREATE TABLE t(x)") }
    try database.catchUp()
    #expect(told.value == 1)
    observation.cancel()
  }

  struct Careless: MappedEntity {
    static let table = "careless"
    static var mapping: Mapping<Careless> { Mapping(Careless.init, ("id", \.id)) }
    var id: Int64
  }

  @Test func `a mapping that is created at every access works and leaves no statements`() throws {
    let database = try Database.inMemory()
    try database.write { c in
      try c.execute("CREATE TABLE careless(id INTEGER PRIMARY KEY)")
      for id in 0..<2000 { try c.insert(Careless(id: Int64(id))) }
      var open = 0
      try c.withUnsafeHandle { handle in
        var statement = sqlite3_next_stmt(handle, nil)
        while statement != nil {
          open += 1
          statement = sqlite3_next_stmt(handle, statement)
        }
      }
      #expect(open < 300)
    }
  }
}
