import SQLiteStore

/// A filter that was saved under a name.
public struct SavedFilter: Hashable, Sendable {
  /// Its name.
  public var name: String
  /// Its words, as they were typed.
  public var words: [String]
}

// Saving is no change in the log: it can't be undone, and the revision stays.
extension TodoStore {
  /// The saved filters, by name.
  public func savedFilters() throws(TodoError) -> [SavedFilter] {
    try read { connection in
      try connection.rows("SELECT name, words FROM saved_filter ORDER BY name").map {
        SavedFilter(name: try $0[0], words: try TextArray.texts(in: $0[1]))
      }
    }
  }

  /// The words of a saved filter. Upper and lower case don't matter.
  public func savedFilter(_ name: String) throws(TodoError) -> [String] {
    let found = try read { connection in
      try connection.value("SELECT words FROM saved_filter WHERE name = \(name)", as: String.self)
        .map { try TextArray.texts(in: $0) }
    }
    if let found { return found }
    throw .noSuchItem(
      "there is no saved filter \"\(name)\""
        + Suggestion.clause(
          for: name, among: try savedFilters().map(\.name), otherwise: "`todo filter` shows those there are"))
  }

  /// Saves a filter under a name, in place of an earlier one. Its words must be a filter; it may name other saved ones.
  ///
  /// - Returns: The filter, and the one that had the name.
  public func saveFilter(
    _ name: String, _ words: [String]
  ) throws(TodoError) -> (saved: SavedFilter, former: SavedFilter?) {
    let isWord = name.isWord && !name.contains { "\"'`$\\*?[](){}<>|&;#~!:,".contains($0) } && !name.hasPrefix("-")
    guard isWord else { throw .usage("the name of a filter is one word, as in: todo filter save errands @errand") }
    let own = TextKey(name.asciiLowercased)
    let condition = try FilterParser.parse(words.map { FilterWord($0) }, at: moment) { other throws(TodoError) in
      if TextKey(other.asciiLowercased) == own {
        throw .usage("the filter \"\(name)\" can't be a part of itself; leave :\(other) out")
      }
      return try self.savedFilter(other)
    }
    if condition == nil { throw .usage("`todo filter save` needs a filter, as in: todo filter save errands @errand") }
    let former = try savedFilters().first { TextKey($0.name.asciiLowercased) == own }
    try write(
      """
      INSERT INTO saved_filter(name, words) VALUES (\(name), \(TextArray.json(words)))
      ON CONFLICT(name) DO UPDATE SET name = excluded.name, words = excluded.words
      """)
    return (SavedFilter(name: name, words: words), former)
  }

  /// Removes a saved filter, and returns it.
  public func removeFilter(_ name: String) throws(TodoError) -> SavedFilter {
    let removed = SavedFilter(name: name, words: try savedFilter(name))
    try write("DELETE FROM saved_filter WHERE name = \(name)")
    return removed
  }

  private func write(_ statement: SQL) throws(TodoError) {
    try readable { try database.write { _ = try $0.execute(statement) } }
  }
}
