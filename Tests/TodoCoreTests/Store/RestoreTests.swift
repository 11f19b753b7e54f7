import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

@testable import TodoCore

/// Restoring a backup.
@Suite struct RestoreTests {
  private func restore(_ test: TestStore, from backup: String) throws -> RestoreResult {
    let clock = test.clock
    let (store, result) = try TodoStore.restore(
      DatabaseLocation(path: test.path), from: backup, collectsItems: true, clock: { clock.moment })
    try store.close()
    return result
  }

  /// Changes at random: items and lists that come, go, change places and names.
  private func scramble(_ test: TestStore, _ generator: inout SeededGenerator) throws {
    for _ in 0..<Int.random(in: 1...25, using: &generator) {
      let ids = try test.store.items(Selection(filter: Filter(status: .any))).map(\.id)
      let lists = try test.store.lists().map(\.name)
      let id = ids.randomElement(using: &generator) ?? 1
      let name = ["Inbox", "a", "B", "c", "D"].randomElement(using: &generator) ?? "a"
      let number = Int.random(in: 0...9, using: &generator)
      do {
        switch Int.random(in: 0...9, using: &generator) {
        case 0, 1: try test.add(arguments: "t\(number)", "+\(name)", "@g\(number % 3)")
        case 2:
          try test.add(
            arguments: "r", "due:2031-01-0\(number + 1)".replacingOccurrences(of: "010", with: "10"), "every:day")
        case 3: _ = try test.store.done(Selection(id))
        case 4: _ = try test.store.remove(Selection(id))
        case 5: _ = try test.store.renameList(lists.randomElement(using: &generator) ?? "a", to: name)
        case 6: _ = try test.store.reorderList(lists.randomElement(using: &generator) ?? "a", .first)
        case 7: _ = try test.store.removeList(lists.randomElement(using: &generator) ?? "a")
        case 8: _ = try test.store.move(Selection(id), .last(list: name))
        default: _ = try test.store.undo()
        }
      } catch _ as TodoError {
        // What can't be done at the moment.
      }
    }
  }

  @Test(arguments: UInt64(1)...12) func `the contents become those of the backup, and undo reverts that`(seed: UInt64)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    let test = try TestStore()
    try scramble(test, &generator)
    let backup = test.path + ".backup"
    try test.store.backup(to: backup)
    let then = try test.content()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
    for _ in 0..<3 {
      try scramble(test, &generator)
      let before = try test.content()
      let revision = try test.store.revision()
      let greatest = try test.store.database.read {
        try $0.value("SELECT seq FROM sqlite_sequence WHERE name = 'item'", as: Int64.self) ?? 0
      }
      let result = try restore(test, from: backup)
      #expect(try test.content() == then)
      #expect(result.change.didChange == (before != then) && !result.isWhole && result.setAside == nil)
      #expect(try test.store.doctor().filter { !$0.isWell } == [])
      guard result.change.didChange else { continue }
      #expect(try test.store.revision() == revision + 1)
      #expect(try test.add("new")[0] > greatest)
      _ = try test.store.undo()
      #expect(try test.store.nextUndo()?.label == "restore \"todo.db.backup\"")
      _ = try test.store.undo()
      #expect(try test.content() == before)
      #expect(try test.store.doctor().filter { !$0.isWell } == [])
      _ = try test.store.redo()
      #expect(try test.content() == then)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: backup)) == bytes)
    let names = try FileManager.default.contentsOfDirectory(atPath: DatabaseLocation(path: test.path).folder)
    #expect(Set(names).isSubset(of: ["todo.db", "todo.db-wal", "todo.db-shm", "todo.db.backup"]), "\(names)")
  }

  @Test func `all columns are restored`() throws {
    let store = try TodoStore.inMemory()
    for (table, columns) in RestoredContents.columns {
      let found = try store.database.read {
        try $0.values("SELECT name FROM pragma_table_info(\(table))", as: String.self)
      }
      #expect(Set(found) == Set(columns))
    }
  }

  @Test func `a backup of another database is restored too`() throws {
    let (one, other) = (try TestStore(), try TestStore())
    // The same numbers and names for others, and numbers that cross over.
    try one.add("a", "b", "c", list: "L")
    _ = try one.store.addList("M")
    try other.add("x", list: "M")
    try other.add("y", "z", list: "l")
    let backup = other.path + ".backup"
    try other.store.backup(to: backup)
    let before = try one.content()
    #expect(try restore(one, from: backup).added == 3)
    #expect(try one.content() == other.content())
    _ = try one.store.undo()
    #expect(try one.content() == before)
  }

  @Test func `an older backup is restored and not touched`() throws {
    let backup = try Fixture.copy(.todoOlder)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
    let test = try TestStore()
    try test.add("gone")
    let result = try restore(test, from: backup)
    #expect(result.removed == 1 && result.added == 2)
    #expect(try test.store.items(Selection(1)).map(\.title) != ["gone"])
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    #expect(try Data(contentsOf: URL(fileURLWithPath: backup)) == bytes)
  }

  @Test func `a damaged database is not set aside while another program has it open`() throws {
    let test = try TestStore()
    try test.add("kept")
    let backup = test.path + ".backup"
    try test.store.backup(to: backup)
    try test.store.close()
    let other = try RawDatabase(path: test.path)
    _ = try other.strings("SELECT count(*) FROM item")
    try RawDatabase(path: test.path).execute("UPDATE item SET notes = '[x]'")
    let error = #expect(throws: TodoError.self) { try restore(test, from: backup) }
    #expect(error?.description.contains("another program has it open") == true, "\(String(describing: error))")
    let folder = URL(filePath: test.path).deletingLastPathComponent().path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(!names.contains { $0.contains("damaged") || $0.contains("restoring") }, "\(names)")
    // What the other one writes is still in the file.
    try other.execute("UPDATE item SET title = 'written'")
    #expect(try RawDatabase(path: test.path).strings("SELECT title FROM item") == [["written"]])
    withExtendedLifetime(other) {}
  }

  @Test(arguments: ["text", "pages", "table", "bytes", "missing", "empty"])
  func `a damaged database is set aside`(damage: String)
    throws
  {
    let test = try TestStore()
    for number in 0..<200 { try test.add("kept \(number) " + String(repeating: "x", count: 200)) }
    let backup = test.path + ".backup"
    try test.store.backup(to: backup)
    let then = try test.content()
    try test.add("lost")
    try test.store.close()
    let file = URL(fileURLWithPath: test.path)
    switch damage {
    case "text": try Data(repeating: 65, count: 9000).write(to: file)
    case "pages":
      var bytes = try Data(contentsOf: file)
      bytes.replaceSubrange(8192..<bytes.count - 4096, with: Data(repeating: 0xAA, count: bytes.count - 12288))
      try bytes.write(to: file)
    case "table": try RawDatabase(path: test.path).execute("PRAGMA foreign_keys = 0; DROP TABLE list")
    case "bytes": try RawDatabase(path: test.path).execute("UPDATE item SET title = CAST(x'41ff' AS TEXT) WHERE id = 1")
    case "empty": try Data().write(to: file)
    default: try FileManager.default.removeItem(at: file)
    }
    // A log that belongs to what was there, and not to what will be.
    if damage == "text" || damage == "pages" {
      try Data(repeating: 1, count: 5000).write(to: URL(fileURLWithPath: test.path + "-wal"))
    }
    let result = try restore(test, from: backup)
    #expect(result.isWhole && result.items == 200 && result.change.items.count == 200)
    #expect(try test.content() == then)
    let there = damage != "missing" && damage != "empty"
    #expect(result.setAside == (there ? test.path + ".damaged" : nil))
    #expect(FileManager.default.fileExists(atPath: test.path + ".damaged") == there)
    let store = try TodoStore.open(DatabaseLocation(path: test.path))
    #expect(try store.doctor().filter { !$0.isWell } == [])
    #expect(try store.add(ItemDraft(title: "next")).items[0].id == 201)
  }

  @Test(
    arguments: [true, false],
    [
      ("UPDATE item SET title = CAST(x'41ff' AS TEXT)", "no text"),
      ("UPDATE list SET name = CAST(x'41ff' AS TEXT)", "no text"),
      ("UPDATE item SET notes = '[x]'", "JSON"),
    ]) func `a backup that is damaged is refused before anything is touched`(
      isThere: Bool, damage: (sql: String, says: String)
    )
    throws
  {
    let (one, other) = (try TestStore(), try TestStore())
    try one.add("kept")
    try other.add("a", "b")
    let backup = other.path + ".backup"
    try other.store.backup(to: backup)
    try RawDatabase(path: backup).execute(damage.sql)
    let location = isThere ? DatabaseLocation(path: one.path) : DatabaseLocation(path: one.path + ".new")
    let then = try one.content()
    #expect {
      _ = try TodoStore.restore(location, from: backup)
    } throws: { error in
      guard case TodoError.badData(let message) = error else { return false }
      return message.hasPrefix(backup) && message.contains(damage.says)
    }
    #expect(try one.content() == then && !FileManager.default.fileExists(atPath: one.path + ".new"))
    let names = try FileManager.default.contentsOfDirectory(atPath: DatabaseLocation(path: one.path).folder)
    #expect(Set(names).isSubset(of: ["todo.db", "todo.db-wal", "todo.db-shm"]), "\(names)")
  }

  /// What somebody adds to a database for purposes of their own.
  private static let additions = """
    CREATE TABLE mine(id INTEGER PRIMARY KEY, item INTEGER);
    INSERT INTO mine VALUES (1, 77);
    CREATE VIEW open_items AS SELECT * FROM item WHERE done = 0;
    CREATE INDEX item_by_title ON item(title);
    CREATE TABLE added(item INTEGER);
    CREATE TRIGGER note_added AFTER INSERT ON item BEGIN INSERT INTO added VALUES (new.id); END;
    INSERT INTO change(label) VALUES ('left open');
    """

  private func added(to path: String) throws -> Int {
    try RawDatabase(path: path).strings(
      "SELECT name FROM sqlite_schema WHERE name IN ('mine', 'open_items', 'item_by_title', 'added', 'note_added')"
    ).count
  }

  @Test func `a sound database with tables, views, indexes and triggers of the user is not set aside`() throws {
    let test = try TestStore()
    try test.add("kept")
    let backup = test.path + ".backup"
    try test.store.backup(to: backup)
    let then = try test.content()
    try test.add("new")
    try RawDatabase(path: test.path).execute(Self.additions)
    _ = try test.store.remove(Selection(1))
    let before = try test.content()
    let result = try restore(test, from: backup)
    #expect(!result.isWhole && result.setAside == nil && result.added == 1 && result.removed == 1)
    #expect(try test.content() == then && added(to: test.path) == 5)
    // Restoring the item ran the trigger, as every command does.
    #expect(try RawDatabase(path: test.path).strings("SELECT item FROM added") == [["1"]])
    _ = try test.store.undo()
    #expect(try test.content() == before)
  }

  @Test(arguments: [true, false])
  func `a backup with tables, views, indexes and triggers of the user is restored`(isThere: Bool) throws {
    let (one, other) = (try TestStore(), try TestStore())
    try one.add("kept")
    try other.add("a", "b")
    try RawDatabase(path: other.path).execute(Self.additions)
    let backup = other.path + ".backup"
    try other.store.backup(to: backup)
    let path = isThere ? one.path : one.path + ".new"
    let (store, result) = try TodoStore.restore(DatabaseLocation(path: path), from: backup)
    #expect(result.items == 2 && result.isWhole == !isThere)
    // An intact database takes over only the items. If it is missing, the backup becomes the database, with everything
    // in it.
    #expect(try added(to: path) == (isThere ? 0 : 5))
    #expect(try store.items(Selection(1, 2)).map(\.title) == ["a", "b"])
    try store.close()
  }

  @Test func `an error in reading a backup names the backup`() throws {
    let (one, other) = (try TestStore(), try TestStore())
    try other.add("a")
    let backup = other.path + ".backup"
    try other.store.backup(to: backup)
    let raw = try RawDatabase(path: backup)
    try raw.execute("BEGIN EXCLUSIVE")
    #expect {
      var options = Database.Options()
      options.busyTimeout = .milliseconds(20)
      _ = try TodoStore.restore(DatabaseLocation(path: one.path), from: backup, options)
    } throws: { error in
      guard case TodoError.busy(let message) = error else { return false }
      return message.contains(backup)
    }
    try raw.execute("COMMIT")
    #expect(try restore(one, from: backup).added == 1)
  }

  @Test func `a backup that is none is refused and nothing is touched`() throws {
    let test = try TestStore()
    try test.add("kept")
    let then = try test.content()
    let folder = DatabaseLocation(path: test.path).folder
    for fixture in [Fixture.notADatabase, .truncated, .todoNewer, .todoBeforeFirstRelease, .related, .empty] {
      let path = try Fixture.copy(fixture)
      #expect(throws: TodoError.self) { try restore(test, from: path) }
    }
    for path in ["", folder, folder + "/nowhere", test.path] {
      #expect(throws: TodoError.self) { try restore(test, from: path) }
    }
    #expect(throws: TodoError.self) {
      try TodoStore.restore(DatabaseLocation(path: folder + "/no/folder.db"), from: test.path)
    }
    #expect(try test.content() == then)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(Set(names).isSubset(of: ["todo.db", "todo.db-wal", "todo.db-shm"]), "\(names)")
  }
}
