import SQLiteStore

extension TodoStore {
  /// What `doctor` advises for everything that ``rebuild()`` mends.
  static let rebuildAdvice = "make a backup and restore it, which mends that"

  /// The first damage of lists or items; nil if they are intact.
  ///
  /// What follows from them (indexes, triggers, tags, the search index) is not damage, as ``rebuild()`` makes it again,
  /// nor is what others have added, nor a change that was not closed.
  func firstDamage() throws -> String? {
    let looks = [{ try self.fileProblems().content }, damagedTables, itemProblems]
    for look in looks {
      if let problem = try look().first { return problem }
    }
    return nil
  }

  /// The first damage in a copy of a database that a restoration would refuse; nil if it would accept the copy.
  static func damage(of copy: String) throws -> String? {
    guard let store = try openToRead(DatabaseLocation(path: copy)) else { return nil }
    defer { store.finish() }
    if let damage = try store.firstDamage() { return damage }
    if try store.derivedProblems().isEmpty { return nil }
    // Whether everything can be made again is known only by doing it.
    let scratch = try ReadOnlyFile.copy(copy)
    defer { ReadOnlyFile.remove(scratch) }
    do {
      let store = try open(DatabaseLocation(path: scratch))
      defer { try? store.close() }
      return try store.mend()
    } catch {
      return TodoError(error).message
    }
  }

  /// Makes again what follows from lists and items if it is wrong, unless they are damaged themselves.
  ///
  /// - Returns: The damage that is left, if any.
  func mend() throws -> String? {
    do {
      return try mended()
    } catch let error as DatabaseError where error.code == .error {
      throw try unmetNeed(error) ?? error
    }
  }

  private func mended() throws -> String? {
    if let damage = try firstDamage() { return damage }
    if try derivedProblems().isEmpty, try database.write({ try Rebuilding($0).isSearchSound() }) { return nil }
    try rebuild()
    return try firstDamage() ?? derivedProblems().first
  }

  /// Removes references to previous instances that are missing, without a change in the log.
  func removeDanglingReferences() throws {
    try database.write { connection in
      let dangling: SQL = "previous IS NOT NULL AND previous NOT IN (SELECT id FROM item)"
      guard try connection.value("SELECT EXISTS(SELECT 1 FROM item WHERE \(dangling))") == 1 else { return }
      func remove() throws { try connection.execute("UPDATE item SET previous = NULL WHERE \(dangling)") }
      try connection.withoutTriggers(remove)
    }
  }

  /// The problems of everything that ``rebuild()`` makes again.
  func derivedProblems() throws -> [String] {
    let file = try fileProblems()
    let objects = try database.read { try SchemaObjects($0) }
    let expected = try SchemaObjects.expected()
    return try file.derived + objects.differences(from: expected).filter(SchemaObjects.isDerived).map(objects.problem)
      + tagProblems() + searchProblems() + journalOrphans(file)
  }

  func fileProblems() throws -> FileProblems {
    let problems = try database.integrityCheck()
    return FileProblems(problems, try database.read { try SchemaObjects($0) }, try SchemaObjects.expected())
  }

  func journalOrphans(_ file: FileProblems) -> [String] {
    let count = file.orphans.journal
    let what = count == 1 ? "1 row of the journal belongs" : "\(count) rows of the journal belong"
    return count == 0 ? [] : ["\(what) to no change; \(Self.rebuildAdvice)"]
  }

  /// Makes again what follows from lists and items, where it is wrong: triggers, indexes and views of ours, the rows of
  /// tags, the search index, and the journal, which loses what belongs to no change.
  ///
  /// Lists and items stay as they are.
  func rebuild() throws {
    let expected = try SchemaObjects.expected()
    let isSearchNew = try database.write { try Rebuilding($0).createTables(expected) }
    let file = try fileProblems()
    try database.write { connection in
      let rebuilding = Rebuilding(connection)
      // What follows may read the indexes.
      if file.derived.contains(where: { $0.contains("index") }) { try connection.execute("REINDEX") }
      try rebuilding.deleteWrongRows(file)
      try rebuilding.correctTags()
      let present = try SchemaObjects(connection)
      let created = try rebuilding.createObjects(expected)
      if created.contains(where: { OwnSchema.keepsJournal($0, isMissing: !present.hasNamesake(of: $0)) }) {
        try rebuilding.noteGapInJournal()
      }
      // Without a trigger texts were not indexed.
      let isSearchOld = created.contains { !$0.hasPrefix("index ") }
      try rebuilding.correctSearch(always: isSearchOld || isSearchNew)
    }
  }
}

/// The search index is damaged. It follows from the items, and can be made again.
struct SearchDamage: Error {
  var error: DatabaseError
}

extension TodoStore {
  /// Runs code that writes, in a transaction of its own. If the search index is damaged, it is made again first.
  func mendingSearch<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch  where error is SearchDamage || (error as? DatabaseError).map(TodoError.isOfSearch) == true {
      do {
        try database.write { try Rebuilding($0).indexAll() }
        return try body()
      } catch let damage as SearchDamage {
        throw damage.error
      }
    }
  }
}

/// A running rebuild of what follows from lists and items.
struct Rebuilding {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Deletes the rows of the journal without a change, and rows that constraints should have refused.
  func deleteWrongRows(_ file: FileProblems) throws {
    if file.derived.contains(where: { !$0.contains(" index ") }) {
      try connection.execute(
        """
        DELETE FROM change WHERE kind NOT IN ('do', 'undo', 'redo') OR (kind = 'do') <> (undoes IS NULL)
          OR spent NOT IN (0, 1) OR open NOT IN (0, 1) OR made IS NOT strftime('%Y-%m-%dT%H:%M:%SZ', made, '+0 days')
        """)
      try connection.execute("DELETE FROM journal WHERE kind NOT IN ('item', 'list')")
      try connection.execute("DELETE FROM evicting WHERE kind NOT IN ('item', 'list')")
    }
    try connection.execute("DELETE FROM journal WHERE change NOT IN (SELECT id FROM change)")
  }

  // MARK: Tags

  /// The rows that `item_tag` has to hold, as the triggers make them.
  static let expectedTags: SQL = """
    SELECT item.id AS item, CAST(given.value AS TEXT) AS tag
    FROM item JOIN json_each(CASE WHEN json_valid(item.tags) THEN item.tags ELSE '[]' END) AS given WHERE given.value <> ''
    """

  /// The number of rows that are missing in `item_tag`, and of those that should not be there.
  static func wrongTags(_ connection: Connection) throws -> Int {
    let all: SQL =
      "\(expectedTags) UNION SELECT id, NULL FROM item WHERE id NOT IN (SELECT item FROM (\(expectedTags)))"
    return try connection.value(
      """
      SELECT (SELECT count(*) FROM (SELECT * FROM (\(all)) EXCEPT SELECT item, tag FROM item_tag))
        + (SELECT count(*) FROM (SELECT item, tag FROM item_tag EXCEPT SELECT * FROM (\(all))))
      """, as: Int.self) ?? 0
  }

  /// Whether `item_tag` holds the tags that a change has set.
  func areTagsRight(of change: Int64) throws -> Bool {
    let changed: SQL = """
      SELECT id FROM journal AS former JOIN item AS here USING (id)
      WHERE change = \(change) AND kind = 'item' AND existed < 2 AND former.tags IS NOT here.tags
      """
    let differs = try connection.value(
      """
      WITH changed(id) AS (\(changed)), given(item, tag) AS (\(Self.expectedTags) AND item.id IN (SELECT id FROM changed)),
        expected(item, tag) AS (
          SELECT * FROM given UNION SELECT id, NULL FROM changed WHERE id NOT IN (SELECT item FROM given))
      SELECT EXISTS(SELECT * FROM expected EXCEPT SELECT item, tag FROM item_tag)
        OR EXISTS(
          SELECT item, tag FROM item_tag WHERE item IN (SELECT id FROM changed) EXCEPT SELECT * FROM expected)
      """, as: Bool.self)
    return differs == false
  }

  func correctTags() throws {
    try connection.execute(
      """
      DELETE FROM item_tag WHERE (tag IS NULL) <> (id < 0) OR (tag IS NULL AND id <> -item)
        OR (tag IS NOT NULL AND (item, tag) NOT IN (\(Self.expectedTags)))
        OR item NOT IN (SELECT id FROM item) OR (tag IS NULL AND item IN (SELECT item FROM (\(Self.expectedTags))))
      """)
    // There can be two of the same only while their index is missing.
    try connection.execute("DELETE FROM item_tag WHERE id NOT IN (SELECT min(id) FROM item_tag GROUP BY item, tag)")
    try connection.execute(
      """
      INSERT INTO item_tag(item, tag)
      SELECT item, tag FROM (\(Self.expectedTags)) EXCEPT SELECT item, tag FROM item_tag WHERE tag IS NOT NULL
      """)
    try connection.execute(
      "INSERT INTO item_tag(id, item) SELECT -id, id FROM item WHERE id NOT IN (SELECT item FROM item_tag)")
  }

  // MARK: Search

  /// Indexes all texts again if the index is damaged, or holds other items than there are.
  func correctSearch(always: Bool) throws {
    if always { return try indexAll() }
    if try !isSearchSound() { try indexAll() }
  }

  /// Indexes all texts again, in a new index: a damaged one can fail at any later time.
  func indexAll() throws {
    try createSearch()
    try TodoStore.updateSearch(connection)
  }

  /// Creates the search index again, in which nothing is indexed yet.
  private func createSearch() throws {
    try connection.execute("DROP TABLE item_search")
    try connection.execute(SQL(raw: SchemaObjects.expected().found["table item_search"] ?? ""))
    try connection.execute("DELETE FROM item_to_index")
    try connection.execute("INSERT INTO item_to_index(item, indexed) SELECT id, 0 FROM item")
  }

  /// The codes with which the search index reports its own damage.
  static let searchDamage: [ResultCode] = [.corrupt, .error, .constraint, .mismatch]

  func isSearchSound() throws -> Bool {
    do {
      try connection.execute("INSERT INTO item_search(item_search) VALUES ('integrity-check')")
      let isWhole = try TodoStore.searchCounts(connection).map { $0.indexed == $0.items } ?? true
      return try isWhole && TodoStore.searchMisses(connection) == 0
    } catch let error as DatabaseError where Self.searchDamage.contains(error.code) {
      return false
    }
  }

  // MARK: The schema

  /// Creates tables of ours that are missing and hold nothing that people have entered. Returns whether the search
  /// index is one of them; without one of its tables no statement of ours may work.
  func createTables(_ expected: SchemaObjects) throws -> Bool {
    try createListOfMigrations()
    let present = try SchemaObjects(connection)
    let missing = try present.missingDerivedTables(connection)
    let last = try lastRevision(present)
    var isSearchNew = false
    for name in OwnSchema.derivedTables {
      let tables = expected.found.keys.filter { $0 == "table \(name)" || $0.hasPrefix("table \(name)_") }
      if !missing.contains(name), tables.allSatisfy({ present.found[$0] != nil }) { continue }
      if name != "item_search", present.found["table \(name)"] != nil {
        try connection.execute("DROP TABLE \(identifier: name)")
      }
      if name == "item_search" {
        try createSearch()
        isSearchNew = true
      } else if let sql = expected.found["table \(name)"] {
        try connection.execute(SQL(raw: sql))
        // Nothing that was done before can be undone.
        if name == "journal" { try connection.execute("UPDATE change SET spent = 1") }
      }
    }
    // Numbers go on, so that a revision never occurs a second time.
    try connection.execute(
      """
      INSERT INTO sqlite_sequence(name, seq) SELECT 'change', \(last)
      WHERE \(last) > 0 AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'change')
      """)
    return isSearchNew
  }

  /// The greatest number of a change, as far as the tables know it.
  private func lastRevision(_ present: SchemaObjects) throws -> Int64 {
    var last: Int64 = 0
    for (table, column) in [("journal", "change"), ("change", "id")] where present.found["table \(table)"] != nil {
      let names = try connection.values("SELECT name FROM pragma_table_xinfo(\(table))", as: String.self)
      if !names.contains(column) { continue }
      last = max(last, try connection.value("SELECT max(\(identifier: column)) FROM \(identifier: table)") ?? 0)
    }
    return last
  }

  /// Creates the list of the migrations if another program has dropped it; all else is as they have made it.
  private func createListOfMigrations() throws {
    if try StoreOpener.listsMigrations(connection) { return }
    let (sql, rows) = try TodoStore.inMemory().database.read { model in
      (
        try model.value("SELECT sql FROM sqlite_schema WHERE name = 'frc_migrations'", as: String.self) ?? "",
        try model.rows("SELECT number, name, checksum, applied FROM frc_migrations").map { row in
          try (0..<4).map { try row[$0] as Value }
        }
      )
    }
    try connection.execute(SQL(raw: sql))
    for row in rows {
      try connection.execute(SQL(raw: "INSERT INTO frc_migrations VALUES (?1, ?2, ?3, ?4)", bindings: row))
    }
  }

  /// Adds a change to the log that can't be undone, but skipped, because others may have changed something that is not
  /// in the journal: to undo an earlier change could overwrite that.
  func noteGapInJournal() throws {
    try connection.execute(
      """
      INSERT INTO change(label, open) SELECT 'what other programs did while triggers were missing', 0
      WHERE EXISTS (SELECT 1 FROM change WHERE spent = 0)
      """)
  }

  /// Creates triggers, indexes and views of ours that are missing or not as they were made, and the planner's
  /// statistics. Returns their types and names.
  func createObjects(_ expected: SchemaObjects) throws -> Set<String> {
    let names = try SchemaObjects(connection).differences(from: expected)
    try dropNamesakes(of: names)
    let present = try SchemaObjects(connection)
    // The indexes last: what must change before two of them can be created is noted in the journal by the triggers.
    for type in ["view ", "trigger ", "index "] {
      for (name, sql) in expected.found.sorted(by: { $0.key < $1.key }) where name.hasPrefix(type) {
        if present.found[name] != nil { continue }
        if name == "index item_previous" { try freePrevious() }
        if name == "index list_by_position" { try freePositions() }
        try connection.execute(SQL(raw: sql))
      }
    }
    try putTriggersFirst()
    if names.contains("table sqlite_stat1") { try createStatistics() }
    return Set(names)
  }

  /// Drops what stands for one of ours with its name, in whatever letters. Throws if it is a table of another program,
  /// or a view where ours is an index.
  private func dropNamesakes(of names: [String]) throws {
    let wanted = Set(names)
    let rows = try connection.rows("SELECT type, CAST(name AS BLOB) FROM sqlite_schema ORDER BY rowid DESC")
    for row in rows {
      let (type, name): (String, String) = (try row[0], String(decoding: try row[1] as [UInt8], as: UTF8.self))
      let small = name.asciiLowercased
      let isNamesake =
        type == "trigger" ? wanted.contains("trigger \(small)") : SchemaObjects.isTaken(small, of: wanted)
      if !isNamesake { continue }
      if type == "table" || type == "view" && !wanted.contains("view \(small)") {
        throw TodoError.badData(SchemaObjects.taken(by: type, name))
      }
      // Dropping a view drops its triggers.
      try connection.execute("DROP \(raw: type.uppercased()) IF EXISTS \(identifier: name)")
    }
  }

  /// Creates our triggers again that those of other programs precede, in their order.
  func putTriggersFirst() throws {
    let late = try SchemaObjects.lateTriggers(connection)
    if late.isEmpty { return }
    let expected = try SchemaObjects.expected()
    for name in late.reversed() {
      guard let sql = expected.found["trigger \(name)"] else { continue }
      try connection.execute("DROP TRIGGER \(identifier: name)")
      try connection.execute(SQL(raw: sql))
    }
  }

  private func createStatistics() throws {
    try connection.execute("ANALYZE sqlite_schema")
    let rows = try TodoStore.inMemory().database.read {
      try $0.rows("SELECT tbl, idx, stat FROM sqlite_stat1").map { try [$0[0], $0[1], $0[2]] as [Value] }
    }
    for row in rows {
      try connection.execute(SQL(raw: "INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES (?1, ?2, ?3)", bindings: row))
    }
  }

  /// Of items that follow the same one, only the first goes on doing so.
  private func freePrevious() throws {
    try connection.execute(
      """
      UPDATE item SET previous = NULL WHERE previous IS NOT NULL
        AND id NOT IN (SELECT min(id) FROM item GROUP BY previous)
      """)
  }

  /// Gives lists positions of their own, in their order.
  private func freePositions() throws {
    let isTwice = try connection.value("SELECT count(*) <> count(DISTINCT position) FROM list", as: Bool.self)
    guard isTwice == true else { return }
    try Positions(connection).setLists(connection.values("SELECT id FROM list ORDER BY position, id", as: Int64.self))
  }
}
