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
      guard let copy = try Self.openToRead(DatabaseLocation(path: path), acceptsAltered: true) else { return nil }
      defer { copy.finish() }
      return try copy.firstDamage()
    }
  }

  /// Checks the database: its pages, its schema, its items, the search index, and who may read it.
  public func doctor() throws(TodoError) -> [Finding] {
    try readable { try damages() + [Finding(subject: "permissions", problems: permissionProblems())] }
  }

  /// The first damage; nil if the database is intact. What others have added is no damage.
  func firstDamage() throws -> String? { try damages().flatMap(\.problems).first }

  /// Checks all but the permissions.
  private func damages() throws -> [Finding] {
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
      Finding(subject: "file", problems: try database.integrityCheck()),
      try finding("schema") { try schemaProblems() },
      try finding("items") { try itemProblems() },
      try finding("search") { try searchProblems() },
    ]
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

  private func schemaProblems() throws -> [String] {
    do {
      try StoreOpener.check(StoreOpener.state(of: database, .toRead), path ?? "the database")
      return []
    } catch let error as TodoError {
      return [error.message]
    }
  }

  /// The lists and items that can't be read.
  private func itemProblems() throws -> [String] {
    try database.read { connection in
      var problems: [String] = []
      func check(_ what: String, _ row: Row, _ read: () throws -> Void) throws {
        let reason: String
        do {
          return try read()
        } catch let error as DatabaseError where error.code == .mismatch {
          reason = "bytes that are no text"
        } catch let error as JSONError {
          reason = "JSON that can't be read (\(error.problem))"
        }
        if problems.count >= 100 { return }
        problems.append(
          "\(what) \(try row[0] as Int64) can't be read, as it holds \(reason); correct it with sqlite3, or go back to a backup "
            + "with `todo restore FILE`")
      }
      try connection.forEach("SELECT id, name, extra FROM list") { row in
        try check("list", row) {
          _ = try row[1] as String
          if let extra = try row[2] as String? { _ = try JSONValue.parse(stored: extra) }
        }
      }
      // The name of a list has been checked already.
      try connection.forEach("SELECT \(Item.ownColumns), '' AS \(raw: Item.listColumn) FROM item") { row in
        try check("item", row) { _ = try Item(row: row, from: 0).extraFields() }
      }
      return problems
    }
  }

  /// Reads the index from its root, and compares the number of items in it with the number that should be.
  private func searchProblems() throws -> [String] {
    do {
      return try database.read { connection in
        _ = try connection.value("SELECT count(*) FROM item_search('todo')", as: Int.self)
        let isWhole = try connection.value(
          """
          SELECT (SELECT count(*) FROM item WHERE id NOT IN (SELECT item FROM item_to_index WHERE indexed = 0))
            = (SELECT count(*) FROM item_search_docsize WHERE id NOT IN (
              SELECT item FROM item_to_index WHERE indexed = 1 AND item NOT IN (SELECT id FROM item)))
          """, as: Bool.self)
        return isWhole == true ? [] : [TodoError.damagedSearch.message]
      }
    } catch let error as DatabaseError where [.corrupt, .error, .constraint, .mismatch].contains(error.code) {
      return [TodoError.damagedSearch.message]
    }
  }
}
