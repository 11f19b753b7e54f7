import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

@testable import TodoCore

/// What follows from the items (tags, the search index, indexes, triggers, the journal) is rebuilt; a database in which
/// only that is wrong is not damaged.
@Suite struct RebuildTests {
  private func shell(_ path: String) throws -> RawDatabase {
    let raw = try RawDatabase(path: path)
    try raw.execute("PRAGMA foreign_keys = OFF; PRAGMA recursive_triggers = OFF")
    return raw
  }

  private func sample() throws -> TestStore {
    let test = try TestStore()
    try test.add(arguments: "one", "@a", "@b", "every:day", "due:2031-01-01")
    _ = try test.store.done(Selection(1))
    try test.add(arguments: "three", "+Work", "@c")
    try test.add("four")
    _ = try test.store.note("milk", to: Selection(4))
    return test
  }

  /// All items and lists, with no previous instance where that is missing.
  private func items(_ path: String) throws -> [[RawDatabase.Value]] {
    let raw = try RawDatabase(path: path, readOnly: true)
    let columns = RestoredContents.itemColumns.map {
      $0 == "previous" ? "(SELECT id FROM item AS former WHERE former.id = item.previous)" : $0
    }
    return try raw.rows("SELECT id, \(columns.joined(separator: ", ")) FROM item ORDER BY id")
      + raw.rows("SELECT id, name, position, extra FROM list ORDER BY id")
  }

  private static let harmless = [
    "DELETE FROM change WHERE id <= 2", "DELETE FROM change", "DELETE FROM journal", "DELETE FROM journal WHERE id = 1",
    "UPDATE item SET previous = 77 WHERE id = 3", "UPDATE item SET previous = 78 WHERE id = 2",
    "DELETE FROM item_tag", "DELETE FROM item_tag WHERE item = 1", "UPDATE item_tag SET tag = 'z' WHERE tag = 'c'",
    "INSERT INTO item_tag(item, tag) VALUES (99, 'x'), (4, 'y')", "UPDATE item_tag SET item = 3 WHERE item = 4",
    "INSERT INTO item_search(item_search) VALUES ('delete-all')", "DELETE FROM item_search_docsize WHERE id = 1",
    "DELETE FROM item_search_data WHERE id > 10",
    "INSERT INTO item_to_index(item, indexed, title) VALUES (2, 1, 'other')",
    "PRAGMA ignore_check_constraints = ON; UPDATE change SET kind = 'no' WHERE id = 1",
    "PRAGMA ignore_check_constraints = ON; UPDATE item_tag SET tag = NULL WHERE item = 1",
    "DROP TRIGGER item_journal_delete", "DROP TRIGGER take_back; DROP TRIGGER replay_item",
    "DROP TRIGGER item_tag_after_insert; INSERT INTO item(list, position, title) VALUES (1, 7, 'five')",
    "DROP INDEX item_by_list; DROP INDEX item_previous", "DROP VIEW replay; DROP VIEW item_text",
    "DROP TRIGGER item_to_index_after_update; UPDATE item SET title = 'other' WHERE id = 4",
    "DROP TRIGGER item_journal_insert; CREATE TRIGGER item_journal_insert AFTER INSERT ON item BEGIN SELECT 1; END",
    "ALTER TABLE item ADD COLUMN mine TEXT DEFAULT 'x'; ALTER TABLE list ADD COLUMN mine ANY",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' AND id > 2' WHERE name = 'item_open_by_list'",
  ]

  @Test(
    arguments: [
      "DROP VIEW item_to_journal; DROP INDEX item_previous", "DROP VIEW item_to_journal; DROP INDEX list_by_position",
      "DROP VIEW item_text; DROP TABLE item_search_docsize; DROP INDEX item_previous",
      "DROP TABLE item_search_data; DROP TRIGGER item_journal_update; DROP VIEW taking_back", "DROP TRIGGER take_back",
    ], [false, true])
  func `the next change makes several missing objects again`(sql: String, isOpen: Bool) throws {
    var test = try sample()
    if !isOpen { try test.store.close() }
    try shell(test.path).execute(sql)
    if !isOpen { test = try TestStore(path: test.path) }
    try test.add("five")
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    while let next = try test.store.nextUndo() {
      let isGap = next.label.contains("triggers were missing")
      _ = try isGap ? test.store.skipUndo() : test.store.undo()
    }
    #expect(try test.store.lists() == [])
  }

  @Test(arguments: harmless) func `a backup in which only derived rows are wrong is restored`(sql: String) throws {
    let test = try sample()
    try test.store.close()
    try shell(test.path).execute(sql)
    let backup = test.path + ".backup"
    let source = try #require(try TodoStore.openToRead(DatabaseLocation(path: test.path)))
    #expect(try source.backup(to: backup) == nil)
    try source.close()
    let then = try items(test.path)
    // A database of something else, a missing one, and the database itself.
    let other = try TestStore()
    try other.add("gone")
    for path in [other.path, other.path + ".new", test.path] {
      let (store, result) = try TodoStore.restore(DatabaseLocation(path: path), from: backup)
      #expect(result.setAside == nil && result.isWhole == path.hasSuffix(".new"), "\(path)")
      let problems = try store.doctor().filter { !$0.isWell }
      #expect(problems == [], "\(path)")
      #expect(try store.database.integrityCheck() == [])
      #expect(try items(path) == then)
      #expect(try store.add(ItemDraft(title: "new")).items[0].title == "new")
      _ = try store.remove(Selection(1))
      _ = try store.undo()
      _ = try store.undo()
      #expect(try items(path) == then)
      let filter = try Filter(arguments: [], text: ["milk"], at: store.moment)
      #expect(try store.items(Selection(ids: [], filter: filter)).map(\.id) == [4])
      try store.close()
    }
  }

  @Test(arguments: [
    "PRAGMA ignore_check_constraints = ON; UPDATE item SET priority = 9 WHERE id = 1",
    "UPDATE item SET title = CAST(x'41ff' AS TEXT) WHERE id = 1", "UPDATE item SET notes = '[x]' WHERE id = 1",
    "DROP TRIGGER item_has_a_list_update; UPDATE item SET list = 77 WHERE id = 1",
    "PRAGMA ignore_check_constraints = ON; UPDATE list SET extra = '[1]' WHERE id = 1",
  ]) func `a backup of damaged items warns, and is refused by a restore`(sql: String) throws {
    let test = try sample()
    try test.store.close()
    try? shell(test.path).execute(sql)
    let source = try #require(try TodoStore.openToRead(DatabaseLocation(path: test.path)))
    let warning = try source.backup(to: test.path + ".backup")
    try source.close()
    #expect(warning != nil)
    let other = try TestStore()
    let error = #expect(throws: TodoError.self) {
      try TodoStore.restore(DatabaseLocation(path: other.path), from: test.path + ".backup")
    }
    #expect(error?.exitCode == 65 && error?.message.contains(warning ?? "?") == true, "\(String(describing: error))")
  }

  @Test func `a database in which something of ours can't be made again is set aside`() throws {
    let test = try sample()
    #expect(try test.store.backup(to: test.path + ".backup") == nil)
    let then = try items(test.path)
    try test.store.close()
    // The name of the index is taken.
    try shell(test.path).execute("DROP INDEX item_by_list; CREATE TABLE item_by_list(a)")
    let error = #expect(throws: TodoError.self) { try TodoStore.open(DatabaseLocation(path: test.path)) }
    #expect(
      error?.exitCode == 65 && error?.message.contains("ALTER TABLE item_by_list RENAME") == true,
      "\(String(describing: error))")
    let warning = try TodoStore.openToRead(DatabaseLocation(path: test.path))?.backup(to: test.path + ".other")
    #expect(warning != nil)
    #expect(throws: TodoError.self) {
      try TodoStore.restore(DatabaseLocation(path: test.path), from: test.path + ".other")
    }
    let (store, result) = try TodoStore.restore(DatabaseLocation(path: test.path), from: test.path + ".backup")
    #expect(result.setAside == test.path + ".damaged")
    #expect(try items(test.path) == then)
    try store.close()
  }
}
