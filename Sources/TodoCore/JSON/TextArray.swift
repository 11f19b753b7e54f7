/// Arrays of text as stored in the database: JSON in a column.
enum TextArray {
  /// The texts in a column.
  static func texts(in json: String) throws(JSONError) -> [String] {
    if json == "[]" { return [] }
    guard case .array(let values) = try JSONValue.parse(stored: json) else { return [] }
    // Another program may have stored a number, which is read as its text.
    return values.compactMap { $0 == .null ? nil : $0.string ?? $0.text }
  }

  /// The JSON of texts; the same texts are always the same bytes.
  static func json(_ texts: [String]) -> String {
    if texts.isEmpty { return "[]" }
    var writer = JSONWriter()
    writer.write(texts)
    return writer.text
  }
}
