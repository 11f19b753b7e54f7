import CSQLite
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// Transactions that end in the midst, and SQL that hides something.
@Suite struct HostileTransactionTests {
  @Test func whatFollowsAnErrorThatEndedTheTransactionIsNotWritten() throws {
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

  @Test func aMigrationWhoseTransactionEndedInTheMidstLeavesNothing() throws {
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

  @Test func aScriptIsNotCutShortByANUL() throws {
    let database = try Database.inMemory()
    _ = try databaseError { try database.write { try $0.executeScript("CREATE TABLE a(x);\0CREATE TABLE b(x)") } }
    _ = try databaseError { try database.write { try $0.execute("CREATE TABLE a(x);\0CREATE TABLE b(x)") } }
    #expect(try database.read { try $0.values("SELECT name FROM sqlite_schema", as: String.self) } == [])
  }

  @Test func aByteOrderMarkHidesNoStatement() throws {
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

  @Test func aMappingThatIsMadeAnewEveryTimeWorksAndLeavesNoStatements() throws {
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
