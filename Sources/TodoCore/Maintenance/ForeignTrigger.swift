import SQLiteStore

/// A trigger of another program on a table of ours.
struct ForeignTrigger {
  let name: String
  /// How it was created; nil if its name or its text is no UTF-8.
  let sql: String?

  /// Adds these triggers again that were dropped.
  static func create(_ triggers: [ForeignTrigger], in connection: Connection) throws {
    for sql in triggers.compactMap(\.sql) { try connection.execute(SQL(raw: sql)) }
  }
}

extension Connection {
  /// The triggers of other programs on tables of ours, in the order in which they were made.
  func foreignTriggers() throws -> [ForeignTrigger] {
    let tables = OwnSchema.tables.map(\.key)
    return try rows(
      """
      SELECT CAST(name AS BLOB), CAST(sql AS BLOB) FROM sqlite_schema
      WHERE type = 'trigger' AND lower(tbl_name) IN \(tables) ORDER BY rowid
      """
    ).compactMap { row in
      let (name, sql): ([UInt8], [UInt8]) = (try row[0], try row[1])
      guard let valid = String(validating: name, as: UTF8.self) else {
        return ForeignTrigger(name: String(decoding: name, as: UTF8.self), sql: nil)
      }
      if OwnSchema.isOwn(valid) { return nil }
      return ForeignTrigger(name: valid, sql: String(validating: sql, as: UTF8.self))
    }
  }

  /// Their names, for messages; nil without any.
  func namesOfForeignTriggers() throws -> String? {
    let names = try foreignTriggers().map(\.name).sorted()
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }

  /// Runs a statement that changes this many lists or items. Throws if a trigger of another program keeps it from some
  /// of them: such a trigger can ignore a row without an error.
  func change(rows: Int = 1, _ sql: SQL) throws {
    try execute(sql)
    if changesCount < rows { try checkForeignTriggers() }
  }

  /// Throws if triggers of other programs may be the reason why a statement has changed too little.
  func checkForeignTriggers() throws {
    guard let names = try namesOfForeignTriggers() else { return }
    throw TodoError.conflict(
      "nothing was changed, because a trigger of another program prevents it (\(names)); drop it, and try again")
  }
}
