import CFetchedResultsSQLite
import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport

/// A database of a random schema, and all that write to it.
final class OracleSchemaWorld {
  private(set) var setup: OracleSchemaSetup
  let database: Database
  /// Plain SQLite.
  let raw: RawDatabase?
  /// Another `Database` with the same file, which has an observer of its own.
  let handle: Database?
  private let handleObservation: ObservationToken?
  /// A session of the user's that records the writer's changes.
  var session: OpaquePointer?
  /// How many columns, indices and triggers were added, for their names.
  var additions = 0
  /// Where the rows of `thing` that were made last begin.
  private var nextRow = 0

  static let watched = ["thing", "knob", "other", "counter"]
  /// The tables that lists and observers read.
  var tables: [String] { Self.watched + [setup.kindName, setup.extraName] }

  init(_ setup: OracleSchemaSetup, _ dice: inout SeededGenerator) throws {
    self.setup = setup
    var options = Database.Options()
    options.capture = setup.capture
    options.durability = .normal
    options.journal = setup.journal
    if let timeout = setup.busyTimeout { options.busyTimeout = timeout }
    // Small files have pages of 512 bytes, see `makeFile`.
    if let pages = setup.cachePages { options.pageCacheBytes = pages * (setup.isFile ? 512 : 4096) }
    let path = try TemporaryFolder.make() + "/oracle.db"
    if setup.isFile { Self.makeFile(path, setup) }
    database = try setup.isFile ? Database(path: path, options: options) : Database.inMemory(options: options)
    try Self.addFunctions(to: database)
    try database.write { [setup] c in
      for statement in Self.schema(setup) { try c.execute(SQL(raw: statement)) }
    }
    raw = try setup.hasRaw ? RawDatabase(path: path) : nil
    try raw?.execute(setup.rawSettings)
    if let pages = setup.cachePages { try raw?.execute("PRAGMA cache_size = \(pages)") }
    handle = try setup.hasHandle ? Database(path: path, options: options) : nil
    if let handle { try Self.addFunctions(to: handle) }
    handleObservation = handle?.observe(["thing", setup.extraName]) { _ in }
    if setup.has(.compiled) { try compile(&dice) }
    if setup.hasHistory { try record(database) }
    try fill(&dice)
  }

  deinit {
    // Before the connection that it belongs to is closed.
    if let session { sqlite3session_delete(session) }
  }

  private static func makeFile(_ path: String, _ setup: OracleSchemaSetup) {
    var handle: OpaquePointer?
    sqlite3_open(path, &handle)
    sqlite3_exec(
      handle,
      "\(setup.cachePages == nil ? "" : "PRAGMA page_size = 512;") PRAGMA encoding = '\(setup.encoding)'; "
        + "CREATE TABLE any(x); DROP TABLE any", nil, nil, nil)
    sqlite3_close(handle)
  }

  private static func addFunctions(to database: Database) throws {
    try database.addCollation("FOLDED") { OracleWorld.compare(OracleWorld.folded($0), OracleWorld.folded($1)) }
    try database.addCollation("BACKWARDS") { left, right in
      OracleWorld.compare(
        String(decoding: left.utf8.reversed(), as: UTF8.self), String(decoding: right.utf8.reversed(), as: UTF8.self))
    }
  }

  // MARK: Schema

  static func schema(_ setup: OracleSchemaSetup) -> [String] {
    let kind = setup.kind.quotedName
    let extra = setup.extra.quotedName
    var all = setup.thing.statements + setup.kind.statements + setup.extra.statements
    all += [
      "CREATE TABLE knob(v INTEGER)", "INSERT INTO knob VALUES (1)", "CREATE TABLE other(x)",
      "CREATE TABLE counter(id INTEGER PRIMARY KEY AUTOINCREMENT, v)",
    ]
    if setup.has(.schema) { all.append("CREATE VIEW seen AS \(views(setup)[0])") }
    if setup.isIndexed {
      all += [
        "CREATE INDEX thing_grp ON thing(grp)", "CREATE INDEX extra_item ON \(extra)(item)",
        "CREATE INDEX thing_id ON thing(id)",
      ]
    }
    if setup.has(.compiled) {
      // Deletions of whole tables that other statements run.
      all += [
        "CREATE TRIGGER knob_extra AFTER UPDATE ON knob WHEN NEW.v % 3 = 0 BEGIN DELETE FROM \(extra); END",
        "CREATE TRIGGER knob_kind AFTER UPDATE ON knob WHEN NEW.v % 7 = 1 BEGIN DELETE FROM \(kind); END",
        "CREATE TRIGGER knob_thing AFTER UPDATE ON knob WHEN NEW.v % 5 = 2 BEGIN DELETE FROM thing; END",
      ]
    }
    if setup.has(.unseen) {
      all += [
        "CREATE VIRTUAL TABLE words USING fts5(body, content=''\(setup.hasWordLengths ? "" : ", columnsize=0"))",
        "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row)",
        "CREATE VIRTUAL TABLE area USING rtree(id, low, high)",
      ]
    }
    return all
  }

  /// What the view `seen` shows, now this and then that.
  static func views(_ setup: OracleSchemaSetup) -> [String] {
    [
      "SELECT id, name, rank FROM thing", "SELECT id, name, rank FROM thing WHERE NOT done",
      "SELECT id, name, pos AS rank FROM \(setup.kind.quotedName)",
    ]
  }

  // MARK: What is compiled before anyone follows

  /// Statements that are run repeatedly with the same text.
  var repeated: [String] {
    let kind = setup.kind.quotedName
    let extra = setup.extra.quotedName
    return [
      "DELETE FROM thing", "DELETE FROM \(extra)", "DELETE FROM \(kind)", "UPDATE knob SET v = v + 1",
      "DELETE FROM counter",
      "DELETE FROM \(extra) WHERE item > 3", "UPDATE thing SET rank = 7 WHERE done",
    ]
  }

  private func compile(_ dice: inout SeededGenerator) throws {
    for sql in repeated where dice.below(5) > 0 {
      try database.write { try $0.execute(SQL(raw: sql)) }
      if dice.once(in: 3) { try handle?.write { try $0.execute(SQL(raw: sql)) } }
    }
  }

  // MARK: Values

  func thingID(_ dice: inout SeededGenerator) -> String {
    // In a database of hundreds of rows mostly one that is there.
    let count = setup.rows > 100 && dice.below(3) > 0 ? setup.rows : 12
    return id(setup.thing, dice.below(count) + 1, &dice)
  }
  func kindID(_ dice: inout SeededGenerator) -> String { id(setup.kind, dice.below(5) + 1, &dice) }

  private func id(_ table: OracleTable, _ number: Int, _ dice: inout SeededGenerator) -> String {
    if setup.has(.ids), table.name == "thing", !table.form.needsIntegers, !table.form.isWithoutRowID, dice.once(in: 8) {
      return "NULL"
    }
    return table.id(number, setup.has(.texts), &dice)
  }

  func name(_ dice: inout SeededGenerator) -> String {
    if setup.has(.sections), dice.below(4) > 0 { return "'s\(dice.below(400))'" }
    if setup.has(.texts), dice.once(in: 2) {
      return dice.pick("'\u{e9}'", "'e\u{301}'", "'caf\u{e9}'", "'cafe\u{301}'", "'E\u{301}'")
    }
    return dice.pick(["NULL", "'a'", "'A'", "'b'", "'a '", "''", "'B'", "1", "2.5", "x'61'", "'ab'"])
  }

  func code(_ dice: inout SeededGenerator) -> String {
    if setup.has(.texts), dice.once(in: 4) { return dice.pick("'\u{e9}'", "'e\u{301}'") }
    return dice.pick(["NULL", "'x'", "'X'", "'x '", "'a'", "'A'", "'b'", "1", "'1'", "2", "NULL"])
  }

  private func rank(_ dice: inout SeededGenerator) -> String {
    dice.pick(["NULL", "0", "1", "2", "2.0", "3.5", "9007199254740993", "-1", "'z'"])
  }

  func row(_ dice: inout SeededGenerator) -> String {
    let group = dice.once(in: 4) ? "NULL" : kindID(&dice)
    let number = dice.below(3)
    return
      "\(thingID(&dice)), \(number), \(name(&dice)), \(rank(&dice)), \(number * 2), \(group), \(dice.below(3) / 2), \(code(&dice))"
  }

  static let columns = "id, part, name, rank, amount, grp, done, code"

  /// An insertion of some rows. Where the schema lets ids occur more than once and that is not wanted, it is asked for.
  func insert(_ conflict: String, count: Int = 1, _ dice: inout SeededGenerator) -> String {
    let start = "INSERT \(conflict) INTO thing(\(Self.columns)) "
    if setup.thing.form.isUnique || setup.has(.ids) {
      return start + "VALUES " + (0..<count).map { _ in "(\(row(&dice)))" }.joined(separator: ", ")
    }
    let values = row(&dice)
    let id = values.prefix { $0 != "," }
    return start + "SELECT \(values) WHERE NOT EXISTS (SELECT 1 FROM thing WHERE id = \(id))"
  }

  private func fill(_ dice: inout SeededGenerator) throws {
    for number in 1...5 where dice.below(4) > 0 {
      try local(
        "INSERT INTO \(setup.kind.quotedName)(id, name, pos) VALUES (\(id(setup.kind, number, &dice)), \(name(&dice)), \(dice.below(4)))"
      )
    }
    if setup.has(.sections) { try local(many(setup.rows)) }
    for _ in 0..<min(setup.rows, 14) { try local(insert("OR IGNORE", &dice)) }
    for _ in 0..<dice.below(12) { try local(extra(&dice)) }
    // Statistics make the planner choose by what is there.
    if dice.once(in: 4) { try local("ANALYZE") }
  }

  private func local(_ sql: String) throws {
    do {
      try database.write { try $0.execute(SQL(raw: sql)) }
    } catch let error as DatabaseError where error.code == .constraint {}
  }

  /// Insertions of many rows, each in a section of its own or nearly so.
  func many(_ count: Int) -> String {
    nextRow += 1
    return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
      + "INSERT OR IGNORE INTO thing(\(Self.columns)) "
      + "SELECT i, 1, 's' || (i * \(nextRow) % 397), i % 7, i, i % 5 + 1, i % 3 / 2, NULL FROM n "
      + "WHERE NOT EXISTS (SELECT 1 FROM thing WHERE id = i)"
  }

  func extra(_ dice: inout SeededGenerator) -> String {
    "INSERT OR IGNORE INTO \(setup.extra.quotedName)(id, item, label) VALUES "
      + "(\(id(setup.extra, dice.below(20) + 1, &dice)), \(thingID(&dice)), \(dice.pick("'x'", "'y'", "'z'")))"
  }

  // MARK: The history

  func record(_ database: Database) throws {
    for table in tables {
      do {
        try database.recordHistory(of: [table])
      } catch let error as DatabaseError where error.code == .misuse {
        // Its row ids have no name, or its key is too wide.
      }
    }
  }

  // MARK: Changes of the schema

  /// Makes `thing` again, with other constraints or another form, and what it held.
  func remade(_ dice: inout SeededGenerator) -> [String] {
    var table = setup.thing
    if !setup.has(.ids),
      [.alias, .aliasByConstraint, .autoincrement, .descending, .int, .withoutRowID].contains(table.form),
      table.columns.allSatisfy({ $0.name != "id" || ["INTEGER", "INT"].contains($0.type) }), setup.has(.keys)
    {
      table = OracleTable(
        "thing", dice.pick(.alias, .aliasByConstraint, .autoincrement, .descending),
        own: table.columns.filter {
          !["id", "part", "low"].contains($0.name)
        }, isOrdered: true, &dice)
    }
    setup.thing = table
    let columns = Self.columns
    return ["DROP TABLE IF EXISTS kept", "CREATE TABLE kept AS SELECT \(columns) FROM thing", "DROP TABLE thing"]
      + table.statements
      + [
        "INSERT OR IGNORE INTO thing(\(columns)) SELECT \(columns) FROM kept WHERE \(dice.pick("1", "name IS NOT NULL", "done = 0"))",
        "DROP TABLE kept",
      ]
  }
}
