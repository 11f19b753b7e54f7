import RowModel
import Testing

private struct Item: MappedEntity, Equatable {
  static let table = "item"
  static let mapping = Mapping(
    Item.init, ("id", \.id), ("title", \.title), ("weight", \.weight), ("picture", \.picture), ("note", \.note))
  var id: Int64
  var title: String
  var weight: Double
  var picture: [UInt8]
  var note: String?
}

@Suite struct EngineTests {
  let columns = ["id", "title", "weight", "picture", "note"]
  let rows: [[Value]] = [
    [1, "tea", 0.5, .blob([1, 2]), nil], [2, "", 2, .blob([]), "empty\0"], [3, "café", 3, .blob([0]), "x"],
  ]

  @Test func `a row of another engine is read by position and by name`() throws {
    let statement = MemoryStatement("SELECT", columns: columns, rows: rows)
    let row = try #require(statement.step())
    #expect(try row[0] as Int == 1)
    #expect(try row["title"] as String == "tea")
    #expect(try row["weight"] as Double == 0.5)
    #expect(try row["picture"] as [UInt8] == [1, 2])
    #expect(try row["note"] as String? == nil)
    #expect(try row.values == rows[0])
    #expect(row.columnNames == columns && row.count == 5)
  }

  @Test func `an entity is decoded from the rows of another engine, whatever the order of the columns`() throws {
    for order in [[0, 1, 2, 3, 4], [4, 2, 0, 1, 3]] {
      let statement = MemoryStatement(
        "SELECT", columns: order.map { columns[$0] }, rows: rows.map { row in order.map { row[$0] } })
      var items: [Item] = []
      while let row = statement.step() { items.append(try Item(row: row)) }
      #expect(
        items == [
          Item(id: 1, title: "tea", weight: 0.5, picture: [1, 2]),
          Item(id: 2, title: "", weight: 2, picture: [], note: "empty\0"),
          Item(id: 3, title: "café", weight: 3, picture: [0], note: "x"),
        ])
    }
  }

  @Test func `an entity is bound to the parameters of another engine`() throws {
    let statement = MemoryStatement("INSERT", columns: columns)
    try Item.mapping.bind(Item(id: 2, title: "", weight: 2, picture: [], note: "empty\0"), statement.engine)
    #expect(statement.bound == [1: 2, 2: "", 3: 2.0, 4: .blob([]), 5: "empty\0"])
    statement.engine.pointee.writesEntity = true
    let error = #expect(throws: DatabaseError.self) {
      try Item.mapping.bind(Item(id: 2, title: "", weight: .nan, picture: []), statement.engine)
    }
    #expect(error?.code == .mismatch)
  }

  @Test func `the error of binding comes from the engine`() {
    let statement = MemoryStatement("INSERT", columns: ["id"])
    let error = #expect(throws: DatabaseError.self) {
      try Item.mapping.bind(Item(id: 2, title: "", weight: 2, picture: []), statement.engine)
    }
    #expect(error?.message == "there is no parameter 2")
  }

  @Test func `an error names the column, the expected type and the value found, whichever engine holds it`() throws {
    let statement = MemoryStatement("SELECT it", columns: columns, rows: rows)
    let row = try #require(statement.step())
    let error = #expect(throws: DatabaseError.self) { try row["title"] as Int }
    #expect(error?.message == "column \"title\": expected INTEGER, found TEXT 'tea'")
    #expect(error?.sql == "SELECT it")
    #expect(throws: DatabaseError.self) { try row[5] as Value }
    #expect(throws: DatabaseError.self) { try row["none"] as Value }
  }

  @Test func `a row that was kept is refused after the next step, and its copy is not`() throws {
    let statement = MemoryStatement("SELECT", columns: columns, rows: rows)
    let row = try #require(statement.step())
    let copy = try row.copied()
    _ = statement.step()
    #expect(throws: DatabaseError.self) { try row[0] as Int }
    #expect(throws: DatabaseError.self) { try Item(row: row) }
    #expect(try Item(row: copy).title == "tea")
  }
}
