import FetchedResultsCore
import RowModel
import SQLiteStore

extension QueryPlanner {
  /// What would find the rows for which a statement scans a table, as the end of a reason: an index on the column that
  /// the statement compares with one of another table. Empty if no such comparison is found.
  func advice(onScanning alias: String, in sql: SQL, of tables: [SourceTable?]) -> String {
    let tables = tables.compactMap { $0 }
    guard let scanned = tables.first(where: { $0.isNamed(alias) }) else { return "" }
    for comparison in ColumnComparison.all(in: SQLTokens(sql)) {
      let columns = [comparison.left, comparison.right]
      let owners = columns.map { column in
        tables.filter { table in
          column.table.map { table.isNamed($0) } ?? table.columns.contains(column.name.asciiUppercased)
        }
      }
      guard owners.allSatisfy({ $0.count == 1 }), owners[0][0].source.alias != owners[1][0].source.alias,
        let side = owners.firstIndex(where: { $0[0].source.alias == scanned.source.alias }),
        scanned.columns.contains(columns[side].name.asciiUppercased)
      else { continue }
      let (table, column) = (scanned.shape.name, columns[side].name)
      let file = scanned.shape.schema.isSameName(as: "main") ? "" : SQL.quoted(scanned.shape.schema) + "."
      let (index, target) = (SQL.quoted(table + "_" + column), SQL.quoted(table) + "(" + SQL.quoted(column) + ")")
      return "; this finds them at once: CREATE INDEX \(file)\(index) ON \(target)"
    }
    return ""
  }
}

/// A comparison of two columns, alone or among others that are joined by AND.
private struct ColumnComparison {
  typealias Column = (table: String?, name: String)
  var left: Column
  var right: Column

  static func all(in sql: SQLTokens) -> [ColumnComparison] {
    sql.tokens.indices.compactMap { index in
      guard sql.tokens[index].isMark("=") || sql.tokens[index].isWord("IS"),
        let left = column(endingAt: index - 1, sql), let right = column(startingAt: index + 1, sql)
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
