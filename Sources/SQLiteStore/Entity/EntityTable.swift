/// The facts in the schema about an entity's table that its writes depend on.
struct EntityTable {
  struct Column {
    let declaredType: String
    let affinity: ColumnAffinity
    /// Whether SQLite computes its values, so that no write may name it.
    let isGenerated: Bool
    /// Whether it is NOT NULL with a DEFAULT, which an ON CONFLICT REPLACE clause would store in place of NULL.
    let isNeverNull: Bool
  }

  /// The name that the entity declares: its table's, perhaps after that of an attached file and a dot.
  let name: String
  /// The name in double quotes, with that of the file if the entity names it.
  let quoted: String
  /// The table's own name in double quotes, as a prefix for its columns.
  let alias: String
  let idColumn: String
  private(set) var exists = false
  private(set) var isView = false
  private(set) var isVirtual = false
  /// Whether the id column is the row id, which SQLite generates.
  private(set) var isIDRowID = false
  /// Whether the schema makes stored ids unique.
  private(set) var isIDUnique = false
  /// Whether a row may be stored otherwise than RETURNING says: triggers change it later, and of a virtual table SQLite
  /// doesn't know the row id.
  private(set) var returnsOtherRows = false
  /// By their names in capitals.
  private var columns: [ByteString: Column] = [:]

  /// The names of the row id that no column needs to have.
  static let rowIDNames = ["rowid", "_rowid_", "oid"]

  static func isRowIDName(_ name: String) -> Bool { rowIDNames.contains { $0.isSameName(as: name) } }

  /// A name for the row id in SQL; nil if the table has none, or if columns have taken all of its names.
  private(set) var rowIDName: String?

  init(_ name: String, idColumn: String, on connection: Connection) throws {
    self.name = name
    self.idColumn = idColumn
    quoted = connection.quotedTable(name)
    let own = connection.fileAndTable(name)?.table ?? name
    alias = SQL.quoted(own)
    guard let found = try connection.tableEntry(name) else { return }
    let schema = found.schema
    let (type, isStrict) = (try found.row["type"] as String, try found.row["strict"] as Bool)
    let hasRowID = try found.row["wr"] as Int64 == 0
    exists = true
    isView = type == "view"
    isVirtual = type == "virtual"
    returnsOtherRows =
      try isVirtual
      || connection.internalValue(
        """
        SELECT EXISTS (SELECT 1 FROM \(SQL.quoted(schema)).sqlite_schema
          WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE)
        OR EXISTS (SELECT 1 FROM sqlite_temp_schema
          WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE AND name NOT GLOB '\(TriggerCapture.prefix)*')
        """, [.text(own)]) == .integer(1)
    var primaryKey: [(name: ByteString, type: String)] = []
    for column in try connection.columns(of: own, in: schema) {
      columns[Self.key(column.name)] = Column(
        declaredType: column.declaredType,
        affinity: ColumnAffinity(declared: column.declaredType, isStrict: isStrict), isGenerated: column.isGenerated,
        isNeverNull: column.isNotNull && column.defaultValue != nil)
      if column.primaryKeyPlace != nil {
        primaryKey.append((Self.key(column.name), column.declaredType.asciiUppercased))
      }
    }
    if hasRowID, !isView { rowIDName = Self.rowIDNames.first { columns[Self.key($0)] == nil } }
    let id = Self.key(idColumn)
    var hasPrimaryKeyIndex = false
    for index in try connection.internalRows(
      """
      SELECT list.origin, (SELECT group_concat(coalesce(name, ''), char(0)) FROM pragma_index_info(list.name, ?2))
      FROM pragma_index_list(?1, ?2) AS list WHERE list."unique" AND NOT list.partial
      """, [.text(own), .text(schema)])
    {
      if try index[0] as String == "pk" { hasPrimaryKeyIndex = true }
      if try (index[1] as String?).map(Self.key) == id { isIDUnique = true }
    }
    if columns[id] != nil {
      // `INTEGER PRIMARY KEY DESC` has an index of its own and is not the row id.
      isIDRowID =
        hasRowID && !isView && !hasPrimaryKeyIndex && primaryKey.map(\.name) == [id] && primaryKey[0].type == "INTEGER"
    } else {
      isIDRowID = hasRowID && !isView && Self.isRowIDName(idColumn)
    }
    if isIDRowID { isIDUnique = true }
  }

  private static func key(_ name: String) -> ByteString { ByteString(name.asciiUppercased) }

  func column(_ name: String) -> Column? { columns[Self.key(name)] }

  func isGenerated(_ name: String) -> Bool { column(name)?.isGenerated == true }
}

extension Connection {
  /// A table's name in double quotes. If it begins with the name of an attached file and a dot, it is a table of that
  /// file.
  package func quotedTable(_ name: String) -> String {
    guard let (file, table) = fileAndTable(name) else { return SQL.quoted(name) }
    return SQL.quoted(file) + "." + SQL.quoted(table)
  }

  /// The attached file that a table's name begins with, if any, and the table's own name.
  func fileAndTable(_ name: String) -> (file: String, table: String)? {
    guard name.utf8.contains(UInt8(ascii: ".")) else { return nil }
    let folded = Array(name.asciiUppercased.utf8)
    for file in ["main", "temp"] + attachedNames where folded.starts(with: (file.asciiUppercased + ".").utf8) {
      let table = name.utf8.dropFirst(file.utf8.count + 1)
      if !table.isEmpty { return (file, String(Substring(table))) }
    }
    return nil
  }

  /// The facts about an entity's table: read once, and again if the schema has changed since.
  func entityTable<E: Entity>(of type: E.Type, idColumn: String) throws -> EntityTable {
    try forgetOtherSchema()
    let key = ObjectIdentifier(type)
    if let known = entityTables[key], known.idColumn == idColumn, known.name == E.table { return known }
    let table = try EntityTable(E.table, idColumn: idColumn, on: self)
    if entityTables.count >= 64 { entityTables.removeAll() }
    entityTables[key] = table
    return table
  }

  /// Forgets the facts about tables if another connection has changed the schema.
  ///
  /// Within a transaction only this connection can change the schema, and it notices that. So one check in each
  /// transaction is enough, and only in those that write entities.
  func forgetOtherSchema() throws {
    if isSchemaKnown { return }
    let versions = try schemaVersions()
    if versions != entitySchema {
      forgetEntityStatements()
      entitySchema = versions
    }
    isSchemaKnown = true
  }

  func forgetEntityStatements() {
    recentEntityStatements = nil
    entityStatements = [:]
    entityTables = [:]
  }

  /// Makes the next write of an entity check whether the schema has changed.
  func entityTransactionBegins() {
    recentEntityStatements = nil
    isSchemaKnown = false
  }
}
