/// The statements that write one kind of entity through one connection, compiled when first needed.
@usableFromInline
final class EntityStatements {
  let table: EntityTable
  let idColumn: String
  let columnNames: [String]
  private let columnTypes: [any ValueConvertible.Type]
  @usableFromInline let owner: AnyObject
  @usableFromInline var insert: Statement?
  @usableFromInline var upsert: Statement?
  @usableFromInline var update: Statement?
  /// The updates of some columns, by the bits of their indices, and the last one that was used.
  var updatesOfSome: [UInt64: Statement] = [:]
  var lastUpdateOfSome: (columns: UInt64, statement: Statement)?
  /// The bits of the id, and of the columns that SQLite computes.
  let idBit: UInt64
  let generatedBits: UInt64
  /// An `AffinityCheck` of the entity, if there is a column to check.
  @usableFromInline var check: Any?
  /// Whether ids are texts that a collation might treat as equal.
  let comparesBytes: Bool
  /// Whether an update by id can change at most one row, and counts it.
  @usableFromInline let isUpdateSimple: Bool
  /// Whether an upsert is an update and, if there is no such row, an insertion.
  @usableFromInline private(set) var isUpsertSimple: Bool
  /// Whether the row id is the id, and is generated if the id is nil.
  @usableFromInline let isIDRowID: Bool
  /// Whether SQLite computes the id.
  @usableFromInline let isIDGenerated: Bool

  init<E>(_ table: EntityTable, idColumn: String, mapping: Mapping<E>, comparesBytes: Bool) {
    self.table = table
    isUpdateSimple = table.isIDUnique || !table.exists
    isIDRowID = table.isIDRowID
    isIDGenerated = table.isGenerated(idColumn)
    self.idColumn = idColumn
    columnNames = mapping.columnNames
    let bits = columnNames.enumerated().map { (name: $1, bit: 1 << UInt64(min($0, 63)) as UInt64) }
    idBit = bits.first { $0.name == idColumn }?.bit ?? 0
    generatedBits = bits.reduce(0) { table.isGenerated($1.name) ? $0 | $1.bit : $0 }
    columnTypes = mapping.columns.map(\.type)
    self.comparesBytes = comparesBytes
    owner = mapping
    isUpsertSimple = false
    isUpsertSimple = isUpdateSimple && !setsNothing
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

  /// Throws if one of some mapped columns is not in the table, as those of an entity that is read from a join.
  func checkColumns(_ names: [String]) throws {
    guard table.exists,
      let missing = names.first(where: { table.column($0) == nil && !EntityTable.isRowIDName($0) })
    else { return }
    throw DatabaseError.misuse(
      "\(table.name) has no column \(missing), so this entity can't be written as a whole; if it is read from a join, write "
        + "an entity of \(table.name)'s own columns, or single columns with update(_:id:_:_:)")
  }

  /// A condition that is always true, if nothing else contains the last parameter: every property is bound, and the
  /// last parameter must occur even if its column is generated.
  private var mention: String? {
    let count = columnNames.count
    return writable.last?.parameter == count ? nil : "?\(count) IS ?\(count)"
  }

  func sql(_ kind: Kind) -> String {
    let name = table.quoted
    let writable = writable
    let others = writable.filter { $0.name != idColumn }
    let places = writable.map { "?\($0.parameter)" }.joined(separator: ", ")
    let values = mention.map { "SELECT \(places) WHERE \($0)" } ?? "VALUES (\(places))"
    let columns = writable.map { SQL.quoted($0.name) }.joined(separator: ", ")
    let insertion = "INSERT INTO \(name) (\(columns)) \(values)"
    switch kind {
    case .insert:
      return insertion
    case .upsert where table.isVirtual:
      return insertion  // The row is known not to exist.
    case .upsert:
      let assignments = others.map { assignment($0.name, "excluded.\(SQL.quoted($0.name))") }
      let action = assignments.isEmpty ? "NOTHING" : "UPDATE SET \(assignments.joined(separator: ", "))"
      let condition =
        comparesBytes && !assignments.isEmpty
        ? " WHERE \(table.alias).\(SQL.quoted(idColumn)) = excluded.\(SQL.quoted(idColumn)) COLLATE BINARY" : ""
      return insertion + " ON CONFLICT (\(SQL.quoted(idColumn))) DO \(action)\(condition)"
    case .update:
      return update(whereID: (columnNames.firstIndex(of: idColumn) ?? 0) + 1)
    }
  }

  /// The update of the row whose stored id is bound to a parameter; the columns are bound to those before.
  func update(whereID id: Int) -> String {
    let others = writable.filter { $0.name != idColumn }
    let column = SQL.quoted(idColumn)
    // An entity with only an id has nothing to set; setting the id to itself still shows whether the row exists.
    let set =
      others.isEmpty
      ? "\(column) = ?\(id)" : others.map { assignment($0.name, "?\($0.parameter)") }.joined(separator: ", ")
    let bytes = comparesBytes ? " AND \(column) = ?\(id) COLLATE BINARY" : ""
    let also = mention.map { " AND \($0)" } ?? ""
    return "UPDATE \(table.quoted) SET \(set) WHERE \(column) = ?\(id)\(bytes)\(also)"
  }

  /// The update of some columns, by their names, which are bound in this order. The stored id is bound after them.
  func update(of names: [String]) -> String {
    let set = names.enumerated().map { assignment($1, "?\($0 + 1)") }.joined(separator: ", ")
    let (column, id) = (SQL.quoted(idColumn), names.count + 1)
    let bytes = comparesBytes ? " AND \(column) = ?\(id) COLLATE BINARY" : ""
    return "UPDATE \(table.quoted) SET \(set) WHERE \(column) = ?\(id)\(bytes)"
  }

  /// The assignment of a new value to a mapped column, as SQL. A value that the column's type reads as the new one
  /// stays as it is stored: another program may have chosen its form, and other columns may refer to it.
  func assignment(_ name: String, _ new: String) -> String {
    let column = SQL.quoted(name)
    let type = columnNames.firstIndex(of: name).map { columnTypes[$0] }
    switch type?.storedForms.kind {
    case .uuid, .date, .single, .raw, .own:
      return "\(column) = frc_kept(\(type.map(FormNumbers.number(of:)) ?? 0), \(column), \(new))"
    case .bool:
      let isKept = "typeof(\(column)) = 'integer' AND \(column) <> 0 AND \(new) <> 0"
      return "\(column) = CASE WHEN \(isKept) THEN \(column) ELSE \(new) END"
    case .one where type.map(Self.isDouble) == true && table.column(name)?.affinity == ColumnAffinity.none:
      // Only here may an integer be stored that is read as a double.
      return "\(column) = CASE WHEN typeof(\(column)) = 'integer' AND \(column) = \(new) THEN \(column) ELSE \(new) END"
    case .one, nil:
      return "\(column) = \(new)"
    }
  }

  private static func isDouble(_ type: any ValueConvertible.Type) -> Bool {
    func rawType<R: RawRepresentable>(_: R.Type) -> Any.Type { R.RawValue.self }
    if let optional = type as? any AnyOptionalValue.Type { return isDouble(optional.wrappedType) }
    if let raw = type as? any RawRepresentable.Type {
      return (rawType(raw) as? any ValueConvertible.Type).map(isDouble) ?? false
    }
    return type == Double.self
  }

  /// The mapped columns, as SQL. SQLite gives a row id the name of the column in which it is stored, if there is one,
  /// and returns 5.0 in a REAL column as 5.
  var returning: String {
    columnNames.map { name in
      let column = SQL.quoted(name)
      if EntityTable.isRowIDName(name) { return "\(column) AS \(column)" }
      guard table.column(name)?.affinity == .real else { return column }
      return "CASE WHEN typeof(\(column)) = 'real' THEN \(column) * 1.0 ELSE \(column) END AS \(column)"
    }.joined(separator: ", ")
  }
}
