import FixtureSupport
import SQLiteStore
import Testing

@testable import TodoCore

/// Triggers, tables and keys of other programs that stand in the way of a change or of its undo.
@Suite struct ForeignTriggerTests {
  private func sample() throws -> TestStore {
    let test = try TestStore()
    try test.add(arguments: "one", "+one")
    _ = try test.store.addList("two")
    try test.add(arguments: "other", "+one")
    return test
  }

  private func shell(_ test: TestStore, _ sql: String) throws { try RawDatabase(path: test.path).execute(sql) }

  @Test func `a statement that touches each row once can be undone behind a new trigger`() throws {
    let test = try sample()
    let before = try test.content()
    try shell(
      test,
      """
      CREATE TABLE audit(item); CREATE TRIGGER zg AFTER UPDATE ON item BEGIN INSERT INTO audit VALUES (new.id); END;
      UPDATE item SET title = upper(title);
      """)
    for _ in 0..<2 { _ = try test.store.undo() }
    #expect(try test.content() == before)
  }

  @Test func `an undo leaves nothing of what a trigger does to an item that only lost its link`() throws {
    let test = try TestStore()
    try test.add(arguments: "Pay", "due:2031-01-31", "every:month")
    _ = try test.store.done(Selection(1))
    try test.add("other")
    let before = try test.content()
    try shell(
      test,
      """
      CREATE TRIGGER mine AFTER INSERT ON item BEGIN
        UPDATE item SET position = position + 1, title = title || '!' WHERE list = new.list AND id <> new.id AND id = 2;
      END
      """)
    _ = try test.store.remove(Selection(1))
    let after = try test.content()
    _ = try test.store.undo()
    #expect(try test.content() == before)
    _ = try test.store.redo()
    #expect(try test.content() == after)
  }

  @Test(arguments: [
    "AFTER INSERT ON item BEGIN INSERT INTO nosuch VALUES (1); END",
    "AFTER UPDATE ON item BEGIN SELECT nofunction(new.id); END",
    "AFTER DELETE ON item BEGIN DELETE FROM nosuch; END",
  ]) func `a trigger that can't run is named, and is in no undo's way`(trigger: String) throws {
    let test = try sample()
    let before = try test.content()
    _ = try test.store.start(Selection(1))
    _ = try test.store.add(ItemDraft(title: "new"))
    _ = try test.store.remove(Selection(1))
    try shell(test, "CREATE TRIGGER mine \(trigger)")
    var refusals = 0
    for change in [
      { try test.store.add(ItemDraft(title: "a")) }, { try test.store.start(Selection(2)) },
      { try test.store.remove(Selection(2)) },
    ] as [() throws -> ChangeResult] {
      do {
        _ = try change()
        _ = try test.store.undo()
      } catch let error as TodoError {
        refusals += 1
        #expect(error.message.contains("mine"), "\(error.message)")
      }
    }
    #expect(refusals > 0)
    for _ in 0..<3 { _ = try test.store.undo() }
    #expect(try test.content() == before)
  }

  @Test func `a table whose foreign key fits no key is another program's problem`() throws {
    let test = try sample()
    let backup = test.path + ".backup"
    #expect(try test.store.backup(to: backup) == nil)
    try test.add("later")
    try shell(
      test,
      "CREATE TABLE comment(id INTEGER PRIMARY KEY, item TEXT REFERENCES item(title)); INSERT INTO comment VALUES (1, 'x')"
    )
    let error = #expect(throws: TodoError.self) { try test.store.remove(Selection(1)) }
    #expect(error?.message.contains("(comment)") == true, "\(String(describing: error))")
    let undo = #expect(throws: TodoError.self) { try test.store.undo() }
    #expect(undo?.message.contains("(comment)") == true, "\(String(describing: undo))")
    #expect(try test.store.backup(to: backup + "2") == nil)
    #expect(try test.store.firstDamage() == nil)
  }

  @Test func `a due date in the year 0 is named by doctor, and no damage`() throws {
    let test = try sample()
    try shell(test, "UPDATE item SET due = '0000-01-01', due_day = '0000-01-01' WHERE id = 1")
    let problems = try test.store.doctor().flatMap(\.problems)
    #expect(problems.count == 1 && problems[0].contains("0000-01-01"), "\(problems)")
    #expect(try test.store.firstDamage() == nil)
    let advice = try #require(problems.first?.split(separator: "sqlite3: ").last)
    try shell(test, String(advice))
    #expect(try test.store.doctor().allSatisfy(\.isWell))
  }

  @Test(arguments: ["-wal", "-shm", "-journal"]) func `a name that SQLite uses for a part of a database is refused`(
    suffix: String
  )
    throws
  {
    let test = try sample()
    let error = #expect(throws: TodoError.self) {
      try DatabaseLocation.find(flag: "/tmp/no such file\(suffix)") { _ in nil }
    }
    #expect(error?.message.contains("choose another name") == true)
    #expect(throws: TodoError.self) { try test.store.backup(to: test.path + "2" + suffix) }
  }

  @Test(arguments: [
    "ALTER TABLE change RENAME TO c2",
    "ALTER TABLE change RENAME TO c2; CREATE TABLE change AS SELECT * FROM c2; DROP TABLE c2",
    "ALTER TABLE change RENAME TO c2; CREATE TABLE change AS SELECT * FROM c2 WHERE id > 2",
    "DROP TABLE change", "DROP TABLE journal; DROP TABLE change",
  ]) func `a log that was renamed or copied begins again`(sql: String) throws {
    let test = try sample()
    let revision = try test.store.revision()
    let before = try test.content()
    try test.store.close()
    try RawDatabase(path: test.path).execute("PRAGMA foreign_keys = OFF; \(sql)")
    let clock = test.clock
    let store = try TodoStore.open(DatabaseLocation(path: test.path)) { clock.moment }
    #expect(try store.firstDamage() == nil)
    let added = try store.add(ItemDraft(title: "new"))
    #expect(added.revision > revision || !sql.contains("c2"))
    _ = try store.undo()
    #expect(try test.content() == before)
    #expect(try store.doctor().filter { !$0.isWell } == [])
    #expect(try store.database.integrityCheck() == [])
  }
}
