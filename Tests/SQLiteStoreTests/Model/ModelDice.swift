import DataSourcesTestSupport
import SQLiteStore
import TestSupport

/// Makes random steps, which a seed determines.
struct ModelDice {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 11) }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
  mutating func once(in times: Int) -> Bool { below(times) == 0 }
  mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

  // MARK: Values

  mutating func id() -> Value {
    once(in: 12) ? pick([.null, .integer(1 << 40), .integer(-3)]) : .integer(Int64(1 + below(8)))
  }

  mutating func title() -> Value {
    once(in: 8) ? .null : .text(pick(["a", "b", "c", "A", "é", "e\u{301}", "a\u{0}b", "", "ignored", "'"]))
  }

  mutating func weight() -> Value {
    // Those that triggers raise something at.
    if once(in: 3) {
      return .real(
        pick([900, 901, 902, 903, 904, 905, 906, 907, 907, 908, 910, 911, 911, 912, 913, 914, 921, 921, 922, 931]))
    }
    return .real(pick([0, -0.0, 1.5, 1000, 0.1, -.infinity, 5e-300]))
  }

  mutating func anything() -> Value {
    pick([
      .null, .integer(Int64(below(4))), .integer(.min), .real(-0.0), .real(2), .real(1e300), .text(""), .text("2"),
      .text("x\u{0}y"), .blob([]), .blob([0, 255]), .blob([50]),
    ])
  }

  mutating func word() -> Value { .text(pick(["a", "b", "A", "é", "e\u{301}", "9", ""])) }

  // MARK: Statements

  /// A conflict clause, seldom the one that ends the transaction.
  private mutating func clause() -> String {
    once(in: 16) ? "OR ROLLBACK " : pick(["", "", "", "OR ABORT ", "OR FAIL ", "OR IGNORE ", "OR REPLACE "])
  }

  private mutating func rows(_ count: Int, _ row: (inout Self) -> [Value]) -> (String, [Value]) {
    let rows = (0..<count).map { _ in row(&self) }
    let places = rows.map { "(" + $0.map { _ in "?" }.joined(separator: ", ") + ")" }.joined(separator: ", ")
    return (places, rows.flatMap(\.self))
  }

  mutating func change() -> ModelStep {
    let c = clause()
    let count = pick([1, 1, 2, 3])
    switch below(22) {
    case 0...3:
      let (places, values) = rows(count) { [$0.id(), $0.title(), $0.weight(), $0.anything()] }
      return .run("INSERT \(c)INTO \(pick(["item", "item", "main.item", "shown"])) VALUES \(places)", values)
    case 4:
      return .run(
        "INSERT INTO item(id, title) VALUES (?, ?) ON CONFLICT (\(pick(["id", "title"]))) DO "
          + pick(["NOTHING", "UPDATE SET weight = 912", "UPDATE SET note = excluded.title"]), [id(), title()])
    case 5...6:
      let table = pick(["item", "item", "shown"])
      switch below(4) {
      case 0: return .run("UPDATE \(c)\(table) SET weight = ? WHERE id > ?", [weight(), id()])
      case 1: return .run("UPDATE \(c)\(table) SET title = ? WHERE id IN (?, ?)", [title(), id(), id()])
      case 2: return .run("UPDATE \(c)item SET id = ? WHERE id = ?", [id(), id()])
      default: return .run("UPDATE \(c)\(table) SET note = ?, weight = weight + 1", [anything()])
      }
    case 7...8:
      let table = pick(["item", "shown", "word", "child", "clause", "typed", "pair", "o.part", "o.box"])
      return .run("DELETE FROM \(table) WHERE \(table == "pair" ? "b" : "id") = ?", [table == "word" ? word() : id()])
    case 9:
      let (places, values) = rows(count) { [$0.word(), $0.id(), $0.anything()] }
      return .run("INSERT \(c)INTO pair VALUES \(places)", values)
    case 10:
      let (places, values) = rows(count) { [$0.word(), .integer(Int64($0.below(6)))] }
      return .run("INSERT \(c)INTO word VALUES \(places)", values)
    case 11...12:
      let (places, values) = rows(count) {
        // Never both kinds of key: SQLite counts the deferred key of a row that it refuses for another key, and fails
        // at COMMIT then; but not where the capture has triggers on the table.
        $0.once(in: 3)
          ? [.null, $0.id(), .null] : [$0.once(in: 3) ? .null : $0.id(), .null, $0.once(in: 3) ? $0.word() : .null]
      }
      return .run("INSERT \(c)INTO child(item, later, held) VALUES \(places)", values)
    case 13:
      let (places, values) = rows(count) { [$0.id(), $0.anything(), $0.anything(), $0.anything()] }
      return .run("INSERT \(c)INTO typed VALUES \(places)", values)
    case 14:
      let (places, values) = rows(count) { [$0.id(), $0.id(), $0.once(in: 12) ? .null : $0.id(), $0.title()] }
      return .run("INSERT \(c)INTO clause VALUES \(places)", values)
    case 15...16:
      if once(in: 2) { return .run("INSERT \(c)INTO o.box VALUES (?, ?)", [id(), title()]) }
      return .run("INSERT \(c)INTO o.part VALUES (?, ?, ?)", [id(), title(), once(in: 3) ? id() : .null])
    case 17: return .run("INSERT INTO log SELECT \(call()) FROM item LIMIT 2", [])
    case 18: return .run(definition(), [])
    case 19: return .run(pick(Self.wrong), [])
    case 20: return .run("PRAGMA \(pick(["user_version", "application_id"])) = \(below(9))", [])
    default: return .run("PRAGMA defer_foreign_keys = 1", [])
    }
  }

  private mutating func definition() -> String {
    let table = pick(["extra", "more", "o.extra"])
    switch below(8) {
    case 0...2: return "CREATE TABLE \(pick(["", "IF NOT EXISTS "]))\(table)(n, m DEFAULT 7)"
    case 3: return "DROP TABLE \(pick(["", "IF EXISTS "]))\(table)"
    case 4: return "ALTER TABLE \(table) ADD COLUMN \(pick(["p", "q"]))"
    case 5: return "CREATE INDEX extra_n ON extra(n)"
    case 6: return "INSERT INTO \(table)(n) VALUES (7)"
    default: return "REINDEX"
    }
  }

  private static let wrong = [
    "SELEC 1", "INSERT INTO nothing VALUES (1)", "UPDATE item SET nothing = 1", "INSERT INTO item VALUES (1)",
    "COMMIT", "ROLLBACK", "SAVEPOINT x", "BEGIN", "RELEASE x", "INSERT INTO log VALUES (?)",
    "DELETE FROM log; DELETE FROM log", "SELECT f(1, 2, 3, 4)", "INSERT INTO log VALUES (\"quoted\")",
  ]

  private mutating func call() -> String {
    "\(pick(["f", "F", "g", "upper"]))(\(pick(["", "1", "1, 2", "'a'"])))"
  }

  mutating func query() -> ModelStep {
    switch below(8) {
    case 0...1: return .query("SELECT \(call()), \(call())", [])
    case 2: return .query("SELECT *, typeof(note) FROM item WHERE title = ? ORDER BY id", [title()])
    case 3: return .query("SELECT count(*), total(weight) FROM shown WHERE id < ?", [id()])
    case 4: return .query("SELECT * FROM o.part LEFT JOIN o.box ON box.id = part.box ORDER BY part.id", [])
    case 5:
      let sql = "INSERT \(clause())INTO item(title, weight) VALUES (?, ?), (?, ?) RETURNING id, title"
      return .query(sql, [title(), weight(), title(), weight()])
    case 6: return .query("DELETE FROM word WHERE n < ? RETURNING id, n", [.integer(Int64(below(3)))])
    default: return .query("SELECT 'a' LIKE 'A', name FROM sqlite_schema WHERE name NOT LIKE 'frc%' ORDER BY name", [])
    }
  }

  private mutating func script() -> ModelStep {
    var statements: [String] = []
    var gaps: [String] = []
    for _ in 0...below(4) {
      gaps.append(pick(["", "\n", " -- é; '\n", "/* a;\n b */ ", "\n\n  ;", "\t"]))
      switch below(8) {
      case 0: statements.append(pick(Self.wrong.filter { !$0.contains(";") }))
      case 1: statements.append("INSERT \(clause())INTO item(id, title) VALUES (\(1 + below(8)), 'é\n;b')")
      case 2: statements.append("INSERT INTO word VALUES ('\(pick(["é", "牛", "a"]))',\n \(below(6)))")
      case 3: statements.append("UPDATE item SET 'é' = title,\n nothing = 2 WHERE id = 1")
      case 4: statements.append("UPDATE item SET note = 'é', weight = \(900 + below(25)) WHERE id < \(below(8))")
      case 5: statements.append(definition())
      default: statements.append("INSERT INTO log VALUES ('script')")
      }
    }
    return .script(ModelScript(statements: statements, gaps: gaps))
  }

  private mutating func entity() -> ModelStep {
    let kind = pick(EntityCall.Kind.allCases)
    let action = pick([.insert, .insert, .inserted, .update, .upsert] + EntityCall.Action.allCases)
    let reads = [.deleteByID, .delete, .find].contains(action)
    let values: [Value]
    switch kind {
    case .item, .shown: values = [once(in: 3) ? .null : id(), title(), weight(), anything()]
    case .part: values = [once(in: 3) ? .null : id(), title(), once(in: 4) ? id() : .null]
    case .word: values = [word(), .integer(Int64(below(6)))]
    case .looseWord: values = [once(in: 4) ? .null : word(), .integer(Int64(below(6)))]
    }
    let present: Value = kind == .word || kind == .looseWord ? .text("a") : .integer(1)
    return .entity(
      EntityCall(
        action: action, kind: kind, values: reads && values[0].isNull ? [present] + values.dropFirst() : values))
  }

  // MARK: Steps

  mutating func steps(depth: Int = 0) -> [ModelStep] { (0...below(depth == 0 ? 6 : 3)).map { _ in step(depth) } }

  private mutating func step(_ depth: Int) -> ModelStep {
    let nests = depth < 3
    let step: ModelStep
    switch below(20) {
    case 0...6: step = change()
    case 7...8: step = query()
    case 9...12: step = entity()
    case 13: step = script()
    case 14: step = .setting(pick(ModelSchema.changes))
    case 15...17 where nests: step = .savepoint(steps(depth: depth + 1))
    case 18 where nests:
      let sql = "SELECT id FROM \(pick(["item", "word", "shown"])) ORDER BY id LIMIT 2"
      step = .loop(sql, steps(depth: depth + 2))
    case 19 where depth > 0 && once(in: 2): step = .fail
    default: step = change()
    }
    // Most errors are caught, or little would be kept.
    return once(in: 6) ? step : .caught([step])
  }
}
