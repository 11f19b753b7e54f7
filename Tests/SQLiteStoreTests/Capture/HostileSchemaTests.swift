import DataSourcesTestSupport
import FixtureSupport
import SQLiteStore
import TestSupport
import Testing

/// Tables with every oddity that a schema can have: every row that differs is reported, whichever program changes it.
@Suite struct HostileSchemaTests {
  private static let schema = #"""
    CREATE TABLE "select ""from"" it's"("group by" INTEGER PRIMARY KEY, "a ""b""" TEXT UNIQUE, [c d] INTEGER,
      g TEXT GENERATED ALWAYS AS (lower("a ""b""")) VIRTUAL UNIQUE);
    CREATE UNIQUE INDEX "partial" ON "select ""from"" it's"([c d]) WHERE [c d] > 2;
    CREATE TABLE "Größe ☃"("key one" TEXT COLLATE NOCASE, "order" INTEGER, v TEXT UNIQUE COLLATE RTRIM,
      PRIMARY KEY ("order" DESC, "key one")) WITHOUT ROWID, STRICT;
    CREATE TABLE "dotted.name"(v TEXT NOT NULL DEFAULT 'd' UNIQUE ON CONFLICT REPLACE, w INTEGER) STRICT;
    CREATE TABLE "table"(oid INTEGER, _rowid_ TEXT, x TEXT, y TEXT, UNIQUE (x, y) ON CONFLICT REPLACE);
    """#
  private static let keys = [
    "select \"from\" it's": ["group by"], "Größe ☃": ["order", "key one"], "dotted.name": ["rowid"], "table": ["rowid"],
  ]

  private static func statement(_ random: inout SeededGenerator) -> String {
    func number() -> Int { Int.random(in: 0...6, using: &random) }
    func word() -> String { ["'a'", "'A'", "'a '", "'b'", "'B '", "NULL"].randomElement(using: &random) ?? "'a'" }
    func text() -> String { ["'a'", "'A'", "'a '", "'b'", "'B '"].randomElement(using: &random) ?? "'a'" }
    let how = ["", "OR REPLACE", "OR REPLACE", "OR IGNORE"].randomElement(using: &random) ?? ""
    switch Int.random(in: 0...13, using: &random) {
    case 0: return "INSERT \(how) INTO \"select \"\"from\"\" it's\" VALUES (\(number()), \(word()), \(number()))"
    case 1:
      return
        "UPDATE \(how) \"select \"\"from\"\" it's\" SET \"group by\" = \(number()) WHERE \"group by\" = \(number())"
    case 2:
      return
        "UPDATE \(how) \"select \"\"from\"\" it's\" SET \"a \"\"b\"\"\" = \(word()) WHERE \"group by\" = \(number())"
    case 3: return "UPDATE \(how) \"select \"\"from\"\" it's\" SET [c d] = \(number()) WHERE \"group by\" = \(number())"
    case 4: return "DELETE FROM \"select \"\"from\"\" it's\" WHERE \"group by\" = \(number())"
    case 5: return "INSERT \(how) INTO \"Größe ☃\" VALUES (\(text()), \(number()), \(word()))"
    case 6: return "UPDATE \(how) \"Größe ☃\" SET \"key one\" = \(text()) WHERE \"order\" = \(number())"
    case 7: return "UPDATE \(how) \"Größe ☃\" SET v = \(word()), \"order\" = \(number()) WHERE \"key one\" = \(text())"
    case 8:
      return "INSERT INTO \"Größe ☃\" VALUES (\(text()), \(number()), NULL) "
        + "ON CONFLICT DO UPDATE SET \"order\" = \(number()), v = \(word())"
    case 9: return "DELETE FROM \"Größe ☃\" WHERE \"order\" = \(number())"
    case 10: return "INSERT \(how) INTO \"dotted.name\"(v, w) VALUES (\(text()), \(number()))"
    case 11: return "UPDATE \"dotted.name\" SET v = \(text()) WHERE w = \(number())"
    case 12: return "INSERT INTO \"table\"(x, y) VALUES (\(word()), \(text()))"
    default: return "UPDATE \"table\" SET x = \(word()), oid = \(number()) WHERE y = \(text())"
    }
  }

  /// Every row by its key, as text.
  private static func rows(_ table: String, _ database: Database) throws -> [[Value]: [Value]] {
    let key = try #require(keys[table])
    return try database.read { c in
      var rows: [[Value]: [Value]] = [:]
      let columns = key.map { SQL.quoted($0) }.joined(separator: ", ")
      for row in try c.rows("SELECT \(raw: columns), * FROM \(identifier: table)") {
        rows[Array(try row.values.prefix(key.count))] = try row.values
      }
      return rows
    }
  }

  private func check(_ it: Observed, _ write: (String) throws -> Void) throws {
    var random = SeededGenerator(seed: Seeds.repeated ?? 1)
    it.observe("select \"from\" it's", "Größe ☃", "dotted.name", "table")
    var exact = 0
    for _ in 0..<400 {
      let before = try Self.keys.keys.map { ($0, try Self.rows($0, it.database)) }
      let sql = Self.statement(&random)
      it.commits.change { $0 = [] }
      try? write(sql)
      try it.database.catchUp()
      for (table, old) in before {
        let new = try Self.rows(table, it.database)
        let differing = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
        var told: DirtyKeys?
        for commit in it.commits.value {
          if let keys = commit.changes[table] { told = told?.union(keys) ?? keys }
        }
        switch told {
        case .everything?: continue
        case .rowIDs(let ids)?:
          exact += 1
          #expect(differing.isSubset(of: Set(ids.map { [.integer($0)] })), "\(sql): \(differing), told \(ids)")
        case .primaryKeys(let keys)?:
          exact += 1
          #expect(differing.isSubset(of: keys), "\(sql): \(differing), told \(keys)")
        case nil: #expect(differing.isEmpty, "\(sql): nothing told of \(table)")
        }
      }
    }
    #expect(exact > 40)
  }

  @Test(arguments: CaptureSetup.all) func `our own changes of odd tables are reported`(_ setup: CaptureSetup) throws {
    let it = try setup.make()
    try it.database.write { try $0.executeScript(Self.schema) }
    try check(it) { sql in try it.database.write { c in _ = try c.execute(SQL(raw: sql)) } }
  }

  @Test(arguments: [false, true]) func `others' changes of odd tables are reported`(_ recursive: Bool) throws {
    let scratch = try Scratch()
    let it = Observed(scratch, try scratch.database())
    try it.database.write { try $0.executeScript(Self.schema) }
    try it.database.recordHistory(of: Array(Self.keys.keys))
    let raw = try RawDatabase(path: scratch.path())
    try raw.execute("PRAGMA recursive_triggers = \(recursive ? 1 : 0)")
    try check(it) { try raw.execute($0) }
  }
}
