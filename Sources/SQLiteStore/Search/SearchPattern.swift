public import RowModel

/// What to search for in a full-text index: text as a person types it, whatever signs are in it.
///
/// All words must occur, in any order and in any of the indexed columns; the last one may be the beginning of a word.
/// Words are compared as the index compares them: by default regardless of case and accents. Quotes, operators and
/// other signs mean nothing, and are never an error.
///
/// ```swift
/// if let pattern = SearchPattern("kim's lett") {
///   let ids = try connection.values("SELECT rowid FROM item_search WHERE item_search MATCH \(pattern)", as: Int.self)
///   print(ids)
/// }
/// ```
public struct SearchPattern: Hashable, Sendable {
  /// The pattern in the language of FTS5: `"kim's" "lett"*`.
  public let expression: String

  /// Nil if the text has no letter and no digit, so that there is nothing to search for.
  public init?(_ text: String) {
    guard text.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
    // A quoted word is never an operator. FTS5 ignores one of signs only, unless AND is written before it. NUL would
    // end the pattern.
    let words = text.split { $0.isWhitespace || $0 == "\0" }
    expression = words.map { SQL.quoted(String($0)) }.joined(separator: " ") + "*"
  }
}

extension SQL.StringInterpolation {
  /// Binds a pattern, for `MATCH`.
  public mutating func appendInterpolation(_ pattern: SearchPattern) { appendInterpolation(pattern.expression) }
}
