import CFetchedResultsSQLite
import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport

/// How a database of the oracle is made.
struct OracleSetup: CustomStringConvertible {
  /// What ids are, and how their table keeps them.
  enum Key {
    case number, descending, text, nocaseText, uuid, withoutRowID, nocaseWithoutRowID, anyWithoutRowID
    /// NULL may occur more than once, so that the schema makes ids not unique.
    case nullableText

    /// Those that are chosen at random.
    static let allCases: [Key] = [
      .number, .descending, .text, .nocaseText, .uuid, .withoutRowID, .nocaseWithoutRowID, .anyWithoutRowID,
    ]

    var isNumber: Bool { self == .number || self == .descending }
    var isNocase: Bool { self == .nocaseText || self == .nocaseWithoutRowID }
    var suffix: String {
      switch self {
      case .withoutRowID, .nocaseWithoutRowID, .anyWithoutRowID: " WITHOUT ROWID"
      default: ""
      }
    }
    var declaration: String {
      switch self {
      case .number: "INTEGER PRIMARY KEY"
      case .descending: "INTEGER NOT NULL PRIMARY KEY DESC"
      case .text, .uuid, .withoutRowID: "TEXT NOT NULL PRIMARY KEY"
      case .nullableText: "TEXT PRIMARY KEY"
      case .nocaseText, .nocaseWithoutRowID: "TEXT NOT NULL COLLATE NOCASE PRIMARY KEY"
      case .anyWithoutRowID: "NOT NULL PRIMARY KEY"
      }
    }
    /// How a column is declared that refers to it.
    var reference: String { isNumber ? "INTEGER" : self == .anyWithoutRowID ? "" : "TEXT" }
  }

  var isFile: Bool
  var capture: Database.Options.Capture
  var encoding: String
  var item: Key
  var list: Key
  var titleCollation: String
  var nameCollation: String
  var isIndexed: Bool
  /// Whether another connection writes too.
  var hasForeigner: Bool
  var hasHistory: Bool
  /// Whether the journal is one that keeps readers and writers apart, and each cache so small that transactions spill.
  var hasRollbackJournal: Bool
  var hasSmallCache: Bool
  /// Whether a file is attached. Its tables have names of the main file's, except `later`, which is created and dropped
  /// in the main file.
  var hasArchive: Bool
  /// Whether each table is changed as often as the others, and not mostly `item`.
  var changesTablesEvenly: Bool
  /// Whether no step changes the schema, after which SQLite may scan tables that are this small.
  var keepsSchema = false
  /// Whether rows are added now and then, because most changes to a few rows concern none of them.
  var isKeptFull = false
  /// How many ids the items, lists and persons have.
  var ids = (items: 14, lists: 5, persons: 3)

  /// The collations that the program adds; all compare like FOLDED.
  static let addedCollations = ["FOLDED", "B", "de,ci", "-x", "N.x"]

  init(_ dice: inout SeededGenerator) {
    isFile = dice.below(4) > 0
    capture = dice.pick(.preupdateHook, .triggers)
    encoding = dice.pick("UTF-8", "UTF-8", "UTF-8", "UTF-16le", "UTF-16be")
    item = dice.once(in: 2) ? .number : dice.pick(Key.allCases)
    list = dice.once(in: 2) ? .number : dice.pick(Key.allCases)
    titleCollation = dice.pick("BINARY", "NOCASE", "RTRIM", "FOLDED")
    // SQLite's own texts about plans use these characters between names.
    if titleCollation == "FOLDED" { titleCollation = dice.pick("FOLDED", "B", "de,ci", "-x", "N.x") }
    nameCollation = dice.pick("BINARY", "NOCASE", "RTRIM")
    isIndexed = dice.below(8) > 0
    hasForeigner = isFile && dice.below(3) > 0
    hasHistory = hasForeigner && dice.once(in: 2)
    if !isFile, dice.once(in: 2) { hasHistory = dice.once(in: 4) }
    hasRollbackJournal = isFile && dice.once(in: 5)
    hasSmallCache = isFile && dice.once(in: 5)
    hasArchive = isFile && dice.once(in: 3)
    changesTablesEvenly = dice.once(in: 3)
    // Another connection does not have the collation.
    if Self.addedCollations.contains(titleCollation) { (hasForeigner, hasHistory) = (false, false) }
  }

  /// One in which as many lists as possible are followed row by row, through all commits.
  init(following dice: inout SeededGenerator) {
    repeat { self.init(&dice) } while !isFile || !isIndexed || item.isNocase || list.isNocase
    hasHistory = hasForeigner
    changesTablesEvenly = true
    keepsSchema = true
    isKeptFull = true
  }

  var description: String {
    "\(isFile ? "file" : "memory") \(capture) \(encoding) item: \(item) list: \(list) title: \(titleCollation) "
      + "name: \(nameCollation) \(isIndexed ? "indexed" : "bare")\(hasForeigner ? " foreigner" : "")"
      + (hasHistory ? " history" : "") + (hasRollbackJournal ? " rollback" : "") + (hasSmallCache ? " small" : "")
      + (hasArchive ? " archive" : "") + (changesTablesEvenly ? " evenly" : "")
  }
}

/// A database with a handful of related tables and all that may write to it.
final class OracleWorld {
  let setup: OracleSetup
  let database: Database
  let foreigner: RawDatabase?
  /// How many columns and indices were added, for their names.
  var additions = 0
  /// Which of two files is attached.
  private var archive = 1

  init(_ setup: OracleSetup, _ dice: inout SeededGenerator) throws {
    self.setup = setup
    var options = Database.Options()
    options.capture = setup.capture
    options.durability = .normal
    if setup.hasRollbackJournal { options.journal = .delete }
    if setup.hasSmallCache { options.pageCacheBytes = 2 * 4096 }
    let path = try TemporaryFolder.make() + "/oracle.db"
    if setup.isFile, setup.encoding != "UTF-8" {
      Self.makeFile(path, encoding: setup.encoding)
    }
    database = try setup.isFile ? Database(path: path, options: options) : Database.inMemory(options: options)
    if !setup.isFile, setup.encoding != "UTF-8" {
      try database.read { c in
        _ = c.asLibrary { sqlite3_exec(c.rawHandle, "PRAGMA query_only = 0", nil, nil, nil) }
        _ = sqlite3_exec(c.rawHandle, "COMMIT; PRAGMA encoding = '\(setup.encoding)'; BEGIN", nil, nil, nil)
      }
    }
    // One that is called B makes BINARY hard to recognise, so it is only added if it is used.
    for name in OracleSetup.addedCollations where name != "B" || setup.titleCollation == "B" {
      try database.addCollation(name) { left, right in Self.compare(Self.folded(left), Self.folded(right)) }
    }
    try database.addCollation("BACKWARDS") { left, right in
      Self.compare(
        String(decoding: left.utf8.reversed(), as: UTF8.self), String(decoding: right.utf8.reversed(), as: UTF8.self))
    }
    try database.addFunction("oracle_section", arguments: 1, isDeterministic: true) { arguments in
      switch OracleSpec.through(arguments[0]) {
      case .none: .null
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .text(let value): .text(value)
      case .blob(let value): .blob(value)
      }
    }
    try database.write { [setup] c in
      try c.executeScript(Self.schema(setup))
    }
    let encoding = try database.read { try $0.value("PRAGMA encoding", as: String.self) }
    precondition(encoding == setup.encoding, "the encoding is \(encoding ?? "-"), not \(setup.encoding)")
    foreigner = try setup.hasForeigner ? RawDatabase(path: path) : nil
    if setup.hasSmallCache {
      try foreigner?.execute("PRAGMA cache_size = 2")
    }
    if setup.hasHistory { try database.recordHistory(of: Self.tables) }
    if setup.hasArchive { try attachArchives() }
    try fill(&dice)
  }

  private func attachArchives() throws {
    for number in [2, 1] {
      if setup.encoding != "UTF-8" { Self.makeFile(archivePath(number), encoding: setup.encoding) }
      if number == 1 { try database.detach("archive") }
      try database.attach(archivePath(number), as: "archive")
      // Both files have the same version of the schema, but only the first has columns without NULL, and the columns of
      // one table are in another order.
      let rule = number == 1 ? "NOT NULL" : ""
      let (list, title) = ("list INTEGER \(rule)", "title TEXT \(rule)")
      try database.write { c in
        try c.executeScript(
          """
          CREATE TABLE archive.list(id INTEGER PRIMARY KEY, name TEXT \(rule));
          CREATE TABLE archive.item(id INTEGER PRIMARY KEY, \(number == 1 ? "\(list), \(title)" : "\(title), \(list)"));
          CREATE INDEX archive.old_item_list ON item(list);
          CREATE TABLE archive.tag(item INTEGER PRIMARY KEY, name TEXT \(rule));
          CREATE TABLE archive.later(id INTEGER PRIMARY KEY, title TEXT);
          CREATE VIEW archive.old_view AS
            SELECT item.id AS id, item.title AS title, list.name AS list_name FROM item LEFT JOIN list ON list.id = item.list
            WHERE NOT EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id AND tag.name = 'x');
          INSERT INTO archive.list VALUES (1, 'old one'), (2, 'old two');
          INSERT OR IGNORE INTO archive.item(id, list, title) VALUES (1, 1, 'old a'), (2, 2, 'old b'), (5, NULL, 'a');
          """)
      }
    }
  }

  private func archivePath(_ number: Int) -> String { "\(database.path ?? "")-archive\(number)" }

  /// Attaches the other file under the same name.
  func exchangeArchives() throws {
    archive = 3 - archive
    try database.detach("archive")
    try database.attach(archivePath(archive), as: "archive")
  }

  /// A change in the attached file.
  private func archiveStatement(_ dice: inout SeededGenerator) -> String {
    let (item, list) = (dice.below(8) + 1, dice.below(3) + 1)
    switch dice.below(6) {
    case 0, 1:
      let title = dice.pick("'a'", "'old b'", "'ab'", "NULL")
      let key = dice.once(in: 4) ? "NULL" : "\(list)"
      return "INSERT OR REPLACE INTO archive.item(id, list, title) VALUES (\(item), \(key), \(title))"
    case 2: return "DELETE FROM archive.item WHERE id = \(item)"
    case 3:
      return dice.once(in: 2)
        ? "INSERT OR REPLACE INTO archive.list VALUES (\(list), \(dice.pick(Self.names)))"
        : "INSERT OR REPLACE INTO later VALUES (\(item), \(dice.pick(Self.titles)))"
    case 4:
      return dice.pick(
        "INSERT OR REPLACE INTO archive.tag VALUES (\(item), \(dice.pick(Self.tagNames)))",
        "INSERT OR REPLACE INTO archive.tag VALUES (\(item), NULL)", "DELETE FROM archive.tag WHERE name IS NULL")
    default: return "UPDATE archive.item SET title = title || 'x' WHERE id > \(item)"
    }
  }

  static let tables = ["item", "list", "person", "tag", "note"]

  /// Creates a file; the connection that creates it sets its encoding.
  static func makeFile(_ path: String, encoding: String) {
    var handle: OpaquePointer?
    sqlite3_open(path, &handle)
    sqlite3_exec(handle, "PRAGMA encoding = '\(encoding)'; CREATE TABLE any(x); DROP TABLE any", nil, nil, nil)
    sqlite3_close(handle)
  }

  static func folded(_ text: String) -> String { text.lowercased() }

  static func compare(_ left: String, _ right: String) -> Int {
    if left.utf8.elementsEqual(right.utf8) { return 0 }
    return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
  }

  // MARK: Schema

  static func schema(_ s: OracleSetup) -> String {
    """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, team);
    CREATE TABLE list(
      id \(s.list.declaration), name TEXT COLLATE \(s.nameCollation), position INTEGER,
      owner INTEGER REFERENCES person ON DELETE SET NULL ON UPDATE CASCADE)\(s.list.suffix);
    CREATE TABLE item(
      id \(s.item.declaration), list \(s.list.reference) REFERENCES list ON DELETE CASCADE ON UPDATE CASCADE,
      title COLLATE "\(s.titleCollation)", rank, due TEXT, done INTEGER NOT NULL DEFAULT 0,
      parent \(s.item.reference) REFERENCES item ON DELETE SET NULL ON UPDATE CASCADE, code INTEGER UNIQUE
    )\(s.item.suffix);
    \(tagTable(s))
    CREATE TABLE note(
      item \(s.item.reference) NOT NULL REFERENCES item ON DELETE CASCADE ON UPDATE CASCADE, kind TEXT NOT NULL, id INTEGER,
      body, PRIMARY KEY (item, kind)) WITHOUT ROWID;
    \(s.isIndexed ? indices.map { $0 + ";" }.joined(separator: "\n") : "")
    CREATE TRIGGER item_done AFTER UPDATE OF done ON item BEGIN
      UPDATE list SET position = (position + 1) % 5 WHERE id = NEW.list;
    END;
    CREATE TRIGGER list_position AFTER UPDATE OF position ON list WHEN NEW.position = 3 BEGIN
      UPDATE person SET team = NEW.position + 1 WHERE id = NEW.owner;
      DELETE FROM tag WHERE name = 'gone';
    END;
    CREATE VIEW item_view AS
      SELECT item.id AS id, item.title AS title, item.rank AS rank, item.list AS list, list.name AS list_name,
        list.position AS list_position FROM item LEFT JOIN list ON list.id = item.list;
    CREATE TRIGGER item_view_insert INSTEAD OF INSERT ON item_view BEGIN
      INSERT INTO item(id, title, rank, list) VALUES (NEW.id, NEW.title, NEW.rank, NEW.list);
    END;
    CREATE TRIGGER item_view_update INSTEAD OF UPDATE ON item_view BEGIN
      UPDATE item SET title = NEW.title, rank = NEW.rank WHERE id = OLD.id;
      UPDATE list SET name = NEW.list_name WHERE id = OLD.list;
    END;
    CREATE TRIGGER item_view_delete INSTEAD OF DELETE ON item_view BEGIN DELETE FROM item WHERE id = OLD.id; END;
    CREATE VIEW open_item AS SELECT * FROM item WHERE NOT done;
    CREATE VIEW nested_view AS SELECT id, list_name, title FROM item_view WHERE list_position > 1;
    CREATE VIEW joined_view AS SELECT item.id AS id, item.title AS title, item.rank AS rank FROM item JOIN person USING (id);
    CREATE VIEW distinct_view AS SELECT DISTINCT id, title, rank FROM item NATURAL JOIN person;
    CREATE VIEW odd_view(id, t, n) AS SELECT id, title, (SELECT count(*) FROM tag WHERE tag.item = item.id) FROM item;
    """
  }

  static func tagTable(_ s: OracleSetup) -> String {
    """
    CREATE TABLE tag(
      id INTEGER PRIMARY KEY, item \(s.item.reference) REFERENCES item ON DELETE CASCADE ON UPDATE CASCADE
      DEFERRABLE INITIALLY DEFERRED, name TEXT, UNIQUE (item, name));
    """
  }

  static let indices = [
    "CREATE INDEX item_list ON item(list)", "CREATE INDEX item_parent ON item(parent)",
    "CREATE INDEX list_owner ON list(owner)", "CREATE INDEX tag_name ON tag(name)",
    "CREATE INDEX list_name ON list(name)",
  ]

  // MARK: Values

  func itemID(_ dice: inout SeededGenerator) -> String { Self.id(setup.item, dice.below(setup.ids.items) + 1, &dice) }
  func listID(_ dice: inout SeededGenerator) -> String { Self.id(setup.list, dice.below(setup.ids.lists) + 1, &dice) }
  func personID(_ dice: inout SeededGenerator) -> String { "\(dice.below(setup.ids.persons) + 1)" }

  static func id(_ key: OracleSetup.Key, _ number: Int, _ dice: inout SeededGenerator) -> String {
    switch key {
    case .number, .descending: return "\(number)"
    case .text, .nullableText, .withoutRowID: return ["'k\(number)'", "'ä\(number)'", "'\(number)'"][number % 3]
    case .nocaseText, .nocaseWithoutRowID: return dice.once(in: 2) ? "'k\(number)'" : "'K\(number)'"
    case .uuid:
      let last = "\(number + 100)".dropFirst()
      return "'6F9619FF-8B86-D011-B42D-00CF4FC964\(last)'"
    case .anyWithoutRowID:
      switch number % 4 {
      case 0: return dice.once(in: 2) ? "\(number)" : "\(number).0"
      case 1: return "x'0\(number % 10)'"
      case 2: return "'t\(number)'"
      default: return "\(number).5"
      }
    }
  }

  static let titles = [
    "NULL", "'a'", "'A'", "'b'", "'B'", "'a '", "'A  '", "'ab'", "''", "' '", "'Ä'", "'ä'", "'e' || char(769)", "'é'",
    "'a' || char(0) || 'b'", "'A' || char(0) || 'c'", "'a' || char(0)", "'\u{1F600}'", "'\u{FF5E}'", "'_'", "'Z'",
    "'1'",
    "1", "1.0", "2.5", "x'61'", "x'6162'", "x''", "-1", "10", "'10'",
  ]
  static let ranks = [
    "NULL", "NULL", "0", "-0.0", "0.0", "1", "1.0", "1.5", "2", "3", "9007199254740992", "9007199254740993",
    "9007199254740992.0",
    "-9007199254740992", "-9007199254740993", "-9007199254740992.0", "9007199254740994.0", "9223372036854775807",
    "9223372036854775807.0", "-9223372036854775808", "-9223372036854775808.0", "1e300", "9e999", "-9e999", "'x'", "'X'",
    "x'00'",
    "x'0001'", "1e-300",
  ]
  static let names = [
    "'Errands'", "'errands'", "'Career'", "'Home '", "'Home'", "NULL", "'a'", "'Zoo'", "''", "'x'", "'y'",
  ]
  static let dues = ["NULL", "'2024-01-01'", "'2024-01-02'", "'2025-06-30'"]
  static let tagNames = ["'x'", "'y'", "'z'", "'gone'", "'a'"]

  func insertItem(_ dice: inout SeededGenerator, or conflict: String = "") -> String {
    "INSERT \(conflict) INTO item(id, list, title, rank, due, done, parent, code) VALUES \(itemRow(&dice))"
  }

  func itemRow(_ dice: inout SeededGenerator) -> String {
    let list = dice.once(in: 4) ? "NULL" : existing("list", listID(&dice), &dice)
    let parent = dice.once(in: 2) ? "NULL" : existing("item", itemID(&dice), &dice)
    return "(\(itemID(&dice)), \(list), \(dice.pick(Self.titles)), \(dice.pick(Self.ranks)), \(dice.pick(Self.dues)), "
      + "\(dice.below(3) / 2), \(parent), \(dice.once(in: 3) ? "NULL" : "\(dice.below(12))"))"
  }

  /// An id; usually NULL if no row has it, since a change that breaks a foreign key is undone as a whole.
  private func existing(_ table: String, _ id: String, _ dice: inout SeededGenerator) -> String {
    dice.once(in: 4) ? id : "(SELECT id FROM \(table) WHERE id = \(id))"
  }

  private func fill(_ dice: inout SeededGenerator) throws {
    for person in 1...3 where dice.below(4) > 0 {
      try local("INSERT INTO person VALUES (\(person), 'P\(person)', \(dice.below(3)))")
    }
    for number in 1...5 where dice.below(4) > 0 {
      let id = Self.id(setup.list, number, &dice)
      try local(
        "INSERT INTO list VALUES (\(id), \(dice.pick(Self.names)), \(dice.below(5)), "
          + "\(dice.once(in: 3) ? "NULL" : personID(&dice)))")
    }
    let count = dice.once(in: 8) ? 0 : dice.below(16)
    for _ in 0..<count { try local(insertItem(&dice, or: "OR IGNORE")) }
    for _ in 0..<dice.below(12) { try local(tag(&dice)) }
    for _ in 0..<dice.below(6) { try local(note(&dice)) }
  }

  private func local(_ sql: String) throws {
    do {
      try database.write { try $0.execute(SQL(raw: sql)) }
    } catch let error as DatabaseError where error.code == .constraint {}
  }

  // MARK: Statements

  func tag(_ dice: inout SeededGenerator) -> String {
    "INSERT OR IGNORE INTO tag(item, name) VALUES (\(existing("item", itemID(&dice), &dice)), "
      + "\(dice.pick(Self.tagNames)))"
  }

  func note(_ dice: inout SeededGenerator) -> String {
    "INSERT OR REPLACE INTO note(item, kind, id, body) VALUES "
      + "(\(itemID(&dice)), '\(dice.pick("k", "m"))', \(dice.below(100)), \(dice.pick(Self.titles)))"
  }

  /// The numbers of the statements about each table.
  private static let statementsOfTables = [
    Array(0...23), Array(24...32), [33, 34, 34, 35, 54, 54, 55, 55], Array(36...39), [40, 40, 41],
  ]

  private func statementNumber(_ dice: inout SeededGenerator) -> Int {
    if setup.changesTablesEvenly, dice.below(8) > 0 {
      return dice.pick(dice.pick(Self.statementsOfTables))
    }
    return dice.below(setup.hasArchive ? 54 : 46)
  }

  /// Adds some items and tags that are missing.
  func refill(_ dice: inout SeededGenerator) -> [String] {
    (0..<3).map { _ in insertItem(&dice, or: "OR IGNORE") } + (0..<2).map { _ in tag(&dice) }
  }

  /// One statement, or several that belong together.
  func statements(_ dice: inout SeededGenerator) -> [String] {
    let item = itemID(&dice)
    let other = itemID(&dice)
    let list = listID(&dice)
    let title = dice.pick(Self.titles)
    let rank = dice.pick(Self.ranks)
    switch statementNumber(&dice) {
    case 0: return [insertItem(&dice)]
    case 1: return [insertItem(&dice, or: "OR REPLACE")]
    case 2: return [insertItem(&dice, or: "OR IGNORE")]
    case 3: return [insertItem(&dice, or: "OR FAIL") + ", \(itemRow(&dice)), \(itemRow(&dice))"]
    case 4: return [insertItem(&dice, or: "OR REPLACE") + ", \(itemRow(&dice)), \(itemRow(&dice)), \(itemRow(&dice))"]
    case 5:
      return [
        insertItem(&dice)
          + " ON CONFLICT(id) DO UPDATE SET title = excluded.title, rank = rank + 1, list = excluded.list"
      ]
    case 6: return [insertItem(&dice) + " ON CONFLICT(code) DO UPDATE SET title = excluded.title, done = 1 - done"]
    case 7: return [insertItem(&dice) + " ON CONFLICT DO NOTHING"]
    case 8: return ["UPDATE OR REPLACE item SET code = \(dice.below(12)) WHERE id IN (\(item), \(other))"]
    case 9: return ["UPDATE OR REPLACE item SET code = 5, id = \(other) WHERE id = \(item)"]
    case 10, 11: return ["UPDATE item SET title = \(title) WHERE id = \(item)"]
    case 12, 13: return ["UPDATE item SET rank = \(rank) WHERE id = \(item)"]
    case 14: return ["UPDATE item SET list = \(list) WHERE id = \(item)"]
    case 15: return ["UPDATE item SET done = 1 - done WHERE id = \(item)"]
    case 16: return ["UPDATE item SET parent = \(other) WHERE id = \(item)"]
    case 17: return ["UPDATE item SET due = \(dice.pick(Self.dues)), title = \(title) WHERE rank > 1"]
    case 18:
      // The key and the sort key of two rows change places.
      let spare = Self.id(setup.item, 40, &dice)
      return [
        "UPDATE item SET id = \(spare) WHERE id = \(item)", "UPDATE item SET id = \(item) WHERE id = \(other)",
        "UPDATE item SET id = \(other) WHERE id = \(spare)",
        "UPDATE item SET title = \(title), rank = \(rank) WHERE id = \(item)",
        "UPDATE item SET title = \(dice.pick(Self.titles)), rank = \(dice.pick(Self.ranks)) WHERE id = \(other)",
      ]
    case 19: return ["UPDATE OR IGNORE item SET id = \(other) WHERE id = \(item)"]
    case 20: return ["UPDATE OR REPLACE item SET id = \(item) WHERE id = \(item)"]
    case 21, 22: return ["DELETE FROM item WHERE id = \(item)"]
    case 23: return ["DELETE FROM item WHERE rank IS NULL AND done"]
    case 24: return ["DELETE FROM list WHERE id = \(list)"]
    case 25, 26:
      return [
        "INSERT OR REPLACE INTO list VALUES (\(list), \(dice.pick(Self.names)), \(dice.below(5)), "
          + "\(dice.once(in: 3) ? "NULL" : personID(&dice)))"
      ]
    case 27: return ["UPDATE list SET name = \(dice.pick(Self.names)) WHERE id = \(list)"]
    case 28: return ["UPDATE list SET position = \(dice.below(5)) WHERE id = \(list)"]
    case 29: return ["UPDATE list SET position = 4 - position"]
    case 30: return ["UPDATE item SET list = \(list) WHERE list = \(listID(&dice))"]  // a section joins another
    case 31: return ["UPDATE item SET list = \(list) WHERE list = \(listID(&dice)) AND done"]  // a section is split
    case 32: return ["UPDATE list SET owner = \(dice.once(in: 3) ? "NULL" : personID(&dice)) WHERE id = \(list)"]
    case 33: return ["DELETE FROM person WHERE id = \(personID(&dice))"]
    case 34:
      return ["INSERT OR REPLACE INTO person VALUES (\(personID(&dice)), \(dice.pick(Self.names)), \(dice.below(3)))"]
    case 35: return ["UPDATE person SET team = \(dice.below(3)), name = \(dice.pick(Self.names))"]
    case 54: return ["UPDATE person SET team = \(dice.below(3)) WHERE id = \(personID(&dice))"]
    case 55: return ["UPDATE person SET name = \(dice.pick(Self.names)) WHERE id = \(personID(&dice))"]
    case 36, 37: return [tag(&dice)]
    case 38: return ["DELETE FROM tag WHERE item = \(item)"]
    case 39:
      return ["UPDATE OR IGNORE tag SET item = \(item), name = \(dice.pick(Self.tagNames)) WHERE item = \(other)"]
    case 40: return [note(&dice)]
    case 41: return ["DELETE FROM note WHERE kind = 'k' AND item > \(item)"]
    case 42:
      return [
        dice.pick(
          "DELETE FROM tag", "DELETE FROM note", dice.once(in: 4) ? "DELETE FROM item" : "DELETE FROM item WHERE done",
          dice.once(in: 4) ? "DELETE FROM list" : "UPDATE list SET name = name")
      ]
    case 43:
      return [
        dice.pick(
          "INSERT INTO item_view(id, title, rank, list) VALUES (\(item), \(title), \(rank), \(list))",
          "UPDATE item_view SET title = \(title), list_name = \(dice.pick(Self.names)) WHERE id = \(item)",
          "DELETE FROM item_view WHERE id = \(item)")
      ]
    case 44:
      return [
        "UPDATE item SET title = CASE id WHEN \(item) THEN \(title) ELSE rank END, rank = title WHERE id IN (\(item), \(other))"
      ]
    case 46...53: return [archiveStatement(&dice)]
    default: return ["UPDATE item SET title = title || '', rank = rank WHERE done = 0"]
    }
  }

  /// A change of the schema that leaves all requests possible.
  func schemaChange(_ dice: inout SeededGenerator) -> [String] {
    additions += 1
    if !setup.isFile, dice.once(in: 4) {
      // Hides the view of that name in the main file.
      let hidden = dice.pick("WHERE rank > 1", "JOIN tag ON tag.item = item.id", "WHERE done")
      return [
        dice.pick(
          "DROP VIEW temp.open_item", "CREATE TEMP VIEW open_item AS SELECT DISTINCT item.* FROM item \(hidden)")
      ]
    }
    if setup.hasArchive, dice.once(in: 2) {
      return [
        dice.pick("DROP TABLE main.later", "CREATE TABLE main.later(id INTEGER PRIMARY KEY, title TEXT)"),
        "INSERT OR REPLACE INTO later VALUES (\(dice.below(8) + 1), \(dice.pick(Self.titles)))",
      ]
    }
    switch dice.below(7) {
    case 0:
      return [
        "CREATE INDEX added_\(additions) ON item(\(dice.pick("title", "rank, title", "list, rank DESC", "due", "done")))"
      ]
    case 1: return ["CREATE INDEX IF NOT EXISTS tag_item ON tag(item)"]
    case 2:
      return [
        dice.pick(
          "DROP INDEX IF EXISTS item_list", "DROP INDEX IF EXISTS item_parent", "DROP INDEX IF EXISTS list_owner")
      ]
    case 3:
      return [
        "CREATE INDEX IF NOT EXISTS item_list ON item(list)", "CREATE INDEX IF NOT EXISTS item_parent ON item(parent)",
      ]
    case 4:
      let table = dice.pick("item", "list", "tag")
      return [
        "ALTER TABLE \(table) ADD COLUMN added_\(additions) DEFAULT \(dice.pick("7", "'x'", "NULL"))"
      ] + (dice.once(in: 3) ? ["UPDATE \(table) SET added_\(additions) = 'written' WHERE rowid % 2"] : [])
    case 5:
      return [
        "CREATE TABLE kept AS SELECT * FROM tag", "DROP TABLE tag", Self.tagTable(setup),
        "INSERT INTO tag(item, name) SELECT item, name FROM kept WHERE name <> 'z'", "DROP TABLE kept",
      ]
    default: return ["ANALYZE"]
    }
  }
}
