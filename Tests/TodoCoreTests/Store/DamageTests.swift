import SQLiteStore
import Testing
import TodoCore

/// Values that no program of ours writes, and that a damaged database can hold.
@Suite struct DamageTests {
  @Test(arguments: [Int64.max, Int64.max - 1, Int64.min])
  func `places at the end of all numbers leave room for more`(_ place: Int64) throws {
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

  @Test func `two items at both ends of all numbers leave room between them`() throws {
    let test = try TestStore()
    let ids = try test.add("a", "b", "c")
    try test.store.database.write { connection in
      try connection.execute("UPDATE item SET position = \(Int64.min) WHERE id = \(ids[0])")
      try connection.execute("UPDATE item SET position = \(Int64.max) WHERE id = \(ids[1])")
    }
    _ = try test.store.move(Selection(ids[2]), .after(ids[0]))
    #expect(try test.list() == ["Inbox: a, c, b"])
  }

  @Test func `notes that are no JSON are bad data in a list`() throws {
    let test = try TestStore()
    try test.add("a")
    try test.store.database.write { connection in
      try connection.asLibrary { try connection.execute("PRAGMA ignore_check_constraints = 1") }
      try connection.execute("UPDATE item SET notes = '[\"' || char(10) || '\"]'")
    }
    #expect(throws: TodoError.self) { try test.list() }
    #expect(throws: TodoError.self) { try test.store.items(Selection(1)) }
  }

  @Test func `an import behind the greatest number is bad data`() throws {
    let test = try TestStore()
    try test.add("a")
    try test.store.database.write {
      try $0.execute("UPDATE sqlite_sequence SET seq = \(Int64.max) WHERE name = 'item'")
    }
    var batch = ImportBatch()
    batch.items = [ImportedItem(title: "b")]
    #expect(throws: TodoError.self) { try test.store.importItems(batch) }
  }

  // MARK: What is no JSON

  @Test(arguments: ["x", "[\"a\"", "", "[x]"]) func `notes that are not JSON don't keep other items from being written`(
    notes: String
  ) throws {
    let test = try TestStore()
    try test.add("a", "b")
    try test.store.database.write { connection in
      try connection.asLibrary { try connection.execute("PRAGMA ignore_check_constraints = 1") }
      try connection.execute("UPDATE item SET notes = \(notes) WHERE id = 1")
    }
    try test.add("c")
    _ = try test.store.done(Selection(2))
    _ = try test.store.undo()
    _ = try test.store.redo()
    let findings = try test.store.doctor().filter { !$0.isWell }
    #expect(
      findings.contains { $0.subject == "items" && $0.problems.contains { $0.contains("item 1") } }, "\(findings)")
    let error = #expect(throws: TodoError.self) { try test.list() }
    #expect(error?.message.contains("todo doctor") == true, "\(String(describing: error))")
    try test.store.database.write { try $0.execute("UPDATE item SET notes = '[]' WHERE id = 1") }
    try test.add("d")
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    #expect(
      try test.list(ListQuery(filter: Filter(arguments: [], text: ["a"], status: .all, at: test.store.moment))) == [
        "Inbox: a"
      ])
    while try test.store.nextUndo() != nil { try undoOrSkip(test) }
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
  }

  /// Undoes the last change, or skips it as the message says.
  private func undoOrSkip(_ test: TestStore) throws {
    do {
      _ = try test.store.undo()
    } catch {
      #expect(error.message.contains("--skip"), "\(error)")
      _ = try test.store.skipUndo()
    }
  }

  @Test(arguments: ["tags", "notes", "extra"])
  func `an item with malformed JSON can be removed, and the removal undone`(
    column: String
  ) throws {
    let test = try TestStore()
    try test.add("a", "b")
    try test.store.database.write { connection in
      try connection.asLibrary { try connection.execute("PRAGMA ignore_check_constraints = 1") }
      do {
        try connection.execute("UPDATE item SET \(identifier: column) = 'x' WHERE id = 1")
      } catch let error as DatabaseError {
        #expect(column == "tags" && error.message.contains("malformed JSON"))
      }
    }
    try test.store.database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    try test.add("c")
    while try test.store.nextUndo() != nil { try undoOrSkip(test) }
  }

  @Test func `the doctor finds fields of a list that are not JSON`() throws {
    let test = try TestStore()
    try test.add("a")
    try test.store.database.write { connection in
      try connection.asLibrary { try connection.execute("PRAGMA ignore_check_constraints = 1") }
      try connection.execute("UPDATE list SET extra = '[1]'")
    }
    let problems: [String] = try test.store.doctor().flatMap { $0.problems }
    #expect(problems.contains { $0.contains("CHECK constraint failed in list") }, "\(problems)")
  }

  // MARK: The last number

  @Test(arguments: [Int64.max, Int64.max - 1, 9_007_199_254_740_991])
  func `an item after the greatest number is refused, and nothing is changed`(greatest: Int64) throws {
    let test = try TestStore()
    try test.add(arguments: "a", "every:day", "due:2031-01-01")
    try test.store.database.write {
      try $0.execute("UPDATE sqlite_sequence SET seq = \(greatest) WHERE name = 'item'")
    }
    var batch = ImportBatch()
    batch.items = [ImportedItem(title: "b")]
    let before = try test.content()
    for body in [
      { _ = try test.store.add(ItemDraft(title: "b")) }, { _ = try test.store.importItems(batch) },
      { _ = try test.store.done(Selection(1)) },
    ] as [() throws -> Void] {
      #expect(throws: TodoError.self) { try body() }
    }
    #expect(try test.content() == before)
  }
}
