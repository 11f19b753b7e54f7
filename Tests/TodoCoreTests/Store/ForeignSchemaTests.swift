import FetchedResults
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

@testable import TodoCore

/// Columns that other programs add, and triggers of ours that they drop.
@Suite struct ForeignSchemaTests {
  private static let tables = ["item", "list", "item_tag", "change", "journal", "item_to_index", "evicting"]

  private func sample() throws -> TestStore {
    let test = try TestStore()
    try test.add(arguments: "one", "@a", "@b", "every:day", "due:2031-01-01")
    try test.add(arguments: "two", "+Work", "@c", "!high")
    return test
  }

  /// The titles that each way of reading finds.
  private func read(_ store: TodoStore) throws -> [[String]] {
    var found: [[String]] = []
    for view in ItemView.allCases {
      var lines = Lines()
      try store.list(ListQuery(view, zone: .fixed(seconds: 0)), into: &lines)
      found.append(lines.lines)
      var titles: [String] = []
      if view == .tag {
        let controller = try store.taggedController(ListQuery(view, zone: .fixed(seconds: 0)))
        try controller.performFetch()
        titles = controller.fetchedObjects.map { "\($0.item.title) \($0.tag ?? "") \($0.item.list)" }
      } else {
        let controller = try store.controller(ListQuery(view, zone: .fixed(seconds: 0)))
        try controller.performFetch()
        titles = controller.fetchedObjects.map { "\($0.title) \($0.tags) \($0.list)" }
      }
      found.append(titles)
    }
    var exported: [String] = []
    try store.export(begin: { _ in }, item: { item, _ in exported.append("\(item.title) \(item.list)") })
    found.append(exported)
    found.append(try store.items(Selection(ids: [], filter: Filter(status: .any))).map { "\($0.title) \($0.list)" })
    return found
  }

  @Test(arguments: tables, ["mine TEXT", "list_name TEXT DEFAULT 'theirs'", "n INTEGER NOT NULL DEFAULT 5"])
  func `a column that another program adds changes nothing`(table: String, column: String) throws {
    let test = try sample()
    let before = try read(test.store)
    try test.store.close()
    try RawDatabase(path: test.path).execute("ALTER TABLE \(table) ADD COLUMN \(column)")
    let clock = test.clock
    let store = try TodoStore.open(DatabaseLocation(path: test.path)) { clock.moment }
    #expect(try read(store) == before)
    #expect(try store.doctor().filter { !$0.isWell } == [])
    let next = try store.done(Selection(1)).next.map(\.title)
    #expect(next == ["one"])
    _ = try store.remove(Selection(2))
    _ = try store.undo()
    _ = try store.undo()
    #expect(try read(store) == before)
    _ = try store.redo()
    _ = try store.redo()
    _ = try store.undo()
    _ = try store.undo()
    var batch = ImportBatch()
    batch.items = (0..<250).map { ImportedItem(title: "filler \($0)") }
    #expect(try store.importItems(batch).added == 250)
    _ = try store.undo()
    #expect(try read(store) == before)
    // A backup of it is restored, in itself and elsewhere.
    #expect(try store.backup(to: test.path + ".backup") == nil)
    try store.close()
    for path in [test.path, test.path + ".new"] {
      let (restored, result) = try TodoStore.restore(DatabaseLocation(path: path), from: test.path + ".backup")
      #expect(result.setAside == nil)
      #expect(try read(restored) == before)
      try restored.close()
    }
  }

  @Test func `a column that is added while a list is followed changes nothing`() async throws {
    let test = try sample()
    let controller = try test.store.controller(ListQuery(zone: .fixed(seconds: 0)))
    try await controller.performFetch()
    try RawDatabase(path: test.path).execute("ALTER TABLE item ADD COLUMN mine TEXT DEFAULT 'x'")
    try test.add("three")
    try await controller.settled()
    #expect(controller.fetchedObjects.map(\.title) == ["one", "three", "two"])
    #expect(controller.fetchedObjects.map(\.list) == ["Inbox", "Inbox", "Work"])
  }

  @Test func `what was changed while a trigger was missing is indexed`() throws {
    let test = try sample()
    try test.store.close()
    let raw = try RawDatabase(path: test.path)
    try raw.execute(
      """
      DROP TRIGGER item_tag_after_insert; DROP TRIGGER item_to_index_after_insert;
      INSERT INTO item(list, position, title, tags) VALUES (1, 9, 'unseen', '["x"]')
      """)
    let store = try TodoStore.open(DatabaseLocation(path: test.path))
    for filter in [
      try Filter(arguments: [], text: ["unseen"], at: store.moment), try Filter(arguments: ["@x"], at: store.moment),
    ] { #expect(try store.items(Selection(ids: [], filter: filter)).map(\.title) == ["unseen"]) }
    #expect(try store.doctor().filter { !$0.isWell } == [])
  }

  @Test(arguments: ["BEFORE INSERT", "BEFORE UPDATE", "BEFORE DELETE"])
  func `a change that a trigger of another program prevents is an error that names it`(when: String) throws {
    let test = try sample()
    try RawDatabase(path: test.path).execute("CREATE TRIGGER mine \(when) ON item BEGIN SELECT RAISE(IGNORE); END")
    let before = try test.content()
    let body: () throws -> Void =
      switch when {
      case "BEFORE INSERT": { try test.add("three") }
      case "BEFORE UPDATE": { _ = try test.store.start(Selection(1)) }
      default: { _ = try test.store.remove(Selection(1)) }
      }
    let error = #expect(throws: TodoError.self) { try body() }
    #expect(error?.exitCode == 4 && error?.message.contains("(mine)") == true, "\(String(describing: error))")
    #expect(try test.content() == before)
  }

  @Test func `a trigger of another program that keeps tags away prevents the change`() throws {
    let test = try sample()
    try RawDatabase(path: test.path).execute(
      "CREATE TRIGGER mine BEFORE INSERT ON item_tag WHEN new.tag = 'x' BEGIN SELECT RAISE(IGNORE); END")
    let before = try test.content()
    var batch = ImportBatch()
    for number in 0..<300 {
      var item = ImportedItem(title: "filler \(number)")
      item.tags = ["x"]
      batch.items.append(item)
    }
    for body: () throws -> Void in [
      { try test.add(arguments: "three", "@x") }, { _ = try test.store.importItems(batch) },
    ] {
      let error = #expect(throws: TodoError.self) { try body() }
      #expect(error?.exitCode == 4 && error?.message.contains("(mine)") == true, "\(String(describing: error))")
      #expect(try test.content() == before)
    }
    try test.add(arguments: "three", "@y")
    // Tags that somebody has removed are no reason to refuse a change of something else.
    try RawDatabase(path: test.path).execute("DELETE FROM item_tag WHERE item = 1")
    #expect(try test.store.start(Selection(1)).didChange)
  }

  @Test(arguments: [
    "BEFORE INSERT ON journal BEGIN SELECT RAISE(IGNORE); END",
    "BEFORE INSERT ON change BEGIN SELECT RAISE(IGNORE); END",
    "BEFORE UPDATE ON change BEGIN SELECT RAISE(IGNORE); END",
    "AFTER INSERT ON journal BEGIN DELETE FROM journal WHERE seq = new.seq; END",
    "BEFORE INSERT ON item_to_index BEGIN SELECT RAISE(IGNORE); END",
    "INSTEAD OF INSERT ON replay BEGIN SELECT RAISE(IGNORE); END",
  ])
  func `a trigger of another program in the log is named, and nothing is changed`(trigger: String) throws {
    let test = try sample()
    #expect(try test.store.backup(to: test.path + ".backup") == nil)
    _ = try test.store.start(Selection(1))
    try RawDatabase(path: test.path).execute("CREATE TRIGGER mine \(trigger)")
    let before = try test.content()
    var batch = ImportBatch()
    batch.items = [ImportedItem(title: "a")]
    let commands: [() throws -> Void] = [
      { try test.add("three") }, { _ = try test.store.addList("fresh") }, { _ = try test.store.importItems(batch) },
      { _ = try test.store.undo() }, { _ = try test.store.skipUndo() },
      { _ = try TodoStore.restore(DatabaseLocation(path: test.path), from: test.path + ".backup") },
    ]
    for command in commands {
      let error = #expect(throws: TodoError.self) { try command() }
      #expect(error?.exitCode == 4 && error?.message.contains("(mine)") == true, "\(String(describing: error))")
      #expect(try test.content() == before)
    }
    try RawDatabase(path: test.path).execute("DROP TRIGGER mine")
    _ = try test.store.undo()
  }

  @Test(arguments: ["list", "replay", "item_by_list", "item_search_x", "frc_y", "journal"])
  func `a trigger of another program may have the name of an object of ours`(name: String) throws {
    let test = try sample()
    let before = try test.content()
    _ = try test.store.start(Selection(1))
    try RawDatabase(path: test.path).execute(
      "CREATE TRIGGER \(name) AFTER UPDATE ON item WHEN new.title <> 'HA' BEGIN "
        + "UPDATE item SET title = 'HA' WHERE id = new.id; END")
    _ = try test.store.undo()
    #expect(try test.content() == before)
  }

  @Test func `an undo that a trigger of another program refuses names it`() throws {
    let test = try sample()
    _ = try test.store.start(Selection(1))
    try RawDatabase(path: test.path).execute(
      "CREATE TRIGGER mine BEFORE UPDATE ON item BEGIN SELECT RAISE(ABORT, 'no way'); END")
    let error = #expect(throws: TodoError.self) { try test.store.undo() }
    #expect(
      error?.exitCode == 4 && error?.message.contains("(mine): no way") == true, "\(String(describing: error))")
  }

  private static let actions: [(name: String, trigger: String, run: @Sendable (TodoStore) throws -> ChangeResult)] = {
    let both = Selection(ids: [1...1, 2...2])
    let one = "old.id = 2"
    return [
      ("done", "UPDATE ON item WHEN \(one)", { try $0.done(both) }),
      ("start", "UPDATE ON item WHEN \(one)", { try $0.start(both) }),
      ("note", "UPDATE ON item WHEN \(one)", { try $0.note("a note", to: both) }),
      ("move", "UPDATE ON item WHEN \(one)", { try $0.move(both, .last(list: "Other")) }),
      (
        "edit", "UPDATE ON item WHEN \(one)",
        {
          var edit = ItemEdit()
          edit.addedTags = ["new"]
          return try $0.edit(both, edit)
        }
      ),
      ("remove", "DELETE ON item WHEN \(one)", { try $0.remove(both) }),
      ("add", "INSERT ON list", { try $0.add(ItemDraft(title: "three", list: "fresh")) }),
      ("add a list", "INSERT ON list", { try $0.addList("fresh") }),
      ("rename a list", "UPDATE ON list", { try $0.renameList("Work", to: "Play") }),
      (
        "import", "INSERT ON item WHEN new.title = 'b'",
        { store in
          var batch = ImportBatch()
          batch.items = ["a", "b", "c"].map { ImportedItem(title: $0) }
          _ = try store.importItems(batch)
          return try store.undo()
        }
      ),
    ]
  }()

  @Test(arguments: actions.indices)
  func `a trigger of another program that ignores one of several rows prevents the whole change`(number: Int) throws {
    let (name, trigger, run) = Self.actions[number]
    let test = try sample()
    try test.add("other", list: "Other")
    try RawDatabase(path: test.path).execute("CREATE TRIGGER mine BEFORE \(trigger) BEGIN SELECT RAISE(IGNORE); END")
    let before = try test.content()
    let error = #expect(throws: TodoError.self, "\(name)") { try run(test.store) }
    #expect(error?.exitCode == 4 && error?.message.contains("(mine)") == true, "\(name): \(String(describing: error))")
    #expect(try test.content() == before, "\(name)")
  }

  @Test func `a trigger of another program that fires for its own changes is named, and undo goes past it`() throws {
    let test = try sample()
    let before = try test.content()
    _ = try test.store.start(Selection(1))
    try RawDatabase(path: test.path).execute(
      "CREATE TRIGGER mine AFTER UPDATE ON item BEGIN UPDATE item SET priority = 1 WHERE id = new.id; END")
    let error = #expect(throws: TodoError.self) { try test.store.done(Selection(1)) }
    #expect(error?.message.contains("(mine)") == true, "\(String(describing: error))")
    _ = try test.store.undo()
    #expect(try test.content() == before)
  }

  @Test(arguments: [
    "CREATE TRIGGER mine AFTER UPDATE OF done ON item BEGIN UPDATE item SET priority = length('\u{1}') WHERE id = new.id; END",
    "CREATE TABLE theirs(a DEFAULT 'caf\u{1}')", "CREATE VIEW theirs AS SELECT 'caf\u{1}' AS a",
  ])
  func `an object of another program whose text is no UTF-8 is in no command's way`(sql: String) throws {
    let test = try sample()
    let before = try test.content()
    let raw = try RawDatabase(path: test.path)
    try raw.execute(sql)
    // As a program that writes Latin-1 stores it.
    try raw.execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = CAST(replace(CAST(sql AS BLOB), x'01', x'E9') AS TEXT) WHERE instr(sql, char(1));
      PRAGMA writable_schema = RESET
      """)
    _ = try test.store.done(Selection(1))
    #expect(try test.store.doctor().flatMap(\.problems).filter { !$0.contains("mine") } == [])
    if sql.contains("TRIGGER") {
      let error = #expect(throws: TodoError.self) { try test.store.undo() }
      #expect(error?.exitCode == 4 && error?.message.contains("(mine)") == true, "\(String(describing: error))")
    } else {
      _ = try test.store.undo()
      #expect(try test.content() == before)
    }
    let items = try test.store.items(Selection(ids: [1...9]))
    #expect(try test.store.backup(to: test.path + ".backup") == nil)
    test.store.finish()
    let (store, result) = try TodoStore.restore(DatabaseLocation(path: test.path), from: test.path + ".backup")
    #expect(result.setAside == nil)
    #expect(try store.items(Selection(ids: [1...9])) == items)
    try store.close()
  }

  @Test(arguments: ["item", "list", "item_tag", "journal"])
  func `a trigger of another program whose name is no UTF-8 is in no command's way`(table: String) throws {
    let test = try sample()
    let sql = "CREATE TRIGGER \"x\u{1}\" AFTER INSERT ON \(table) BEGIN SELECT 1; END"
    try RawDatabase(path: test.path).execute(bytes: sql.utf8.map { $0 == 1 ? 0xFF : $0 })
    let store = try TodoStore.open(DatabaseLocation(path: test.path))
    if table == "journal" {
      #expect(throws: TodoError.self) { _ = try store.add(ItemDraft(title: "refused")) }
    } else {
      let before = try test.content()
      _ = try store.add(ItemDraft(title: "new", list: "another"))
      _ = try store.undo()
      #expect(try test.content() == before)
    }
    #expect(try store.doctor().flatMap(\.problems).contains { $0.contains("is not of this program") })
    #expect(try store.backup(to: test.path + ".backup") == nil)
    try store.close()
  }

  @Test func `a trigger that only has the name of a history's is another program's`() throws {
    let test = try sample()
    let before = try test.content()
    for name in ["frc_history_x", "FRC_history_x", "frc_x"] {
      for body in [
        "BEFORE INSERT ON item BEGIN SELECT RAISE(IGNORE); END", "AFTER INSERT ON item BEGIN DELETE FROM item; END",
      ] {
        try RawDatabase(path: test.path).execute("CREATE TRIGGER \(name) \(body)")
        let store = try TodoStore.open(DatabaseLocation(path: test.path))
        let error = #expect(throws: TodoError.self) { _ = try store.add(ItemDraft(title: "new", tags: ["a"])) }
        #expect(error?.message.contains(name) == true, "\(String(describing: error))")
        #expect(
          try store.doctor().flatMap(\.problems).contains { $0.contains("trigger \(name) is not of this program") })
        try store.close()
        #expect(try test.content() == before)
        try RawDatabase(path: test.path).execute("DROP TRIGGER \(name)")
      }
    }
    // A history is ours.
    try test.store.database.recordHistory(of: ["item", "list", "item_tag"])
    let store = try TodoStore.open(DatabaseLocation(path: test.path))
    #expect(try store.database.read { try SchemaObjects($0).hasTriggersOfOthers } == false)
    #expect(try store.doctor().filter { !$0.isWell } == [])
    try store.close()
  }

  @Test func `a trigger that removes the row of an item without tags is an error that names it`() throws {
    let test = try sample()
    try RawDatabase(path: test.path).execute(
      "CREATE TRIGGER mine AFTER INSERT ON item_tag WHEN new.tag IS NULL BEGIN DELETE FROM item_tag WHERE id = new.id; END"
    )
    let before = try test.content()
    let error = #expect(throws: TodoError.self) { _ = try test.store.add(ItemDraft(title: "untagged")) }
    #expect(error?.exitCode == 4 && error?.message.contains("(mine)") == true, "\(String(describing: error))")
    #expect(try test.content() == before)
    _ = try test.store.add(ItemDraft(title: "tagged", tags: ["a"]))
  }

  @Test func `a list that a trigger of another program removes at once is an error that names it`() throws {
    let test = try sample()
    try RawDatabase(path: test.path).execute(
      "CREATE TRIGGER mine AFTER INSERT ON list BEGIN DELETE FROM list WHERE id = new.id; END")
    let before = try test.content()
    let error = #expect(throws: TodoError.self) { try test.store.addList("fresh") }
    #expect(error?.exitCode == 4 && error?.message.contains("(mine)") == true, "\(String(describing: error))")
    #expect(try test.content() == before)
  }

  @Test(arguments: [
    "AFTER UPDATE ON item BEGIN UPDATE item SET previous = NULL WHERE previous IS NOT NULL; END",
    "AFTER INSERT ON item BEGIN UPDATE item SET uuid = '00000000-0000-4000-8000-000000000001' WHERE id = new.id; END",
    "BEFORE INSERT ON item_tag BEGIN UPDATE item SET title = 'tagged' WHERE id = new.item; END",
    "BEFORE INSERT ON item_tag BEGIN SELECT RAISE(IGNORE); END",
    "AFTER INSERT ON item_tag BEGIN DELETE FROM item_tag WHERE id = new.id; END",
  ])
  func `an undo goes past whatever triggers of other programs make of it`(trigger: String) throws {
    let test = try sample()
    try test.add(arguments: "daily", "due:2031-01-01", "every:day", "@y")
    let next = try #require(try test.store.done(Selection(3)).next.first).id
    var edit = ItemEdit()
    edit.removedTags = ["y"]
    let changes: [() throws -> ChangeResult] = [
      { try test.store.move(Selection(next), .last(list: "Other")) }, { try test.store.remove(Selection(1)) },
      { try test.store.edit(Selection(3), edit) },
    ]
    for change in changes {
      let before = try test.content()
      _ = try change()
      try RawDatabase(path: test.path).execute("CREATE TRIGGER mine \(trigger)")
      _ = try test.store.undo()
      #expect(try test.content() == before)
      try RawDatabase(path: test.path).execute("DROP TRIGGER mine")
    }
  }

  @Test func `a constraint that a trigger of another program breaks is no raw text`() throws {
    let test = try sample()
    try RawDatabase(path: test.path).execute(
      "CREATE TRIGGER mine AFTER INSERT ON item BEGIN UPDATE item SET uuid = (SELECT min(uuid) FROM item); END")
    let error = #expect(throws: TodoError.self) { try test.store.add(ItemDraft(title: "three")) }
    #expect(error?.message.contains("(mine)") == true, "\(String(describing: error))")
  }

  @Test func `the log is shown although another program has stored a label that is no UTF-8`() throws {
    let test = try sample()
    try RawDatabase(path: test.path).execute("UPDATE change SET label = CAST(x'E9' AS TEXT) WHERE id = 1")
    #expect(try test.store.log().map(\.label).contains("\u{FFFD}"))
    _ = try test.store.undo()
  }
}
