import SQLiteStore

/// The columns of an entity's properties.
struct TypedColumns<E: MappedEntity> {
  /// The table's name in the query; nil for its own.
  let alias: String?

  func sql(of keyPath: PartialKeyPath<E>) throws(DatabaseError) -> SQL {
    guard let column = sql(of: keyPath as AnyKeyPath) else { throw Self.unmapped(keyPath) }
    return column
  }

  func sql(of keyPath: AnyKeyPath) -> SQL? {
    guard let keyPath = keyPath as? PartialKeyPath<E>, let column = E.mapping.column(of: keyPath) else { return nil }
    return SQL(raw: "\(SQL.quoted(alias ?? E.table)).\(SQL.quoted(column))")
  }

  static func unmapped(_ keyPath: AnyKeyPath) -> DatabaseError {
    DatabaseError(
      code: .misuse,
      message: "\(keyPath) has no column in the mapping of \(E.self), which has \(E.mapping.columnNames)")
  }
}
