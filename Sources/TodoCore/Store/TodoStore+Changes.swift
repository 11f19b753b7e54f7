import FetchedResultsSupport
import SQLiteStore

/// A running change: the connection, and the data for its result.
struct ChangeTransaction {
  let connection: Connection
  let moment: Moment
  /// Its number in the log.
  let change: Int64
  /// Its name, without titles: "done", "move".
  var verb: String
  /// Its subject, if that is not the items.
  var subject: String?
  /// The numbers of the changed or created items, in the order of the result.
  var changed: [Int64] = []
  var next: [Int64] = []
  var ended: Set<Int64> = []
  var removed: [Item] = []
  var unchanged: [Item] = []
  var missingName: String?
  var newLists: [ChangeResult.NewList] = []
  var formerTitles: [Int64: String] = [:]

  var now: Instant { moment.instant }
}

/// Thrown to roll back a change that has changed nothing.
private struct NothingChanged: Error {
  var unchanged: [Item]
  var missingName: String?
}

extension TodoStore {
  /// Makes a change: one transaction, which is recorded so that it can be undone, or none at all.
  func change(_ verb: String, _ body: (inout ChangeTransaction) throws -> Void) throws(TodoError) -> ChangeResult {
    let moment = moment
    return try readable {
      do {
        return try database.write { connection in
          try connection.execute("INSERT INTO change(label, made) VALUES ('', \(moment.instant))")
          let number = connection.lastInsertedRowID
          var changing = ChangeTransaction(connection: connection, moment: moment, change: number, verb: verb)
          try body(&changing)
          guard try connection.value("SELECT EXISTS(SELECT 1 FROM journal WHERE change = \(number))") == 1 else {
            throw NothingChanged(unchanged: changing.unchanged, missingName: changing.missingName)
          }
          return try Self.finish(changing)
        }
      } catch let nothing as NothingChanged {
        var result = ChangeResult(revision: try database.read { try Self.revision($0) })
        result.unchanged = nothing.unchanged
        result.missingName = nothing.missingName
        return result
      }
    }
  }

  private static func finish(_ changing: ChangeTransaction) throws -> ChangeResult {
    let connection = changing.connection
    var result = ChangeResult(revision: changing.change)
    result.items = try ItemQuery(connection, changing.moment).items(changing.changed)
    let next = Set(changing.next)
    result.next = result.items.filter { next.contains($0.id) }
    result.ended = result.items.filter { changing.ended.contains($0.id) }
    result.removed = changing.removed
    result.unchanged = changing.unchanged
    result.newLists = changing.newLists
    result.formerTitles = changing.formerTitles
    let label =
      "\(changing.verb) \(changing.subject ?? subject(result.removed + result.items.filter { !next.contains($0.id) }))"
    result.label = label
    try connection.execute("UPDATE change SET open = 0, label = \(label) WHERE open = 1")
    try updateSearch(connection)
    return result
  }

  /// The first title, and the number of others.
  private static func subject(_ items: [Item]) -> String {
    guard let first = items.first else { return "nothing" }
    return "\"\(first.title)\"" + (items.count > 1 ? " and \(items.count - 1) more" : "")
  }

  /// Updates the search index for every text that has changed since the last update.
  ///
  /// Notes that are no JSON, which another program can store, are not indexed until they are corrected, and don't
  /// prevent other items from being written. While an item waits for that, no trigger reads its notes.
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
