import SQLiteStore

/// The replay of the journal of a change, in a running transaction: it makes lists and items what they were before.
struct Replay {
  let connection: Connection
  /// The number of the change to take back.
  let change: Int64
  /// The number of the change that takes it back.
  let number: Int64

  private struct Altered: Error {}

  /// Other programs' triggers run as for any change. If they make something else of the lists or items, the replay is
  /// done again without them.
  func run() throws {
    let others = try connection.foreignTriggers()
    if others.isEmpty { return try takeBack() }
    do {
      return try connection.transaction {
        try takeBack()
        if try !isDone() { throw Altered() }
      }
    } catch is Altered {
    } catch let error as DatabaseError where error.code == .error {
      // Such as a table or a function that is missing here, or triggers that fire without end.
    } catch let error as DatabaseError where error.code == .constraint {
      if try isForbidden(error) { throw error }
    }
    if let unreadable = others.first(where: { $0.sql == nil }) {
      throw TodoError.conflict(
        "nothing was taken back, because a trigger of another program (\(unreadable.name)) would change it, and can't be "
          + "left out, as its text is no UTF-8; drop it, and try again")
    }
    for trigger in others { try connection.execute("DROP TRIGGER \(identifier: trigger.name)") }
    try takeBack()
    for sql in others.compactMap(\.sql) { try connection.execute(SQL(raw: sql)) }
    // They are the newest ones now.
    try Rebuilding(connection).putTriggersFirst()
  }

  /// Whether a trigger of another program forbids the change, and not one of ours.
  private func isForbidden(_ error: DatabaseError) throws -> Bool {
    guard error.extendedCode == .constraintTrigger, let reason = error.message.split(separator: "\n").first else {
      return false
    }
    return try !SchemaObjects.expected().found.values.contains { $0.contains("'\(reason)'") }
  }

  private func takeBack() throws {
    try connection.execute("INSERT INTO taking_back(id, undoes) VALUES (\(number), \(change))")
  }

  /// Whether each list and item is what the first entry of the journal says that it was, and no others were touched.
  private func isDone() throws -> Bool {
    let isMore = try connection.value(
      """
      SELECT EXISTS(
        SELECT kind, id FROM journal WHERE change = \(number) EXCEPT SELECT kind, id FROM journal WHERE change = \(change))
        -- Of an item with one column in the journal, the other columns stay as they are.
        OR EXISTS(
          SELECT kind, id FROM journal WHERE change = \(number) AND existed < 2
          EXCEPT SELECT kind, id FROM journal WHERE change = \(change) AND existed < 2)
      """, as: Bool.self)
    if isMore == true { return false }
    if try !Rebuilding(connection).areTagsRight(of: number) { return false }
    for kind in ["item", "list"] {
      let names = OwnSchema.columns(of: kind).filter { !["id", "uuid", "previous"].contains($0) }
      func row(_ table: String) -> SQL {
        SQL(raw: names.map { "\(table).\($0)\($0 == "name" ? " COLLATE BINARY" : "")" }.joined(separator: ", "))
      }
      // The entry has neither if another item had them meanwhile.
      let keeps = ["uuid", "previous"].map { "(entry.\($0) IS NULL OR here.\($0) IS entry.\($0))" }
      let links = SQL(raw: kind == "item" ? keeps.joined(separator: " AND ") : "true")
      let differs = try connection.value(
        """
        SELECT EXISTS(
          SELECT 1 FROM journal AS entry LEFT JOIN \(identifier: kind) AS here ON here.id = entry.id
          WHERE entry.seq IN (
            SELECT min(seq) FROM journal WHERE change = \(change) AND kind = \(kind) AND existed < 2 GROUP BY id)
          AND CASE entry.existed
            WHEN 0 THEN here.id IS NOT NULL
            ELSE (\(row("here"))) IS NOT (\(row("entry"))) OR NOT (\(links))
          END)
        """, as: Bool.self)
      if differs == true { return false }
    }
    return true
  }
}
