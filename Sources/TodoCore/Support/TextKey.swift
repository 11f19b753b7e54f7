/// A text as a key of sets and dictionaries, compared by its bytes as in the database.
///
/// In Swift two texts are equal if a letter is composed in two ways (é as one code point, or as e with an accent).
/// That would merge two lists that are different in the database.
struct TextKey: Hashable, Sendable {
  /// The text.
  let text: String

  init(_ text: String) { self.text = text }

  /// The key of a list's name, which ignores the case of ASCII letters.
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
