/// A way to find out which rows a transaction touches.
///
/// The writer makes all calls, one at a time. `install` is called outside transactions, whenever the observed tables or
/// the schema have changed.
protocol ChangeCapture: AnyObject {
  /// Records the keys of these tables from now on, and of no others.
  func install(_ tables: [TableShape], on connection: Connection) throws
  /// A transaction begins.
  func begin()
  /// The keys that the transaction has touched, by the observed names. Called inside the transaction, before COMMIT.
  func collect(on connection: Connection) throws -> [String: DirtyKeys]
  /// Stops recording.
  func remove(from connection: Connection) throws
}

/// What a capture needs to know about an observed table.
package struct TableShape {
  package enum Key: Equatable {
    /// By row id. `expression` is a name for the row id in SQL, or nil if columns have taken all three of its names.
    case rowID(expression: String?)
    /// By the columns of the primary key.
    case primaryKey([KeyColumn])
    /// No capture reports its rows: a view, a virtual table, a table that SQLite itself writes, or a missing table.
    case unknown(exists: Bool)
  }

  package struct KeyColumn: Equatable {
    package var name: ByteString
    /// The column's index in the table.
    package var index: Int32
    /// Its index among the stored columns; virtual generated columns come last.
    package var storedIndex: Int32
    /// The affinity, which says what numbers become in this column.
    package var affinity: ColumnAffinity
  }

  /// The name under which it is observed.
  package var observedName: String
  /// The schema, such as "main".
  package var schema: String
  /// The name as the schema spells it.
  package var name: String
  package var key: Key
  /// Whether a virtual table stores its rows in it.
  package var isShadow = false
  /// The column that is an alias of the row id: an INTEGER PRIMARY KEY.
  package var rowIDColumn: String?

  func isSameTable(as other: TableShape) -> Bool {
    name.hasSameBytes(as: other.name) && schema.hasSameBytes(as: other.schema)
  }

  package var hasRowIDs: Bool { if case .rowID = key { true } else { false } }

  /// Looks a table up; `observedName` may begin with a schema and a dot.
  package init(_ observedName: String, on connection: Connection) throws {
    let (schema, table) = try Self.resolve(observedName, on: connection)
    self.observedName = observedName
    self.schema = schema
    name = table
    // `sqlite_schema`, `sqlite_sequence`, `sqlite_stat1` and similar tables: no hook and no trigger sees SQLite write
    // them.
    guard !table.asciiUppercased.hasPrefix("SQLITE_") else {
      key = .unknown(exists: true)
      return
    }
    let list = try connection.internalRows(
      "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = ?1 AND name = ?2 COLLATE NOCASE",
      [.text(schema), .text(table)])
    guard let entry = list.first else {
      // A table-valued function, such as `pragma_user_version`, is a table that no list of tables contains.
      let modules = try connection.internalRows(
        "SELECT 1 FROM pragma_module_list WHERE name = ?1 COLLATE NOCASE", [.text(table)])
      key = .unknown(exists: !modules.isEmpty || table.asciiUppercased.hasPrefix("PRAGMA_"))
      return
    }
    name = try entry["name"]
    let type: String = try entry["type"]
    guard type == "table" || type == "shadow" && ShadowTable.isWrittenAtOnce(name) else {
      key = .unknown(exists: true)
      return
    }
    isShadow = type == "shadow"
    let columns = try connection.internalRows(
      "SELECT name, pk, hidden, type FROM pragma_table_xinfo(?1, ?2) ORDER BY cid", [.text(name), .text(schema)])
    let names = Set(try columns.map { ByteString(try ($0["name"] as String).asciiUppercased) })
    if try entry["wr"] as Bool {
      key = .primaryKey(try Self.keyColumns(columns, isStrict: try entry["strict"]))
    } else {
      rowIDColumn = try Self.rowIDColumn(of: name, in: schema, columns, on: connection)
      let free = EntityTable.rowIDNames.first { !names.contains(ByteString($0.asciiUppercased)) }
      key = .rowID(expression: free ?? rowIDColumn.map { SQL.quoted($0) })
    }
  }

  /// SQL that is true if two parts of keys are different values. It compares neither by the column's collation, under
  /// which 'a' may equal 'A', nor as numbers, where 1 equals 1.0.
  static func differ(_ left: String, _ right: String) -> String {
    "\(left) COLLATE BINARY IS NOT \(right) OR typeof(\(left)) IS NOT typeof(\(right))"
  }

  private static func resolve(_ name: String, on connection: Connection) throws -> (schema: String, table: String) {
    guard let dot = name.firstIndex(of: ".") else { return ("main", name) }
    let schema = String(name[..<dot])
    let schemas = try connection.internalRows("SELECT name FROM pragma_database_list")
    for row in schemas {
      let known: String = try row["name"]
      if known.isSameName(as: schema) { return (known, String(name[name.index(after: dot)...])) }
    }
    return ("main", name)
  }

  private static func keyColumns(_ columns: [Row], isStrict: Bool) throws -> [KeyColumn] {
    var key: [(position: Int, column: KeyColumn)] = []
    var virtual: Int32 = 0
    for (index, column) in columns.enumerated() {
      if try column["hidden"] as Int == 2 {  // a virtual generated column, which is stored nowhere
        virtual += 1
        continue
      }
      let position: Int = try column["pk"]
      guard position > 0 else { continue }
      let place = Int32(index)
      key.append(
        (
          position,
          KeyColumn(
            name: ByteString(try column["name"]), index: place, storedIndex: place - virtual,
            affinity: ColumnAffinity(declared: try column["type"], isStrict: isStrict))
        ))
    }
    return key.sorted { $0.position < $1.position }.map(\.column)
  }

  /// The column that SQLite stores in the row id; nil if not found.
  ///
  /// The declaration doesn't tell: `INTEGER PRIMARY KEY DESC` is an ordinary column, and `PRIMARY KEY(id DESC)` isn't.
  /// But SQLite creates an index for each primary key, except if the row id is the key.
  private static func rowIDColumn(
    of table: String, in schema: String, _ columns: [Row], on connection: Connection
  ) throws -> String? {
    let key = try columns.filter { try $0["pk"] as Int > 0 }
    guard key.count == 1 else { return nil }
    let indices = try connection.internalRows(
      "SELECT 1 FROM pragma_index_list(?1, ?2) WHERE origin = 'pk'", [.text(table), .text(schema)])
    return indices.isEmpty ? try key[0]["name"] : nil
  }
}

extension TableShape: Equatable {
  /// Names are compared by their bytes, as in SQLite.
  package static func == (left: TableShape, right: TableShape) -> Bool {
    left.observedName.hasSameBytes(as: right.observedName) && left.isSameTable(as: right) && left.key == right.key
      && left.isShadow == right.isShadow
      && left.rowIDColumn.map { ByteString($0) } == right.rowIDColumn.map { ByteString($0) }
  }
}

extension ColumnAffinity {
  /// The value that is stored when the preupdate hook reports `value`, and another one that it can be; nil if it can't
  /// be determined.
  ///
  /// For a WITHOUT ROWID table the hook applies the affinity of another column than the key's: an integer 2 can be
  /// reported as 2.0, and a real 2.0, which SQLite stores as an integer, as 2.
  func stored(_ value: Value) -> (value: Value, other: Value?)? {
    switch (self, value) {
    case (.real, .integer(let integer)): return (.real(Double(integer)), nil)
    case (.integer, .real(let real)), (.numeric, .real(let real)), (.none, .real(let real)):
      // Beyond this, several integers are the same real.
      guard abs(real) < 0x1p53 else { return nil }
      guard let integer = Int64(exactly: real) else { return (value, nil) }
      return self == .none ? (.integer(integer), value) : (.integer(integer), nil)
    default: return (value, nil)
    }
  }
}

/// The tables in which virtual tables store their rows.
package enum ShadowTable {
  /// Whether a shadow table is written by the statement that changes the virtual table. Full-text indices delay other
  /// writes until COMMIT, after the capture has collected the changes.
  package static func isWrittenAtOnce(_ name: String) -> Bool {
    ["_content", "_docsize", "_config", "_node", "_rowid", "_parent"].contains {
      name.asciiUppercased.hasSuffix($0.asciiUppercased)
    }
  }
}
