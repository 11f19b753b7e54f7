import FetchedResultsSupport
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

@testable import TodoCore

/// Objects of ours that another program drops, or replaces by something else with the same name.
@Suite struct OwnObjectTests {
  private func sample() throws -> TestStore {
    let test = try TestStore()
    try test.add(arguments: "one", "@a", "@b", "every:day", "due:2031-01-01")
    try test.add(arguments: "two", "+Work", "@c", "!high")
    return test
  }

  /// Runs a script as sqlite3's shell does.
  private func shell(_ path: String, _ sql: String) throws {
    let raw = try RawDatabase(path: path)
    try raw.execute("PRAGMA foreign_keys = OFF")
    try raw.execute(sql)
  }

  @Test func `the names and the checksum of our triggers, indexes and views are those of the schema`() throws {
    let found = try SchemaObjects.expected()
    #expect(Set(found.found.keys.filter { !$0.hasPrefix("table ") }) == Set(OwnSchema.objects))
    #expect(found.checksumOfObjects == OwnSchema.checksums.objects)
    #expect(found.checksumOfTables == OwnSchema.checksums.tables)
    for (table, columns) in OwnSchema.tables {
      let present = try TodoStore.inMemory().database.read {
        try $0.values("SELECT name FROM pragma_table_xinfo(\(table)) WHERE hidden <> 1", as: String.self)
      }
      #expect(Set(present) == Set(columns.split(separator: " ").map(String.init)), "\(table)")
    }
  }

  @Test func `a change reads the list of triggers only after another program may have changed it`() throws {
    let test = try sample()
    try test.store.close()
    let clock = test.clock
    let store = try TodoStore.open(DatabaseLocation(path: test.path)) { clock.moment }
    let statements = Locked<[String]>([])
    try store.database.trace { sql, _ in statements.withLock { $0.append(sql) } }
    func readings() throws -> Int {
      statements.withLock { $0 = [] }
      _ = try store.add(ItemDraft(title: "another"))
      #expect(statements.withLock { $0.contains { $0.contains("INTO item") } })
      return statements.withLock { $0.count { $0.contains("sqlite_schema") } }
    }
    #expect(try readings() == 0)
    try shell(test.path, "DROP TRIGGER item_journal_update")
    #expect(try readings() > 0)
    #expect(try readings() == 0)
    #expect(try store.doctor().filter { !$0.isWell } == [])
    try shell(test.path, "CREATE TRIGGER theirs AFTER DELETE ON list BEGIN SELECT 1; END")
    #expect(try readings() > 0)
    // Each change must say which of them undoes it.
    #expect(try readings() > 0)
    try shell(test.path, "DROP TRIGGER theirs")
    #expect(try readings() > 0)
    #expect(try readings() == 0)
    try store.close()
  }

  @Test func `a trigger of another program that was there before is checked at the first change`() throws {
    for name in ["theirs", "frc_theirs", "FRC_theirs"] {
      let test = try sample()
      try test.store.close()
      try shell(test.path, "CREATE TRIGGER \(name) AFTER INSERT ON change BEGIN SELECT 1; END")
      let clock = test.clock
      let store = try TodoStore.open(DatabaseLocation(path: test.path)) { clock.moment }
      let error = #expect(throws: TodoError.self) { _ = try store.add(ItemDraft(title: "refused")) }
      #expect("\(error as Any)".contains(name), "\(error as Any)")
      try store.close()
    }
  }

  /// A store that has been open for a while, and the content before what others do.
  private func opened() throws -> (TestStore, [[RawDatabase.Value]]) {
    let test = try sample()
    _ = try test.store.add(ItemDraft(title: "three"))
    return (test, try test.content())
  }

  /// Changes an item, and takes that back.
  private func expectUndone(_ test: TestStore, _ before: [[RawDatabase.Value]], _ comment: Comment) throws {
    var edit = ItemEdit()
    edit.title = "another title"
    edit.addedTags = ["z"]
    #expect(try test.store.edit(Selection(1), edit).didChange, comment)
    _ = try test.store.undo()
    #expect(try test.content() == before, comment)
    #expect(try test.store.doctor().filter { !$0.isWell } == [], comment)
  }

  @Test func `a schema that a refused change has made is not remembered`() throws {
    let (test, before) = try opened()
    func version() throws -> Int { try Int(RawDatabase(path: test.path).strings("PRAGMA schema_version")[0][0]) ?? 0 }
    try shell(test.path, "CREATE TRIGGER mine BEFORE UPDATE ON item BEGIN SELECT RAISE(ABORT, 'no'); END")
    // The change makes the triggers again that fire after it, each in two steps.
    let late = try test.store.database.read { try SchemaObjects.lateTriggers($0).count }
    let made = try version() + 2 * late
    #expect(late > 5)
    #expect(throws: TodoError.self) { _ = try test.store.done(Selection(1)) }
    try shell(test.path, "DROP TRIGGER mine; DROP TRIGGER item_journal_update")
    for number in 0..<100 where try version() < made { try shell(test.path, "CREATE TABLE theirs_\(number)(a)") }
    #expect(try version() == made)
    try expectUndone(test, before, "the version of the refused change")
  }

  @Test(arguments: [
    "DROP TRIGGER item_journal_update", "DROP TRIGGER item_tag_after_update",
    "DROP TRIGGER item_journal_update; CREATE TRIGGER item_journal_update AFTER UPDATE ON item BEGIN SELECT 1; END",
  ])
  func `a schema whose version was set back is checked again`(sql: String) throws {
    let (test, before) = try opened()
    let raw = try RawDatabase(path: test.path)
    let version = try raw.strings("PRAGMA schema_version")[0][0]
    try shell(test.path, sql + "; PRAGMA schema_version = \(version)")
    // The connection's own view of the schema is as old as that version: a command that opens the file has it right.
    do {
      try expectUndone(test, before, "\(sql)")
    } catch let error as TodoError {
      #expect(error.message.contains("item_"), "\(error)")
      let store = try TodoStore.open(DatabaseLocation(path: test.path))
      #expect(try store.doctor().filter { !$0.isWell } == [])
      #expect(try test.content() == before)
      try store.close()
    }
  }

  @Test(arguments: OwnSchema.objects)
  func `a trigger, an index or a view of ours that is missing is created again`(object: String) throws {
    let test = try sample()
    try test.store.close()
    try RawDatabase(path: test.path).execute("PRAGMA foreign_keys = OFF; DROP \(object)")
    let clock = test.clock
    func open() throws -> TodoStore { try TodoStore.open(DatabaseLocation(path: test.path)) { clock.moment } }
    func titles(_ store: TodoStore) throws -> [String] {
      try store.items(Selection(ids: [], filter: Filter(status: .any))).map { "\($0.title) \($0.done) \($0.tags)" }
    }
    let store = try open()
    let before = try titles(store)
    #expect(try store.doctor().filter { !$0.isWell } == [])
    #expect(try store.done(Selection(1)).didChange)
    var edit = ItemEdit()
    edit.title = "other"
    edit.addedTags = ["new"]
    #expect(try store.edit(Selection(2), edit).didChange)
    #expect(try store.remove(Selection(2)).didChange)
    #expect(try store.renameList("Work", to: "Play").didChange)
    for _ in 0..<4 { _ = try store.undo() }
    #expect(try titles(store) == before)
    #expect(try store.doctor().filter { !$0.isWell } == [])
    try store.close()
  }

  private static let replacements = [
    "DROP TRIGGER item_journal_update; CREATE TRIGGER item_journal_update AFTER UPDATE ON item BEGIN SELECT 1; END",
    "DROP TRIGGER item_journal_insert; CREATE TRIGGER Item_Journal_INSERT AFTER INSERT ON item BEGIN SELECT 1; END",
    "DROP TRIGGER take_back; CREATE TRIGGER take_back INSTEAD OF INSERT ON taking_back BEGIN SELECT 1; END",
    "DROP TRIGGER item_tag_after_update; CREATE TRIGGER ITEM_TAG_AFTER_UPDATE AFTER UPDATE ON item BEGIN SELECT 1; END",
    "DROP VIEW replay; CREATE VIEW replay AS SELECT 1 AS a",
    "DROP VIEW item_to_journal; CREATE VIEW ITEM_TO_JOURNAL AS SELECT 1 AS id",
    "DROP INDEX item_previous; CREATE INDEX item_previous ON item(title)",
    "DROP INDEX item_by_list; CREATE INDEX Item_By_List ON item(id)",
    "DROP TRIGGER replay_item; CREATE VIEW replay_item AS SELECT 1",
    "DROP TABLE evicting; CREATE TABLE evicting(x)",
    "DROP TABLE item_to_index; CREATE TABLE item_to_index(item, theirs)",
    "DROP TABLE item_tag; CREATE TABLE item_tag(id INTEGER PRIMARY KEY, x)",
    "DROP TABLE item_tag; CREATE TABLE ITEM_TAG(a, b)", "DROP TABLE evicting; CREATE TABLE Evicting(a, b)",
  ]

  @Test(arguments: replacements, [false, true])
  func `an object of ours that another program has replaced is created again`(sql: String, isOpen: Bool) throws {
    var test = try sample()
    let before = try test.content()
    if !isOpen { try test.store.close() }
    try shell(test.path, sql)
    if !isOpen { test = try TestStore(path: test.path) }
    if !sql.contains("TABLE item_tag") { #expect(try test.content() == before) }
    _ = try test.store.done(Selection(1))
    var edit = ItemEdit()
    edit.addedTags = ["x"]
    edit.title = "other"
    _ = try test.store.edit(Selection(2), edit)
    _ = try test.store.remove(Selection(2))
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    for _ in 0..<3 { _ = try test.store.undo() }
    #expect(try test.content() == before)
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    try test.store.close()
  }

  @Test(arguments: ["replay", "item_text", "item_by_list"], [false, true])
  func `a table that another program gives the name of an object of ours is named`(name: String, isOpen: Bool) throws {
    let test = try sample()
    let before = try test.content()
    if !isOpen { try test.store.close() }
    let type = OwnSchema.objects.first { $0.hasSuffix(" \(name)") }
    try shell(test.path, "DROP \(type ?? ""); CREATE TABLE \(name)(theirs)")
    let reader = try #require(try TodoStore.openToRead(DatabaseLocation(path: test.path)))
    #expect(try reader.doctor().flatMap(\.problems).contains { $0.contains("ALTER TABLE \(name) RENAME TO") })
    try reader.close()
    let error = #expect(throws: TodoError.self) {
      let store = isOpen ? test.store : try TestStore(path: test.path).store
      _ = try store.add(ItemDraft(title: "three"))
    }
    #expect(
      error?.exitCode == 65 && error?.message.contains("ALTER TABLE \(name) RENAME TO") == true,
      "\(String(describing: error))")
    #expect(try test.content() == before)
    try shell(test.path, "ALTER TABLE \(name) RENAME TO \(name)_of_others")
    let store = try TestStore(path: test.path).store
    _ = try store.add(ItemDraft(title: "three"))
    #expect(try store.doctor().filter { !$0.isWell } == [])
  }

  @Test func `what was changed without a trigger of ours is not overwritten by an undo`() throws {
    let test = try sample()
    var edit = ItemEdit()
    edit.title = "uno"
    _ = try test.store.edit(Selection(1), edit)
    try test.store.close()
    try shell(
      test.path, "DROP TRIGGER item_journal_update; UPDATE item SET notes = '[\"theirs\"]', tags = '[]' WHERE id = 1")
    let store = try TestStore(path: test.path).store
    let then = try test.content()
    let error = #expect(throws: TodoError.self) { try store.undo() }
    #expect(
      error?.exitCode == 4 && error?.message.contains("undo --skip") == true, "\(String(describing: error))")
    #expect(try test.content() == then)
    // A change after it can be undone, and the ones before it if that is wanted.
    _ = try store.done(Selection(2))
    _ = try store.undo()
    #expect(try test.content() == then)
    _ = try store.skipUndo()
    #expect(try store.undo().label?.contains("edit") == true)
  }

  @Test(arguments: ["item", "list", "journal", "change", "item_tag", "item_to_index", "evicting"], [false, true])
  func `a table of ours that was renamed and has its name again is as it was`(table: String, inCapitals: Bool) throws {
    let test = try sample()
    let before = try test.content()
    try test.store.close()
    let name = inCapitals ? table.uppercased() : table
    try shell(test.path, "ALTER TABLE \(table) RENAME TO q; ALTER TABLE q RENAME TO \(name)")
    let store = try TestStore(path: test.path).store
    #expect(try store.doctor().filter { !$0.isWell } == [])
    #expect(try store.backup(to: test.path + ".backup") == nil)
    try shell(test.path, "DROP INDEX item_by_list")
    _ = try store.done(Selection(1))
    #expect(try store.undo().label?.contains("done") == true)
    #expect(try test.content() == before)
    #expect(try store.undo().label?.contains("add") == true)
  }

  @Test(arguments: [
    ("DROP TRIGGER item_journal_update", true), ("DROP TRIGGER change_do", true),
    ("DROP TRIGGER item_keeps_its_number", true), ("DROP VIEW evicted_item", false),
    ("DROP VIEW item_to_journal", false),
    ("DROP INDEX item_by_list", false), ("DROP TRIGGER item_tag_after_insert", false),
    ("DROP TRIGGER replay_item", false),
  ])
  func `the log has a gap only where others may have changed what is not in the journal`(sql: String, isGap: Bool)
    throws
  {
    let test = try sample()
    try shell(test.path, sql)
    try test.add("three")
    #expect(try test.store.log().contains { $0.label.contains("triggers were missing") } == isGap)
  }

  @Test(arguments: [9, 10]) func `the log of an older version has a gap too`(version: Int) throws {
    let path = try Fixture.copy(.todo(afterMigration: version))
    try shell(path, "DROP TRIGGER item_journal_update; UPDATE item SET title = 'theirs'")
    let test = try TestStore(path: path)
    let then = try test.content()
    let error = #expect(throws: TodoError.self) { try test.store.undo() }
    #expect(error?.message.contains("undo --skip") == true, "\(String(describing: error))")
    #expect(try test.content() == then)
    let other = try TestStore(path: Fixture.copy(.todo(afterMigration: version)))
    #expect(try !other.store.log().contains { $0.label.contains("triggers were missing") })
  }

  @Test func `a table may have the name of a trigger of ours`() throws {
    let test = try sample()
    try shell(test.path, "CREATE TABLE item_journal_update(theirs); DROP TRIGGER item_journal_update")
    try test.add("three")
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
  }

  @Test func `the list of migrations is created again if all else is as it was`() throws {
    let test = try sample()
    try test.store.close()
    let before = try test.content()
    try shell(test.path, "DROP TABLE frc_migrations")
    let reader = try #require(try TodoStore.openToRead(DatabaseLocation(path: test.path)))
    #expect(try reader.doctor().filter { !$0.isWell } == [])
    reader.finish()
    let store = try TestStore(path: test.path).store
    _ = try store.undo()
    _ = try store.redo()
    #expect(try test.content() == before)
    try store.close()
    // Where more is missing, nobody knows which version it was.
    try shell(test.path, "DROP TABLE frc_migrations; DROP VIEW replay")
    let error = #expect(throws: TodoError.self) { try TestStore(path: test.path) }
    #expect(
      error?.exitCode == 65 && error?.message.contains("frc_migrations") == true, "\(String(describing: error))")
    #expect(try test.content() == before)
  }

  @Test func `a title that is no text prevents neither its undo nor a backup's restore`() throws {
    let test = try sample()
    let before = try test.content()
    try shell(test.path, "UPDATE item SET title = CAST(x'41ff' AS TEXT) WHERE id = 2")
    _ = try test.store.undo()
    #expect(try test.content() == before)
  }

  /// Bytes of a file that a disk has changed: where they are, and the new ones.
  private static let damages: [@Sendable ([UInt8]) -> (Int, [UInt8])] = [
    { _ in (18, [3]) }, { _ in (59, [2]) }, { _ in (59, [3]) }, { _ in (59, [9, 9, 9]) },
    { bytes in (bytes.firstRange(of: Array("item_journal_update".utf8))?.lowerBound ?? 0, Array("item_jourxal".utf8)) },
    { bytes in (bytes.firstRange(of: Array("sqlite_autoindex_item_1".utf8))?.lowerBound ?? 0, Array("x".utf8)) },
    { bytes in (bytes.firstRange(of: Array("CREATE VIEW replay".utf8))?.lowerBound ?? 0, Array("CREATE VIEW r_".utf8))
    },
    { bytes in
      (bytes.firstRange(of: Array("CREATE TABLE item(".utf8))?.lowerBound ?? 0, Array("CREATE TABLE itfm".utf8))
    },
  ]

  @Test(arguments: damages.indices)
  func `a damaged header or name is damage, and a restore puts a backup in its place`(number: Int) throws {
    let test = try sample()
    #expect(try test.store.backup(to: test.path + ".backup") == nil)
    let before = try test.content()
    try test.store.close()
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: test.path)))
    let (place, damage) = Self.damages[number](bytes)
    try #require(place > 0)
    bytes.replaceSubrange(place..<place + damage.count, with: damage)
    try Data(bytes).write(to: URL(filePath: test.path))
    let other = try TestStore()
    // The damaged file as a backup: it is refused, or nothing that matters was damaged.
    do {
      let (store, _) = try TodoStore.restore(DatabaseLocation(path: other.path), from: test.path)
      #expect(try store.items(Selection(ids: [1...9])).count == before.count - 5)
    } catch let error {
      #expect(error.exitCode == 65 && error.message.contains("damaged"), "\(error)")
    }
    let (store, result) = try TodoStore.restore(DatabaseLocation(path: test.path), from: test.path + ".backup")
    #expect(result.items == 2)
    #expect(try test.content() == before)
    _ = try store.done(Selection(1))
    #expect(try store.doctor().filter { !$0.isWell } == [])
  }
}
