import DataSourcesTestSupport
import FixtureSupport
import SQLiteStore
import TestSupport
import Testing

/// A full-text index that follows its table, whoever writes to it.
@Suite struct SearchIndexTests {
  let scratch: Scratch
  let database: Database

  init() throws {
    scratch = try Scratch(inMemory: true)
    database = try scratch.database()
    try database.write { c in
      try c.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT UNIQUE, body TEXT)")
      try c.execute("INSERT INTO note(title, body) VALUES ('Kim''s letter', 'about the café'), ('Shopping', 'milk')")
    }
  }

  private func found(_ text: String, in index: String = "note_search") throws -> [Int] {
    guard let pattern = SearchPattern(text) else { return [-1] }
    return try database.read { c in
      try c.values(
        "SELECT rowid FROM \(identifier: index) WHERE \(identifier: index) MATCH \(pattern) ORDER BY rowid")
    }
  }

  private func create(_ columns: [String] = ["title", "body"], tokenizer: String? = nil) throws {
    try database.write { c in
      if let tokenizer {
        try c.createSearchIndex(on: "note", columns: columns, tokenizer: tokenizer)
      } else {
        try c.createSearchIndex(on: "note", columns: columns)
      }
    }
  }

  @Test func `a migration creates an index of what is there, and writes keep it up to date`() throws {
    try database.migrate([
      Migration("search") { c in try c.createSearchIndex(on: "note", columns: ["title", "body"]) }
    ])
    #expect(try found("kim's lett") == [1])
    #expect(try found("LETTER cafe") == [1])
    try database.write { c in
      let id = try c.execute("INSERT INTO note(title) VALUES ('Letters')")
      #expect(id == 1 && c.lastInsertedRowID == 3)
      try c.execute("UPDATE note SET body = 'bread' WHERE title = 'Shopping'")
    }
    #expect(try [found("lett"), found("milk"), found("bread")] == [[1, 3], [], [2]])
    #expect(throws: Stop.self) {
      try database.write { c in
        try c.execute("DELETE FROM note")
        throw Stop()
      }
    }
    #expect(try found("lett") == [1, 3])
    try database.write { c in _ = try c.execute("DELETE FROM note WHERE id = 1") }
    #expect(try found("lett") == [3])
    #expect(try database.integrityCheck() == [])
  }

  @Test(arguments: ["PRAGMA recursive_triggers = OFF", "PRAGMA recursive_triggers = ON"])
  func `another program that replaces rows leaves no word behind`(setting: String) throws {
    try create()
    let other = try RawDatabase(path: scratch.path())
    try other.execute("\(setting); INSERT OR REPLACE INTO note VALUES (1, 'Draft', 'tea'), (7, 'Shopping', 'eggs')")
    #expect(try [found("letter"), found("draft tea"), found("eggs")] == [[], [1], [7]])
    // Row 2 is gone, by its title; rows that get its id have their own words only.
    try other.execute("UPDATE note SET id = 2 WHERE id = 1")
    #expect(try [found("milk"), found("draft")] == [[], [2]])
    try other.execute("REPLACE INTO note VALUES (9, 'Draft', 'bread')")
    try other.execute("INSERT OR IGNORE INTO note VALUES (2, 'New', 'salt'), (2, 'Never', 'salt')")
    try other.execute("UPDATE OR REPLACE note SET id = 7, title = 'Moved' WHERE id = 9")
    #expect(
      try [found("draft"), found("never"), found("salt"), found("eggs"), found("bread")] == [[], [], [2], [], [7]])
  }

  @Test func `creating an index again does nothing, unless its triggers are missing`() throws {
    try create()
    let before = try database.read { try $0.value("PRAGMA schema_version", as: Int.self) }
    try create()
    #expect(try database.read { try $0.value("PRAGMA schema_version", as: Int.self) } == before)
    try database.write { c in
      try c.executeScript(
        """
        CREATE TABLE other(id INTEGER PRIMARY KEY, title TEXT, body TEXT, kind TEXT);
        INSERT INTO other(id, title, body) SELECT id, title, 'rebuilt' FROM note;
        DROP TABLE note; ALTER TABLE other RENAME TO note;
        """)
    }
    try create()
    #expect(try [found("rebuilt"), found("milk")] == [[1, 2], []])
    try database.write { c in _ = try c.execute("UPDATE note SET body = 'once more' WHERE id = 2") }
    #expect(try found("rebuilt") == [1])
    try database.write { c in try c.execute("ALTER TABLE note RENAME TO memo") }
    try database.write { c in try c.createSearchIndex("note_search", on: "memo", columns: ["title", "body"]) }
    #expect(try found("rebuilt") == [1])
  }

  @Test func `a tokenizer and several indexes can be chosen, and dropped`() throws {
    try create(["body"], tokenizer: "unicode61 tokenchars '-' remove_diacritics 0")
    try database.write { c in
      try c.createSearchIndex("note \"three\"", on: "note", columns: ["title"], tokenizer: "trigram")
      try c.execute("INSERT INTO note(title, body) VALUES ('東京都庁', 'a-b'), ('Gartenschere', 'a b')")
    }
    #expect(try [found("a-b"), found("cafe"), found("café")] == [[3], [], [1]])
    #expect(try [found("京都庁", in: "note \"three\""), found("schere", in: "note \"three\"")] == [[3], [4]])
    let error = try databaseError { try create(["title"]) }
    #expect(error.message.contains("there is a note_search already"), "\(error)")
    try database.write { c in
      try c.dropSearchIndex("note_search")
      try c.dropSearchIndex("note \"three\"")
      #expect(try c.value("SELECT count(*) FROM sqlite_schema WHERE type <> 'index'", as: Int.self) == 1)
    }
    try create(["title"])
    #expect(try [found("milk"), found("shopping")] == [[], [2]])
  }

  @Test func `what can't have an index is refused, and nothing is left`() throws {
    try database.write { c in
      try c.executeScript("CREATE TABLE keyed(id TEXT PRIMARY KEY, body); CREATE VIEW seen AS SELECT * FROM note")
    }
    for table in ["keyed", "seen", "missing"] {
      let error = try databaseError { try database.write { try $0.createSearchIndex(on: table, columns: ["body"]) } }
      #expect(error.message.contains("INTEGER PRIMARY KEY"), "\(error)")
    }
    try database.write { (c: Connection) throws in
      #expect(throws: DatabaseError.self) { try c.createSearchIndex(on: "note", columns: ["absent"]) }
      #expect(throws: DatabaseError.self) { try c.createSearchIndex(on: "note", columns: []) }
      #expect(throws: DatabaseError.self) { try c.createSearchIndex(on: "note", columns: ["body"], tokenizer: "none") }
      for table in ["note", "seen", "missing"] {
        #expect(throws: DatabaseError.self) { try c.dropSearchIndex(table) }
        #expect(throws: DatabaseError.self) { try c.createSearchIndex("seen", on: "note", columns: ["body"]) }
      }
      #expect(try c.tables() == ["keyed", "note"])
    }
    #expect(throws: DatabaseError.self) {
      try database.read { try $0.createSearchIndex(on: "note", columns: ["body"]) }
    }
  }

  @Test func `a table of an attached file has its index there`() throws {
    let path = scratch.path("other.db")
    try scratch.database("other.db").write { _ = try $0.execute("CREATE TABLE post(id INTEGER PRIMARY KEY, body)") }
    try database.attach(path, as: "other")
    try database.write { c in
      try c.createSearchIndex(on: "other.post", columns: ["body"])
      try c.execute("INSERT INTO other.post(body) VALUES ('far away')")
    }
    #expect(try found("far", in: "post_search") == [1])
    try database.write { c in try c.dropSearchIndex("other.post_search") }
    #expect(try RawDatabase(path: path).strings("SELECT name FROM sqlite_schema") == [["post"]])
  }

  // MARK: Random writes

  private static let words = [
    "milk", "Milk", "mil", "müsli", "MUSLI", "tea", "a", "b", "kim's", "C++", "x-y", "😀", "10",
  ]

  @Test(arguments: Seeds.range(12)) func `the index finds what a scan of the words finds`(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    try database.write { c in
      try c.execute("DELETE FROM note")
      try c.createSearchIndex(on: "note", columns: ["title", "body"])
    }
    let others = try ["OFF", "ON"].map { mode in
      let other = try RawDatabase(path: scratch.path())
      try other.execute("PRAGMA recursive_triggers = \(mode)")
      return other
    }
    func text() -> String {
      let words = (0...dice.below(3)).map { _ in dice.pick(Self.words) }
      return words.joined(separator: " ")
    }
    func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
    for round in 0..<150 {
      let (id, other) = (1 + dice.below(8), 1 + dice.below(8))
      let (title, body) = (quoted(dice.pick(Self.words)), dice.once(in: 2) ? quoted(text()) : "NULL")
      let sql = dice.pick([
        "INSERT OR IGNORE INTO note VALUES (\(id), \(title), \(body))",
        "REPLACE INTO note VALUES (\(id), \(title), \(body))",
        "REPLACE INTO note(title, body) VALUES (\(title), \(body))",
        "UPDATE OR REPLACE note SET id = \(other), body = \(body) WHERE id = \(id)",
        "UPDATE OR IGNORE note SET title = \(title), id = \(other) WHERE id = \(id)",
        "INSERT INTO note VALUES (\(id), \(title), \(body)) ON CONFLICT DO UPDATE SET body = excluded.body",
        "DELETE FROM note WHERE id IN (\(id), \(other))",
        "UPDATE note SET body = body || ' tea'",
      ])
      switch dice.below(5) {
      case 0: try others[0].execute(sql)
      case 1: try others[1].execute(sql)
      case 2:
        #expect(throws: Stop.self) {
          try database.write { c in
            try c.execute(SQL(raw: sql))
            throw Stop()
          }
        }
      case 3:
        try database.write { c in
          try c.execute(SQL(raw: sql))
          #expect(throws: Stop.self) {
            try c.savepoint {
              try c.execute("DELETE FROM note WHERE id > 3")
              throw Stop()
            }
          }
        }
      default: try database.write { c in _ = try c.execute(SQL(raw: sql)) }
      }
      let typed = text()
      try #require(
        try foundRows(typed) == scan(for: typed), "round \(round), \(typed) after \(sql), \(Seeds.hint(seed))")
    }
    #expect(try database.integrityCheck() == [])
  }

  /// The rows of the table that the index finds.
  private func foundRows(_ typed: String) throws -> [Int] {
    guard let pattern = SearchPattern(typed) else { return [] }
    return try database.read { c in
      try c.values(
        "SELECT id FROM note WHERE id IN (SELECT rowid FROM note_search WHERE note_search MATCH \(pattern)) ORDER BY id"
      )
    }
  }

  /// What the index should find, by its rules: runs of letters and digits, without accents and case. Every word that
  /// was typed must be in one column, its parts one after another, and the last part may be a beginning.
  private func scan(for typed: String) throws -> [Int] {
    func tokens(_ text: some StringProtocol) -> [String] {
      text.lowercased().replacing("ü", with: "u").split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
    let wanted = typed.split(separator: " ")
    guard wanted.contains(where: { !tokens($0).isEmpty }) else { return [] }
    return try database.read { c in
      try c.rows("SELECT id, title, body FROM note ORDER BY id").filter { row in
        let columns = try [row[1] as String?, row[2] as String?].map { tokens($0 ?? "") }
        return wanted.enumerated().allSatisfy { index, word in
          let parts = tokens(word)
          if parts.isEmpty { return true }
          return columns.contains { column in
            column.indices.contains { start in
              let present = column[start...].prefix(parts.count)
              guard present.count == parts.count else { return false }
              return zip(present, parts).enumerated().allSatisfy { place, pair in
                index == wanted.count - 1 && place == parts.count - 1 ? pair.0.hasPrefix(pair.1) : pair.0 == pair.1
              }
            }
          }
        }
      }.map { try $0[0] as Int }
    }
  }

  private struct Stop: Error {}
}

/// What people type is never an error.
@Suite struct SearchPatternTests {
  @Test(arguments: [
    ("kim's lett", #""kim's" "lett"*"#), ("  milk\t", #""milk"*"#), ("say \"hi\" to", #""say" """hi""" "to"*"#),
    ("a AND (b", #""a" "AND" "(b"*"#), ("a\0b", #""a" "b"*"#), ("- 5", #""-" "5"*"#),
  ])
  func `words are quoted, and the last one is a beginning`(text: String, expression: String) {
    #expect(SearchPattern(text)?.expression == expression)
  }

  @Test(arguments: ["", "  \n", "\"", "😀", "-!?", "\0"]) func `without a word there is no pattern`(text: String) {
    #expect(SearchPattern(text) == nil)
  }

  @Test(arguments: Seeds.range(12)) func `no text is an error of the search`(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    let database = try Database.inMemory()
    try database.write { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
      try c.createSearchIndex(on: "t", columns: ["a"])
      try c.createSearchIndex("letters", on: "t", columns: ["a"], tokenizer: "trigram")
      try c.execute("INSERT INTO t(a) VALUES ('word')")
    }
    let pieces = [
      "a", "word", "\"", "'", "*", "^", "-", "+", ":", "(", ")", "{", "}", "NEAR(", "AND", "OR", "NOT", " ", " ", "\0",
      "😀", "\u{301}", "\u{FEFF}", "\\", ",", "é", "東", "a:", "rowid", ";", "--",
    ]
    for _ in 0..<500 {
      let text = (0..<dice.below(9)).map { _ in dice.pick(pieces) }.joined()
      guard let pattern = SearchPattern(text) else { continue }
      for index in ["t_search", "letters"] {
        _ = try database.read { c in
          try c.rows("SELECT * FROM \(identifier: index) WHERE \(identifier: index) MATCH \(pattern)")
        }
      }
    }
    let long = try #require(SearchPattern((0..<3000).map { "word\($0)" }.joined(separator: " ")))
    #expect(try database.read { try $0.rows("SELECT * FROM t_search WHERE t_search MATCH \(long)").isEmpty })
  }
}
