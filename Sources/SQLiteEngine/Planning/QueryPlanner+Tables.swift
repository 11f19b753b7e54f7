import FetchedResultsCore
import RowModel
import SQLiteStore

// The tables of a query, and what the schema says about them.
extension QueryPlanner {
  /// The schema's facts about a table of the query.
  struct SourceTable {
    var source: FromClause.Source
    var shape: TableShape
    var observed: String
    /// Its key in the query, under its alias.
    var key: [String]
    var isRowID: Bool
    /// The names of its columns, in upper case.
    var columns: Set<String>
    /// Those that can't be NULL.
    var columnsWithoutNull: Set<String>
    /// Whether ANALYZE has found one row at most, which SQLite then reads without an index.
    var isTiny = false

    func isNamed(_ name: String?) -> Bool { name?.isSameName(as: source.alias) == true }

    /// Whether a name in upper case is that of a column, or one that SQLite has for the row id.
    func has(_ name: String) -> Bool { columns.contains(name) || isRowID && Self.rowIDNames.contains(name) }

    func isNeverNull(_ name: String) -> Bool {
      columnsWithoutNull.contains(name) || !columns.contains(name) && Self.rowIDNames.contains(name)
    }

    static let rowIDNames: Set<String> = ["ROWID", "OID", "_ROWID_"]
  }

  /// What the schema says about a table, by whatever alias a query calls it.
  struct TableFacts {
    var shape: TableShape
    var observed: String
    var columns: Set<String> = []
    var columnsWithoutNull: Set<String> = []
    var isTiny = false
  }

  /// The tables that were looked up for a plan: its statements name each of them many times.
  final class KnownTables {
    fileprivate var facts: [ByteString: TableFacts] = [:]
  }

  /// The table of a source; nil for a table-valued function that depends only on its arguments.
  func table(_ source: FromClause.Source) throws -> SourceTable? {
    if source.isFunction { return nil }
    let name = ByteString([source.schema, source.table].compactMap { $0.map(SQL.quoted) }.joined(separator: "."))
    let facts = try known.facts[name] ?? facts(of: source)
    known.facts[name] = facts
    let alias = SQL.quoted(source.alias)
    let key: [String]
    let isRowID: Bool
    switch facts.shape.key {
    case .rowID(let name?): (key, isRowID) = (["\(alias).\(name)"], true)
    case .primaryKey(let columns): (key, isRowID) = (columns.map { "\(alias).\(SQL.quoted($0.name.text))" }, false)
    case .rowID(nil): throw NotUnderstood("\(source.table), whose columns hide its row id")
    case .unknown: throw NotUnderstood("\(source.table), which is no ordinary table")
    }
    return SourceTable(
      source: source, shape: facts.shape, observed: facts.observed, key: key, isRowID: isRowID, columns: facts.columns,
      columnsWithoutNull: facts.columnsWithoutNull, isTiny: facts.isTiny)
  }

  private func facts(of source: FromClause.Source) throws -> TableFacts {
    let observed = try observedName(schema: source.schema, table: source.table)
    let shape = try TableShape(observed, on: probe.connection)
    var facts = TableFacts(shape: shape, observed: observed, isTiny: isTiny(shape))
    if let name = shape.rowIDColumn?.asciiUppercased { facts.columnsWithoutNull.insert(name) }
    for row in try probe.connection.copiedRows(
      "SELECT name, \"notnull\" FROM pragma_table_xinfo(?, ?)", [.text(shape.name), .text(shape.schema)])
    {
      let name = (try row[0] as String).asciiUppercased
      facts.columns.insert(name)
      if try row[1] { facts.columnsWithoutNull.insert(name) }
    }
    return facts
  }

  private func isTiny(_ shape: TableShape) -> Bool {
    // The table with the results of ANALYZE may be missing. Each of its rows begins with the number of rows in an
    // index, which may be one of a few rows only.
    let counts = try? probe.connection.copiedRows(
      "SELECT CAST(stat AS INTEGER) FROM \(SQL.quoted(shape.schema)).sqlite_stat1 WHERE tbl = ? COLLATE NOCASE",
      [.text(shape.name)]
    ).map { try $0[0] as Int64? }
    guard let counts, !counts.isEmpty else { return false }
    return counts.allSatisfy { $0.map { $0 <= 1 } == true }
  }

  /// The aliases under which only tiny tables are read.
  static func tinyNames(_ tables: [SourceTable?]) -> Set<String> {
    let all = tables.compactMap { $0 }
    return Set(all.filter(\.isTiny).map(\.source.alias)).subtracting(all.filter { !$0.isTiny }.map(\.source.alias))
  }

  /// The name under which a table's commits are reported.
  func observedName(schema: String?, table: String) throws -> String {
    Self.observedName(schema: try schema ?? self.schema(of: table), table)
  }

  /// The same for a schema that is known. In a table of the main file only a name with a dot needs it.
  static func observedName(schema: String, _ table: String) -> String {
    schema.isSameName(as: "main") && !table.utf8.contains(UInt8(ascii: ".")) ? table : "\(schema).\(table)"
  }

  /// The schema in which SQLite finds a table or a view that is named without one; main if there is none.
  func schema(of table: String) throws -> String {
    let rows = try probe.connection.copiedRows(
      "SELECT schema FROM pragma_table_list WHERE name = ? COLLATE NOCASE", [.text(table)])
    let schemas = try rows.map { try $0[0] as String }
    // SQLite prefers temporary tables. Those that only a writer has are not visible to lists, which read on connections
    // of their own, except in a database in memory.
    if isInMemory, schemas.contains("temp") { return "temp" }
    if schemas.contains("main") { return "main" }
    return schemas.first { $0 != "temp" } ?? "main"
  }

  /// Whether commits name a table's rows by their ids.
  func isKey(_ idColumn: String, of table: SourceTable) -> Bool {
    switch table.shape.key {
    case .rowID: return table.shape.rowIDColumn?.isSameName(as: idColumn) == true
    case .primaryKey(let key): return key.count == 1 && key[0].name.text.isSameName(as: idColumn)
    case .unknown: return false
    }
  }

  func isIDUnique(_ table: SourceTable) throws -> Bool { try isUnique(entity.idColumn, in: table) }

  /// Whether the schema makes a column's values unique.
  func isUnique(_ column: String, in table: SourceTable) throws -> Bool {
    let shape = table.shape
    if let alias = shape.rowIDColumn, alias.isSameName(as: column) { return true }
    let unique = try probe.connection.copiedRows(
      """
      SELECT 1 FROM pragma_index_list(?1, ?2) AS list
      WHERE list."unique" AND NOT list.partial
        AND NOT EXISTS (SELECT 1 FROM pragma_index_info(list.name, ?2) WHERE seqno > 0)
        AND (SELECT name FROM pragma_index_info(list.name, ?2)) = ?3 COLLATE NOCASE
        AND (SELECT "notnull" OR pk AND ?4 OR ?5 FROM pragma_table_xinfo(?1, ?2) WHERE name = ?3 COLLATE NOCASE)
      """,
      // NULL may occur any number of times in a UNIQUE column, and in a primary key, except in a WITHOUT ROWID table.
      [
        .text(shape.name), .text(shape.schema), .text(column), .integer(shape.hasRowIDs ? 0 : 1),
        .integer(entity.isIDOptional ? 0 : 1),
      ])
    return !unique.isEmpty
  }
}
