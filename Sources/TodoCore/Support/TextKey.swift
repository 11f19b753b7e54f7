/// A text as a key of sets and dictionaries: by its bytes, as the database tells texts apart.
///
/// Swift takes two texts for equal where one letter is written in two ways (é as one code point, or as e with an accent), and would
/// merge two lists that are two in the database.
struct TextKey: Hashable, Sendable {
  /// The text.
  let text: String

  init(_ text: String) { self.text = text }

  /// The key of a list's name, which is the same in whatever case its ASCII letters are written.
  init(listName: String) { text = listName.asciiLowercased }

  static func == (left: TextKey, right: TextKey) -> Bool { left.text.isIdentical(to: right.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension StringProtocol {
  /// Whether two texts are the same, byte by byte.
  func isIdentical(to other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
