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
  /// The columns that were added and are not generated, with the value that rows have until one is written.
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
    added = try unmatched.compactMap { index in
      guard let origin = plan.contentOrigins[index] else { return (column: Int32(index), value: .null) }
      return try Self.initialValue(of: origin, connection).map { (column: Int32(index), value: $0) }
    }
  }

  /// Whether the added columns of the current row are as they were added; in a row without partner they are NULL.
  func isUnwritten(_ cursor: Cursor) throws -> Bool {
    try added.allSatisfy { column, initial in
      let value = try cursor.value(column)
      return value == .null || value == initial
    }
  }

  /// The value that a column has in the rows that are older; nil if it is generated, and so is never written.
  private static func initialValue(of origin: PlanProbe.Origin, _ connection: Connection) throws -> Value? {
    let (table, schema) = (Value.text(origin.table.name), Value.text(origin.table.schema))
    let found = try connection.copiedRows(
      """
      SELECT type, dflt_value, hidden, (SELECT strict FROM pragma_table_list(?1) WHERE schema = ?2)
      FROM pragma_table_xinfo(?1, ?2) WHERE name = ?3 COLLATE NOCASE
      """, [table, schema, .text(origin.column)])
    guard let row = found.first else { return .null }
    if try row[2] as Int > 1 { return nil }
    guard let text = try row[1] as String? else { return .null }
    let (type, isStrict): (String, Bool?) = (try row[0], try row[3])
    // Add such a column to a row of our own, and read what SQLite puts there. The schema's tables show a type without
    // its quotes and an expression without its parentheses, so try all spellings.
    for (type, text) in [(type, text), (type, "(\(text)\n)"), (SQL.quoted(type), "(\(text)\n)")] {
      let scratch = try Database.inMemory()
      let value = try? scratch.write { connection in
        let options = isStrict == true ? " STRICT" : ""
        try connection.execute(SQL(raw: "CREATE TABLE scratch(id INTEGER)\(options)"))
        try connection.execute("INSERT INTO scratch(id) VALUES (1)")
        try connection.execute(SQL(raw: "ALTER TABLE scratch ADD COLUMN value \(type) DEFAULT \(text)\n"))
        return try connection.value("SELECT value FROM scratch", as: Value.self)
      }
      if let value { return value }
    }
    // SQLite refuses to add such a column to existing rows, so none of them got this default.
    return .null
  }
}
