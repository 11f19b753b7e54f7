import SQLiteStore

/// A trigger of another program on a table or a view of ours.
struct ForeignTrigger {
  let name: String
  /// The table or view, in small letters.
  let table: String
  /// How it was created; nil if its name or its text is no UTF-8.
  let sql: String?
}

extension Connection {
  /// The triggers of other programs on tables and views of ours, in the order in which they were made.
  func foreignTriggers() throws -> [ForeignTrigger] {
    try rows(
      """
      SELECT CAST(name AS BLOB), CAST(sql AS BLOB), CAST(lower(tbl_name) AS BLOB) FROM sqlite_schema
      WHERE type = 'trigger' ORDER BY rowid
      """
    ).compactMap { row in
      let (name, sql): ([UInt8], [UInt8]) = (try row[0], try row[1])
      let table = String(decoding: try row[2] as [UInt8], as: UTF8.self)
      guard OwnSchema.isOwn(table) else { return nil }
      guard let valid = String(validating: name, as: UTF8.self) else {
        return ForeignTrigger(name: String(decoding: name, as: UTF8.self), table: table, sql: nil)
      }
      if OwnSchema.isOwnTrigger(valid, String(decoding: sql, as: UTF8.self)) { return nil }
      return ForeignTrigger(name: valid, table: table, sql: String(validating: sql, as: UTF8.self))
    }
  }

  /// Throws if another program has a trigger on what keeps the log: what it does there could be undone by nobody.
  func checkTriggersOnLog() throws {
    let others = try foreignTriggers().filter { !OwnSchema.tablesForTriggers.contains($0.table) }
    guard let first = others.first else { return }
    throw TodoError.conflict(
      "nothing was changed, because a trigger of another program (\(first.name)) is on \(first.table), in which this program "
        + "keeps its log; drop it, and try again")
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
