package import RowModel

/// The columns of an entity's properties.
package struct TypedColumns<E: MappedEntity> {
  /// The table's name in the query; nil for its own.
  let alias: String?

  package init(alias: String?) { self.alias = alias }

  func sql(of keyPath: PartialKeyPath<E>) throws(DatabaseError) -> SQL {
    guard let column = sql(of: keyPath as AnyKeyPath) else { throw Self.unmapped(keyPath) }
    return column
  }

  /// A property as an order expression: equal values are the same, and dates sort as times.
  func ordering(_ keyPath: PartialKeyPath<E>) throws(DatabaseError) -> SQL {
    let column = try sql(of: keyPath)
    let type = Swift.type(of: keyPath).valueType
    if ValueKind.of(type)?.kind == .date { return "frc_date(\(column))" }
    return ValueKind.canonical(type, column)
  }

  /// A property as the key of sections: equal values are the same, and different ones are not, whatever the column's
  /// collation.
  func grouping(_ keyPath: PartialKeyPath<E>) throws(DatabaseError) -> SQL {
    let column = try sql(of: keyPath)
    let type = Swift.type(of: keyPath).valueType
    let key = ValueKind.canonical(type, column)
    switch ValueKind.of(type)?.kind {
    // The stored form may be text, which a column's collation must not fold.
    case .text, .stored, nil: return "\(key) COLLATE BINARY"
    default: return key
    }
  }

  /// The column of a property; nil if it has none.
  package func sql(of keyPath: AnyKeyPath) -> SQL? {
    guard let keyPath = keyPath as? PartialKeyPath<E>, let column = E.mapping.column(of: keyPath) else { return nil }
    return SQL(raw: "\(SQL.quoted(alias ?? SQL.unqualified(E.table))).\(SQL.quoted(column))")
  }

  /// The column of a property with this spelling, for example behind an optional property: `\Item.place?.city`.
  package func sql(spelled path: String) -> SQL? {
    let mapping = E.mapping
    let column = mapping.columnNames.first { name in
      guard let keyPath = mapping.keyPath(of: name) else { return false }
      var spelling = "\(keyPath)"
      while spelling.last == "?" { spelling.removeLast() }
      return spelling == path
    }
    return column.map { SQL(raw: "\(SQL.quoted(alias ?? SQL.unqualified(E.table))).\(SQL.quoted($0))") }
  }

  /// The error for a property that has no column.
  package static func unmapped(_ keyPath: AnyKeyPath) -> DatabaseError {
    let spelling = keyPath.spelling(after: E.self)
    let advice =
      spelling.contains("<computed")
      ? "; it is a computed property, or one that generic code names by its protocol: name the stored property of \(E.self) itself"
      : ""
    return DatabaseError(
      code: .misuse,
      message:
        "\\\(E.self).\(spelling) has no column in the mapping of \(E.self), which has \(E.mapping.columnNames)\(advice)"
    )
  }
}

extension AnyKeyPath {
  /// The key path as it was written, after its root. Swift has the names of stored properties only.
  package func spelling(after root: Any.Type) -> String {
    let text = "\(self)"
    let prefix = "\\\(root)."
    var rest = (text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...])[...]
    // `<computed 0x000055a917d7a0e0 (String)>` has a meaningless address, which changes each time.
    var result = ""
    while let start = rest.firstRange(of: "<computed 0x") {
      result += rest[..<start.lowerBound] + "<computed "
      rest = rest[start.upperBound...].drop { $0 != "(" }
    }
    return result + rest
  }
}
