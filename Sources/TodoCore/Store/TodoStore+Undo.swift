import SQLiteStore

/// A change in the log.
public struct ChangeRecord: Hashable, Sendable {
  /// What kind of change it is.
  public enum Kind: String, Sendable {
    /// A change was made.
    case `do`
    /// A change was undone.
    case undo
    /// A change was redone.
    case redo
  }

  /// Its number: the revision after it.
  public var revision: Int64
  /// What was done, undone or redone: `add "Milk"`.
  public var label: String
  /// When.
  public var made: Instant
  /// What kind of change it is.
  public var kind: Kind
  /// Whether it has been undone, or can't be undone any more.
  public var isSpent: Bool
  /// Whether it has been undone.
  public var isUndone = false

  package init(revision: Int64, label: String, made: Instant) {
    (self.revision, self.label, self.made, kind, isSpent) = (revision, label, made, .do, false)
  }

  init(row: Row) throws {
    revision = try row[0]
    // Another program may have stored a text that is no UTF-8.
    label = String(decoding: try row[1] as [UInt8], as: UTF8.self)
    made = try row[2]
    kind = Kind(rawValue: try row[3]) ?? .do
    isSpent = try row[4]
  }

  static let columns: SQL = "SELECT id, CAST(label AS BLOB), made, kind, spent FROM change"
}

extension TodoStore {
  /// Undoes the last change that was not undone yet, whichever process made it.
  ///
  /// The result's label is that of the undone change. If there is nothing to undo, it throws a failure.
  ///
  /// - Parameter revision: The only change to undo, if one was shown before. If another one has come since, it throws a
  ///   conflict.
  public func undo(only revision: Int64? = nil) throws(TodoError) -> ChangeResult { try takeBack(.undo, revision) }

  /// Redoes the change that was undone last. After another change, nothing can be redone.
  ///
  /// - Parameter revision: The only undo to take back, if one was shown before.
  public func redo(only revision: Int64? = nil) throws(TodoError) -> ChangeResult { try takeBack(.redo, revision) }

  /// The change that ``undo()`` would undo; nil if not found.
  public func nextUndo() throws(TodoError) -> ChangeRecord? { try read { try Self.next(.undo, $0) } }

  /// The change that ``redo()`` would redo; nil if not found.
  public func nextRedo() throws(TodoError) -> ChangeRecord? { try read { try Self.next(.redo, $0) } }

  /// The changes that were made, the last one first.
  public func log(limit: Int? = nil) throws(TodoError) -> [ChangeRecord] {
    try read { connection in
      var records = try connection.rows(ChangeRecord.columns + " ORDER BY id DESC LIMIT \(limit ?? -1)")
        .map(ChangeRecord.init(row:))
      guard let first = records.last?.revision else { return records }
      // What has taken back one of them came after it.
      let takenBack = Set(
        try connection.values(
          "SELECT undoes FROM change WHERE id > \(first) AND undoes IS NOT NULL", as: Int64.self))
      for place in records.indices { records[place].isUndone = takenBack.contains(records[place].revision) }
      return records
    }
  }

  private static func next(_ kind: ChangeRecord.Kind, _ connection: Connection) throws -> ChangeRecord? {
    let condition: SQL = kind == .undo ? "kind <> 'undo'" : "kind = 'undo'"
    let row = try connection.row(
      ChangeRecord.columns + " WHERE \(condition) AND spent = 0 ORDER BY id DESC LIMIT 1")
    return try row.map(ChangeRecord.init(row:))
  }

  /// Skips the change that ``undo()`` would undo: from now on the one before it is next, and nothing else changes.
  ///
  /// It is for a change that can't be undone because another program has changed the database since.
  public func skipUndo() throws(TodoError) -> ChangeResult { try skip(.undo) }

  /// Skips the change that ``redo()`` would redo.
  public func skipRedo() throws(TodoError) -> ChangeResult { try skip(.redo) }

  private func skip(_ kind: ChangeRecord.Kind) throws(TodoError) -> ChangeResult {
    try readable {
      try database.write { connection in
        let last = try Self.existing(kind, connection)
        try connection.execute("UPDATE change SET spent = 1 WHERE id = \(last.revision)")
        var result = ChangeResult(revision: try Self.revision(connection))
        result.label = last.label
        return result
      }
    }
  }

  private static func existing(_ kind: ChangeRecord.Kind, _ connection: Connection) throws -> ChangeRecord {
    if let last = try next(kind, connection) { return last }
    throw TodoError.failure(
      kind == .undo
        ? "there is nothing to undo" : "there is nothing to redo; only what was undone last can be done again")
  }

  private func takeBack(_ kind: ChangeRecord.Kind, _ revision: Int64?) throws(TodoError) -> ChangeResult {
    let moment = moment
    return try readable {
      try database.write { connection in
        let last = try Self.existing(kind, connection)
        if let revision, revision != last.revision {
          throw TodoError.conflict("another change has come in between: \(last.label); nothing was changed")
        }
        let touched = try connection.values(
          "SELECT id FROM journal WHERE change = \(last.revision) AND kind = 'item' GROUP BY id ORDER BY min(seq)",
          as: Int64.self)
        let selecting = ItemQuery(connection, moment)
        let before = try selecting.readableItems(touched)
        try connection.execute(
          """
          INSERT INTO change(kind, undoes, label, made)
          VALUES (\(kind.rawValue), \(last.revision), \(last.label), \(moment.instant))
          """)
        let number = connection.lastInsertedRowID
        do {
          try connection.execute("INSERT INTO taking_back(id, undoes) VALUES (\(number), \(last.revision))")
          try Self.updateSearch(connection)
        } catch let error as DatabaseError where Self.isObstacle(error) {
          throw Self.obstacle(to: kind, last, error)
        }
        var result = ChangeResult(revision: number)
        result.label = last.label
        result.items = try selecting.readableItems(touched)
        let present = Set(result.items.map(\.id))
        result.removed = before.filter { !present.contains($0.id) }
        return result
      }
    }
  }

  /// Whether an undo fails because of what has become of the lists and items, and not of the database itself.
  private static func isObstacle(_ error: DatabaseError) -> Bool {
    (error.code == .constraint || error.code == .error) && !TodoError.isOfSearch(error)
  }

  /// Why a change can't be undone, and how to skip it.
  private static func obstacle(
    to kind: ChangeRecord.Kind, _ last: ChangeRecord, _ error: DatabaseError
  ) -> TodoError {
    let reason = error.message.split(separator: "\n").first.map(String.init) ?? "a constraint"
    let (what, command) = kind == .undo ? ("undone", "undo") : ("done again", "redo")
    return .conflict(
      "\(last.label) can't be \(what), because another program has changed what it was about (\(reason)); "
        + "`todo \(command) --skip` goes past it")
  }
}
