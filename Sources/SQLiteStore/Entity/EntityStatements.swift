/// The statements that write one kind of entity through one connection, compiled when first needed.
@usableFromInline
final class EntityStatements {
  let table: EntityTable
  let idColumn: String
  let columnNames: [String]
  @usableFromInline let owner: AnyObject
  @usableFromInline var insert: Statement?
  @usableFromInline var upsert: Statement?
  @usableFromInline var update: Statement?
  /// An `AffinityCheck` of the entity, if there is a column to check.
  @usableFromInline var check: Any?
  /// Whether ids are texts that a collation might treat as equal.
  let comparesBytes: Bool
  /// Whether an update by id can change at most one row, and counts it.
  @usableFromInline let isUpdateSimple: Bool
  /// Whether the row id is the id, and is generated if the id is nil.
  @usableFromInline let isIDRowID: Bool
  /// Whether SQLite computes the id.
  @usableFromInline let isIDGenerated: Bool

  init(_ table: EntityTable, idColumn: String, columnNames: [String], comparesBytes: Bool, owner: AnyObject) {
    self.table = table
    isUpdateSimple = table.isIDUnique || !table.exists
    isIDRowID = table.isIDRowID
    isIDGenerated = table.isGenerated(idColumn)
    self.idColumn = idColumn
    self.columnNames = columnNames
    self.comparesBytes = comparesBytes
    self.owner = owner
  }

  @usableFromInline
  enum Kind {
    case insert, upsert, update
  }

  /// The columns that a write may name, with the numbers of their parameters.
  private var writable: [(name: String, parameter: Int)] {
    columnNames.indices.filter { !table.isGenerated(columnNames[$0]) }.map { (columnNames[$0], $0 + 1) }
  }

  /// Whether the entity has nothing to write but its id.
  var setsNothing: Bool { !writable.contains { $0.name != idColumn } }

  func sql(_ kind: Kind) -> String {
    let name = table.quoted
    let writable = writable
    let others = writable.filter { $0.name != idColumn }
    // Every property is bound, so the last parameter must occur even if its column is generated.
    let count = columnNames.count
    let mention = writable.last?.parameter == count ? nil : "?\(count) IS ?\(count)"
    let places = writable.map { "?\($0.parameter)" }.joined(separator: ", ")
    let values = mention.map { "SELECT \(places) WHERE \($0)" } ?? "VALUES (\(places))"
    let columns = writable.map { SQL.quoted($0.name) }.joined(separator: ", ")
    let insertion = "INSERT INTO \(name) (\(columns)) \(values)"
    switch kind {
    case .insert:
      return insertion
    case .upsert:
      let assignments = others.map { "\(SQL.quoted($0.name)) = excluded.\(SQL.quoted($0.name))" }
      let action = assignments.isEmpty ? "NOTHING" : "UPDATE SET \(assignments.joined(separator: ", "))"
      let condition =
        comparesBytes && !assignments.isEmpty
        ? " WHERE \(table.alias).\(SQL.quoted(idColumn)) = excluded.\(SQL.quoted(idColumn)) COLLATE BINARY" : ""
      return insertion + " ON CONFLICT (\(SQL.quoted(idColumn))) DO \(action)\(condition)"
    case .update:
      let id = (columnNames.firstIndex(of: idColumn) ?? 0) + 1
      // An entity with only an id has nothing to set; setting the id to itself still shows whether the row exists.
      let set =
        others.isEmpty
        ? "\(SQL.quoted(idColumn)) = ?\(id)"
        : others.map { "\(SQL.quoted($0.name)) = ?\($0.parameter)" }.joined(separator: ", ")
      let bytes = comparesBytes ? " AND \(SQL.quoted(idColumn)) = ?\(id) COLLATE BINARY" : ""
      let also = mention.map { " AND \($0)" } ?? ""
      return "UPDATE \(name) SET \(set) WHERE \(SQL.quoted(idColumn)) = ?\(id)\(bytes)\(also)"
    }
  }

  /// The mapped columns, as SQL. SQLite gives a row id the name of the column in which it is stored, if there is one.
  var returning: String {
    columnNames.map { EntityTable.isRowIDName($0) ? "\(SQL.quoted($0)) AS \(SQL.quoted($0))" : SQL.quoted($0) }
      .joined(separator: ", ")
  }
}
