import FixtureSupport
import Foundation
import SQLiteStore
import Testing

@testable import TodoCore

/// Statements typed into sqlite3, where foreign keys and recursive triggers are off, can be undone.
@Suite struct OtherProgramsTests {
  private func shell(_ test: TestStore) throws -> RawDatabase {
    let raw = try RawDatabase(path: test.path)
    try raw.execute("PRAGMA foreign_keys = OFF; PRAGMA recursive_triggers = OFF")
    return raw
  }

  private static let uuid = "00000000-0000-4000-8000-000000000001"

  @Test(arguments: [
    "DELETE FROM item WHERE id = 1",
    "DELETE FROM item",
    "REPLACE INTO item(id, list, position, title) VALUES (1, 1, 5, 'replaced')",
    "REPLACE INTO item(id, list, position, title, tags) VALUES (1, 1, 5, 'replaced', '[\"b\", \"c\"]')",
    "REPLACE INTO item(id, list, position, title, uuid) SELECT 50, 1, 5, 'evicts', uuid FROM item WHERE id = 1",
    "REPLACE INTO item(id, list, position, title, previous) VALUES (51, 1, 5, 'follows', 1)",
    "UPDATE OR REPLACE item SET uuid = (SELECT uuid FROM item WHERE id = 1) WHERE id = 3",
    "UPDATE OR REPLACE item SET uuid = (SELECT uuid FROM item WHERE id = 1) WHERE id = 2",
    "UPDATE OR REPLACE item SET uuid = (SELECT uuid FROM item WHERE id = 1), title = 'both' WHERE id IN (2, 3)",
    "UPDATE OR REPLACE item SET uuid = (SELECT uuid FROM item WHERE id = 2), previous = 1 WHERE id = 3",
    "UPDATE OR REPLACE item SET previous = 1 WHERE id = 3",
    "INSERT OR IGNORE INTO item(id, list, position, title) VALUES (1, 1, 5, 'ignored')",
    "INSERT INTO item(id, list, position, title) VALUES (1, 1, 5, 'x') ON CONFLICT DO UPDATE SET title = 'updated'",
    "REPLACE INTO list(id, name, position) VALUES (3, 'EMPTY', 77)",
    "REPLACE INTO list(id, name, position) VALUES (9, 'empty', 88)",
    "UPDATE OR REPLACE list SET name = 'Empty' WHERE id = 1",
    "DELETE FROM list WHERE name = 'Empty'",
    "UPDATE item SET title = upper(title), tags = '[ ]'",
  ]) func `an undo reverts whatever a statement did`(sql: String) throws {
    let test = try TestStore()
    try test.add(arguments: "one", "@a", "@b", "every:day", "due:2031-01-01")
    _ = try test.store.done(Selection(1))
    try test.add(arguments: "three", "+Work", "@c")
    _ = try test.store.addList("Empty")
    let before = try test.content()
    let revision = try test.store.revision()
    try shell(test).execute(sql)
    let after = try test.content()
    let undone = try test.store.revision() - revision
    for _ in 0..<undone { _ = try test.store.undo() }
    #expect(try test.content() == before)
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    for _ in 0..<undone { _ = try test.store.redo() }
    #expect(try test.content() == after)
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    while try test.store.nextUndo() != nil { _ = try test.store.undo() }
    #expect(try test.content().isEmpty)
    #expect(try test.store.database.integrityCheck() == [])
  }

  @Test(arguments: [
    "INSERT OR IGNORE INTO item(id, list, position, title) VALUES (1, 1, 5, 'ignored')",
    "INSERT OR IGNORE INTO item(list, position, title, uuid) SELECT 1, 5, 'ignored', uuid FROM item",
    "INSERT OR IGNORE INTO item(list, position, title, previous) VALUES (1, 5, 'ignored', 1)",
    "INSERT INTO item(id, list, position, title) VALUES (1, 1, 5, 'ignored') ON CONFLICT DO NOTHING",
    "INSERT INTO item(id, list, position, title) VALUES (1, 1, 5, 'x') ON CONFLICT DO UPDATE SET title = title",
    "UPDATE OR IGNORE item SET uuid = (SELECT uuid FROM item WHERE id = 1) WHERE id = 3",
    "UPDATE OR IGNORE item SET previous = 1 WHERE id = 3",
    "UPDATE item SET title = title, uuid = uuid, previous = previous",
    "INSERT OR IGNORE INTO list(name, position) VALUES ('INBOX', 7)",
    "INSERT INTO list(name, position) VALUES ('Inbox', 7) ON CONFLICT DO NOTHING",
    "UPDATE OR IGNORE list SET name = 'Inbox' WHERE name = 'Empty'", "UPDATE list SET name = name",
    "DELETE FROM item WHERE id = 99", "BEGIN; DELETE FROM item; ROLLBACK",
  ]) func `a statement that changes nothing is no change, and keeps what can be redone`(sql: String) throws {
    let test = try TestStore()
    try test.add(arguments: "one", "@a", "every:day", "due:2031-01-01")
    _ = try test.store.done(Selection(1))
    try test.add(arguments: "three", "+Work")
    _ = try test.store.addList("Empty")
    try test.add("undone")
    _ = try test.store.undo()
    let (content, log) = (try test.content(), try test.store.log())
    try shell(test).execute(sql)
    #expect(try test.content() == content && test.store.log() == log)
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    // Leftovers of a statement are no part of later changes.
    try shell(test).execute("UPDATE item SET title = 'other' WHERE id = 1")
    try shell(test).execute(
      "REPLACE INTO item(list, position, title, uuid) SELECT 1, 5, 'x', uuid FROM item WHERE id = 3")
    while try test.store.revision() > 0, try test.store.nextUndo()?.label == "a change by another program" {
      _ = try test.store.undo()
    }
    #expect(try test.content() == content)
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    // Nor of one that deletes what it might have removed: here foreign keys act, as in this program.
    let raw = try shell(test)
    try raw.execute(sql)
    try raw.execute("UPDATE item SET title = 'newer' WHERE title <> 'three'; PRAGMA foreign_keys = ON")
    let (newer, revision) = (try test.content(), try test.store.revision())
    try raw.execute("DELETE FROM item WHERE id = 1")
    for _ in revision..<(try test.store.revision()) { _ = try test.store.undo() }
    let isSame = try test.content() == newer
    #expect(isSame)
  }

  @Test(arguments: [
    "DELETE FROM list WHERE id = 1", "UPDATE item SET list = 77", "UPDATE item SET rowid = 77 WHERE id = 1",
    "UPDATE list SET id = 5 WHERE id = 1", "INSERT INTO item(list, position, title) VALUES (77, 1, 'x')",
    "REPLACE INTO list(id, name, position) VALUES (9, 'Inbox', 77)",
    "REPLACE INTO list(id, name, position) VALUES (1, 'Other', 77)",
  ]) func `a change that would lose items is refused`(sql: String) throws {
    let test = try TestStore()
    try test.add("one")
    let before = try test.content()
    #expect(throws: RawDatabase.Failure.self) { try shell(test).execute(sql) }
    #expect(try test.content() == before)
  }

  @Test(arguments: [
    "UPDATE item SET title = CAST(x'ff' AS TEXT) WHERE id = 2", "UPDATE list SET name = CAST(x'ff' AS TEXT)",
    "UPDATE item SET notes = CAST(x'5b22ff225d' AS TEXT) WHERE id = 2",
    "UPDATE item SET tags = CAST(x'5b22ff225d' AS TEXT) WHERE id = 2",
    "UPDATE item SET extra = CAST(x'7b2261223a22ff227d' AS TEXT) WHERE id = 2",
    "PRAGMA ignore_check_constraints = ON; UPDATE item SET due = CAST(x'ff' AS TEXT) WHERE id = 2",
    "PRAGMA ignore_check_constraints = ON; UPDATE item SET uuid = CAST(x'ff' AS TEXT) WHERE id = 2",
  ]) func `bytes that are no text are reported`(sql: String) throws {
    let test = try TestStore()
    try test.add("one", "two", "three")
    try shell(test).execute(sql)
    let problems = try test.store.doctor().filter { $0.subject == "items" }.flatMap(\.problems)
    let what = sql.contains("list") ? "list 1" : "item 2"
    #expect(problems.count == 1 && problems[0].hasPrefix("\(what) can't be read"), "\(problems)")
  }

  @Test(arguments: [
    #"UPDATE item SET notes = '["photo\udcff.jpg"]' WHERE id = 1"#,
    #"UPDATE item SET tags = '["\ud800x"]' WHERE id = 1"#,
    #"UPDATE item SET extra = '{"a":"\ud800\u0041"}' WHERE id = 1"#, #"UPDATE list SET extra = '{"a":"\udfff"}'"#,
  ]) func `half of a surrogate pair keeps nothing from being read`(sql: String) throws {
    let test = try TestStore()
    try test.add("one", "two")
    try shell(test).execute(sql)
    #expect(try test.store.doctor().allSatisfy(\.isWell))
    let batch = try TransferFormat.json.read(test.store.exported(as: .json), at: test.store.moment)
    #expect(try batch.items.count == 2 && test.store.importDryRun(batch).unchanged == 2)
    _ = try test.store.remove(Selection(1))
    _ = try test.store.undo()
    #expect(try test.store.items(Selection(ids: [], filter: Filter(status: .any))).count == 2)
  }

  @Test func `values that are nested too deep are reported`() throws {
    let test = try TestStore()
    try test.add("one")
    let deep = "{\"a\":" + String(repeating: "[", count: 400) + String(repeating: "]", count: 400) + "}"
    try shell(test).execute("UPDATE item SET extra = '\(deep)'; UPDATE list SET extra = '\(deep)'")
    #expect(try test.store.doctor().flatMap(\.problems).count == 2)
  }

  @Test func `the obstacle to an undo is named and can be skipped`() throws {
    let test = try TestStore()
    try test.add("one", "two")
    let before = try test.content()
    // A row that no constraint would let in again.
    let raw = try shell(test)
    try raw.execute("PRAGMA ignore_check_constraints = ON; UPDATE item SET priority = 9 WHERE id = 2")
    _ = try test.store.remove(Selection(2))
    let error = #expect(throws: TodoError.self) { try test.store.undo() }
    #expect(error?.exitCode == 4 && error?.message.contains("--skip") == true, "\(String(describing: error))")
    #expect(error?.message.contains("CHECK constraint failed") == true)
    _ = try test.store.skipUndo()
    _ = try test.store.undo()
    // The log tells what was undone and what was skipped.
    let log = try test.store.log()
    #expect(log.map(\.isSpent) == [false, true, true, false, false], "\(log)")
    #expect(log.map(\.isUndone) == [false, false, true, false, false], "\(log)")
    #expect(try test.content() == before)
    _ = try test.store.undo()
    _ = try test.store.undo()
    #expect(try test.store.nextUndo() == nil)
    #expect(throws: TodoError.self) { try test.store.skipUndo() }
  }
}
