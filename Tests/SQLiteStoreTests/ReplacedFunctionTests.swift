import FixtureSupport
import SQLiteStore
import Testing

/// Functions and collations that are added again.
@Suite struct ReplacedFunctionTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  /// What each connection gets from a call, by the same statements each time.
  private func answers(_ call: String, _ database: Database) throws -> [Int?] {
    let sql = SQL(raw: "SELECT \(call)")
    return [
      try database.write { try $0.value(sql, as: Int.self) }, try database.read { try $0.value(sql, as: Int.self) },
      try database.read { outer in
        try outer.value("SELECT (\(raw: call)) + 0", as: Int.self)
      },
      try database.readForListInTests { try $0.value(sql, as: Int.self) },
    ]
  }

  @Test(arguments: [true, false], [true, false]) func `the function that was added last is called`(
    first: Bool, second: Bool
  ) throws {
    for database in [try scratch.database("\(first)\(second).db"), try Database.inMemory()] {
      try database.addFunction("f", arguments: 1, isDeterministic: first) { _ in 1 }
      #expect(try answers("f(0)", database) == [1, 1, 1, 1])
      try database.addFunction("F", arguments: 1, isDeterministic: second) { _ in 2 }
      #expect(try answers("f(0)", database) == [2, 2, 2, 2])
      // Another one has the schema looked at again, which must not bring the first one back.
      try database.addFunction("g", arguments: 1, isDeterministic: second) { _ in 0 }
      #expect(try answers("f(0)", database) == [2, 2, 2, 2])
      try database.addFunction("f", arguments: 1, isDeterministic: first) { _ in 3 }
      #expect(try answers("f(0)", database) == [3, 3, 3, 3])
    }
  }

  @Test func `a function of SQLite's own is replaced too`() throws {
    let database = try scratch.database()
    #expect(try answers("length('ab')", database) == [2, 2, 2, 2])
    try database.addFunction("length") { _ in 9 }
    #expect(try answers("length('ab')", database) == [9, 9, 9, 9])
    try database.addFunction("length", arguments: 1, isDeterministic: true) { _ in 8 }
    #expect(try answers("length('ab')", database) == [8, 8, 8, 8])
  }

  @Test func `a collation that is added again compares by the new closure`() throws {
    let database = try scratch.database()
    try database.addCollation("c") { _, _ in 0 }
    let call = "'a' = 'b' COLLATE c"
    #expect(try answers(call, database) == [1, 1, 1, 1])
    try database.addCollation("C") { $0 < $1 ? -1 : $0 > $1 ? 1 : 0 }
    #expect(try answers(call, database) == [0, 0, 0, 0])
  }
}

extension Database {
  /// Reads on a connection for lists.
  fileprivate func readForListInTests<T>(_ body: (Connection) throws -> T) throws -> T {
    try read(Connection.uncancellable, taking: {}, body)
  }
}
