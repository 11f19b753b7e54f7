import SQLiteStore

/// Words to search for. All must occur in a title or its notes, or be the beginning of a word there.
struct SearchWords {
  /// The query for the index, in its own language; nil if it can't search any of the words.
  private var match: String?
  /// The words to search for letter by letter: those with signs, which the index ignores, and in scripts without spaces
  /// between words.
  private var pieces: [String] = []
  /// All words, for the few texts that are not in the index yet.
  private let words: [String]

  /// Nil if there are no words.
  init?(_ words: [String]) {
    guard !words.isEmpty else { return nil }
    self.words = words
    for word in words {
      guard Self.isIndexed(word) else {
        pieces.append(word)
        continue
      }
      // The index would find "C" for "C++".
      if let first = word.unicodeScalars.first, let last = word.unicodeScalars.last,
        Self.isSign(first) || Self.isSign(last)
      {
        pieces.append(word)
      }
      // A name in quotes has the form of a phrase of the index.
      match = (match.map { $0 + " " } ?? "") + "\(SQL.quoted(word))*"
    }
  }

  private static func isIndexed(_ word: String) -> Bool {
    let scalars = word.unicodeScalars
    return scalars.contains { isIndexed($0.properties.generalCategory) }
      && !scalars.contains {
        (0x0E00...0x0EFF).contains($0.value) || (0x2E80...0x3_FFFF).contains($0.value) || $0 == "\0"
      }
  }

  /// Whether the index treats characters of a category as parts of words.
  private static func isIndexed(_ category: Unicode.GeneralCategory) -> Bool {
    switch category {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .privateUse:
      true
    default: false
    }
  }

  /// Signs that are part of names, as in C++, C# and $PATH, and not separators.
  private static func isSign(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .mathSymbol, .currencySymbol, .otherSymbol: true
    default: scalar == "#"
    }
  }

  /// The condition on the table `item`.
  var condition: SQL {
    var parts: [SQL] = pieces.map(Self.contains)
    if let match {
      let waiting = words.map(Self.contains).reduce(SQL.empty) { $0.isEmpty ? $1 : $0 + " AND " + $1 }
      parts.append(
        """
        (item.id IN (SELECT found.rowid FROM item_search AS found WHERE item_search MATCH \(match)
            EXCEPT SELECT waiting.item FROM item_to_index AS waiting)
          OR (item.id IN (SELECT waiting.item FROM item_to_index AS waiting) AND \(waiting)))
        """)
    }
    return parts.dropFirst().reduce(parts[0]) { $0 + " AND " + $1 }
  }

  /// Ignoring the case of ASCII letters.
  private static func contains(_ word: String) -> SQL {
    let lowercased = word.asciiLowercased
    return """
      (instr(lower(item.title), \(lowercased)) > 0 OR (item.notes <> '[]' AND EXISTS (
        SELECT 1 FROM json_each(item.notes) AS note WHERE instr(lower(note.value), \(lowercased)) > 0)))
      """
  }
}
