import FetchedResultsCore
import RowModel
import SQLiteStore

/// The content columns of a query before columns were added by a change of the schema.
///
/// Adding a column reports no row, whatever its default is. A value that was written to it since is reported.
struct FormerColumns {
  let names: [String]
  /// Where these columns are now.
  let kept: [Int32]
  /// The columns that were added, with the value that rows have until one is written.
  private let added: [(column: Int32, value: Value)]

  /// Nil if columns were not only added.
  init?(_ names: [String], _ plan: QueryPlan, _ connection: Connection) throws {
    if names == plan.contentNames { return nil }
    self.names = names
    // Several columns of a join can have one name.
    var unmatched = Array(plan.contentNames.indices)
    kept = names.compactMap { name in
      let found = unmatched.firstIndex { plan.contentNames[$0] == name }
      return found.map { Int32(unmatched.remove(at: $0)) }
    }
    if kept.count != names.count { return nil }
    added = try unmatched.map { index in
      (
        column: Int32(index),
        value: try plan.contentOrigins[index].map { try Self.initialValue(of: $0, connection) } ?? .null
      )
    }
  }

  /// Whether the added columns of the current row are as they were added; in a row without partner they are NULL.
  func isUnwritten(_ cursor: Cursor) throws -> Bool {
    try added.allSatisfy { column, initial in
      let value = try cursor.value(column)
      return value == .null || value == initial
    }
  }

  /// The value that a column has in the rows that are older.
  private static func initialValue(of origin: PlanProbe.Origin, _ connection: Connection) throws -> Value {
    let (table, schema) = (Value.text(origin.table.name), Value.text(origin.table.schema))
    let found = try connection.copiedRows(
      """
      SELECT type, dflt_value, (SELECT strict FROM pragma_table_list(?1) WHERE schema = ?2)
      FROM pragma_table_xinfo(?1, ?2) WHERE name = ?3 COLLATE NOCASE
      """, [table, schema, .text(origin.column)])
    guard let row = found.first, let text = try row[1] as String? else { return .null }
    let (type, isStrict): (String, Bool?) = (try row[0], try row[2])
    // SQLite converts it as it does for any new row. It tells an expression without its parentheses.
    for written in [text, "(\(text))"] {
      let scratch = try Database.inMemory()
      let value = try? scratch.write { connection in
        let options = isStrict == true ? " STRICT" : ""
        try connection.execute(
          SQL(raw: "CREATE TABLE scratch(id INTEGER, value \(type) DEFAULT \(written))\(options)"))
        try connection.execute("INSERT INTO scratch(id) VALUES (1)")
        return try connection.value("SELECT value FROM scratch", as: Value.self)
      }
      if let value { return value }
    }
    // What it can't compute apart it has not added to rows that were there.
    return .null
  }
}
