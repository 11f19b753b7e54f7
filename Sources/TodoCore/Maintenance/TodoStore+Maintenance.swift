import FetchedResultsSupport
import SQLiteStore

/// One check of `doctor`.
public struct Finding: Hashable, Sendable {
  /// What was checked: "file", "schema".
  public var subject: String
  /// The problems, and what to do about them; empty otherwise.
  public var problems: [String]

  /// Whether there are no problems.
  public var isWell: Bool { problems.isEmpty }
}

extension TodoStore {
  /// Copies the current state of the database to a new file, while reads and writes continue.
  ///
  /// An existing file with that name is a conflict.
  ///
  /// - Parameters:
  ///   - path: The new file. It exists only once it is complete.
  ///   - progress: Called from time to time with the number of copied pages, and of all pages. If it throws, the backup
  ///     is cancelled.
  public func backup(
    to path: String, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws(TodoError) {
    if path.isEmpty { throw .usage("backup needs the name of a new file, as in: todo backup todo-copy.db") }
    if let status = Platform.status(of: path) {
      if status.isFolder { throw .inputOutput("\(path) is a folder; name a new file in it") }
      throw .conflict("there is a file \(path) already; choose another name")
    }
    if Platform.isLink(path) { throw .conflict("there is a link \(path) already; choose another name") }
    try readable {
      try database.backup(to: path) { try progress($0.totalPages - $0.remainingPages, $0.totalPages) }
    }
  }

  /// Checks the database: its pages, its schema, what its triggers maintain, and who may read it.
  public func doctor() throws(TodoError) -> [Finding] {
    try readable { try findings() }
  }

  /// The same, with errors whose codes tell what they are.
  func findings() throws -> [Finding] {
    [
      Finding(subject: "file", problems: try database.integrityCheck()),
      Finding(subject: "permissions", problems: permissionProblems()),
      Finding(subject: "schema", problems: try schemaProblems()),
      Finding(subject: "items", problems: try itemProblems()),
      Finding(subject: "tags", problems: try tagProblems()),
      Finding(subject: "search", problems: try searchProblems()),
      Finding(subject: "journal", problems: try journalProblems()),
    ]
  }

  /// The first damage in the file; nil if not found.
  ///
  /// Tables, views, indexes and triggers that others have added are not damage, whatever they contain or do. Neither is
  /// a change that was not closed.
  func firstDamage() throws -> String? {
    let looks = [fileDamage, damagedSchema, itemProblems, tagProblems, searchProblems]
    for look in looks {
      if let problem = try look().first { return problem }
    }
    return nil
  }

  /// The problems of the file, except constraints of tables and indexes that others have added.
  private func fileDamage() throws -> [String] {
    let problems = try database.integrityCheck()
    if problems.isEmpty { return [] }
    let own = try Self.expectedSchema().keys
    let others = try database.read { try Self.schema($0) }.keys.filter { !own.contains($0) }
    func names(_ type: String) -> [String] {
      others.filter { $0.hasPrefix(type) }.map { String($0.dropFirst(type.count)) }
    }
    return problems.filter { problem in
      let isOfOthers =
        names("table ").contains {
          problem == "CHECK constraint failed in \($0)" || problem.hasPrefix("NULL value in \($0).")
            || problem.contains(" of \($0) refers to no row of ")
        } || names("index ").contains { problem.hasSuffix(" index \($0)") }
      return !isOfOthers
    }
  }

  private func permissionProblems() -> [String] {
    guard let path else { return [] }
    var problems = ["", "-wal", "-shm"].compactMap { suffix -> String? in
      guard let mode = Platform.status(of: path + suffix)?.mode, mode & 0o077 != 0 else { return nil }
      return "others may read \(path)\(suffix) (mode \(String(mode, radix: 8))); run: chmod 600 \(path)\(suffix)"
    }
    let folder = DatabaseLocation(path: path).folder
    if let mode = Platform.status(of: folder)?.mode, mode & 0o002 != 0 {
      problems.append(
        "others may put files into \(folder), also such as the database reads; keep it in a folder of your own")
    }
    return problems
  }

  /// Compares the schema with a new one, and names other programs' triggers: they run for every writer.
  private func schemaProblems() throws -> [String] {
    try damagedSchema()
      + foreignTriggers().map { "trigger \($0) is not of this program; if you do not know what it is for, drop it" }
  }

  /// The triggers that are not this program's.
  func foreignTriggers() throws -> [String] {
    let own = try Self.expectedSchema()
    let found = try database.read { try Self.schema($0) }
    return found.keys.filter { $0.hasPrefix("trigger ") && own[$0] == nil }.map { String($0.dropFirst(8)) }.sorted()
  }

  /// The schema of a new database, which takes some milliseconds to make.
  private static func expectedSchema() throws -> [String: String] {
    if let known = knownSchema.withLock({ $0 }) { return known }
    let expected = try TodoStore.inMemory().database.read { try schema($0) }
    knownSchema.withLock { $0 = expected }
    return expected
  }

  private static let knownSchema = Locked<[String: String]?>(nil)

  private func damagedSchema() throws -> [String] {
    do {
      let pending = try database.pendingMigrations(StoreOpener.migrations())
      if let first = pending.first { return ["the schema is not up to date: \(first.name) is missing"] }
    } catch let error as DatabaseError where error.code == .schema {
      return [error.message]
    }
    let expected = try Self.expectedSchema()
    let found = try database.read { try Self.schema($0) }
    return expected.filter { found[$0.key] != $0.value }.keys.sorted().map { name in
      found[name] == nil ? "\(name) is missing" : "\(name) is not as it was made"
    }
  }

  private static func schema(_ connection: Connection) throws -> [String: String] {
    let rows = try connection.rows(
      "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'frc\\_%' ESCAPE '\\'"
    )
    var schema: [String: String] = [:]
    for row in rows { schema[try row[0]] = try row[1] }
    return schema
  }

  /// Checks what no constraint of the schema can: columns that hold no JSON, and invalid text.
  private func itemProblems() throws -> [String] {
    let problems = try jsonProblems()
    if !problems.isEmpty { return problems }
    return try database.read { connection in
      var problems: [String] = []
      func look(_ what: String, _ id: Int64, _ read: () throws -> Void) throws {
        do {
          try read()
        } catch let error as DatabaseError where error.code == .mismatch {
          if problems.count < 100 {
            problems.append("\(what) \(id) can't be read, as it holds bytes that are no text; `todo restore` a backup")
          }
        }
      }
      try connection.forEach("SELECT id, name FROM list") { row in
        try look("list", try row[0]) { _ = try row[1] as String }
      }
      // The name of a list has been reported already.
      try connection.forEach("SELECT item.*, '' AS list_name FROM item") { row in
        try look("item", try row[0]) { _ = try Item(row: row) }
      }
      return problems
    }
  }

  private func jsonProblems() throws -> [String] {
    let columns = [
      ("item", "tags", "array", "'[]'"), ("item", "notes", "array", "'[]'"), ("item", "extra", "object", "NULL"),
      ("list", "extra", "object", "NULL"),
    ]
    return try database.read { connection in
      try columns.flatMap { table, column, type, nothing in
        let name = SQL("\(identifier: column)")
        let ids = try connection.values(
          """
          SELECT id FROM \(identifier: table)
          WHERE \(name) IS NOT NULL AND CASE WHEN json_valid(\(name)) THEN json_type(\(name)) <> \(type) ELSE 1 END
          ORDER BY id LIMIT 100
          """, as: Int64.self)
        return ids.map { id in
          "\(table) \(id) can't be read, as its column \(column) holds no JSON \(type); `todo restore` a backup, or mend it with "
            + "sqlite3: UPDATE \(table) SET \(column) = \(nothing) WHERE id = \(id)"
        }
      }
    }
  }

  private func tagProblems() throws -> [String] {
    // Invalid JSON is reported separately.
    let tags: SQL = "CASE WHEN json_valid(item.tags) THEN item.tags ELSE '[]' END"
    let count = try database.read { connection in
      try connection.value(
        """
        SELECT count(*) FROM (
          SELECT * FROM (
            SELECT item.id, given.value FROM item JOIN json_each(\(tags)) AS given WHERE given.value <> ''
            UNION ALL SELECT id, NULL FROM item WHERE tags = '[]')
          EXCEPT SELECT item, tag FROM item_tag)
        """, as: Int.self) ?? 0
        + (connection.value(
          """
          SELECT count(*) FROM item_tag WHERE NOT EXISTS (
            SELECT 1 FROM item WHERE item.id = item_tag.item AND (
              (item_tag.tag IS NULL AND item.tags = '[]')
              OR item_tag.tag IN (SELECT value FROM json_each(\(tags)))))
          """, as: Int.self) ?? 0)
    }
    return count == 0 ? [] : ["\(count) tags are not as their items have them; export, and import into a new database"]
  }

  private func searchProblems() throws -> [String] {
    let counts = try database.read { connection in
      try connection.row(
        """
        SELECT (SELECT count(*) FROM item WHERE id NOT IN (SELECT item FROM item_to_index WHERE indexed = 0)),
          (SELECT count(*) FROM item_search_docsize WHERE id NOT IN (
            SELECT item FROM item_to_index WHERE indexed = 1 AND item NOT IN (SELECT id FROM item)))
        """)
    }
    guard let counts, try counts[0] as Int != counts[1] as Int else { return [] }
    return [
      "the search knows \(try counts[1] as Int) of \(try counts[0] as Int) items; export, and import into a new database"
    ]
  }

  private func journalProblems() throws -> [String] {
    let open = try database.read { try $0.value("SELECT count(*) FROM change WHERE open = 1", as: Int.self) ?? 0 }
    return open == 0 ? [] : ["a change was not closed; the next one closes it"]
  }
}
