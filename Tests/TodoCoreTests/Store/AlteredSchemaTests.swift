import FixtureSupport
import Foundation
import SQLiteStore
import Testing

@testable import TodoCore

/// A database in which another program has altered objects of ours is refused with one error; an export and a restore
/// work. What others add under names of their own is no alteration.
@Suite struct AlteredSchemaTests {
  private func sample() throws -> TestStore {
    let test = try TestStore()
    try test.add(arguments: "one", "@a", "@b", "every:day", "due:2031-01-01")
    try test.add(arguments: "two", "+Work", "@c", "!high")
    return test
  }

  private func titles(_ store: TodoStore) throws -> [String] {
    var titles: [String] = []
    try store.export(begin: { _ in }, item: { item, _ in titles.append(item.title) })
    return titles
  }

  @Test func `the names and the fingerprint of our objects are those of the schema`() throws {
    let objects = try TodoStore.inMemory().database.read { try OwnSchema.objects($0) }
    let own = objects.keys.filter { name in !["frc_", "sqlite_", "item_search_"].contains { name.hasPrefix($0) } }
    #expect(own.sorted() == OwnSchema.names)
    #expect(OwnSchema.fingerprint(of: objects) == OwnSchema.fingerprint)
  }

  @Test(arguments: [
    ("DROP TRIGGER item_journal_update", "item_journal_update is missing"),
    ("DROP INDEX item_previous", "item_previous is missing"), ("DROP VIEW replay", "replay is missing"),
    ("DROP TABLE item_tag", "item_tag is missing"), ("DROP TABLE journal", "is missing"),
    ("ALTER TABLE item ADD COLUMN mine TEXT", "item is not as it was made"),
    ("ALTER TABLE list RENAME COLUMN extra TO more", "list is not as it was made"),
    ("ALTER TABLE list RENAME TO was; ALTER TABLE was RENAME TO list", "is not as it was made"),
    (
      "DROP TRIGGER item_journal_delete; CREATE TRIGGER item_journal_delete AFTER DELETE ON item BEGIN SELECT 1; END",
      "item_journal_delete is not as it was made"
    ),
    ("DROP TABLE item_to_index; CREATE VIEW item_to_index AS SELECT 1 AS item", "item_to_index is not as it was made"),
  ])
  func `an altered object of ours is one error, and an export and a restore work`(sql: String, what: String) throws {
    let test = try sample()
    #expect(try test.store.backup(to: test.path + ".backup") == nil)
    let then = try test.content()
    try test.store.close()
    try RawDatabase(path: test.path).execute("PRAGMA foreign_keys = OFF; " + sql)
    let location = DatabaseLocation(path: test.path)
    for open in [{ _ = try TodoStore.open(location) }, { _ = try TodoStore.openToRead(location) }] {
      let error = #expect(throws: TodoError.self) { try open() }
      #expect(error?.exitCode == 65, "\(String(describing: error))")
      for part in [what, "todo export", "todo restore FILE"] {
        #expect(error?.message.contains(part) == true, "\(part)")
      }
    }
    let reader = try #require(try TodoStore.openToRead(location, acceptsAltered: true))
    if !sql.contains("COLUMN extra") { #expect(try titles(reader) == ["one", "two"]) }
    let schema = try reader.doctor().filter { $0.subject == "schema" }.flatMap(\.problems)
    #expect(schema.count == 1 && schema[0].contains(what), "\(schema)")
    #expect(try reader.backup(to: test.path + ".altered") != nil)
    try reader.close()
    #expect(throws: TodoError.self) { try TodoStore.restore(location, from: test.path + ".altered") }
    let (store, result) = try TodoStore.restore(location, from: test.path + ".backup")
    #expect(result.setAside == test.path + ".damaged")
    #expect(try test.content() == then && store.doctor().allSatisfy(\.isWell))
    try store.close()
  }

  @Test func `a file of a development version is named as such, and can be exported`() throws {
    let location = DatabaseLocation(path: try Fixture.copy(.todoBeforeFirstRelease))
    let before = try Bytes.of(location.path)
    for open in [{ _ = try TodoStore.open(location) }, { _ = try TodoStore.openToRead(location) }] {
      let error = #expect(throws: TodoError.self) { try open() }
      for part in ["before 0.9.0", "0011_copies_of_deleted_items", "todo export", "todo restore FILE"] {
        #expect(error?.exitCode == 65 && error?.message.contains(part) == true, "\(String(describing: error))")
      }
    }
    let reader = try #require(try TodoStore.openToRead(location, acceptsAltered: true))
    let exported = try reader.exported(as: .json)
    try reader.close()
    #expect(try Bytes.of(location.path) == before)
    let other = try TestStore()
    #expect(try other.store.importItems(TransferFormat.json.read(exported, at: other.store.moment)).added > 5)
    // As a backup it is refused; a backup takes its place.
    #expect(throws: TodoError.self) { try TodoStore.restore(DatabaseLocation(path: other.path), from: location.path) }
    try other.store.backup(to: other.path + ".backup")
    let (store, result) = try TodoStore.restore(location, from: other.path + ".backup")
    #expect(result.setAside == location.path + ".damaged")
    #expect(try titles(store).count == titles(other.store).count)
    try store.close()
  }

  @Test(arguments: [
    "CREATE TABLE mine(a, b CHECK (json_valid(b)))", "CREATE INDEX mine ON item(json_extract(extra, '$.x'))",
    "CREATE VIEW mine AS SELECT json_extract(extra, '$.x') FROM item",
    "CREATE TABLE added(item); CREATE TRIGGER mine AFTER INSERT ON item BEGIN INSERT INTO added VALUES (new.id); END",
    "CREATE VIRTUAL TABLE words USING fts5(word); CREATE TRIGGER mine AFTER INSERT ON item BEGIN "
      + "INSERT INTO words VALUES (new.title); END",
    "CREATE TABLE theirs(a DEFAULT 'caf\u{1}')",
  ]) func `objects of other programs are in no command's way`(sql: String) throws {
    let test = try sample()
    #expect(try test.store.backup(to: test.path + ".backup") == nil)
    let then = try test.content()
    let raw = try RawDatabase(path: test.path)
    try raw.execute(sql)
    // As a program that writes Latin-1 stores it.
    try raw.execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = CAST(replace(CAST(sql AS BLOB), x'01', x'E9') AS TEXT) WHERE instr(sql, char(1));
      PRAGMA writable_schema = RESET
      """)
    let clock = test.clock
    let store = try TodoStore.open(DatabaseLocation(path: test.path)) { clock.moment }
    _ = try store.add(ItemDraft(title: "three", list: "New"))
    _ = try store.done(Selection(1))
    #expect(try store.doctor().filter { !$0.isWell } == [])
    _ = try store.undo()
    _ = try store.undo()
    #expect(try test.content() == then)
    var batch = ImportBatch()
    batch.items = (0..<250).map { ImportedItem(title: "filler \($0)") }
    #expect(try store.importItems(batch).added == 250)
    try store.close()
    let (restored, result) = try TodoStore.restore(DatabaseLocation(path: test.path), from: test.path + ".backup")
    #expect(result.setAside == nil && result.removed == 250)
    #expect(try test.content() == then)
    try restored.close()
  }

  @Test(arguments: [
    ("BEFORE UPDATE ON item BEGIN SELECT RAISE(ABORT, 'not now'); END", "not now"),
    ("AFTER UPDATE ON item BEGIN SELECT nofunction(new.id); END", "nofunction"),
  ]) func `what a trigger of another program refuses is refused with its reason`(trigger: String, reason: String) throws
  {
    let test = try sample()
    let before = try test.content()
    try RawDatabase(path: test.path).execute("CREATE TRIGGER mine \(trigger)")
    let error = #expect(throws: TodoError.self) { try test.store.start(Selection(1)) }
    #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
    #expect(try test.content() == before)
  }

  // MARK: Damage

  @Test func `a title that is no text prevents no undo`() throws {
    let test = try sample()
    let before = try test.content()
    try RawDatabase(path: test.path).execute("UPDATE item SET title = CAST(x'41ff' AS TEXT) WHERE id = 2")
    _ = try test.store.undo()
    #expect(try test.content() == before)
  }

  @Test func `the log is shown although another program has stored a label that is no UTF-8`() throws {
    let test = try sample()
    try RawDatabase(path: test.path).execute("UPDATE change SET label = CAST(x'E9' AS TEXT) WHERE id = 1")
    #expect(try test.store.log().map(\.label).contains("\u{FFFD}"))
    _ = try test.store.undo()
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
      #expect(error.exitCode == 65, "\(error)")
      #expect(error.message.contains("damaged") || error.message.contains("altered"), "\(error)")
    }
    let (store, result) = try TodoStore.restore(DatabaseLocation(path: test.path), from: test.path + ".backup")
    #expect(result.items == 2)
    #expect(try test.content() == before)
    _ = try store.done(Selection(1))
    #expect(try store.doctor().filter { !$0.isWell } == [])
  }

  @Test(arguments: [
    "DELETE FROM item_search_data", "INSERT INTO item_search(item_search) VALUES ('delete-all')",
    "DROP TABLE item_search_idx", "DELETE FROM item_search_docsize", "DROP TABLE item_search_data",
  ]) func `a damaged search index is damage`(sql: String) throws {
    let test = try sample()
    #expect(try test.store.backup(to: test.path + ".backup") == nil)
    let then = try test.content()
    try test.store.close()
    try RawDatabase(path: test.path).execute(sql)
    let reader = try #require(try TodoStore.openToRead(DatabaseLocation(path: test.path)))
    #expect(try reader.doctor().filter { !$0.isWell }.map(\.subject).last == "search")
    #expect(try titles(reader) == ["one", "two"])
    try reader.close()
    let (store, result) = try TodoStore.restore(DatabaseLocation(path: test.path), from: test.path + ".backup")
    #expect(result.setAside != nil)
    #expect(try test.content() == then)
    let filter = try Filter(arguments: [], text: ["two"], at: store.moment)
    #expect(try store.items(Selection(filter: filter)).map(\.id) == [2])
    try store.close()
  }
}
