import SQLiteStore
import Testing

// Nothing but SQLiteStore's public face is seen here: the declarations that other code is written against, as they are
// agreed on. What stops compiling here breaks somebody's program.

private struct Thing: MappedEntity, Equatable {
  static let table = "thing"
  static let mapping = Mapping(Thing.init, ("id", \.id), ("title", \.title), ("done", \.done))
  var id: Int64
  var title: String
  var done: Bool
}

private struct DecodedThing: Entity, Decodable {
  static let table = "thing"
  var id: Int64
  var title: String
}

private struct HandWrittenThing: Entity {
  static let table = "thing"
  static let idColumn = "id"
  var id: Int64
  var title: String

  init(row: Row) throws {
    id = try row[0]
    title = try row["title"]
  }
}

private struct WideThing: MappedEntity {
  static let table = "wide"
  static let mapping = Mapping(
    WideThing.init, ("id", \.id), ("a", \.a), ("b", \.b), ("c", \.c), ("d", \.d), ("e", \.e), ("f", \.f), ("g", \.g),
    ("h", \.h), ("i", \.i), ("j", \.j), ("k", \.k), ("l", \.l), ("m", \.m), ("n", \.n), ("o", \.o), ("p", \.p))
  var id: String
  var a, b, c, d, e, f, g, h: Int?
  var i, j, k, l: Double
  var m, n, o, p: [UInt8]
}

@Suite struct FaceTests {
  private static let migrations = [
    Migration("0001", sql: "CREATE TABLE thing(id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL)")
  ]

  @Test func `the store has the agreed face`() async throws {
    func isSendable<T: Sendable>(_: T.Type) {}
    isSendable(Database.self)
    isSendable(SQL.self)
    isSendable(Database.Options.self)

    let scratch = try Scratch()
    let onDisk = try Database(path: scratch.path())
    _ = try Database(path: scratch.path("second.db"), options: Database.Options())
    let inMemory = try Database.inMemory()
    _ = try Database.inMemory(options: Database.Options())
    for database in [onDisk, inMemory] {
      try Self.synchronously(database)
      try await database.migrate(Self.migrations)
      try await database.write { c in try c.execute("DELETE FROM thing") }
      #expect(try await database.read { c in try c.value("SELECT count(*) FROM thing", as: Int.self) } == 0)
    }
  }

  private static func synchronously(_ database: Database) throws {
    try database.migrate(migrations)
    let title = "it's"
    let table = "thing"
    let rest = "ORDER BY id"
    try database.write { (c: Connection) throws -> Void in
      try c.execute("INSERT INTO \(identifier: table)(id, title, done) VALUES (1, \(title), \(false))")
      try c.transaction { try c.insert(Thing(id: 2, title: "two", done: true)) }
      try c.savepoint { _ = try c.execute("INSERT INTO thing VALUES (3, 'three', 0)") }
    }
    let first: Row? = try database.read { c in try c.row("SELECT * FROM thing WHERE title = \(title) \(raw: rest)") }
    #expect(try first?["id"] as Int64? == 1)
    try database.read { c in
      let rows: [Row] = try c.rows("SELECT * FROM thing")
      #expect(rows.count == 3)
      let count: Int? = try c.value("SELECT count(*) FROM thing", as: Int.self)
      #expect(count == 3)
      let things = try c.entities("SELECT * FROM thing ORDER BY id", of: Thing.self)
      #expect(things.map(\.title) == ["it's", "two", "three"])
      let decoded: [DecodedThing] = try c.entities("SELECT * FROM thing")
      #expect(decoded.count == 3)
      #expect(try c.entities("SELECT * FROM thing", of: HandWrittenThing.self).count == 3)
    }
    #expect(Thing.mapping.column(of: \.title) == "title")
    #expect(Thing.idColumn == "id")
    #expect(WideThing.mapping.columnNames.count == 17)
  }

  @Test func `rows leave an asynchronous read, and a write`() async throws {
    let database = try Database.inMemory()
    try await database.migrate(Self.migrations)
    let written = try await database.write { c in
      try c.execute("INSERT INTO thing VALUES (1, 'one', 0), (2, 'two', 1)")
      return try c.row("SELECT * FROM thing WHERE id = 2")
    }
    #expect(try written?["title"] == "two")
    let rows = try await database.read { c in try c.rows("SELECT * FROM thing ORDER BY id") }
    let titles = await Task { rows.map { row in (try? row["title"] as String) ?? "" } }.value
    #expect(titles == ["one", "two"])
  }

  @Test func `values and errors have the agreed face`() throws {
    let database = try Database.inMemory()
    let values: [Value] = [.null, .integer(1), .real(0.5), .text("t"), .blob([1, 2])]
    for value in values {
      #expect(try database.read { try $0.value("SELECT \(value)", as: Value.self) } ?? .null == value)
      switch value {
      case .null, .integer, .real, .text, .blob: break
      }
    }
    struct Mine: Error {}
    #expect(throws: Mine.self) { try database.write { _ in throw Mine() } }
    do {
      try database.write { c in
        try c.execute("CREATE TABLE t(x UNIQUE)")
        try c.execute("INSERT INTO t VALUES (1)")
        try c.execute("INSERT INTO t VALUES (1)")
      }
    } catch let error as DatabaseError {
      #expect(error.code == .constraint && error.extendedCode == .constraintUnique)
      #expect(error.sql == "INSERT INTO t VALUES (1)" && error.message.contains("t.x"))
      #expect(error == error && "\(error)".contains("UNIQUE"))
    }
  }
}
