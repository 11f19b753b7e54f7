import SQLiteStore

/// The lists and items of another database, which replace the existing ones.
///
/// It is a change like others: equal rows are not touched, the journal can undo all of it, and numbers are never used
/// twice.
struct RestoredContents {
  /// The columns besides the number. A test compares them with the schema.
  static let itemColumns = [
    "uuid", "list", "position", "title", "notes", "tags", "done", "archived", "priority", "due", "due_day", "every",
    "anchor", "zone", "previous", "created", "started", "completed", "extra",
  ]
  static let listColumns = ["name", "position", "extra"]

  private let connection: Connection
  /// The number of items in the other database.
  let items: Int

  /// Copies the contents into temporary tables, which last as long as the transaction.
  init(_ connection: Connection, of source: Database, progress: (_ done: Int, _ total: Int) throws -> Void) throws {
    self.connection = connection
    let total = try source.read { try $0.value("SELECT count(*) FROM item", as: Int.self) ?? 0 }
    items = total
    try drop()
    var done = 0
    try copy("list", Self.listColumns, source) {}
    try copy("item", Self.itemColumns, source) {
      done += 1
      if done % 1000 == 0 || done == total { try progress(done, total) }
    }
    let greatest = try source.read {
      try $0.value("SELECT seq FROM sqlite_sequence WHERE name = 'item'", as: Int64.self) ?? 0
    }
    try raise(to: greatest)
  }

  private func copy(
    _ table: String, _ columns: [String], _ source: Database, each: () throws -> Void
  ) throws {
    let names = columns.joined(separator: ", ")
    try connection.execute(
      "CREATE TEMP TABLE \(raw: "restored_\(table)(id INTEGER PRIMARY KEY, \(names))")")
    let places = (0...columns.count).map { "?\($0 + 1)" }.joined(separator: ", ")
    let insertion = "INSERT INTO temp.restored_\(table) VALUES (\(places))"
    try source.read { reader in
      try reader.forEach("SELECT id, \(raw: names) FROM \(raw: table)") { row in
        let values = try (0...columns.count).map { try row[$0] as Value }
        try connection.execute(SQL(raw: insertion, bindings: values))
        try each()
      }
    }
  }

  /// Numbers that the other database has used are not used here again either.
  private func raise(to greatest: Int64) throws {
    try connection.execute(
      """
      INSERT INTO sqlite_sequence(name, seq) SELECT 'item', 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'item')
      """)
    try connection.execute("UPDATE sqlite_sequence SET seq = max(seq, \(greatest)) WHERE name = 'item'")
  }

  /// Drops the temporary tables.
  func drop() throws {
    for table in ["item", "list"] { try connection.execute("DROP TABLE IF EXISTS temp.\(raw: "restored_\(table)")") }
  }

  // MARK: Differences

  /// The items that exist only here, or whose number belongs to another item in the other database.
  func removed() throws -> [Int64] {
    try connection.values("SELECT id FROM item WHERE NOT \(raw: Self.isSameItem) ORDER BY id", as: Int64.self)
  }

  /// The items that exist only in the other database.
  func added() throws -> [Int64] {
    try connection.values(
      """
      SELECT r.id FROM temp.restored_item AS r
      WHERE NOT EXISTS (SELECT 1 FROM item WHERE item.id = r.id AND item.uuid = r.uuid) ORDER BY r.id
      """, as: Int64.self)
  }

  /// The items that exist in both and differ.
  func updated() throws -> [Int64] {
    try connection.values(
      """
      SELECT item.id FROM item JOIN temp.restored_item AS r ON r.id = item.id AND r.uuid = item.uuid
      WHERE \(raw: Self.differs("item", Self.itemColumns)) ORDER BY item.id
      """, as: Int64.self)
  }

  private static let isSameItem =
    "EXISTS (SELECT 1 FROM temp.restored_item AS r WHERE r.id = item.id AND r.uuid = item.uuid)"

  /// The condition that a row differs from the other database in any byte.
  private static func differs(_ table: String, _ columns: [String]) -> String {
    func list(_ name: String) -> String {
      columns.map { "\(name).\($0)" + ($0 == "name" ? " COLLATE BINARY" : "") }.joined(separator: ", ")
    }
    return "(\(list(table))) IS NOT (\(list("r")))"
  }

  private static func assignments(_ columns: [String]) -> String {
    columns.map { "\($0) = r.\($0)" }.joined(separator: ", ")
  }

  // MARK: Writing

  /// Makes the lists and the items those of the other database.
  ///
  /// No two rows may have the same name, position, UUID or previous instance, not even for a moment. So rows that will
  /// change give up theirs first.
  func write() throws {
    try connection.execute("DELETE FROM item WHERE NOT \(raw: Self.isSameItem)")
    let others = try connection.values(
      """
      SELECT id FROM list WHERE NOT EXISTS (
        SELECT 1 FROM temp.restored_list AS r
        WHERE r.id = list.id AND NOT (\(raw: Self.differs("list", Self.listColumns))))
      """, as: Int64.self)
    let taken = try connection.values(
      "SELECT position FROM list UNION SELECT position FROM temp.restored_list", as: Int64.self)
    let (start, step) = Positions.freeRange(for: others.count, taken)
    for (index, id) in others.enumerated() {
      try connection.execute(
        """
        UPDATE list SET name = 'restoring ' || hex(randomblob(16)), position = \(start + Int64(index + 1) * step)
        WHERE id = \(id)
        """)
    }
    try connection.execute(
      """
      UPDATE list SET \(raw: Self.assignments(Self.listColumns)) FROM temp.restored_list AS r
      WHERE r.id = list.id AND \(raw: Self.differs("list", Self.listColumns))
      """)
    let lists = Self.listColumns.joined(separator: ", ")
    try connection.execute(
      """
      INSERT INTO list(id, \(raw: lists)) SELECT id, \(raw: lists) FROM temp.restored_list
      WHERE id NOT IN (SELECT id FROM list) ORDER BY id
      """)
    try connection.execute(
      """
      UPDATE item SET previous = NULL WHERE previous IS NOT NULL
        AND previous IS NOT (SELECT r.previous FROM temp.restored_item AS r WHERE r.id = item.id)
      """)
    let items = Self.itemColumns.joined(separator: ", ")
    try connection.execute(
      """
      INSERT INTO item(id, \(raw: items)) SELECT id, \(raw: items) FROM temp.restored_item
      WHERE id NOT IN (SELECT id FROM item) ORDER BY id
      """)
    try connection.execute(
      """
      UPDATE item SET \(raw: Self.assignments(Self.itemColumns)) FROM temp.restored_item AS r
      WHERE r.id = item.id AND \(raw: Self.differs("item", Self.itemColumns))
      """)
    try connection.execute("DELETE FROM list WHERE id NOT IN (SELECT id FROM temp.restored_list)")
  }
}
