// How SQLite compares values that may be stored in several forms.
extension ValueConvertible {
  /// A column's value in its canonical form, which is the same for all equal stored values.
  package static func canonical(_ column: SQL) -> SQL {
    switch storedForms.kind {
    case .one: column
    case .bool: "(\(column) <> 0)"
    case .uuid, .date, .single, .raw, .own: SQL(raw: "frc_form(\(FormNumbers.number(of: Self.self)), \(column.text))")
    }
  }

  /// A condition on a column that is true for the stored values that are equal to this one, and for no others.
  package func matches(_ column: SQL) throws -> SQL {
    let stored = try databaseValue
    // Nil is no id: it identifies no row, even if the column holds NULLs.
    if stored.isNull { return "\(column) = NULL" }
    switch Self.storedForms.kind {
    case .one:
      guard case .text = stored else { return "\(column) = \(stored)" }
      // An index can be used for the first comparison, with any collation; the second one is exact.
      return "(\(column) = \(stored) AND \(column) = \(stored) COLLATE BINARY)"
    case .bool:
      return stored == .integer(0) ? "\(column) = 0" : "\(column) <> 0"
    case .uuid, .date, .single, .raw, .own:
      let exact: SQL = "\(Self.canonical(column)) = \(stored)"
      guard let lead = FormBounds.equal(column, self) else { return exact }
      return "(\(lead) AND \(exact))"
    }
  }
}
