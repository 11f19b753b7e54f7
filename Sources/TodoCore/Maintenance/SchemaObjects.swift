import FetchedResultsSupport
import SQLiteStore

/// The tables, indexes, triggers and views of a database, by type and name ("trigger take_back"), with their SQL.
struct SchemaObjects {
  let found: [String: String]
  /// Whether another program has triggers in this database, on whatever table.
  let hasTriggersOfOthers: Bool

  init(_ connection: Connection) throws {
    var found: [String: String] = [:]
    found.reserveCapacity(128)
    var hasTriggersOfOthers = false
    // SQLite doesn't check that other programs' texts are UTF-8.
    try connection.forEach(
      """
      SELECT CAST(type || ' ' || name AS BLOB), CAST(sql AS BLOB), name LIKE 'frc\\_%' ESCAPE '\\' FROM sqlite_schema
      WHERE sql IS NOT NULL
      """
    ) { row in
      let (name, sql): ([UInt8], [UInt8]) = (try row[0], try row[1])
      var key = String(decoding: name, as: UTF8.self)
      let text = String(decoding: sql, as: UTF8.self)
      if key.hasPrefix("trigger "), !OwnSchema.isOwnTrigger(String(key.dropFirst(8)), text) {
        hasTriggersOfOthers = true
      } else if try row[2] {
        return
      }
      // A table of ours may have been created in other letters, which are the same name for SQLite.
      if key.hasPrefix("table ") {
        let small = key.asciiLowercased
        if small != key, OwnSchema.isOwn(String(small.dropFirst(6))) { key = small }
      }
      found[key] = text
    }
    self.found = found
    self.hasTriggersOfOthers = hasTriggersOfOthers
  }

  /// Those of a new database, which takes some milliseconds to make.
  static func expected() throws -> SchemaObjects {
    if let known = known.withLock({ $0 }) { return known }
    let expected = try TodoStore.inMemory().database.read { try SchemaObjects($0) }
    known.withLock { $0 = expected }
    return expected
  }

  private static let known = Locked<SchemaObjects?>(nil)

  /// The names of ours that are missing or not as they were made. Columns that others have added are no difference.
  func differences(from expected: SchemaObjects) -> [String] {
    expected.found.filter { name, sql in
      guard let own = found[name] else { return true }
      if own == sql { return false }
      let (here, there) = (Self.normalized(own), Self.normalized(sql))
      return here != there && !(name.hasPrefix("table ") && Self.hasAddedColumns(here, there))
    }.keys.sorted()
  }

  /// SQL without what changes when a table is renamed and gets its name back: SQLite writes the name in quotes then,
  /// and perhaps in other letters.
  private static func normalized(_ sql: String) -> String { sql.filter { $0 != "\"" }.asciiLowercased }

  /// The names of those of a type ("table").
  func names(_ type: String) -> Set<String> {
    Set(found.keys.filter { $0.hasPrefix(type + " ") }.map { String($0.dropFirst(type.utf8.count + 1)) })
  }

  /// Whether there is an object with the type and name of one of ours, in whatever letters.
  func hasNamesake(of object: String) -> Bool { found.keys.contains { $0.asciiLowercased == object } }

  /// Whether an index or a view among these has that name. Triggers have names of their own.
  static func isTaken(_ name: String, of objects: Set<String>) -> Bool {
    objects.contains("index \(name)") || objects.contains("view \(name)")
  }

  /// The message about a table or a view of another program that has the name of one of ours.
  static func taken(by type: String, _ name: String) -> String {
    let way = type == "table" ? "rename it with sqlite3: ALTER TABLE \(name) RENAME TO \(name)_of_others" : "drop it"
    return "another program has made a \(type) \(name), whose name this program needs; \(way)"
  }

  /// The message about another program's table or view that has the name of an index or a view of ours that is missing;
  /// nil if there is no such table or view.
  func obstacle(to object: String) -> String? {
    let name = object.drop { $0 != " " }.dropFirst()
    if object == "trigger \(name)" || object == "table \(name)" { return nil }
    for type in ["table", "view"] where object != "\(type) \(name)" {
      if let other = found.keys.first(where: { $0.asciiLowercased == "\(type) \(name)" }) {
        return Self.taken(by: type, String(other.dropFirst(type.utf8.count + 1)))
      }
    }
    return nil
  }

  /// Whether all triggers, indexes and views of ours exist, with the SQL with which they are made.
  ///
  /// A checksum says so in some microseconds. Another version of SQLite might store another SQL: what it stores now
  /// decides then.
  func areAsMade() throws -> Bool {
    if checksumOfObjects == OwnSchema.checksums.objects { return true }
    return try differences(from: Self.expected()).allSatisfy { $0.hasPrefix("table ") }
  }

  /// Whether something of ours is missing, or is not as it was made, that ``TodoStore/rebuild()`` makes again.
  func areIncomplete(_ connection: Connection) throws -> Bool {
    try !areAsMade() || !missingDerivedTables(connection).isEmpty
  }

  /// Whether all tables of ours exist, and nobody has added columns to them or renamed them.
  var areTablesUntouched: Bool { checksumOfTables == OwnSchema.checksums.tables }

  /// The checksum of the SQL of our triggers, indexes and views.
  var checksumOfObjects: String { checksum(of: OwnSchema.objects) }

  /// The checksum of the SQL of our tables.
  var checksumOfTables: String { checksum(of: OwnSchema.tables.map { "table " + $0.key }) }

  private func checksum(of names: [String]) -> String {
    var text = ""
    text.reserveCapacity(32_768)
    for name in names {
      text += name
      text += "\n"
      text += found[name] ?? ""
      text += "\n"
    }
    return Migration.checksum(of: text)
  }

  /// The tables that are missing and can be created again, or must be, as another program has taken their place. A view
  /// in place of a table is not missing.
  func missingDerivedTables(_ connection: Connection) throws -> Set<String> {
    let present = names("table").union(names("view"))
    var missing = Set(OwnSchema.derivedTables).subtracting(present)
    for table in OwnSchema.repeatableTables where found["table \(table)"] != nil {
      let there = try connection.values("SELECT name FROM pragma_table_xinfo(\(table))", as: String.self)
      if !Set(OwnSchema.columns(of: table).map(String.init)).isSubset(of: there) { missing.insert(table) }
    }
    // Without its key, a copy of the log gives no numbers to changes. A journal can't be that of a log that was renamed.
    if let sql = found["table change"], !Self.normalized(sql).contains("autoincrement") { missing.insert("change") }
    if missing.contains("change")
      || found["table journal"].map({ !Self.normalized($0).contains("references change(") }) == true
    {
      missing.insert("journal")
    }
    return missing
  }

  /// Our triggers on lists and items that are older than a trigger of another program. SQLite fires the newest triggers
  /// first, so these fire after it.
  ///
  /// Ours must fire first. Otherwise the journal records what another program's trigger does with a row before it
  /// records the row itself, and an undo goes back in the wrong order.
  static func lateTriggers(_ connection: Connection) throws -> [String] {
    let triggers = try connection.rows(
      """
      SELECT CAST(name AS BLOB), CAST(lower(tbl_name) AS BLOB), CAST(sql AS BLOB) FROM sqlite_schema
      WHERE type = 'trigger' AND tbl_name COLLATE NOCASE IN ('item', 'list') ORDER BY rowid DESC
      """)
    var preceded: Set<String> = []
    var late: [String] = []
    for trigger in triggers {
      let (name, table, sql) = (try trigger.text(0), try trigger.text(1), try trigger.text(2))
      if !OwnSchema.isOwnTrigger(name, sql) {
        preceded.insert(table)
      } else if preceded.contains(table) {
        late.append(name)
      }
    }
    return late
  }

  /// The names of a type ("trigger") that are not ours.
  func foreign(_ type: String, _ expected: SchemaObjects) -> [String] {
    found.keys.filter { $0.hasPrefix(type + " ") && expected.found[$0] == nil }
      .map { String($0.dropFirst(type.utf8.count + 1)) }.sorted()
  }

  /// Whether a table differs only as it does after `ALTER TABLE … ADD COLUMN`.
  private static func hasAddedColumns(_ own: String, _ sql: String) -> Bool {
    let (own, sql) = (Array(own.utf8), Array(sql.utf8))
    guard own.count > sql.count else { return false }
    let common = zip(own, sql).prefix { $0 == $1 }.count
    let rest = sql[common...]
    let added = own[common..<own.count - rest.count].split(separator: 0x20, omittingEmptySubsequences: true)
    // The comma before the new column may be equal to the one that follows, and so may the blank behind it.
    return own.suffix(rest.count).elementsEqual(rest) && (added.first?.first == 0x2C || added.last?.last == 0x2C)
  }

  /// What `doctor` says of one of ours that is missing or differs.
  func problem(_ name: String) -> String { found[name] == nil ? "\(name) is missing" : "\(name) is not as it was made" }

  /// Whether one of ours holds nothing that people have entered, so that ``TodoStore/rebuild()`` can make it again.
  static func isDerived(_ name: String) -> Bool {
    !name.hasPrefix("table ") || name.hasPrefix("table item_search") || name == "table sqlite_stat1"
  }
}

/// A schema in which everything of ours is as it was made, and our triggers fire before those of others.
struct CheckedSchema {
  let version: SchemaVersion
  let hasTriggersOfOthers: Bool
}

/// What changes when the schema of a file may have changed.
struct SchemaVersion: Equatable {
  /// Changes with the schema of the file. Another program can set it back.
  private let schema: Int64?
  /// Changes when another connection has written to the file.
  private let data: Int64?

  init(_ connection: Connection) throws {
    schema = try connection.value("PRAGMA schema_version")
    data = try connection.value("PRAGMA data_version")
  }
}

/// The problems that the check of a file has found, divided by what they concern.
struct FileProblems {
  /// Damage of lists, items and whole pages, and any other.
  private(set) var content: [String] = []
  /// Damage of what can be made again from lists and items: indexes, and the rows of other tables of ours.
  private(set) var derived: [String] = []
  /// The numbers of rows of the journal without a change, of rows of tags without an item, and of items whose previous
  /// instance is missing.
  private(set) var orphans = (journal: 0, tags: 0, previous: 0)
  /// Problems of tables and indexes that are not ours.
  private(set) var foreign: [String] = []

  init(_ problems: [String], _ objects: SchemaObjects, _ expected: SchemaObjects) {
    if problems.isEmpty { return }
    let foreignTables = objects.foreign("table", expected)
    let foreignIndexes = objects.foreign("index", expected)
    let derivedTables = ["item_tag", "item_to_index", "change", "journal", "evicting", "sqlite_stat1"]
    for problem in problems {
      if foreignTables.contains(where: { Self.concerns(problem, $0) })
        || foreignIndexes.contains(where: { problem.hasSuffix(" index \($0)") })
      {
        foreign.append(problem)
      } else if problem.hasSuffix(" of journal refers to no row of change") {
        orphans.journal += 1
      } else if problem.hasSuffix(" of item_tag refers to no row of item") {
        orphans.tags += 1
      } else if problem.hasSuffix(" of item refers to no row of item") {
        orphans.previous += 1
      } else if problem.contains(" index ") || problem.contains("inverted index")
        || derivedTables.contains(where: { Self.concerns(problem, $0) })
      {
        derived.append(problem)
      } else {
        content.append(problem)
      }
    }
  }

  /// Whether a problem is that of a constraint of a table.
  private static func concerns(_ problem: String, _ table: String) -> Bool {
    problem == "CHECK constraint failed in \(table)" || problem.contains(" value in \(table).")
      || problem.contains(" of \(table) refers to no row of ")
      || problem.hasPrefix("\(table): foreign key mismatch")
  }
}

extension Row {
  /// The text of a BLOB, which need not be UTF-8.
  fileprivate func text(_ column: Int) throws -> String { String(decoding: try self[column] as [UInt8], as: UTF8.self) }
}
