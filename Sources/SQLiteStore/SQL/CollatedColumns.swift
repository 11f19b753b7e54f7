import CFetchedResultsSQLite

/// The columns that are declared with a collation of the program's, whose order is not that of bytes.
struct CollatedColumns {
  private var own: Set<String> = []
  private var others: Set<String> = []

  /// Nil if no column is, which is quick to find out if the program has added no collation.
  init?(_ connection: Connection) throws {
    let known: Set = ["BINARY", "NOCASE", "RTRIM", "FRC_UTF8"]
    let names = try connection.internalRows("SELECT name FROM pragma_collation_list").map { try $0[0] as String }
    if names.allSatisfy({ known.contains($0.asciiUppercased) }) { return nil }
    var viewed: Set<String> = []
    for row in try connection.internalRows(
      """
      SELECT list.schema, list.name, list.type, info.name
      FROM pragma_table_list AS list, pragma_table_xinfo(list.name, list.schema) AS info
      """)
    {
      let (schema, table, column) = (try row[0] as String, try row[1] as String, try row[3] as String)
      if try row[2] as String == "view" {
        viewed.insert(column.asciiUppercased)
        continue
      }
      var collation: UnsafePointer<CChar>?
      let code = sqlite3_table_column_metadata(
        connection.handle, schema, table, column, nil, &collation, nil, nil, nil)
      let isKnown = code == SQLITE_OK && collation.map { known.contains(String(cString: $0).asciiUppercased) } ?? true
      if isKnown { others.insert(column.asciiUppercased) } else { own.insert(column.asciiUppercased) }
    }
    if own.isEmpty { return nil }
    // A column of a view has the collation of a table's column, under any name.
    others.subtract(viewed.union(own))
  }

  /// Whether a column with this name may be one of them.
  func mayContain(_ name: String) -> Bool { !others.contains(name.asciiUppercased) }
}
