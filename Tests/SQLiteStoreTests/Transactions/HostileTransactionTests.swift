import CFetchedResultsSQLite
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// Transactions that end early, and SQL that hides something.
@Suite struct HostileTransactionTests {
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
