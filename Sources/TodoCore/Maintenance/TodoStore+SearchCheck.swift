import SQLiteStore

extension TodoStore {
  /// Throws if a filter has words to look up in the search index, and the index does not find the first items and the
  /// last ones.
  ///
  /// An index whose words are lost reports no error: it finds nothing. That is so in a copy that the `.clone` command of
  /// SQLite's shell has made.
  static func checkSearch(for filter: Filter, _ connection: Connection) throws {
    guard SearchWords(filter.text)?.usesIndex == true else { return }
    let misses = try searchMisses(
      of: """
        SELECT * FROM (SELECT id, title FROM item WHERE id NOT IN (SELECT item FROM item_to_index) ORDER BY id LIMIT 4)
        UNION SELECT * FROM (
          SELECT id, title FROM item WHERE id NOT IN (SELECT item FROM item_to_index) ORDER BY id DESC LIMIT 4)
        """, connection)
    if misses > 0 { throw TodoError.damagedSearch }
  }

  /// How many of some items, from the whole table, are not found by a word of their title.
  static func searchMisses(_ connection: Connection) throws -> Int {
    try searchMisses(
      of: """
        SELECT item.id, item.title FROM item JOIN (
          SELECT id, row_number() OVER (ORDER BY id) AS number, count(*) OVER () AS total
          FROM item WHERE id NOT IN (SELECT item FROM item_to_index)
        ) AS numbered ON numbered.id = item.id WHERE number % max(1, total / 200) = 0
        """, connection)
  }

  /// - Parameter sample: Selects the numbers and the titles of some items.
  private static func searchMisses(of sample: SQL, _ connection: Connection) throws -> Int {
    // As bytes: a title that is no text is reported by those who need it.
    let items = try connection.rows("SELECT id, CAST(title AS BLOB) FROM (\(sample))").map { row in
      (id: try row[0] as Int64, title: try row[1] as [UInt8]? ?? [])
    }
    return try items.count { id, title in
      let words = title.split { !(48...57).contains($0) && !(65...90).contains($0 & 0xDF) && $0 < 128 }
      // Only of words in ASCII letters it is known how the index writes them.
      guard let word = words.first(where: { $0.allSatisfy { $0 < 128 } }) else { return false }
      let phrase = "\"\(String(decoding: word, as: UTF8.self))\""
      let found = try connection.value(
        "SELECT EXISTS(SELECT 1 FROM item_search WHERE rowid = \(id) AND item_search MATCH \(phrase))", as: Bool.self)
      return found != true
    }
  }
}
