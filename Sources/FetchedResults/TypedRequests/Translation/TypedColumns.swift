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
      message:
        "\\\(E.self).\(keyPath.spelling(after: E.self)) has no column in the mapping of \(E.self), which has \(E.mapping.columnNames)"
    )
  }
}

extension AnyKeyPath {
  /// The key path as it was written, behind its root. Swift knows the names of stored properties only.
  func spelling(after root: Any.Type) -> String {
    let text = "\(self)"
    let prefix = "\\\(root)."
    var rest = (text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...])[...]
    // `<computed 0x000055a917d7a0e0 (String)>` says nothing with its address, and another thing each time.
    var result = ""
    while let start = rest.firstRange(of: "<computed 0x") {
      result += rest[..<start.lowerBound] + "<computed "
      rest = rest[start.upperBound...].drop { $0 != "(" }
    }
    return result + rest
  }
}
