import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

@testable import TodoCore

/// Random statements of sqlite3's shell between commands, also such as do harm: a backup that is made without a warning
/// can be restored, and a database of which it can be made is not set aside as damaged. `SEED=n` repeats the case that
/// failed.
@Suite struct BackupTests {
  private static let statements = [
    // What people do.
    "DELETE FROM item WHERE id = %1", "DELETE FROM item WHERE done = 1", "UPDATE item SET title = upper(title)",
    "INSERT INTO item(list, position, title, tags) SELECT min(id), 5, 'typed', '[\"t\"]' FROM list",
    "REPLACE INTO item(id, list, position, title) VALUES (%1, (SELECT min(id) FROM list), %2, 'replaced')",
    "UPDATE OR REPLACE item SET previous = %1 WHERE id = %2", "UPDATE item SET previous = 1000 + id WHERE id = %1",
    "UPDATE item SET tags = '[\"x\", \"y\"]' WHERE id = %1", "UPDATE item SET tags = '[ ]' WHERE id = %1",
    "DELETE FROM list WHERE id = %1", "INSERT INTO list(name, position) VALUES ('L%1', %1)",
    "UPDATE item SET list = %1 WHERE id = %2",
    // What follows from lists and items.
    "DELETE FROM change WHERE id <= %1", "DELETE FROM change", "UPDATE change SET spent = 1 - spent WHERE id = %1",
    "INSERT INTO item_search(item_search) VALUES ('delete-all')", "DELETE FROM item_search_docsize WHERE id = %1",
    "DROP TABLE sqlite_stat1", "INSERT INTO change(label) VALUES ('left open')",
    // What belongs to the program that made it.
    "CREATE TABLE IF NOT EXISTS mine(item, title)", "CREATE INDEX mine_%1 ON item(title)",
    "CREATE TRIGGER mine_%1 AFTER DELETE ON item BEGIN SELECT 1; END",
    // What does harm to lists and items.
    "PRAGMA ignore_check_constraints = ON; UPDATE item SET priority = 9 WHERE id = %1; PRAGMA ignore_check_constraints = OFF",
    "PRAGMA ignore_check_constraints = ON; UPDATE item SET notes = 'x' WHERE id = %1; PRAGMA ignore_check_constraints = OFF",
    "PRAGMA ignore_check_constraints = ON; UPDATE change SET kind = 'x' WHERE id = %1; PRAGMA ignore_check_constraints = OFF",
    "UPDATE item SET title = CAST(x'41ff' AS TEXT) WHERE id = %1",
  ]

  private func statement(_ items: inout RandomItems) -> String {
    // Harm is rare: what follows it would find only that.
    let count = items.once(in: 12) ? Self.statements.count : Self.statements.count - 4
    return Self.statements[items.below(count)].replacing("%1", with: "\(1 + items.below(8))")
      .replacing("%2", with: "\(1 + items.below(8))")
  }

  /// All items and lists.
  private func content(_ path: String) throws -> [[RawDatabase.Value]] {
    let raw = try RawDatabase(path: path, readOnly: true)
    return try raw.rows("SELECT * FROM item NOT INDEXED ORDER BY id")
      + raw.rows("SELECT id, name, extra FROM list ORDER BY position, id")
  }

  private func command(_ items: inout RandomItems, _ store: TodoStore) throws {
    let selection = Selection(Int64(1 + items.below(8)))
    switch items.below(9) {
    case 0, 1, 2:
      var draft = ItemDraft(title: items.name(), list: items.pick([nil, "Home"]))
      draft.tags = items.once(in: 2) ? [] : [items.pick(["a", "b"])]
      draft.due = items.pick([nil, .day(items.day())])
      draft.every = items.pick([nil, .day, .week])
      _ = try store.add(draft)
    case 3: _ = try store.done(selection)
    case 4: _ = try store.remove(selection)
    case 5: _ = try store.note("note", to: selection)
    case 6: _ = try store.undo()
    case 7: _ = try store.redo()
    default: _ = try store.move(selection, .first(list: "Home"))
    }
  }

  @Test func `a backup without a warning can be restored, also over the database itself`() throws {
    for seed in Seeds.all(40, of: "backups", perSoak: 0.02) {
      var items = RandomItems(seed: seed &+ 5_000_011)
      let first = try TestStore.copyOfNew()
      try first.store.close()
      let path = first.path
      var names: [String] = []
      func open() throws -> TodoStore { try TodoStore.open(DatabaseLocation(path: path)) { first.clock.moment } }
      for step in 0..<(8 + items.below(10)) {
        if items.once(in: 2) {
          names.append(statement(&items))
          let shell = try RawDatabase(path: path)
          try shell.execute("PRAGMA foreign_keys = OFF; PRAGMA recursive_triggers = OFF; PRAGMA synchronous = OFF")
          do { try shell.execute(names[names.count - 1]) } catch is RawDatabase.Failure { names.append("(refused)") }
        } else if items.once(in: 5) {
          let backup = path + ".backup\(step)"
          guard let source = try? TodoStore.openToRead(DatabaseLocation(path: path)) else { continue }
          guard try source.backup(to: backup) == nil else { break }
          try source.close()
          let then = try content(path)
          names.append("backup")
          for target in [path, path + ".new"] {
            let (store, result) = try TodoStore.restore(DatabaseLocation(path: target), from: backup)
            try #require(result.setAside == nil, "SEED=\(seed) after \(names)")
            let problems = try store.doctor().filter { !$0.isWell }
            try store.close()
            try #require(problems == [], "SEED=\(seed) after \(names)")
            try #require(try content(target) == then, "SEED=\(seed) after \(names)")
          }
          try FileManager.default.removeItem(atPath: path + ".new")
        } else {
          do {
            let store = try open()
            try command(&items, store)
            try store.close()
            names.append("command")
          } catch { names.append("\(error)") }
        }
      }
    }
  }
}
