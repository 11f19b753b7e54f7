import FetchedResultsCore
import RowModel
import SQLiteStore

extension QueryPlanner {
  /// What would find the rows for which a statement scans a table, as the end of a reason: an index on a column that it
  /// compares with one of another table. Empty if none of them helps alone.
  func advice(for sql: SQL, of tables: [SourceTable?], ignoringConstants: Bool = false) -> String {
    let tables = tables.compactMap { $0 }
    var tried: Set<String> = []
    for column in ColumnComparison.all(in: SQLTokens(sql)).flatMap({ [$0.left, $0.right] }) {
      let owners = tables.filter { table in
        table.columns.contains(column.name.asciiUppercased) && column.table.map { table.isNamed($0) } != false
      }
      guard owners.count == 1, let shape = owners.first?.shape, shape.schema.isSameName(as: "main") else { continue }
      let target = SQL.quoted(shape.name) + "(" + SQL.quoted(column.name) + ")"
      guard tried.insert(target.asciiUppercased).inserted else { continue }
      let index = "CREATE INDEX \(SQL.quoted(shape.name + "_" + column.name)) ON \(target)"
      if helps(index, in: sql, of: tables, ignoringConstants) { return "; this finds them at once: \(index)" }
    }
    return ""
  }

  /// Whether a statement scans no table any more if there is an index: tried with empty tables in memory.
  private func helps(_ index: String, in sql: SQL, of tables: [SourceTable], _ ignoringConstants: Bool) -> Bool {
    do {
      let empty = try Database.inMemory()
      return try empty.write { c in
        for name in Set(tables.map { ByteString($0.shape.name) }) {
          let schema = try probe.connection.copiedRows(
            "SELECT sql FROM main.sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL AND type IN ('table', 'index') "
              + "ORDER BY type DESC", [.text(name.text)])
          for row in schema { try c.executeScript(try row[0]) }
        }
        try c.executeScript(index)
        return try PlanProbe(connection: c).scan(in: sql, ignoringConstants: ignoringConstants) == nil
      }
    } catch {
      return false  // the statement uses what only the program has, such as a function
    }
  }
}

/// A comparison of two columns, alone or among others that are joined by AND.
private struct ColumnComparison {
  typealias Column = (table: String?, name: String)
  var left: Column
  var right: Column

  static func all(in sql: SQLTokens) -> [ColumnComparison] {
    sql.tokens.indices.compactMap { index in
      guard sql.tokens[index].isMark("=") || sql.tokens[index].isWord("IS") else { return nil }
      let isDouble = index + 1 < sql.tokens.count && sql.tokens[index + 1].isMark("=")
      guard let left = column(endingAt: index - 1, sql), let right = column(startingAt: index + (isDouble ? 2 : 1), sql)
      else { return nil }
      return ColumnComparison(left: left, right: right)
    }
  }

  private static func column(endingAt end: Int, _ sql: SQLTokens) -> Column? {
    let start = end >= 2 && sql.tokens[end - 1].isMark(".") ? end - 2 : end
    if start > 0 {
      let before = sql.tokens[start - 1]
      guard before.isMark("(") || ["ON", "AND", "WHERE"].contains(where: before.isWord) else { return nil }
    }
    return column(start, end, sql)
  }

  private static func column(startingAt start: Int, _ sql: SQLTokens) -> Column? {
    let isQualified = start + 2 < sql.tokens.count && sql.tokens[start + 1].isMark(".")
    let end = isQualified ? start + 2 : start
    if end + 1 < sql.tokens.count {
      let after = sql.tokens[end + 1]
      let ends = ["AND", "WHERE", "JOIN", "LEFT", "INNER", "CROSS", "ORDER", "GROUP", "LIMIT"]
      guard after.isMark(")") || after.isMark(",") || ends.contains(where: after.isWord) else { return nil }
    }
    return column(start, end, sql)
  }

  private static func column(_ start: Int, _ end: Int, _ sql: SQLTokens) -> Column? {
    func name(_ place: Int) -> String? {
      guard sql.tokens.indices.contains(place) else { return nil }
      let token = sql.tokens[place]
      switch token.kind {
      case .word: return String(decoding: sql.bytes[token.range], as: UTF8.self)
      case .quoted(let name): return name
      default: return nil
      }
    }
    guard let column = name(end) else { return nil }
    return (start == end ? nil : name(start), column)
  }
}
