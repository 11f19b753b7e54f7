import DataSourcesTestSupport
import FetchedResults
import TestSupport

extension OracleSchemaWorld {
  /// One statement, or several that belong together.
  func statements(_ dice: inout SeededGenerator) -> [String] {
    func happens(_ dimension: OracleDimension, onceIn number: Int) -> Bool {
      setup.has(dimension) && (setup.isThemed ? dice.once(in: 2) : dice.once(in: number))
    }
    if happens(.compiled, onceIn: 4) { return wholeDeletion(&dice) }
    if happens(.evictions, onceIn: 3) { return eviction(&dice) }
    if happens(.settings, onceIn: 4) { return meddling(&dice) }
    if happens(.unseen, onceIn: 3) { return unseen(&dice) }
    if happens(.sections, onceIn: 4) { return sections(&dice) }
    if setup.cachePages != nil, dice.once(in: 6) { return spilling(&dice) }
    switch dice.below(34) {
    case 0...2: return [insert("", &dice)]
    case 3, 4, 5: return [insert("OR REPLACE", &dice)]
    case 6: return [insert("OR REPLACE", count: 4, &dice)]
    case 7: return [insert("OR IGNORE", count: 3, &dice)]
    case 8: return [insert("", &dice) + upsert(&dice)]
    default: return change(&dice)
    }
  }

  private func upsert(_ dice: inout SeededGenerator) -> String {
    // After a SELECT without FROM the ON would be a join's.
    guard setup.thing.form.isUnique || setup.has(.ids) else { return "" }
    return " ON CONFLICT DO UPDATE SET name = excluded.name, rank = \(dice.below(5)), code = \(code(&dice))"
  }

  private func change(_ dice: inout SeededGenerator) -> [String] {
    let id = thingID(&dice)
    let other = thingID(&dice)
    let isFree =
      setup.thing.form.isUnique || setup.has(.ids) ? "" : " AND NOT EXISTS (SELECT 1 FROM thing WHERE id = \(other))"
    let kind = setup.kind.quotedName
    let extra = setup.extra.quotedName
    switch dice.below(28) {
    case 0: return ["UPDATE OR REPLACE thing SET code = \(code(&dice)) WHERE id = \(id)"]
    case 1: return ["UPDATE OR REPLACE thing SET code = \(code(&dice)), done = 1 - done WHERE id IN (\(id), \(other))"]
    case 2: return ["UPDATE OR REPLACE thing SET id = \(other) WHERE id = \(id)\(isFree)"]
    case 3: return ["UPDATE OR IGNORE thing SET id = \(other), part = part + 1 WHERE id = \(id)\(isFree)"]
    case 4, 5: return ["UPDATE thing SET name = \(name(&dice)) WHERE id = \(id)"]
    case 6: return ["UPDATE OR REPLACE thing SET name = \(name(&dice)), done = 1 - done WHERE id = \(id)"]
    case 7, 8:
      return [
        "UPDATE thing SET rank = \(dice.pick("NULL", "1", "2", "3.5", "-1")), amount = \(dice.below(9)) WHERE id = \(id)"
      ]
    case 9: return ["UPDATE thing SET grp = \(kindID(&dice)) WHERE id = \(id)"]
    case 10: return ["UPDATE thing SET part = \(dice.below(4)) WHERE id = \(id) AND part <> 3"]
    case 11, 12: return ["DELETE FROM thing WHERE id = \(id)"]
    case 13: return ["DELETE FROM thing WHERE rank IS NULL AND done"]
    case 14: return ["UPDATE thing SET rank = 7 WHERE done"]
    case 15: return ["UPDATE OR REPLACE thing SET code = NULL WHERE id = \(id)"]
    case 16, 17:
      return [
        "INSERT OR REPLACE INTO \(kind)(id, name, pos) VALUES (\(kindID(&dice)), \(name(&dice)), \(dice.below(4)))"
      ]
    case 18: return ["UPDATE \(kind) SET name = \(name(&dice)) WHERE id = \(kindID(&dice))"]
    case 19: return ["UPDATE \(kind) SET pos = 3 - pos"]
    case 20: return ["DELETE FROM \(kind) WHERE id = \(kindID(&dice))"]
    case 21, 22: return [self.extra(&dice)]
    case 23: return ["DELETE FROM \(extra) WHERE item = \(id)"]
    case 24: return ["UPDATE \(extra) SET item = \(id), label = \(dice.pick("'x'", "'y'")) WHERE item = \(other)"]
    case 25: return ["UPDATE OR REPLACE \(extra) SET id = 3 WHERE item = \(id)"]
    case 26: return ["DELETE FROM \(extra) WHERE item > 3"]
    default: return ["INSERT INTO other VALUES (1)"]
    }
  }

  /// Deletions of whole tables by texts that may have been compiled before, and what comes after them.
  private func wholeDeletion(_ dice: inout SeededGenerator) -> [String] {
    let deletion = dice.once(in: 3) ? "UPDATE knob SET v = v + 1" : dice.pick(repeated)
    var all = [deletion]
    if dice.once(in: 2) { all += [insert("OR IGNORE", &dice), insert("OR IGNORE", &dice), extra(&dice)] }
    if dice.once(in: 4) { all.append(deletion) }
    return all
  }

  /// A replacement whose row has hardly the key of another, but perhaps what is unique besides, also by a default.
  private func eviction(_ dice: inout SeededGenerator) -> [String] {
    let code = dice.pick("NULL", "NULL", "'x'", "'X'", "'x '", "'a'", "'A'", "1")
    let conflict = dice.pick("OR REPLACE", "OR REPLACE", "OR REPLACE", "")
    if dice.once(in: 3) { return ["UPDATE \(conflict) thing SET code = \(code) WHERE id = \(thingID(&dice))"] }
    let id = setup.thing.id(12 + dice.below(12), setup.has(.texts), &dice)
    let values = dice.once(in: 3) ? ("", "") : (", code", ", \(code)")
    let row = "\(id), \(dice.below(3)), \(name(&dice)), \(dice.below(3) / 2)\(values.1)"
    let start = "INSERT \(conflict) INTO thing(id, part, name, done\(values.0)) "
    if setup.thing.form.isUnique || setup.has(.ids) { return [start + "VALUES (\(row))"] }
    return [start + "SELECT \(row) WHERE NOT EXISTS (SELECT 1 FROM thing WHERE id = \(id))"]
  }

  /// Settings that captures depend on, which are refused, and a history that somebody empties, which must hide nothing.
  private func meddling(_ dice: inout SeededGenerator) -> [String] {
    let statement = dice.pick(
      "PRAGMA recursive_triggers = 0", "pragma main.RECURSIVE_TRIGGERS(no)", "PRAGMA ignore_check_constraints = 1",
      "DELETE FROM frc_history", "PRAGMA case_sensitive_like = 1")
    return dice.once(in: 2) ? [statement, insert("OR REPLACE", &dice)] : [insert("OR REPLACE", &dice), statement]
  }

  private func unseen(_ dice: inout SeededGenerator) -> [String] {
    let number = dice.below(12) + 1
    switch dice.below(setup.isThemed ? 17 : 11) {
    case 0, 1, 11...:
      return ["INSERT INTO words(rowid, body) VALUES (\(number), '\(dice.pick("x", "y", "x y", "z")) w\(number)')"]
    case 2: return ["INSERT INTO words(words) VALUES ('\(dice.pick("delete-all", "optimize"))')"]
    case 3: return ["INSERT INTO counter(v) VALUES (\(number))"]
    // Of no rows, but SQLite notes the table in sqlite_sequence.
    case 4: return ["INSERT INTO counter(v) SELECT \(number) WHERE \(dice.pick("0", "1"))"]
    case 5: return ["DELETE FROM counter"]
    case 6: return [dice.pick("UPDATE sqlite_sequence SET seq = seq + 10", "DELETE FROM sqlite_sequence")]
    case 7: return ["INSERT OR REPLACE INTO area VALUES (\(number), \(dice.below(5)), \(dice.below(5) + 5))"]
    case 8: return ["DELETE FROM area WHERE id > \(number)"]
    case 9: return ["PRAGMA user_version = \(number)"]
    default:
      additions += 1
      return ["CREATE INDEX added_\(additions) ON other(x)"]
    }
  }

  private func sections(_ dice: inout SeededGenerator) -> [String] {
    let step = dice.pick(2, 3, 7)
    switch dice.below(5) {
    case 0: return ["UPDATE thing SET name = 't' || name WHERE rank % \(step) = 1"]
    case 1: return ["UPDATE thing SET name = 's' || ((amount + \(dice.below(50))) % 311) WHERE rank = \(dice.below(7))"]
    case 2: return ["DELETE FROM thing WHERE rank = \(dice.below(7))"]
    case 3: return ["UPDATE thing SET name = substr(name, 1, 2) WHERE rank = \(dice.below(7))"]
    default: return [many(100 + dice.below(100))]
    }
  }

  /// A change with more pages than the cache.
  private func spilling(_ dice: inout SeededGenerator) -> [String] {
    let series = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) "
    return dice.pick(
      [series + "INSERT INTO other SELECT zeroblob(300) FROM n", insert("OR REPLACE", &dice)],
      [
        insert("OR REPLACE", &dice), "UPDATE \(setup.kind.quotedName) SET pos = 3 - pos",
        "UPDATE other SET x = zeroblob(500)",
      ],
      [
        "UPDATE other SET x = 1", "DELETE FROM \(setup.kind.quotedName) WHERE id = \(kindID(&dice))",
        "DELETE FROM other WHERE rowid % 2",
      ])
  }

  /// A change of the schema that leaves all requests possible.
  func schemaChange(_ dice: inout SeededGenerator) -> [String] {
    additions += 1
    let extra = setup.extra
    let kind = setup.kind
    switch dice.below(15) {
    case 0, 1, 2: return remade(&dice)
    case 3:
      return [
        "CREATE INDEX added_\(additions) ON thing(\(dice.pick("name", "rank, name", "grp, rank DESC", "lower(name)")))"
      ]
    case 4: return ["DROP INDEX IF EXISTS \(dice.pick("thing_grp", "extra_item", "thing_id"))"]
    case 5:
      return [
        "CREATE INDEX IF NOT EXISTS thing_grp ON thing(grp)",
        "CREATE INDEX IF NOT EXISTS extra_item ON \(extra.quotedName)(item)",
      ]
    case 6:
      let table = dice.pick("thing", kind.quotedName, extra.quotedName)
      return ["ALTER TABLE \(table) ADD COLUMN added_\(additions) ANY DEFAULT \(dice.pick("7", "'x'", "NULL"))"]
        + (dice.once(in: 3) ? ["UPDATE \(table) SET added_\(additions) = 'written'"] : [])
    case 7:
      let table = dice.pick(extra, kind)
      return ["DROP TABLE \(table.quotedName)"] + table.statements + [self.extra(&dice)]
    case 8:
      return
        ["DROP TABLE IF EXISTS moved", "ALTER TABLE \(extra.quotedName) RENAME TO moved"] + extra.statements
        + [
          "INSERT OR IGNORE INTO \(extra.quotedName)(id, item, label) SELECT id, item, label FROM moved WHERE label <> 'z'"
        ]
    case 9:
      return [
        "CREATE TRIGGER added_\(additions) AFTER INSERT ON other BEGIN "
          + dice.pick(
            "DELETE FROM \(extra.quotedName);", "UPDATE thing SET rank = 7 WHERE done;",
            "DELETE FROM thing WHERE rank IS NULL;")
          + " END"
      ]
    case 10: return (1...additions).map { "DROP TRIGGER IF EXISTS added_\($0)" }
    case 11: return [dice.pick("ANALYZE", "REINDEX")]
    case 12 where !setup.isFile:
      // A temporary view hides the other one from everything that reads on this connection.
      return ["DROP VIEW IF EXISTS temp.seen"]
        + (dice.once(in: 3) ? [] : ["CREATE TEMP VIEW seen AS \(dice.pick(Self.views(setup)))"])
    default: return ["DROP VIEW main.seen", "CREATE VIEW main.seen AS \(dice.pick(Self.views(setup)))"]
    }
  }
}
