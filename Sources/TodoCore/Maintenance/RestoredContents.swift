import SQLiteStore

/// The lists and items of another database, which replace those that are here.
///
/// It is a change like others: rows that differ are deleted, and inserted as they are in the other database. The items
/// of a list that differs are too; other equal rows are not touched. The journal can undo all of it, and numbers are
/// never used twice.
struct RestoredContents {
  static let columns = ["list": ["id", "name", "position", "extra"], "item": Item.columnNames]

  /// The hash values of a row, by which rows are compared.
  private struct Digest: Equatable {
    var uuid: Int
    var row: Int
    /// The number of an item's list.
    var list: Int64?
  }

  private let connection: Connection
  private let source: Database
  private let listsHere: [Int64: Digest]
  private let lists: [Int64: Digest]
  private let itemsHere: [Int64: Digest]
  private let items: [Int64: Digest]

  /// Compares the contents.
  init(_ connection: Connection, of source: Database, progress: (_ done: Int, _ total: Int) throws -> Void) throws {
    self.connection = connection
    self.source = source
    listsHere = try Self.digests("list", connection)
    itemsHere = try Self.digests("item", connection)
    (lists, items) = try source.read { source in
      let total = try source.value("SELECT count(*) FROM item", as: Int.self) ?? 0
      let lists = try Self.digests("list", source)
      return (lists, try Self.digests("item", source) { if $0 % 1000 == 0 || $0 == total { try progress($0, total) } })
    }
  }

  private static func digests(
    _ table: String, _ connection: Connection, each: (Int) throws -> Void = { _ in }
  ) throws -> [Int64: Digest] {
    var digests: [Int64: Digest] = [:]
    try connection.forEach(rows(of: table)) { row in
      let values = try columns(of: table).indices.map { try row[$0] as Value }
      digests[try row[0]] = Digest(
        uuid: values[1].hashValue, row: values.hashValue, list: table == "item" ? try row[2] : nil)
      try each(digests.count)
    }
    return digests
  }

  private static func columns(of table: String) -> [String] { columns[table] ?? [] }

  private static func rows(of table: String) -> SQL {
    "SELECT \(raw: columns(of: table).joined(separator: ", ")) FROM \(raw: table) ORDER BY id"
  }

  // MARK: Differences

  /// The number of items in the other database.
  var count: Int { items.count }

  /// The items that exist only here, or whose number belongs to another item in the other database.
  var removed: [Int64] { itemsHere.keys.filter { itemsHere[$0]?.uuid != items[$0]?.uuid }.sorted() }

  /// The items that exist only in the other database.
  var added: [Int64] { items.keys.filter { itemsHere[$0]?.uuid != items[$0]?.uuid }.sorted() }

  /// The items that exist in both and differ.
  var updated: [Int64] {
    items.keys.filter { itemsHere[$0]?.uuid == items[$0]?.uuid && itemsHere[$0] != items[$0] }.sorted()
  }

  // MARK: Writing

  /// Makes the lists and the items those of the other database.
  ///
  /// No two rows may have the same name, position, UUID or previous instance, not even for a moment. So everything that
  /// differs is deleted first.
  func write() throws {
    let otherLists = Set(listsHere.keys).union(lists.keys).filter { listsHere[$0] != lists[$0] }
    let otherItems = Set(itemsHere.keys).union(items.keys).filter { id in
      itemsHere[id] != items[id] || itemsHere[id]?.list.map(otherLists.contains) == true
    }
    for id in otherItems.sorted() { try connection.execute("DELETE FROM item WHERE id = \(id)") }
    for id in otherLists.sorted() { try connection.execute("DELETE FROM list WHERE id = \(id)") }
    try insert("list", otherLists)
    try insert("item", otherItems)
    // Numbers that the other database has used are not used here again either.
    let greatest = try source.read {
      try $0.value("SELECT seq FROM sqlite_sequence WHERE name = 'item'", as: Int64.self) ?? 0
    }
    try connection.execute("UPDATE sqlite_sequence SET seq = max(seq, \(greatest)) WHERE name = 'item'")
    try connection.execute(
      """
      INSERT INTO sqlite_sequence(name, seq) SELECT 'item', \(greatest)
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'item')
      """)
  }

  private func insert(_ table: String, _ ids: Set<Int64>) throws {
    let columns = Self.columns(of: table)
    let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let insertion = "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES (\(places))"
    try source.read { source in
      try source.forEach(Self.rows(of: table)) { row in
        guard ids.contains(try row[0]) else { return }
        try connection.execute(SQL(raw: insertion, bindings: try columns.indices.map { try row[$0] as Value }))
      }
    }
  }
}
