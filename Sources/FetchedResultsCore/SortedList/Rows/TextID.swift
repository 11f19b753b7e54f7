import RowModel

/// Ids that are texts. SQLite compares texts by their bytes and Swift by canonical equivalence: an é as one scalar,
/// and an e followed by a combining accent, are two texts in SQLite and one in Swift.
@usableFromInline enum TextID {
  /// Whether ids of a type are texts, or stored as texts.
  @usableFromInline static func isText<ID>(_ type: ID.Type) -> Bool {
    if ID.self == String.self || ID.self == String?.self { return true }
    if let raw = type as? any RawRepresentable.Type { return isText(rawOf: raw) }
    guard let optional = type as? any AnyOptionalValue.Type else { return false }
    return isText(optional.wrappedType)
  }

  private static func isText<Raw: RawRepresentable>(rawOf type: Raw.Type) -> Bool { Raw.RawValue.self == String.self }

  /// Whether another text may be equal to this id. Texts of ASCII have one spelling.
  static func hasOtherSpellings<ID>(_ id: ID) -> Bool {
    guard isText(ID.self) else { return false }
    let text = id as? String ?? (id as? any RawRepresentable)?.rawValue as? String
    return text.map { text in text.utf8.contains { $0 >= 128 } } ?? false
  }
}
