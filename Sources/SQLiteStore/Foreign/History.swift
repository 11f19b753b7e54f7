import CFetchedResultsSQLite

/// The recorded history as one connection has read it: which tables it covers, and up to which entry it was read.
///
/// An attached file may have a history of its own. Statements name the main file, because SQLite would take a name that
/// the main file doesn't have for the attached file's.
struct History {
  static let log = "frc_history"
  static let tables = "frc_history_table"
  /// How many columns of a key the log can store.
  static let keyWidth = 8

  // Numbers are never used twice, even after somebody else has emptied the log: what was seen stays below what is new.
  /// What follows CREATE TABLE for the log.
  static let definition =
    "\(log)(seq INTEGER PRIMARY KEY AUTOINCREMENT, slot INTEGER NOT NULL, "
    + (0..<keyWidth).map { "k\($0)" }.joined(separator: ", ") + ")"

  /// Whether the database has a log as it would be created now. The log of an earlier version doesn't count.
  static func isLogInPlace(on connection: Connection) throws -> Bool {
    try connection.internalValue("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = '\(log)'")
      == .text("CREATE TABLE \(definition)")
  }

  private struct Recorded {
    var name: String
    var isWithoutRowID: Bool
    var keyWidth: Int
    var isExact: Bool
  }

  private var recorded: [Int64: Recorded] = [:]
  /// The last entry that was seen.
  var seen: Int64

  /// Finds the history of the database; nil if none is recorded. What `previous` has seen stays seen.
  ///
  /// A table counts as recorded only if its triggers are those that would be created for it now. Dropping a table drops
  /// its triggers too, and another UNIQUE constraint needs other triggers.
  init?(on connection: Connection, after previous: History?) throws {
    let exists = try connection.internalInteger(
      "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = '\(Self.tables)')")
    guard exists == 1, try Self.isLogInPlace(on: connection) else { return nil }
    let tables = try connection.internalRows(
      "SELECT slot, name, key_width, without_rowid, exact FROM main.\(Self.tables)")
    for row in tables {
      let slot: Int64 = try row[0]
      let name: String = try row[1]
      guard let triggers = try HistoryTriggers.expected(name, on: connection),
        try triggers.areInPlace(slot, on: connection)
      else { continue }
      recorded[slot] = Recorded(
        name: name, isWithoutRowID: triggers.isWithoutRowID, keyWidth: triggers.keyWidth, isExact: triggers.isExact)
    }
    seen = 0
    seen = try previous?.seen ?? newest(on: connection)
  }

  /// The same history, with everything that it holds by now marked as seen.
  func seen(on connection: Connection) throws -> History {
    var history = self
    history.seen = try newest(on: connection)
    return history
  }

  /// The number of the newest entry, even if somebody has deleted it.
  func newest(on connection: Connection) throws -> Int64 {
    try connection.internalInteger(
      """
      SELECT seq FROM (SELECT seq FROM main.\(Self.log) ORDER BY seq DESC LIMIT 1)
      UNION ALL SELECT CAST(seq AS INTEGER) FROM main.sqlite_sequence WHERE name = '\(Self.log)'
      ORDER BY 1 DESC LIMIT 1
      """)
  }

  /// Whether a table is recorded, exactly or not.
  func knows(_ observedName: String) -> Bool { recorded.values.contains { Self.names($0.name, observedName) } }

  /// Whether the history records all changes of a table.
  func records(_ observedName: String) -> Bool {
    recorded.values.contains { $0.isExact && Self.names($0.name, observedName) }
  }

  private static func names(_ table: String, _ observedName: String) -> Bool {
    observedName.isSameName(as: table) || observedName.isSameName(as: "main." + table)
  }

  /// What was logged since the last call, by the observed names.
  mutating func news(of observed: [String], on connection: Connection) throws -> [String: DirtyKeys] {
    let oldest = try connection.internalInteger("SELECT seq FROM main.\(Self.log) ORDER BY seq LIMIT 1")
    let newest = try newest(on: connection)
    // Set it only at the end: if something fails here (for example an interruption), the next call must report the same
    // entries.
    var changes = try news(of: observed, from: oldest, to: newest, on: connection)
    // Entries that were pruned during the read may not have been seen.
    if newest > seen {
      let oldestNow = try connection.internalInteger("SELECT seq FROM main.\(Self.log) ORDER BY seq LIMIT 1")
      if oldestNow == 0 || oldestNow > max(oldest, seen + 1) {
        for table in observed where records(table) { changes[table] = .everything(.historyGap) }
      }
    }
    seen = newest
    return changes
  }

  private func news(
    of observed: [String], from oldest: Int64, to newest: Int64, on connection: Connection
  ) throws -> [String: DirtyKeys] {
    var changes: [String: DirtyKeys] = [:]
    func reportGap() -> [String: DirtyKeys] {
      for table in observed where records(table) { changes[table] = .everything(.historyGap) }
      return changes
    }
    // Entries are numbered without gaps: a missing one was pruned or deleted, and a number that is too low belongs to
    // another log.
    if newest < seen || newest > seen && (oldest == 0 || oldest > seen + 1) { return reportGap() }
    guard newest > seen else { return [:] }
    var count: Int64 = 0
    var rowIDs: [Int64: [Int64]] = [:]
    var keys: [Int64: Set<[Value]>] = [:]
    var unreadable: Set<Int64> = []
    let columns = (0..<Self.keyWidth).map { "k\($0)" }.joined(separator: ", ")
    try connection.withInternal("SELECT slot, \(columns) FROM main.\(Self.log) WHERE seq > ?1", [.integer(seen)]) {
      entries in
      while try entries.step() {
        count += 1
        let slot = sqlite3_column_int64(entries.handle, 0)
        // The entry of a change that may have removed any row.
        if slot < 0 { unreadable.insert(-slot) }
        guard let table = recorded[slot] else { continue }
        if table.isWithoutRowID {
          let row = Row(entries)
          do {
            keys[slot, default: []].insert(try (1...table.keyWidth).map { try row.read(at: $0) })
          } catch {
            unreadable.insert(slot)  // a key that is no text in any encoding can't be looked up again
          }
        } else {
          rowIDs[slot, default: []].append(sqlite3_column_int64(entries.handle, 1))
        }
      }
    }
    if count < newest - seen { return reportGap() }
    for name in observed {
      for (slot, table) in recorded where table.isExact && Self.names(table.name, name) {
        // Two tables can have names that are equal in Swift.
        func add(_ keys: DirtyKeys) { changes[name] = changes[name]?.union(keys) ?? keys }
        if let ids = rowIDs[slot] { add(.rowIDs(ids.sortedAndUnique())) }
        if let keys = keys[slot] { add(.primaryKeys(keys)) }
        if unreadable.contains(slot) { add(.everything(.historyGap)) }
      }
    }
    return changes
  }
}
