import SQLiteStore
import Testing
import TodoCore

/// Values that no program of ours writes, and that a damaged database can hold.
@Suite struct DamageTests {
  @Test(arguments: [Int64.max, Int64.max - 1, Int64.min])
  func placesAtTheEndOfAllNumbersLeaveRoomForMore(_ place: Int64) throws {
    let test = try TestStore()
    let ids = try test.add("a", "b")
    try test.store.database.write { try $0.execute("UPDATE item SET position = \(place) WHERE id = \(ids[0])") }
    try test.add("c")
    _ = try test.store.move(Selection(ids[1]), .first(list: nil))
    _ = try test.store.move(Selection(ids[1]), .last(list: nil))
    var batch = ImportBatch()
    batch.items = [ImportedItem(title: "d"), ImportedItem(title: "e")]
    _ = try test.store.importItems(batch)
    #expect(try test.list() == ["Inbox: a, c, b, d, e"])
  }

  @Test func twoItemsAtBothEndsOfAllNumbersLeaveRoomBetweenThem() throws {
    let test = try TestStore()
    let ids = try test.add("a", "b", "c")
    try test.store.database.write { connection in
      try connection.execute("UPDATE item SET position = \(Int64.min) WHERE id = \(ids[0])")
      try connection.execute("UPDATE item SET position = \(Int64.max) WHERE id = \(ids[1])")
    }
    _ = try test.store.move(Selection(ids[2]), .after(ids[0]))
    #expect(try test.list() == ["Inbox: a, c, b"])
  }

  @Test func listsAtTheEndOfAllNumbersAreBadData() throws {
    let test = try TestStore()
    try test.add("a", list: "A")
    try test.add("b", list: "B")
    try test.store.database.write { try $0.execute("UPDATE list SET position = \(Int64.max) WHERE name = 'A'") }
    #expect(throws: TodoError.self) { try test.store.reorderList("A", .first) }
  }

  @Test func notesThatAreNoJSONAreBadDataInAList() throws {
    let test = try TestStore()
    try test.add("a")
    try test.store.database.write { connection in
      try connection.execute("PRAGMA ignore_check_constraints = 1")
      try connection.execute("UPDATE item SET notes = '[\"' || char(10) || '\"]'")
    }
    #expect(throws: TodoError.self) { try test.list() }
    #expect(throws: TodoError.self) { try test.store.items(Selection(1)) }
  }

  @Test func anImportBehindTheGreatestNumberIsBadData() throws {
    let test = try TestStore()
    try test.add("a")
    try test.store.database.write {
      try $0.execute("UPDATE sqlite_sequence SET seq = \(Int64.max) WHERE name = 'item'")
    }
    var batch = ImportBatch()
    batch.items = [ImportedItem(title: "b")]
    #expect(throws: TodoError.self) { try test.store.importItems(batch) }
  }
}
