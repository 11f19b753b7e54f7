import RowModel

extension Connection {
  /// Creates a full-text index (FTS5) over columns of a table, which every later write keeps up to date, whoever makes
  /// it: triggers do that, so plain SQL and other programs need not know of the index.
  ///
  /// Call it in a migration. The rows that are there are indexed at once:
  ///
  /// ```swift
  /// try database.migrate([
  ///   Migration("0001", sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, body TEXT)"),
  ///   Migration("0002_search") { c in try c.createSearchIndex(on: "note", columns: ["title", "body"]) },
  /// ])
  /// ```
  ///
  /// The row ids of the index are those of the table. A ``SearchPattern`` says what to search for, and
  /// `FetchRequest.matching(_:in:)` adds it to a request. The index holds a copy of the text; write to it only through
  /// the table. It may keep a row that a program with `recursive_triggers` off has removed by a REPLACE over another
  /// UNIQUE column, which tells nobody: join the table in SQL of your own, as `matching` does.
  ///
  /// If the index is there already, nothing happens, except that it is built again if its triggers are missing: a
  /// migration that rebuilds the table drops them with the old one, so call this again at its end.
  ///
  /// - Parameters:
  ///   - name: The name of the index; by default that of the table with `_search` behind it.
  ///   - table: A table with an INTEGER PRIMARY KEY. Other row ids could change in a VACUUM.
  ///   - columns: The columns to search.
  ///   - tokenizer: What FTS5 takes for words: `porter unicode61` also finds other forms of English words, `trigram`
  /// any
  ///     three letters in a row, in languages without spaces too. The default ignores case and accents.
  public func createSearchIndex(
    _ name: String? = nil, on table: String, columns: [String], tokenizer: String = "unicode61 remove_diacritics 2"
  ) throws {
    try checkUsable()
    let shape = try TableShape(table, on: self)
    if columns.isEmpty { throw DatabaseError.misuse("a search index on \(table) needs a column to search") }
    guard let id = shape.rowIDColumn else {
      throw DatabaseError.misuse(
        "there is no table \(table) with an INTEGER PRIMARY KEY, which a search index needs")
    }
    let own = name ?? shape.name + "_search"
    let index = SearchIndex(own, on: shape.name, key: SQL.quoted(id), columns.map(SQL.quoted), tokenizer)
    let found = try definition(of: own, in: shape.schema)
    if let found {
      guard found == "CREATE VIRTUAL TABLE \(index.definition)" else {
        throw DatabaseError.misuse(
          "there is a \(own) already, with other columns or another tokenizer; call dropSearchIndex first, or choose "
            + "another name")
      }
      let present = try internalRows(
        "SELECT sql FROM \(SQL.quoted(shape.schema)).sqlite_schema WHERE type = 'trigger'"
      ).map { try $0[0] as String }
      if index.triggers.allSatisfy({ present.contains("CREATE TRIGGER \($0)") }) { return }
    }
    try savepoint {
      if found != nil { try dropSearchIndex("\(shape.schema).\(own)") }
      let file = SQL.quoted(shape.schema) + "."
      try execute(SQL(raw: "CREATE VIRTUAL TABLE \(file)\(index.definition)"))
      for trigger in index.triggers { try execute(SQL(raw: "CREATE TRIGGER \(file)\(trigger)")) }
      try execute(SQL(raw: index.filling(file)))
    }
  }

  /// Removes an index that ``createSearchIndex(_:on:columns:tokenizer:)`` has created, and its triggers. The table
  /// stays as it is.
  ///
  /// ```swift
  /// try database.migrate([Migration("0003_no_search") { c in try c.dropSearchIndex("item_search") }])
  /// ```
  public func dropSearchIndex(_ name: String) throws {
    try checkUsable()
    let (file, own) = fileAndTable(name) ?? (file: "main", table: name)
    guard let found = try definition(of: own, in: file), Self.isFullText(found, named: own) else {
      throw DatabaseError.misuse("there is no search index \(name)")
    }
    let schema = SQL.quoted(file)
    try savepoint {
      for event in ["insert", "update", "delete"] {
        try execute(SQL(raw: "DROP TRIGGER IF EXISTS \(schema).\(SQL.quoted("\(own)_\(event)"))"))
      }
      try execute(SQL(raw: "DROP TABLE \(schema).\(SQL.quoted(own))"))
    }
  }

  /// The SQL of a table or a view as the schema has it; nil if there is none of this name.
  private func definition(of name: String, in schema: String) throws -> String? {
    try internalRows(
      "SELECT sql FROM \(SQL.quoted(schema)).sqlite_schema WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE",
      [.text(name)]
    ).first.map { try $0[0] }
  }

  /// Whether a table of this name is a full-text table, in the main file or in another one.
  func isFullText(_ name: String) throws -> Bool {
    try (["main", "temp"] + attachedNames).contains {
      try definition(of: name, in: $0).map { Self.isFullText($0, named: name) } ?? false
    }
  }

  /// Nothing but the name may be between the first words: a comment could say anything.
  private static func isFullText(_ sql: String, named name: String) -> Bool {
    [name, SQL.quoted(name)].contains {
      sql.asciiUppercased.hasPrefix("CREATE VIRTUAL TABLE \($0) USING FTS5".asciiUppercased)
    }
  }
}

/// The SQL of a full-text index and of the triggers that keep it up to date.
private struct SearchIndex {
  private let name: String
  private let table: String
  private let key: String
  private let columns: [String]
  /// What follows CREATE VIRTUAL TABLE.
  let definition: String

  init(_ name: String, on table: String, key: String, _ columns: [String], _ tokenizer: String) {
    (self.name, self.table, self.key, self.columns) = (name, SQL.quoted(table), key, columns)
    let parts = columns + ["tokenize = \(SQL.quoted(tokenizer))"]
    definition = "\(SQL.quoted(name)) USING fts5(\(parts.joined(separator: ", ")))"
  }

  /// What follows CREATE TRIGGER.
  var triggers: [String] {
    let differ = ([key] + columns).map { TableShape.differ("old.\($0)", "new.\($0)") }.joined(separator: " OR ")
    let remove = "DELETE FROM \(SQL.quoted(name)) WHERE rowid"
    let add = "\(inserting()) VALUES (\(values("new.")));"
    // A row that REPLACE removes may fire no trigger, so a new row removes what the index has under its id.
    return [
      ("insert", "BEGIN \(remove) = new.\(key); \(add)"),
      ("update", "WHEN \(differ) BEGIN \(remove) IN (old.\(key), new.\(key)); \(add)"),
      ("delete", "BEGIN \(remove) = old.\(key);"),
    ].map { "\(SQL.quoted("\(name)_\($0)")) AFTER \($0.asciiUppercased) ON \(table) \($1) END" }
  }

  /// Adds all rows of the table.
  func filling(_ file: String) -> String { "\(inserting(file)) SELECT \(values("")) FROM \(file)\(table)" }

  private func inserting(_ file: String = "") -> String {
    "INSERT INTO \(file)\(SQL.quoted(name))(rowid, \(columns.joined(separator: ", ")))"
  }

  private func values(_ row: String) -> String { ([key] + columns).map { row + $0 }.joined(separator: ", ") }
}
