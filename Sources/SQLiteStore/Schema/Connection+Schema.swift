import RowModel

/// A column of a table or a view, as the schema declares it.
///
/// ```swift
/// func isRequired(_ column: TableColumn) -> Bool { column.isNotNull && column.defaultValue == nil }
/// ```
public struct TableColumn: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The type as it is written, such as `TEXT`; empty without one, and for the expressions of a view.
  public let declaredType: String
  /// Whether it is declared NOT NULL.
  public let isNotNull: Bool
  /// The SQL after DEFAULT; nil without one.
  public let defaultValue: String?
  /// The place in the primary key, from 0 on; nil if it is no part of it.
  public let primaryKeyPlace: Int?
  /// Whether SQLite computes its values.
  public let isGenerated: Bool
}

/// An index of a table, also one that a PRIMARY KEY or UNIQUE has made.
///
/// ```swift
/// func finds(_ column: String, _ index: TableIndex) -> Bool { index.columns.first == column && !index.isPartial }
/// ```
public struct TableIndex: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The indexed columns, in order; nil for an expression.
  public let columns: [String?]
  /// Whether it allows no two rows with the same values.
  public let isUnique: Bool
  /// Whether it has a WHERE, so that it holds only some of the rows.
  public let isPartial: Bool
}

/// A foreign key of a table.
///
/// ```swift
/// func leads(to table: String, _ key: ForeignKey) -> Bool { key.target == table }
/// ```
public struct ForeignKey: Hashable, Sendable {
  /// The columns that refer to another table.
  public let columns: [String]
  /// The table that they refer to.
  public let target: String
  /// The columns that they refer to; empty if they refer to the primary key.
  public let targetColumns: [String]
  /// What happens to the rows when the row that they refer to is deleted: `CASCADE`, `SET NULL`, `NO ACTION` …
  public let onDelete: String
  /// What happens to them when its key changes.
  public let onUpdate: String
}

// What the schema says. A table is named as in an entity: that of an attached file after its name and a dot.
extension Connection {
  /// Returns the names of the main file's tables, in alphabetical order, without views and the tables of SQLite and of
  /// this library.
  ///
  /// ```swift
  /// for table in try connection.tables() {
  ///   print(table, try connection.columns(of: table).map(\.name))
  /// }
  /// ```
  public func tables() throws -> [String] {
    try checkUsable()
    return try internalRows(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') "
        + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'frc\\_%' ESCAPE '\\' ORDER BY name"
    ).map { try $0[0] as String }
  }

  /// Returns whether there is a table, or a view, of this name.
  ///
  /// ```swift
  /// if try !connection.tableExists("item") { print("there is nothing yet") }
  /// ```
  public func tableExists(_ name: String) throws -> Bool {
    try checkUsable()
    return try tableEntry(name) != nil
  }

  /// Returns the columns of a table or a view, in order; throws if there is none of this name.
  ///
  /// ```swift
  /// for column in try connection.columns(of: "item") { print(column.name, column.declaredType as Any) }
  /// ```
  public func columns(of table: String) throws -> [TableColumn] {
    let entry = try requiredEntry(table)
    return try columns(of: entry.name, in: entry.schema, hidden: false)
  }

  /// Returns the indexes of a table, by name; throws if there is no table of this name.
  ///
  /// ```swift
  /// let unique = try connection.indexes(of: "item").filter(\.isUnique)
  /// ```
  public func indexes(of table: String) throws -> [TableIndex] {
    let entry = try requiredEntry(table)
    return try internalRows(
      "SELECT name, \"unique\", partial FROM pragma_index_list(?1, ?2) ORDER BY name",
      [.text(entry.name), .text(entry.schema)]
    ).map { row in
      let columns = try internalRows(
        "SELECT name FROM pragma_index_info(?1, ?2) ORDER BY seqno", [.text(try row[0]), .text(entry.schema)])
      return TableIndex(
        name: try row[0], columns: try columns.map { try $0[0] as String? }, isUnique: try row[1],
        isPartial: try row[2])
    }
  }

  /// Returns the foreign keys of a table, in the order of their declaration; throws if there is no table of this name.
  ///
  /// ```swift
  /// for key in try connection.foreignKeys(of: "item") { print(key.columns, key.target) }
  /// ```
  public func foreignKeys(of table: String) throws -> [ForeignKey] {
    let entry = try requiredEntry(table)
    let rows = try internalRows(
      """
      SELECT id, "table", "from", "to", on_delete, on_update FROM pragma_foreign_key_list(?1, ?2)
      ORDER BY id DESC, seq
      """, [.text(entry.name), .text(entry.schema)])
    let keys = try rows.map { try $0[0] as Int }
    return try Set(keys).sorted(by: >).map { key in
      let parts = zip(keys, rows).filter { $0.0 == key }.map(\.1)
      return ForeignKey(
        columns: try parts.map { try $0[2] }, target: try parts[0][1],
        targetColumns: try parts.compactMap { try $0[3] as String? }, onDelete: try parts[0][4],
        onUpdate: try parts[0][5])
    }
  }

  private func requiredEntry(_ table: String) throws -> (schema: String, name: String, row: Row) {
    try checkUsable()
    guard let entry = try tableEntry(table) else { throw DatabaseError.misuse("there is no table \(table)") }
    return entry
  }

  /// What the list of tables says about a table or a view: where it is, its name as the schema spells it, and the
  /// columns `type`, `wr` and `strict`; nil if there is none.
  func tableEntry(_ name: String) throws -> (schema: String, name: String, row: Row)? {
    let place = fileAndTable(name)
    let row = try internalRows(
      """
      SELECT schema, name, type, wr, strict FROM pragma_table_list
      WHERE name = ?1 COLLATE NOCASE AND (?2 IS NULL OR schema = ?2 COLLATE NOCASE)
      ORDER BY schema = 'temp' DESC, schema = 'main' DESC LIMIT 1
      """, [.text(place?.table ?? name), place.map { .text($0.file) } ?? .null]
    ).first
    return try row.map { (try $0[0], try $0[1], $0) }
  }

  /// - Parameter hidden: Whether to include the columns of a virtual table that `SELECT *` leaves out.
  func columns(of table: String, in schema: String, hidden: Bool = true) throws -> [TableColumn] {
    try internalRows(
      """
      SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?1, ?2)
      WHERE ?3 OR hidden <> 1 ORDER BY cid
      """, [.text(table), .text(schema), .integer(hidden ? 1 : 0)]
    ).map { row in
      let (place, hidden) = (try row[4] as Int, try row[5] as Int)
      return TableColumn(
        name: try row[0], declaredType: try row[1], isNotNull: try row[2], defaultValue: try row[3],
        primaryKeyPlace: place > 0 ? place - 1 : nil, isGenerated: hidden == 2 || hidden == 3)
    }
  }
}
