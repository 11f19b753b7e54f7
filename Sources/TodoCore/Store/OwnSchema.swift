import SQLiteStore

/// What a database of this program consists of.
enum OwnSchema {
  /// The tables that the views depend on.
  static let followedTables = ["item", "item_tag", "list"]

  /// The names of the tables, indexes, triggers and views that the migrations create. A test compares them with the
  /// schema.
  static let names = [
    "change", "change_before_insert", "change_do", "change_open", "change_pruned", "change_to_redo", "change_to_undo",
    "item", "item_by_list", "item_has_a_list_insert", "item_has_a_list_update", "item_journal_delete",
    "item_journal_insert", "item_journal_keys", "item_journal_update", "item_keeps_its_number", "item_open_by_due",
    "item_open_by_list", "item_open_by_priority", "item_open_high", "item_open_started", "item_open_with_time",
    "item_previous", "item_replaced_by_insert",
    "item_replaced_by_update", "item_search", "item_tag", "item_tag_after_delete", "item_tag_after_insert",
    "item_tag_after_replace", "item_tag_after_update", "item_tag_by_item", "item_tag_by_tag", "item_text",
    "item_to_index", "item_to_index_after_delete", "item_to_index_after_insert", "item_to_index_after_update",
    "item_to_replace", "item_to_replace_index", "item_to_replace_journal", "item_waiting", "journal", "journal_change",
    "list",
    "list_by_position", "list_journal_delete", "list_journal_insert", "list_journal_update", "list_keeps_its_number",
    "list_replaced_by_insert", "list_replaced_by_update", "list_with_items_stays", "replay", "replay_item",
    "replay_item_gone", "replay_list", "replay_list_gone", "saved_filter", "take_back", "taking_back",
  ]

  /// The checksum of their SQL, which the same test compares.
  static let fingerprint = "38985e0681754f6b"

  /// The first difference between our objects in a database and those that the migrations create, such as "item_tag is
  /// missing"; nil if there is none. What others have added under other names is no difference.
  ///
  /// The fingerprint says in some microseconds that there is none. Another version of SQLite might store another SQL:
  /// what it stores now decides then.
  static func difference(_ connection: Connection) throws -> String? {
    let found = try objects(connection)
    if fingerprint(of: found) == fingerprint { return nil }
    let expected = try TodoStore.inMemory().database.read { try objects($0) }
    return names.first { found[$0] != expected[$0] }.map { name in
      found[name] == nil ? "\(name) is missing" : "\(name) is not as it was made"
    }
  }

  static func fingerprint(of objects: [String: String]) -> String {
    Migration.checksum(of: names.map { objects[$0] ?? "" }.joined(separator: "\n"))
  }

  /// The SQL of all objects of a database, by name.
  static func objects(_ connection: Connection) throws -> [String: String] {
    var objects: [String: String] = [:]
    objects.reserveCapacity(128)
    // SQLite doesn't check that other programs' texts are UTF-8.
    try connection.forEach("SELECT CAST(name AS BLOB), CAST(sql AS BLOB) FROM sqlite_schema WHERE sql IS NOT NULL") {
      row in
      let (name, sql): ([UInt8], [UInt8]) = (try row[0], try row[1])
      objects[String(decoding: name, as: UTF8.self), default: ""] += String(decoding: sql, as: UTF8.self)
    }
    return objects
  }
}
