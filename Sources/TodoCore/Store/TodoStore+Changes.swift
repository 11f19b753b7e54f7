import SQLiteStore

/// A change in the making: the connection, and what will be told of it.
struct Changing {
  let connection: Connection
  let moment: Moment
  /// The number that it has in the log.
  let change: Int64
  /// What it is called, without titles: "done", "move".
  var verb: String
  /// What it is about, when that is not the items.
  var subject: String?
  /// The numbers of items that it changed or made, in the order in which they are told.
  var changed: [Int64] = []
  var next: [Int64] = []
  var ended: Set<Int64> = []
  var removed: [Item] = []
  var unchanged: [Item] = []

  var now: Instant { moment.instant }
}

/// Thrown to undo a change that turned out to be none.
private struct NothingChanged: Error {
  var unchanged: [Item]
}

extension TodoStore {
  /// Makes a change: one transaction, which is recorded to be undone, or none at all.
  func change(_ verb: String, _ body: (inout Changing) throws -> Void) throws(TodoError) -> ChangeResult {
    let moment = moment
    return try numbered {
      do {
        return try database.write { connection in
          try connection.execute("INSERT INTO change(label, made) VALUES ('', \(moment.instant))")
          let number = connection.lastInsertedRowID
          var changing = Changing(connection: connection, moment: moment, change: number, verb: verb)
          try body(&changing)
          guard try connection.value("SELECT EXISTS(SELECT 1 FROM journal WHERE change = \(number))") == 1 else {
            throw NothingChanged(unchanged: changing.unchanged)
          }
          return try Self.finish(changing)
        }
      } catch let nothing as NothingChanged {
        var result = ChangeResult(revision: try database.read { try Self.revision($0) })
        result.unchanged = nothing.unchanged
        return result
      }
    }
  }

  private static func finish(_ changing: Changing) throws -> ChangeResult {
    let connection = changing.connection
    var result = ChangeResult(revision: changing.change)
    result.items = try Selecting(connection, changing.moment).items(changing.changed)
    let next = Set(changing.next)
    result.next = result.items.filter { next.contains($0.id) }
    result.ended = result.items.filter { changing.ended.contains($0.id) }
    result.removed = changing.removed
    result.unchanged = changing.unchanged
    let label =
      "\(changing.verb) \(changing.subject ?? subject(result.removed + result.items.filter { !next.contains($0.id) }))"
    result.label = label
    try connection.execute("UPDATE change SET open = 0, label = \(label) WHERE open = 1")
    try updateSearch(connection)
    return result
  }

  /// Runs what gives numbers, and throws what people can read.
  func numbered<T>(_ body: () throws -> T) throws(TodoError) -> T {
    try readable {
      do {
        return try body()
      } catch let error as DatabaseError where error.code == .constraint || error.code == .full {
        throw try database.read { try Self.exhausted($0) } ?? error
      }
    }
  }

  /// What has no number left, if something has: SQLite reports that as a failed CHECK or as a full disk.
  ///
  /// Another program can have raised the numbers; this one would need longer than it will be used.
  private static func exhausted(_ connection: Connection) throws -> TodoError? {
    let name = try connection.value(
      """
      SELECT name FROM sqlite_sequence
      WHERE name IN ('item', 'change', 'item_tag')
        AND seq >= CASE name WHEN 'item' THEN 9007199254740991 ELSE 9223372036854775807 END
      """, as: String.self)
    return name.map {
      .badData(
        "there is no number left for another \($0 == "item_tag" ? "tag" : $0); export, and import into a new database")
    }
  }

  /// The first title, and how many more there are.
  private static func subject(_ items: [Item]) -> String {
    guard let first = items.first else { return "nothing" }
    return "\"\(first.title)\"" + (items.count > 1 ? " and \(items.count - 1) more" : "")
  }

  /// Tells the search index of every text that has changed since it was last told.
  ///
  /// Notes that are no JSON, which another program can write, are not indexed: they wait until they are mended, and keep no other item
  /// from being written. While an item waits, no trigger reads its notes.
  static func updateSearch(_ connection: Connection) throws {
    guard try connection.value("SELECT EXISTS(SELECT 1 FROM item_to_index)") == 1 else { return }
    try connection.execute(
      """
      INSERT INTO item_search(item_search, rowid, title, notes)
      SELECT 'delete', item, title, notes FROM item_to_index WHERE indexed = 1
      """)
    try connection.execute(
      """
      INSERT INTO item_search(rowid, title, notes)
      SELECT item.id, item.title, (SELECT group_concat(value, char(10)) FROM json_each(item.notes))
      FROM item_to_index AS waiting JOIN item ON item.id = waiting.item WHERE json_valid(item.notes)
      """)
    try connection.execute(
      "DELETE FROM item_to_index WHERE NOT EXISTS (SELECT 1 FROM item WHERE id = item_to_index.item AND NOT json_valid(notes))"
    )
    try connection.execute("UPDATE item_to_index SET indexed = 0, title = NULL, notes = NULL WHERE indexed = 1")
  }
}
