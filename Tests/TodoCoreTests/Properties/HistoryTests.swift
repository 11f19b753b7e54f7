import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing
import TodoCore

/// Random changes by this program in several zones, by imports and by sqlite3's shell: every undo to the beginning and
/// every redo to the end gives the states that were there. `SEED=n` repeats the case that failed.
@Suite struct HistoryTests {
  private struct Step {
    var changes: Int64
    var before: [[RawDatabase.Value]]
    var after: [[RawDatabase.Value]]
    var name: String
  }

  private static let zones = [0, 3_600, -18_000, 50_400, -43_200].map { LocalZone.fixed(seconds: $0) }

  private static let statements = [
    "DELETE FROM item WHERE id = %1", "DELETE FROM item WHERE id IN (%1, %2)", "DELETE FROM item WHERE done = 1",
    "REPLACE INTO item(id, list, position, title, tags) VALUES (%1, (SELECT min(id) FROM list), %2, 'new', '[\"a\"]')",
    "REPLACE INTO item(list, position, title, uuid) SELECT list, 1, 'evicts', uuid FROM item WHERE id = %1",
    "REPLACE INTO item(list, position, title, previous) SELECT list, 1, 'follows', id FROM item WHERE id = %1",
    "UPDATE OR REPLACE item SET uuid = (SELECT uuid FROM item WHERE id = %1) WHERE id = %2",
    "UPDATE OR REPLACE item SET previous = %1 WHERE id = %2 AND EXISTS (SELECT 1 FROM item WHERE id = %1)",
    "UPDATE OR IGNORE item SET uuid = (SELECT uuid FROM item WHERE id = %1) WHERE id = %2",
    "INSERT OR IGNORE INTO item(id, list, position, title) SELECT %1, min(id), 5, 'ignored' FROM list",
    "INSERT INTO item(id, list, position, title) SELECT %1, min(id), 5, 'x' FROM list WHERE true ON CONFLICT DO UPDATE "
      + "SET title = 'updated'",
    "UPDATE item SET title = title || char(0) || 'x', tags = '[\"t\", \"caf\u{E9}\", \"cafe\u{301}\"]' WHERE id = %1",
    "UPDATE item SET tags = '[ ]'", "UPDATE item SET notes = '[\"n\"]', position = -id WHERE id > %1",
    "INSERT INTO list(name, position) VALUES ('L%1', %1)",
    "REPLACE INTO list(id, name, position) VALUES (%1, 'R%2', %2)",
    "UPDATE OR REPLACE list SET name = 'L%1' WHERE id = %2", "DELETE FROM list WHERE id = %1",
    "UPDATE list SET position = position + 1000000 WHERE id = %1", "UPDATE item SET list = %1 WHERE id = %2",
    "UPDATE item SET rowid = %1 WHERE id = %2", "DELETE FROM item",
    "UPDATE item SET zone = NULL WHERE id = %1", "UPDATE item SET zone = 'Pacific/Auckland' WHERE anchor IS NOT NULL",
    "REPLACE INTO item(id, list, position, title, uuid, previous) SELECT %2, list, 1, 'evicts', uuid, %2 FROM item WHERE "
      + "id = %1",
    "UPDATE OR REPLACE item SET previous = %1, title = 'all' WHERE EXISTS (SELECT 1 FROM item WHERE id = %1)",
    "UPDATE OR FAIL item SET previous = %1 WHERE EXISTS (SELECT 1 FROM item WHERE id = %1)",
    "INSERT INTO item(uuid, list, position, title) SELECT uuid, list, 5, 'x' FROM item WHERE true ON CONFLICT DO UPDATE "
      + "SET title = title || 'u'",
    "REPLACE INTO list(name, position) VALUES ('L%1', %2)", "UPDATE OR REPLACE list SET position = %1",
    "INSERT OR IGNORE INTO list(name, position) VALUES ('L%1', %2)",
    // Objects of other programs that use SQLite's own functions and tables.
    "CREATE INDEX IF NOT EXISTS theirs_%1 ON item(json_extract(extra, '$.x%2'))",
    "CREATE TABLE IF NOT EXISTS their_table(a CHECK (json_valid(a)))",
    "CREATE VIRTUAL TABLE IF NOT EXISTS their_words USING fts5(words)",
  ]

  private func act(_ items: inout RandomItems, _ test: TestStore, _ shell: RawDatabase) throws -> String {
    let store = test.store
    let ids = try store.items(Selection(ids: [], filter: Filter(status: .any))).map(\.id)
    let chosen = ids.isEmpty || items.once(in: 12) ? 1 : items.pick(ids)
    let selection = Selection(chosen)
    test.clock.set(items.pick(Self.zones))
    let kind = items.below(18)
    do {
      switch kind {
      case 0, 1, 2:
        var draft = ItemDraft(title: items.name(), list: items.pick([nil, "Home", "caf\u{E9}", "cafe\u{301}"]))
        draft.tags = items.once(in: 2) ? [] : [items.pick(["a", "b", "caf\u{E9}"])]
        draft.due = items.pick([nil, .day(items.day()), .instant(items.instant())])
        draft.every = items.once(in: 4) ? nil : items.every()
        draft.wait = items.pick([nil, .day(items.day()), .instant(items.instant())])
        _ = try store.add(draft)
      case 3:
        let former = try store.items(selection)
        let result = try store.done(selection)
        // The next instance is another one, wherever this one was done.
        if let next = result.next.first, let former = former.first { expectLater(next, than: former) }
      case 4: _ = try store.undone(selection)
      case 5: _ = try store.remove(selection)
      case 6:
        var edit = ItemEdit()
        edit.title = items.name()
        edit.list = items.pick([nil, "Home", "Other"])
        edit.due = .set(items.pick([nil, .day(items.day()), .instant(items.instant())]))
        _ = try store.edit(selection, edit)
      case 7: _ = try store.move(selection, .first(list: items.pick([nil, "Home"])))
      case 8: _ = try store.renameList("Home", to: "home \(items.below(3))")
      case 9:
        var batch = ImportBatch()
        for _ in 0..<items.below(3) {
          var item = items.item(test.clock.moment.zone)
          item.id = nil
          batch.items.append(item)
        }
        if items.once(in: 12) { batch.items += (0..<200).map { ImportedItem(title: "filler \($0)") } }
        _ = try store.importItems(batch)
      case 10, 11: try rhythm(&items, test)
      default:
        let sql = items.pick(Self.statements)
          .replacing("%1", with: "\(items.once(in: 4) ? Int64(items.below(6)) : chosen)")
          .replacing("%2", with: "\(ids.isEmpty ? 2 : items.pick(ids))")
        try shell.execute(sql)
        return sql
      }
    } catch is TodoError {
      return "refused"
    } catch is RawDatabase.Failure {
      return "refused by the schema"
    }
    return "\(kind)"
  }

  private func expectLater(_ next: Item, than former: Item) {
    // Counted from completion, which may be long before the due date.
    if former.every?.isAfterDone == true { return }
    if case .instant(let instant)? = former.due, case .instant(let nextInstant)? = next.due {
      #expect(nextInstant > instant, "\(former) is followed by \(next)")
      // A recurrence with a zone is computed in it, and one without from the stored day.
      guard let anchor = former.anchor, anchor.contains("T"), !anchor.contains("[") else { return }
    }
    guard let day = former.dueDay, let nextDay = next.dueDay else { return }
    #expect(nextDay > day, "\(former) is followed by \(next)")
  }

  /// Adds an item that recurs, in one zone and near midnight, and completes it and those that follow it in others: each
  /// is where Foundation's calendar finds it in the first zone.
  private func rhythm(_ items: inout RandomItems, _ test: TestStore) throws {
    func offset() -> Int { items.below(105) * 900 - 43_200 }
    func secondOfDay() -> Int {
      items.once(in: 4) ? items.below(86_400) : items.pick([0, 1, 1800, 7200, 18_000, 79_200, 84_600, 86_399])
    }
    let zone = offset()
    let every = items.pick(Recurrence.allCases)
    let start = WallTime(day: CalendarDay(number: 22_000 + items.below(900)), secondOfDay: secondOfDay())
    test.clock.set(.fixed(seconds: zone))
    var draft = ItemDraft(title: "rhythm")
    draft.due = .instant(LocalZone.fixed(seconds: zone).instant(of: start))
    draft.every = every
    var item = try #require(try test.store.add(draft).items.first)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: zone))
    let anchor = Date(timeIntervalSince1970: Double(start.day.number * 86_400 + start.secondOfDay - zone))
    let unit: Calendar.Component = [.day: .day, .week: .weekOfYear, .month: .month, .year: .year][every] ?? .day
    var number = 0
    for _ in 0..<(1 + items.below(3)) {
      let here = offset()
      guard case .instant(let due)? = item.due else { return }
      let now = LocalZone.fixed(seconds: here).start(of: LocalZone.fixed(seconds: here).day(of: due))
        .adding(seconds: Int64((items.below(5) - 2) * 86_400 + secondOfDay()))
      test.clock.set(.fixed(seconds: here))
      test.clock.set(now.description)
      let today = calendar.startOfDay(for: Date(timeIntervalSince1970: Double(now.seconds)))
      var expected: Date
      repeat {
        number += 1
        expected = try #require(calendar.date(byAdding: unit, value: number, to: anchor))
      } while expected < today
      let next = try #require(try test.store.done(Selection(item.id)).next.first)
      #expect(
        next.due == .instant(Instant(seconds: Int64(expected.timeIntervalSince1970))),
        "\(start) every \(every) in a zone of \(zone), number \(number) in one of \(here) at \(now)")
      item = next
    }
  }

  @Test func `every undo and every redo restores the exact state`() throws {
    for seed in Seeds.all(25, of: "histories") {
      var items = RandomItems(seed: seed &+ 1_000_003)
      let test = seed % 100 == 0 ? try TestStore() : try TestStore.copyOfNew()
      var shell: RawDatabase? = try RawDatabase(path: test.path)
      try shell?.execute("PRAGMA foreign_keys = OFF; PRAGMA recursive_triggers = OFF; PRAGMA synchronous = OFF")
      var done: [Step] = []
      var undone: [Step] = []
      var names: [String] = []

      func undo() throws {
        guard let step = done.popLast() else { return }
        for _ in 0..<step.changes {
          #expect(throws: Never.self, "SEED=\(seed) undo of \(step.name) after \(names)") { try test.store.undo() }
        }
        try #require(try test.content(shell) == step.before, "SEED=\(seed) undo of \(step.name) after \(names)")
        let problems = try test.store.database.integrityCheck()
        try #require(problems == [], "SEED=\(seed) undo of \(step.name) after \(names)")
        undone.append(step)
      }
      func redo() throws {
        guard let step = undone.popLast() else { return }
        for _ in 0..<step.changes {
          #expect(throws: Never.self, "SEED=\(seed) redo of \(step.name) after \(names)") { try test.store.redo() }
        }
        try #require(try test.content(shell) == step.after, "SEED=\(seed) redo of \(step.name) after \(names)")
        done.append(step)
      }

      for _ in 0..<(10 + items.below(15)) {
        switch items.below(10) {
        case 0: try undo()
        case 1: try redo()
        default:
          let before = try test.content(shell)
          let revision = try test.store.revision()
          let name = try act(&items, test, try #require(shell))
          names.append(name)
          let after = try test.content(shell)
          let changes = try test.store.revision() - revision
          try #require(changes > 0 || after == before, "SEED=\(seed) \(name) is not in the journal, after \(names)")
          if changes == 0 { continue }
          done.append(Step(changes: changes, before: before, after: after, name: name))
          undone = []
        }
      }
      let count = done.count
      while !done.isEmpty { try undo() }
      #expect(try test.store.nextUndo() == nil, "SEED=\(seed)")
      #expect(try test.content(shell).isEmpty, "SEED=\(seed)")
      while !undone.isEmpty { try redo() }
      #expect(done.count >= count, "SEED=\(seed)")
      #expect(try test.store.doctor().filter { !$0.isWell } == [], "SEED=\(seed) after \(names)")
      // The file alone is all of it, and to read it changes nothing.
      let content = try test.content()
      shell = nil
      test.store.finish()
      let folder = URL(filePath: test.path).deletingLastPathComponent().path
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["todo.db"], "SEED=\(seed)")
      let bytes = try Data(contentsOf: URL(filePath: test.path))
      let reader = try #require(try TodoStore.openToRead(DatabaseLocation(path: test.path)))
      #expect(try reader.doctor().filter { !$0.isWell } == [], "SEED=\(seed)")
      try reader.close()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["todo.db"], "SEED=\(seed)")
      #expect(try Data(contentsOf: URL(filePath: test.path)) == bytes, "SEED=\(seed)")
      #expect(try test.content() == content, "SEED=\(seed)")
    }
  }
}
