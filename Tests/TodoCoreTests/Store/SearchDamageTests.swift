import FixtureSupport
import SQLiteStore
import Testing

@testable import TodoCore

/// The search index and other tables that follow from lists and items are made again, however they are damaged.
@Suite struct SearchDamageTests {
  private func sample() throws -> TestStore {
    let test = try TestStore()
    try test.add(arguments: "apple pie", "@a", "every:day", "due:2031-01-01")
    try test.add(arguments: "pear", "+Work", "@c")
    for number in 0..<30 { try test.add("fig \(number)") }
    _ = try test.store.note("milk", to: Selection(2))
    try test.store.close()
    return test
  }

  private func found(_ words: String, _ store: TodoStore) throws -> [Int64] {
    let filter = try Filter(arguments: [], text: [words], at: store.moment)
    return try store.items(Selection(ids: [], filter: filter)).map(\.id)
  }

  private static let damages: [String] = {
    var damages: [String] = []
    for (table, columns) in [
      ("data", ["id", "block"]), ("idx", ["segid", "term", "pgno"]), ("docsize", ["id", "sz"]), ("config", ["k", "v"]),
    ] {
      damages += ["DROP TABLE item_search_\(table)", "DELETE FROM item_search_\(table)"]
      for column in columns {
        for value in ["x'00'", "99", "'rubbish'", "NULL"] {
          damages.append("UPDATE OR REPLACE item_search_\(table) SET \(column) = \(value)")
        }
      }
    }
    return damages + [
      "DROP TABLE item_search", "DELETE FROM item_search_data WHERE id > 10",
      "DELETE FROM item_search_data WHERE id = 1",
      "UPDATE item_search_data SET block = zeroblob(length(block)) WHERE id > 10",
      "INSERT INTO item_search(item_search) VALUES ('delete-all')",
      // Another program's table or view has taken a name.
      "DROP TABLE item_search; CREATE TABLE item_search(title, notes)",
      "DROP TABLE item_search; CREATE TABLE item_search(title UNIQUE, notes); CREATE INDEX theirs ON item_search(notes)",
      "DROP TABLE item_search; CREATE VIEW item_search_idx AS SELECT 1 AS segid",
    ]
  }()

  /// The database and a backup of it, damaged.
  private func damaged(_ sql: String) throws -> TestStore? {
    let test = try sample()
    let raw = try RawDatabase(path: test.path)
    // What SQLite itself refuses is no damage.
    guard (try? raw.execute(sql)) != nil else { return nil }
    return test
  }

  @Test(arguments: damages) func `a damaged search index is seen and made again by a restore`(sql: String) throws {
    guard let test = try damaged(sql) else { return }
    let location = DatabaseLocation(path: test.path)
    let source = try #require(try TodoStore.openToRead(location))
    #expect(try source.items(Selection(ids: [1...100])).count == 32)
    let problems = try source.doctor().flatMap(\.problems)
    do {
      #expect(try found("milk", source) == [2] && found("pie", source) == [1])
    } catch let error as TodoError {
      #expect(error.message.contains("the search index is damaged"), "\(error)")
      #expect(!problems.isEmpty, "doctor says that all is well")
    }
    #expect(problems.allSatisfy { !$0.contains("import") }, "\(problems)")
    #expect(try source.backup(to: test.path + ".backup") == nil)
    try source.close()
    for path in [test.path, test.path + ".new"] {
      let (store, result) = try TodoStore.restore(DatabaseLocation(path: path), from: test.path + ".backup")
      #expect(result.setAside == nil)
      #expect(try store.doctor().filter { !$0.isWell } == [], "\(path)")
      #expect(
        try found("milk", store) == [2] && found("pie", store) == [1] && found("fig", store).count == 30, "\(path)")
      try store.close()
    }
  }

  @Test(arguments: damages) func `a change is made also where the search index is damaged`(sql: String) throws {
    guard let test = try damaged(sql) else { return }
    let store = try TodoStore.open(DatabaseLocation(path: test.path))
    let added = try store.add(ItemDraft(title: "orange"))
    _ = try store.note("plum", to: Selection(1))
    _ = try store.remove(Selection(2))
    for _ in 0..<3 { _ = try store.undo() }
    #expect(throws: TodoError.self) { try store.item(added.items[0].id) }
    for _ in 0..<3 { _ = try store.redo() }
    if sql.contains("delete-all") {
      // The index works, and has lost the other items.
      let error = #expect(throws: TodoError.self) { try found("orange", store) }
      #expect(error?.message.contains("the search index is damaged") == true)
    } else {
      #expect(try found("orange", store) == [added.items[0].id] && found("plum", store) == [1])
    }
    #expect(throws: TodoError.self) { try store.item(2) }
    #expect(try store.database.integrityCheck() == [])
    try store.close()
  }

  @Test(arguments: [
    "item_tag", "item_search", "item_to_index", "change", "journal", "evicting", "change; DROP TABLE journal",
    "item_search; DROP TABLE item_tag; DROP TABLE item_to_index",
  ])
  func `a table that follows from lists and items is made again when it is missing`(table: String) throws {
    for isReadFirst in [false, true] {
      let test = try sample()
      let revision = try RawDatabase(path: test.path).rows("SELECT max(id) FROM change")[0][0]
      try RawDatabase(path: test.path).execute("PRAGMA foreign_keys = OFF; DROP TABLE \(table)")
      let location = DatabaseLocation(path: test.path)
      if isReadFirst {
        let reader = try #require(try TodoStore.openToRead(location))
        #expect(try reader.items(Selection(ids: [1...100])).count == 32)
        #expect(try found("milk", reader) == [2])
        try reader.close()
      }
      let store = try TodoStore.open(location)
      #expect(try store.doctor().filter { !$0.isWell } == [], "\(table)")
      #expect(try store.items(Selection(2)).map(\.tags) == [["c"]])
      #expect(try found("pie", store) == [1])
      let tagged = try Filter(arguments: ["@c"], text: [], at: store.moment)
      #expect(try store.items(Selection(ids: [], filter: tagged)).map(\.id) == [2])
      let change = try store.add(ItemDraft(title: "orange"))
      if !table.contains("journal;"), table != "change; DROP TABLE journal", case .integer(let last) = revision {
        #expect(change.revision > last, "\(table)")
      }
      _ = try store.remove(Selection(1))
      _ = try store.undo()
      _ = try store.undo()
      #expect(try store.items(Selection(ids: [1...100])).count == 32)
      #expect(try store.database.integrityCheck() == [])
      try store.close()
    }
  }

  @Test(arguments: ["DROP TABLE journal", "DELETE FROM journal", "DELETE FROM journal WHERE change = 2"])
  func `a change that the journal holds no more is not undone, and says so`(sql: String) throws {
    let test = try TestStore()
    try test.add("one")
    _ = try test.store.done(Selection(1))
    try test.store.close()
    try RawDatabase(path: test.path).execute("PRAGMA foreign_keys = OFF; " + sql)
    let store = try TodoStore.open(DatabaseLocation(path: test.path))
    let error = #expect(throws: TodoError.self) { try store.undo() }
    if sql.hasPrefix("DROP") {
      #expect(error?.message.contains("nothing to undo") == true, "\(error?.message ?? "")")
    } else {
      #expect(error?.message.contains("--skip") == true, "\(error?.message ?? "")")
      _ = try store.skipUndo()
    }
    #expect(try store.items(Selection(1)).map(\.done) == [true])
    _ = try store.add(ItemDraft(title: "two"))
    _ = try store.undo()
    #expect(try store.items(Selection(ids: [1...10])).count == 1)
  }

  @Test func `doctor tries items of any numbers`() throws {
    let test = try TestStore()
    var batch = ImportBatch()
    batch.items = (0..<2000).map { ImportedItem(title: "fig \($0)") }
    _ = try test.store.importItems(batch)
    try test.store.database.write { try $0.execute("DELETE FROM item WHERE id % 10 <> 9") }
    _ = try test.store.add(ItemDraft(title: "last"))
    #expect(try test.store.doctor().allSatisfy(\.isWell))
    try RawDatabase(path: test.path).execute("UPDATE item_search_data SET block = x'00'")
    try test.store.close()
    let store = try #require(try TodoStore.openToRead(DatabaseLocation(path: test.path)))
    #expect(try store.doctor().contains { $0.subject == "search" && !$0.isWell })
  }
}
