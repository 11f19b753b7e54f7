import CFetchedResultsSQLite
import FixtureSupport
import SQLiteStore

// What the store promises for entities, in plain SQL.
extension PlainStore {
  func entity(_ call: EntityCall) throws -> ModelOutcome {
    try usable()
    let table = Table(call.kind)
    let id = call.values[0]
    switch call.action {
    case .insert: return .rows([[try insert(call.values, table)]])
    case .inserted:
      try requireGeneratedID(id, table)
      var stored: [[RawDatabase.Value]] = []
      try inSavepoint {
        stored = try rows("\(table.insertion) RETURNING \(table.columnList)", call.values)
        if stored.isEmpty { throw ModelFailure.misuse("stored no row") }
        // RETURNING gives the row as it was before the AFTER triggers.
        if !table.isView, case .integer(let id) = stored[0][0] {
          stored = try rows("SELECT \(table.columnList) FROM \(table.name) WHERE id = ?", [.integer(id)])
          if stored.isEmpty { throw ModelFailure.misuse("stored no row") }
        }
      }
      // RETURNING gives a whole number that is stored as a real as an integer, which the entity reads as a real.
      if table.columns.contains("weight"), case .integer(let whole) = stored[0][2] {
        stored[0][2] = .real(bits: Double(whole).bitPattern)
      }
      return .rows(stored)
    case .update:
      try update(call.values, table)
      return .rows([])
    case .upsert:
      try upsert(call.values, table)
      return .rows([])
    case .deleteByID, .delete:
      let count = try self.count(id, table)
      if table.isView, count == 0 { return .changed(0, lastID: nil) }
      let changed = try run("DELETE FROM \(table.name) WHERE id = ?", [id])
      return table.isView ? .changed(try self.count(id, table) == 0 ? 1 : 0, lastID: nil) : changed
    case .find: return .rows(try rows("SELECT \(table.columnList) FROM \(table.name) WHERE id = ?", [id]))
    case .all: return .rows(try rows("SELECT \(table.columnList) FROM \(table.name) ORDER BY id", []))
    case .count:
      guard case .integer(let count) = try rows("SELECT count(*) FROM \(table.name)", [])[0][0] else { break }
      return .changed(Int(count), lastID: nil)
    }
    return .changed(0, lastID: nil)
  }

  private struct Table {
    let name: String
    let columns: [String]
    let isView: Bool
    let generatesIDs: Bool

    init(_ kind: EntityCall.Kind) {
      switch kind {
      case .item: (name, columns) = ("item", ["id", "title", "weight", "note"])
      case .shown: (name, columns) = ("shown", ["id", "title", "weight", "note"])
      case .part: (name, columns) = ("o.part", ["id", "title", "box"])
      case .word, .looseWord: (name, columns) = ("word", ["id", "n"])
      }
      isView = kind == .shown
      generatesIDs = kind == .item || kind == .part
    }

    var columnList: String { columns.joined(separator: ", ") }

    var insertion: String {
      "INSERT INTO \(name)(\(columnList)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    }
  }

  private func count(_ id: Value, _ table: Table) throws -> Int {
    try rows("SELECT id FROM \(table.name) WHERE id = ?", [id]).count
  }

  private func requireGeneratedID(_ id: Value, _ table: Table) throws {
    if id.isNull, !table.generatesIDs { throw ModelFailure.misuse("is no row id that SQLite would generate") }
  }

  /// Inserts a row and returns its id.
  private func insert(_ values: [Value], _ table: Table) throws -> RawDatabase.Value {
    try requireGeneratedID(values[0], table)
    let outcome = try run(table.insertion, values)
    if table.isView { return RawDatabase.Value(values[0]) }
    if case .changed(0, _) = outcome { throw ModelFailure.misuse("stored no row") }
    return values[0].isNull ? .integer(lastInsertedRowID) : RawDatabase.Value(values[0])
  }

  private func update(_ values: [Value], _ table: Table) throws {
    if table.isView, try count(values[0], table) == 0 { throw ModelFailure(code: SQLITE_NOTFOUND) }
    if try !isUpdated(values, table), !table.isView { throw try notUpdated(values[0], table) }
  }

  /// Updates a row, and returns whether that changed anything.
  private func isUpdated(_ values: [Value], _ table: Table) throws -> Bool {
    let assignments = table.columns.dropFirst().map { "\($0) = ?" }.joined(separator: ", ")
    let outcome = try run(
      "UPDATE \(table.name) SET \(assignments) WHERE id = ?", Array(values.dropFirst()) + [values[0]])
    if case .changed(0, _) = outcome { return false }
    return true
  }

  private func notUpdated(_ id: Value, _ table: Table) throws -> ModelFailure {
    try count(id, table) > 0 ? .misuse("did a trigger cancel it") : ModelFailure(code: SQLITE_NOTFOUND)
  }

  private func upsert(_ values: [Value], _ table: Table) throws {
    if values[0].isNull {
      _ = try insert(values, table)
    } else if table.isView {
      if try count(values[0], table) == 0 { _ = try insert(values, table) } else { try update(values, table) }
    } else if try !isUpdated(values, table) {
      // A row that is there is not inserted first, so no trigger of an insertion sees it.
      let assignments = table.columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
      do {
        let outcome = try run("\(table.insertion) ON CONFLICT (id) DO UPDATE SET \(assignments)", values)
        if case .changed(0, _) = outcome { throw ModelFailure.misuse("changed nothing") }
      } catch let failure as ModelFailure where failure.code & 0xFF == SQLITE_CONSTRAINT && !failure.hasEnded {
        // A trigger has cancelled the update of the row, if it is there.
        if isInTransaction, try count(values[0], table) > 0 { throw try notUpdated(values[0], table) }
        throw failure
      }
    }
  }
}
