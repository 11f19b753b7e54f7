import SQLiteStore

/// What a database of this program consists of, by name.
enum OwnSchema {
  /// The tables that the views depend on.
  static let followedTables = ["item", "item_tag", "list"]

  /// The tables that the program reads and writes by name, with their columns.
  static let tables: KeyValuePairs = [
    "item":
      "id uuid list position title done created completed started due due_day every anchor previous priority tags archived extra "
      + "notes zone",
    "item_tag": "id item tag", "list": "id name position extra", "change": "id label made kind undoes spent open",
    "item_search": "title notes", "item_to_index": "item indexed title notes",
    "journal":
      "seq change kind id existed name uuid list position title notes tags done archived priority due due_day every anchor "
      + "previous created started completed extra zone",
    "evicting":
      "seq kind evicted noted id name uuid list position title notes tags done archived priority due due_day every anchor "
      + "previous created started completed extra zone",
  ]

  /// The columns of one of them.
  static func columns(of table: String) -> [Substring] {
    tables.first { $0.key == table }?.value.split(separator: " ") ?? []
  }

  /// Those of the tables that follow from lists and items, and can be created again; the journal is empty then. In the
  /// order in which they are created.
  static let derivedTables = ["item_tag", "change", "journal", "evicting", "item_to_index", "item_search"]

  /// Those of them that lose nothing when they are created again.
  static let repeatableTables = ["item_tag", "evicting", "item_to_index"]

  /// The triggers, indexes and views, by type and name. A test compares them with the schema.
  static let objects: [String] =
    objects(
      "index",
      """
      change_open change_to_redo change_to_undo item_by_list item_open_by_due item_open_by_list item_open_by_priority
      item_open_with_time item_previous item_tag_by_item item_tag_by_tag journal_change list_by_position
      """)
    + objects(
      "trigger",
      """
      change_before_insert change_do item_evicted_by_insert item_evicted_by_update item_evicting_before_delete
      item_has_a_list_insert item_has_a_list_update item_journal_delete item_journal_insert item_journal_previous
      item_journal_update item_journal_uuid item_keeps_its_number item_tag_after_insert item_tag_after_update
      item_to_evict_insert item_to_index_after_delete item_to_index_after_insert item_to_index_after_update
      item_to_journal_insert list_evicted_by_insert list_evicted_by_update list_evicting_after_delete
      list_journal_delete list_journal_insert list_journal_update list_keeps_its_number list_with_items_stays
      replay_item replay_item_column replay_item_gone replay_list replay_list_gone take_back
      """)
    + objects("view", "evicted_item item_text item_to_evict item_to_journal replay taking_back")

  private static func objects(_ type: String, _ names: String) -> [String] {
    // By bytes, because every command does this. By characters it was 5 % of the instructions of `todo show`.
    names.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }.map { type + " " + String(Substring($0)) }
  }

  /// The checksums of the SQL of these and of the tables, which a test compares with the schema.
  static let checksums = (objects: "a90810804e26078a", tables: "7e556bc9bf8c2890")

  private static let names = Set(
    objects.map { String($0[$0.index(after: $0.firstIndex(of: " ") ?? $0.startIndex)...]) })

  /// Whether a table, trigger, index or view with that name is this program's.
  static func isOwn(_ name: String) -> Bool {
    names.contains(name) || tables.contains { $0.key == name } || name.hasPrefix("item_search_")
      || name.hasPrefix("frc_") || name.hasPrefix("sqlite_")
  }

  /// Whether a trigger with that name and text is this program's, or one that records the history of a table.
  static func isOwnTrigger(_ name: String, _ sql: String) -> Bool {
    triggers.contains(name) || name.hasPrefix("frc_history_") && recordsHistory(sql)
  }

  /// Whether all that a trigger does is to note rows in the history, or to remove old entries.
  private static func recordsHistory(_ sql: String) -> Bool {
    guard let begin = sql.firstRange(of: " BEGIN") else { return false }
    let statements = sql[begin.upperBound...].split(separator: ";").map(\.trimmed)
    return statements.last == "END" && !sql.contains("RAISE")
      && statements.dropLast().allSatisfy {
        $0.hasPrefix("INSERT INTO frc_history(") || $0.hasPrefix("DELETE FROM frc_history WHERE")
      }
  }

  private static let triggers = Set(objects.filter { $0.hasPrefix("trigger ") }.map { String($0.dropFirst(8)) })

  /// The tables on which other programs may have triggers. The others, and the views, are the program's log.
  static let tablesForTriggers = ["item", "list", "item_tag"]

  /// Whether the log may lack what others do while that object is missing, or is another one. Without a view, or
  /// without a trigger on one, what needs it fails.
  static func keepsJournal(_ object: String, isMissing: Bool) -> Bool {
    guard object.hasPrefix("trigger ") else { return false }
    if isMissing, ["trigger item_to_evict_insert", "trigger item_to_journal_insert"].contains(object) { return false }
    return ["journal", "evict", "change_", "keeps_its_number"].contains { object.contains($0) }
  }
}
