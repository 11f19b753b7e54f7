import CFetchedResultsSQLite
import SQLiteStore
import Testing

/// The values that cached statements hold after they have run.
@Suite struct LargeValueTests {
  private let large = String(repeating: "x", count: 1_000_000)

  /// The bytes of all that is bound to the statements of a connection.
  private func boundBytes(_ connection: Connection) -> Int {
    // Not through `withUnsafeHandle`, which has the connection forget its statements.
    var bytes = 0
    var statement = sqlite3_next_stmt(connection.rawHandle, nil)
    while let one = statement {
      if let text = sqlite3_expanded_sql(one) {
        bytes += strlen(text)
        sqlite3_free(text)
      }
      statement = sqlite3_next_stmt(connection.rawHandle, one)
    }
    return bytes
  }

  private func strlen(_ text: UnsafePointer<CChar>) -> Int {
    var count = 0
    while text[count] != 0 { count += 1 }
    return count
  }

  @Test func `no cached statement holds a large value`() throws {
    let database = try Database.inMemory()
    try database.write { c in
      try c.execute(Item.schema)
      let insert = try c.prepare("INSERT INTO item(title, note) VALUES (?, ?)")
      try c.insert(Item(id: 1, title: large))
      _ = try c.inserted(Item(id: 2, title: large))
      try c.update(Item(id: 2, title: large, note: large))
      try c.upsert(Item(id: 2, title: large))
      try insert.run(large, large)
      try c.execute("INSERT INTO item(title) VALUES (\(large))")
      #expect(throws: DatabaseError.self) { try c.insert(Item(id: 1, title: large)) }
      #expect(throws: DatabaseError.self) { try c.execute("INSERT INTO item(id, title) VALUES (1, \(large))") }
      #expect(try c.value("SELECT count(*) FROM item WHERE title = \(large)", as: Int.self) == 4)
      #expect(boundBytes(c) < 100_000)
      // Small ones are bound as ever.
      try c.insert(Item(id: 9, title: "small"))
      try c.update(Item(id: 9, title: "smaller"))
      #expect(try c.entity(Item.self, id: 9) == Item(id: 9, title: "smaller"))
    }
  }

  @Test func `no cached statement has a large value written into it`() throws {
    let database = try Database.inMemory()
    try database.write { c in
      let first = try c.value("SELECT length('\(raw: large)')", as: Int.self)
      #expect(first == 1_000_000)
      #expect(boundBytes(c) < 100_000)
      #expect(c.statementStatistics.allSatisfy { $0.sql.utf8.count < 200_000 })
      #expect(try c.value("SELECT length('\(raw: large)')", as: Int.self) == 1_000_000)
    }
  }
}
