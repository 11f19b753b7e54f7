import CFetchedResultsSQLite

/// Captures keys with temporary triggers that record them in a temporary table: for libraries without the preupdate
/// hook, as on Apple's systems.
///
/// A savepoint that is rolled back also undoes its records in the table. The triggers see what the hook sees, except
/// changes that fire no triggers: those of incremental blob I/O.
final class TriggerCapture: ChangeCapture {
  private var shapes: [TableShape] = []
  private var keyWidth = 1
  private let limit: Int
  /// The prefix of everything created here.
  static let prefix = "frc_capture_"
  static let log = "\(prefix)log"

  init(limit: Int) { self.limit = limit }

  func install(_ tables: [TableShape], on connection: Connection) throws {
    try remove(from: connection)
    shapes = tables
    keyWidth = tables.map { Self.keyExpressions($0, "NEW").count }.max().map { max(1, $0) } ?? 1
    let columns = (0..<keyWidth).map { "k\($0)" }.joined(separator: ", ")
    try connection.runInternal("CREATE TEMP TABLE \(Self.log)(slot INTEGER NOT NULL, \(columns))")
    for (slot, shape) in tables.enumerated() {
      try createTriggers(slot, shape, on: connection)
    }
  }

  private func createTriggers(_ slot: Int, _ shape: TableShape, on connection: Connection) throws {
    let old = Self.keyExpressions(shape, "OLD")
    let new = Self.keyExpressions(shape, "NEW")
    guard !old.isEmpty else { return }
    let columns = old.indices.map { "k\($0)" }.joined(separator: ", ")
    let target = "\(SQL.quoted(shape.schema)).\(SQL.quoted(shape.name))"
    func note(_ key: [String], where condition: String = "") -> String {
      "INSERT INTO \(Self.log)(slot, \(columns)) SELECT \(slot), \(key.joined(separator: ", ")) \(condition);"
    }
    let moved = zip(old, new).map(TableShape.differ).joined(separator: " OR ")
    let bodies = [
      ("INSERT", note(new)), ("DELETE", note(old)), ("UPDATE", note(old) + note(new, where: "WHERE \(moved)")),
    ]
    for (event, body) in bodies {
      try connection.runInternal(
        "CREATE TEMP TRIGGER \(Self.prefix)\(slot)_\(event.lowercased()) AFTER \(event) ON \(target) BEGIN \(body) END")
    }
  }

  private static func keyExpressions(_ shape: TableShape, _ row: String) -> [String] {
    // A trigger on a table of a full-text index makes SQLite call itself without end.
    if shape.isShadow { return [] }
    return switch shape.key {
    case .rowID(let expression): expression.map { ["\(row).\($0)"] } ?? []
    case .primaryKey(let columns): columns.map { "\(row).\(SQL.quoted($0.name.text))" }
    case .unknown: []
    }
  }

  func remove(from connection: Connection) throws {
    for slot in shapes.indices {
      for event in ["insert", "delete", "update"] {
        try connection.runInternal("DROP TRIGGER IF EXISTS temp.\(Self.prefix)\(slot)_\(event)")
      }
    }
    if !shapes.isEmpty { try connection.dropTriggersWithoutTables("\(Self.prefix)*") }
    try connection.runInternal("DROP TABLE IF EXISTS temp.\(Self.log)")
    shapes = []
  }

  // A transaction that ended has emptied the table: by `collect`, or by its rollback.
  func begin() {}

  func collect(on connection: Connection) throws -> [String: DirtyKeys] {
    var changes: [String: DirtyKeys] = [:]
    for (slot, shape) in shapes.enumerated() {
      let isUnseen = Self.keyExpressions(shape, "NEW").isEmpty
      if isUnseen {
        if shape.key != .unknown(exists: false), connection.mayHaveChangedAnything {
          changes[shape.observedName] = .everything(.notATable)
        }
        continue
      }
      guard let keys = try keys(of: slot, shape, on: connection) else { continue }
      // Two tables can have names that are equal in Swift.
      changes[shape.observedName] = changes[shape.observedName]?.union(keys) ?? keys
    }
    if !changes.isEmpty { try connection.runInternal("DELETE FROM temp.\(Self.log)") }
    return changes
  }

  private func keys(of slot: Int, _ shape: TableShape, on connection: Connection) throws -> DirtyKeys? {
    let width = Self.keyExpressions(shape, "NEW").count
    let columns = (0..<width).map { "k\($0)" }.joined(separator: ", ")
    let sql = "SELECT DISTINCT \(columns) FROM temp.\(Self.log) WHERE slot = ?1 LIMIT ?2"
    let values: [Value] = [.integer(Int64(slot)), .integer(Int64(limit) + 1)]
    return try connection.withInternal(sql, values) { statement in
      var rowIDs: [Int64] = []
      var keys: Set<[Value]> = []
      var count = 0
      while try statement.step() {
        count += 1
        if count > limit { return .everything(.overflow) }
        if case .rowID = shape.key {
          rowIDs.append(sqlite3_column_int64(statement.handle, 0))
        } else {
          let row = Row(statement)
          do {
            keys.insert(try (0..<width).map { try row.read(at: $0) })
          } catch {
            return .everything(.overflow)  // a key that is no text in any encoding can't be looked up again
          }
        }
      }
      guard count > 0 else { return nil }
      if case .rowID = shape.key { return .rowIDs(rowIDs.sortedAndUnique()) }
      return .primaryKeys(keys)
    }
  }
}
