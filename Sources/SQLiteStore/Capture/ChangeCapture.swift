/// A way of learning which rows a transaction touches.
///
/// The writer calls all of it, one call at a time. `install` is called outside transactions, whenever the observed tables
/// or the schema have changed.
protocol ChangeCapture: AnyObject {
  /// Notes the keys of these tables from now on, and of no others.
  func install(_ tables: [TableShape], on connection: Connection) throws
  /// A transaction begins.
  func begin()
  /// The keys that the transaction has touched, by the observed names. Called in the transaction, before COMMIT.
  func collect(on connection: Connection) throws -> [String: DirtyKeys]
  /// Stops noting anything.
  func remove(from connection: Connection) throws
}

/// What there is to know of an observed table.
package struct TableShape: Equatable {
  package enum Key: Equatable {
    /// By row id. `expression` is a name that reaches it in SQL, or nil when columns have taken all three of its names.
    case rowID(expression: String?)
    /// By the columns of the primary key.
    case primaryKey([KeyColumn])
    /// Not a table of rows: a view, a virtual table, or nothing at all.
    case unknown(exists: Bool)
  }

  package struct KeyColumn: Equatable {
    package var name: String
    /// The column's place in the table.
    package var index: Int32
    /// Its place among the stored columns, where virtual generated columns come last.
    package var storedIndex: Int32
  }

  /// The name under which it is observed.
  package var observedName: String
  /// The schema, as "main".
  package var schema: String
  /// The name as the schema spells it.
  package var name: String
  package var key: Key

  /// Looks a table up; `observedName` may begin with a schema and a dot.
  package init(_ observedName: String, on connection: Connection) throws {
    let (schema, table) = try Self.resolve(observedName, on: connection)
    self.observedName = observedName
    self.schema = schema
    let list = try connection.internalRows(
      "SELECT name, type, wr FROM pragma_table_list WHERE schema = ?1 AND lower(name) = lower(?2)",
      [.text(schema), .text(table)])
    guard let entry = list.first else {
      name = table
      key = .unknown(exists: false)
      return
    }
    name = try entry["name"]
    let type: String = try entry["type"]
    guard type == "table" || type == "shadow" else {
      key = .unknown(exists: true)
      return
    }
    let columns = try connection.internalRows(
      "SELECT name, pk, hidden, type FROM pragma_table_xinfo(?1, ?2) ORDER BY cid", [.text(name), .text(schema)])
    let names = Set(try columns.map { try ($0["name"] as String).lowercased() })
    if try entry["wr"] as Bool {
      key = .primaryKey(try Self.keyColumns(columns))
    } else {
      let free = ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
      key = .rowID(expression: try free ?? Self.rowIDAlias(columns))
    }
  }

  /// SQL that says whether two parts of keys are different values. Not by the column's collation, to which 'a' may be 'A', nor
  /// as numbers, where 1 is 1.0.
  static func differ(_ left: String, _ right: String) -> String {
    "\(left) COLLATE BINARY IS NOT \(right) OR typeof(\(left)) IS NOT typeof(\(right))"
  }

  private static func resolve(_ name: String, on connection: Connection) throws -> (schema: String, table: String) {
    guard let dot = name.firstIndex(of: ".") else { return ("main", name) }
    let schema = String(name[..<dot])
    let schemas = try connection.internalRows("SELECT name FROM pragma_database_list")
    for row in schemas {
      let known: String = try row["name"]
      if known.lowercased() == schema.lowercased() { return (known, String(name[name.index(after: dot)...])) }
    }
    return ("main", name)
  }

  private static func keyColumns(_ columns: [Row]) throws -> [KeyColumn] {
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
      key.append((position, KeyColumn(name: try column["name"], index: place, storedIndex: place - virtual)))
    }
    return key.sorted { $0.position < $1.position }.map(\.column)
  }

  private static func rowIDAlias(_ columns: [Row]) throws -> String? {
    let key = try columns.filter { try $0["pk"] as Int > 0 }
    guard key.count == 1, try (key[0]["type"] as String).uppercased() == "INTEGER" else { return nil }
    return SQL.quoted(try key[0]["name"])
  }
}
