import SQLiteStore

/// Does the work of the schema's triggers for many inserted items at once.
///
/// Row by row the triggers take twice as long as the insertion itself. If you change a trigger `… AFTER INSERT ON
/// item`, change this too; a test compares the databases that result from both ways.
enum BulkInsertion {
  /// Whether no other trigger would be skipped, such as one of the recorded history or of another program.
  static func isPossible(_ connection: Connection) throws -> Bool {
    let triggers = try connection.values(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'item' COLLATE NOCASE", as: String.self)
    return triggers.allSatisfy(OwnSchema.names.contains)
  }

  /// Updates everything that depends on the items after a number, which were inserted without triggers.
  static func doAsTriggersWould(_ connection: Connection, after greatest: Int64, change: Int64) throws {
    // item_tag_after_insert
    try connection.execute(
      "INSERT INTO item_tag(id, item) SELECT -id, id FROM item WHERE id > \(greatest) AND tags = '[]'")
    try connection.execute(
      """
      INSERT INTO item_tag(item, tag) SELECT DISTINCT item.id, value FROM item, json_each(item.tags)
      WHERE item.id > \(greatest) AND item.tags <> '[]' AND value <> ''
      """)
    // item_journal_insert
    try connection.execute(
      """
      INSERT INTO journal(change, kind, id, existed)
      SELECT \(change), 'item', id, 0 FROM item WHERE id > \(greatest) ORDER BY id
      """)
    // item_to_index_after_insert, and the update of the index before the commit
    try connection.execute(
      "INSERT INTO item_search(rowid, title, notes) SELECT id, title, notes FROM item_text WHERE id > \(greatest)")
  }
}
