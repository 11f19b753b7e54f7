import SQLiteStore

/// Words to search for, all of which must stand in a title or its notes, or begin a word there.
struct SearchWords {
  /// What the index is asked, in its own language; nil where no word is of its kind.
  private var match: String?
  /// What is looked for letter by letter: signs, which the index leaves out, and scripts without spaces between words.
  private var pieces: [String] = []
  /// All words, for the few texts that the index doesn't know yet.
  private let words: [String]

  /// Nil where there are no words.
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
      // A name in quotes is written as a phrase of the index is.
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

  /// Whether the index takes what is of a category for a part of words.
  private static func isIndexed(_ category: Unicode.GeneralCategory) -> Bool {
    switch category {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .privateUse:
      true
    default: false
    }
  }

  /// Signs that are a part of names, as in C++, C# and $PATH, and not there to set words apart.
  private static func isSign(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .mathSymbol, .currencySymbol, .otherSymbol: true
    default: scalar == "#"
    }
  }

  /// The condition, about the table `item`.
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

  /// Without regard to the case of ASCII letters.
  private static func contains(_ word: String) -> SQL {
    let lowercased = word.asciiLowercased
    return """
      (instr(lower(item.title), \(lowercased)) > 0 OR (item.notes <> '[]' AND EXISTS (
        SELECT 1 FROM json_each(item.notes) AS note WHERE instr(lower(note.value), \(lowercased)) > 0)))
      """
  }
}
