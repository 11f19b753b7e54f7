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
  /// - Returns: What is damaged in the copy, as it is in the database, so that `restore` refuses it; nil if nothing is.
  @discardableResult
  public func backup(
    to path: String, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws(TodoError) -> String? {
    if path.isEmpty { throw .usage("backup needs the name of a new file, as in: todo backup todo-copy.db") }
    if path == ":memory:" { throw .usage("a backup in memory would be gone at once; name a new file") }
    if let problem = DatabaseLocation.nameProblem(of: path) { throw .usage("the backup is to be \(problem)") }
    if let status = Platform.status(of: path) {
      if status.isFolder { throw .inputOutput("\(path) is a folder; name a new file in it") }
      throw .conflict("there is a file \(path) already; choose another name")
    }
    if Platform.isLink(path) { throw .conflict("there is a link \(path) already; choose another name") }
    return try readable {
      do {
        try database.backup(to: path, progress: progress)
      } catch let error as DatabaseError where [.cantOpen, .readOnly, .permission].contains(error.code) {
        let folder = DatabaseLocation(path: path).folder
        if Platform.status(of: folder)?.isFolder != true {
          throw TodoError.inputOutput("there is no folder \(folder) for the backup; make it first")
        }
        if Platform.canWrite(folder) {
          throw error.isOfUnwritableFormat ? TodoError.unwritableFormat(self.path ?? path) : error
        }
        throw TodoError.inputOutput("the backup can't be made: no files can be made in the folder \(folder)")
      }
      return try Self.damage(of: path)
    }
  }

  /// Checks the database: its pages, its schema, what its triggers maintain, and who may read it.
  public func doctor() throws(TodoError) -> [Finding] {
    try readable { try findings() }
  }

  /// The same, with errors whose codes tell what they are.
  func findings() throws -> [Finding] {
    let objects = try database.read { try SchemaObjects($0) }
    let expected = try SchemaObjects.expected()
    var (file, unchecked): (FileProblems, [String]) = (FileProblems([], objects, expected), [])
    do {
      file = try fileProblems()
    } catch let error as DatabaseError where error.code == .error {
      guard let problem = ForeignNeed(error)?.problem(objects, expected) else { throw error }
      unchecked = [problem]
    }
    /// A problem of one part does not keep the others from being checked.
    func finding(_ subject: String, _ problems: () throws -> [String]) throws -> Finding {
      do {
        return Finding(subject: subject, problems: try problems())
      } catch let error as DatabaseError where [.corrupt, .error, .mismatch].contains(error.code) {
        let reason = error.message.split(separator: "\n").first ?? "the database is damaged"
        return Finding(subject: subject, problems: ["this can't be checked: \(reason)"])
      }
    }
    return [
      Finding(subject: "file", problems: unchecked + file.content + file.derived + file.foreign),
      Finding(subject: "permissions", problems: permissionProblems()),
      try finding("schema") { try schemaProblems() },
      try finding("items") { try itemProblems() + dateProblems() + previousProblems(file) },
      try finding("tags") { try tagProblems() },
      try finding("search") { try searchProblems() },
      try finding("journal") { try journalProblems() + journalOrphans(file) },
    ]
  }

  private func previousProblems(_ file: FileProblems) -> [String] {
    let count = file.orphans.previous
    let what = count == 1 ? "1 item follows" : "\(count) items follow"
    return count == 0 ? [] : ["\(what) an instance that is missing; \(Self.rebuildAdvice)"]
  }

  /// Dates that the tables accept and no calendar here has, such as one in the year 0: an item has none then.
  private func dateProblems() throws -> [String] {
    try database.read { connection in
      try connection.rows("SELECT id, due FROM item WHERE due < '0001' LIMIT 100").map { row in
        let (id, due): (Int64, String) = (try row[0], try row[1])
        return
          "the due date of item \(id) is \(due), which is left out everywhere; mend it with sqlite3: UPDATE item SET due = NULL, "
          + "due_day = NULL WHERE id = \(id)"
      }
    }
  }

  private func permissionProblems() -> [String] {
    guard let path else { return [] }
    // The others get the mode of the file, and are there while the file is examined.
    var problems: [String] = []
    for suffix in ["", "-wal", "-shm"] where problems.isEmpty {
      guard let mode = Platform.status(of: path + suffix)?.mode, mode & 0o077 != 0 else { continue }
      problems.append(
        "others may read \(path)\(suffix) (mode \(String(mode, radix: 8))); run: chmod 600 \(path)\(suffix)")
    }
    // An earlier version left such files behind, and nothing can be written while they are there.
    if Platform.canWrite(path) {
      for suffix in ["-wal", "-shm", "-journal"] {
        guard let mode = Platform.status(of: path + suffix)?.mode, mode & 0o200 == 0 else { continue }
        problems.append("\(path)\(suffix) is read-only, so nothing can be written; run: chmod 600 \(path)\(suffix)")
      }
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
    let obstacle = try migrationProblems()
    if !obstacle.isEmpty { return obstacle }
    let (objects, expected) = (try database.read { try SchemaObjects($0) }, try SchemaObjects.expected())
    let own = objects.differences(from: expected).map { name in
      let isMissing = objects.found[name] == nil
      if isMissing, let obstacle = objects.obstacle(to: name) { return "\(name) is missing; \(obstacle)" }
      let advice = isMissing && !name.hasPrefix("table ") ? "the next change makes it again" : Self.rebuildAdvice
      return objects.problem(name) + (SchemaObjects.isDerived(name) ? "; \(advice)" : "")
    }
    return own
      + objects.foreign("trigger", expected).map {
        "trigger \($0) is not of this program; if you do not know what it is for, drop it"
      }
  }

  /// The triggers that are not this program's.
  func foreignTriggers() throws -> [String] {
    try database.read { try SchemaObjects($0) }.foreign("trigger", try SchemaObjects.expected())
  }

  private func migrationProblems() throws -> [String] {
    do {
      let pending = try database.pendingMigrations(StoreOpener.migrations())
      return pending.first.map { ["the schema is not up to date: \($0.name) is missing"] } ?? []
    } catch let error as DatabaseError where error.code == .schema {
      return [error.message]
    }
  }

  /// The problems of the tables that can't be made again.
  func damagedTables() throws -> [String] {
    let objects = try database.read { try SchemaObjects($0) }
    return try migrationProblems()
      + objects.differences(from: SchemaObjects.expected()).filter { !SchemaObjects.isDerived($0) }.map(objects.problem)
  }

  /// Checks what no constraint of the schema can: columns that hold no JSON, and invalid text.
  func itemProblems() throws -> [String] {
    let problems = try jsonProblems()
    if !problems.isEmpty { return problems }
    return try database.read { connection in
      var problems: [String] = []
      func look(_ table: String, _ row: Row, _ columns: [String], _ read: () throws -> Void) throws {
        let (column, what): (String?, String)
        do {
          return try read()
        } catch let error as DatabaseError where error.code == .mismatch {
          column = columns.indices.first { (try? row[$0] as Value) == nil }.map { columns[$0] }
          what = "bytes that are no text"
        } catch let error as JSONError {
          column = columns.first { $0 == "extra" }
          what = "JSON that can't be read (\(error.problem))"
        }
        if problems.count >= 100 { return }
        let id: Int64 = try row[0]
        let value = Self.harmless[column ?? ""] ?? "NULL"
        let advice = column.map { ", or mend it with sqlite3: UPDATE \(table) SET \($0) = \(value) WHERE id = \(id)" }
        problems.append(
          "\(table) \(id) can't be read, as it holds \(what); `todo restore` a backup\(advice ?? "")")
      }
      try connection.forEach("SELECT id, name, extra FROM list") { row in
        try look("list", row, ["id", "name", "extra"]) {
          _ = try row[1] as String
          if let extra = try row[2] as String? { _ = try JSONValue.parse(stored: extra) }
        }
      }
      // The name of a list has been reported already.
      try connection.forEach("SELECT \(Item.ownColumns), '' AS \(raw: Item.listColumn) FROM item") { row in
        try look("item", row, Item.columnNames) { _ = try Item(row: row, from: 0).extraFields() }
      }
      return problems
    }
  }

  /// The values that columns can be given in place of those that can't be read; NULL for all others.
  private static let harmless = [
    "name": "'something else'", "title": "'something else'", "tags": "'[]'", "notes": "'[]'",
    "uuid": "lower(hex(randomblob(4)) || '-0000-4000-8000-' || hex(randomblob(6)))", "list": "1", "position": "0",
    "done": "0", "archived": "0",
  ]

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

  func tagProblems() throws -> [String] {
    let count = try database.read { try Rebuilding.wrongTags($0) }
    let what = count == 1 ? "1 tag is not as its item has it" : "\(count) tags are not as their items have them"
    return count == 0 ? [] : ["\(what); \(Self.rebuildAdvice)"]
  }

  func searchProblems() throws -> [String] {
    guard let counts = try checkedSearchCounts() else { return ["the search index is damaged; \(Self.rebuildAdvice)"] }
    if counts.indexed == counts.items {
      let misses = try database.read { try Self.searchMisses($0) }
      return misses == 0 ? [] : ["the search does not find items by words of their titles; \(Self.rebuildAdvice)"]
    }
    return ["the search knows \(counts.indexed) of \(counts.items) items; \(Self.rebuildAdvice)"]
  }

  /// Nil if the index is so damaged that it can't be read.
  private func checkedSearchCounts() throws -> (indexed: Int, items: Int)? {
    do {
      return try database.read { connection in
        // Reads the index from its root.
        _ = try connection.value("SELECT count(*) FROM item_search('todo')", as: Int.self)
        return try Self.searchCounts(connection)
      }
    } catch let error as DatabaseError where Rebuilding.searchDamage.contains(error.code) {
      return nil
    }
  }

  /// The number of items in the search index, and of those that should be in it.
  static func searchCounts(_ connection: Connection) throws -> (indexed: Int, items: Int)? {
    let row = try connection.row(
      """
      SELECT (SELECT count(*) FROM item WHERE id NOT IN (SELECT item FROM item_to_index WHERE indexed = 0)),
        (SELECT count(*) FROM item_search_docsize WHERE id NOT IN (
          SELECT item FROM item_to_index WHERE indexed = 1 AND item NOT IN (SELECT id FROM item)))
      """)
    return try row.map { (indexed: try $0[1], items: try $0[0]) }
  }

  private func journalProblems() throws -> [String] {
    let open = try database.read { try $0.value("SELECT count(*) FROM change WHERE open = 1", as: Int.self) ?? 0 }
    return open == 0 ? [] : ["a change was not closed; the next one closes it"]
  }
}
