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
    return try readable {
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
    result.removed = changing.removed
    result.unchanged = changing.unchanged
    let label =
      "\(changing.verb) \(changing.subject ?? subject(result.removed + result.items.filter { !next.contains($0.id) }))"
    result.label = label
    try connection.execute("UPDATE change SET open = 0, label = \(label) WHERE open = 1")
    try updateSearch(connection)
    return result
  }

  /// The first title, and how many more there are.
  private static func subject(_ items: [Item]) -> String {
    guard let first = items.first else { return "nothing" }
    return "\"\(first.title)\"" + (items.count > 1 ? " and \(items.count - 1) more" : "")
  }

  /// Tells the search index of every text that has changed since it was last told.
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
      SELECT t.id, t.title, t.notes FROM item_to_index AS q JOIN item_text AS t ON t.id = q.item
      """)
    try connection.execute("DELETE FROM item_to_index")
  }
}
