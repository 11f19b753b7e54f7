import FetchedResultsCore
import RowModel
import SQLiteStore

/// A SELECT divided into its pieces, if it only selects from tables and joins.
struct SelectPieces {
  /// The text between SELECT and FROM.
  var columns: SQL
  var from: SQL
  var condition: SQL?

  /// Divides a statement; throws a reason if it contains anything else.
  ///
  /// If `ignoringOrder`, an ORDER BY without a LIMIT is left out, because it doesn't affect which rows there are.
  init(_ sql: SQL, ignoringOrder: Bool) throws(FromClause.NotUnderstood) {
    let tokens = SQLTokens(sql)
    let list = tokens.tokens.filter { $0.depth == 0 && !$0.isMark(";") }
    guard let first = list.first, first.isWord("SELECT") else {
      throw .init("a statement that does not begin with SELECT")
    }
    if list.count > 1, list[1].isWord("DISTINCT") { throw .init("DISTINCT") }
    for (word, reason) in Self.refused where list.contains(where: { $0.isWord(word) }) { throw .init(reason) }
    // The FROM of IS DISTINCT FROM is none.
    let froms = list.indices.filter { list[$0].isWord("FROM") && !list[$0 - 1].isWord("DISTINCT") }
    guard let fromIndex = froms.first else { throw .init("a SELECT without FROM") }
    let whereIndex = list.firstIndex { $0.isWord("WHERE") }
    let orderIndex = list.firstIndex { $0.isWord("ORDER") }
    // It isn't a valid statement; SQLite's own error is better.
    let clauses = [fromIndex, whereIndex, orderIndex].compactMap { $0 }
    guard clauses == clauses.sorted() else { throw .init("clauses out of order") }
    if orderIndex != nil, !ignoringOrder { throw .init("an order of the statement's own") }
    let end = list.last?.range.upperBound ?? 0
    func piece(_ from: Int, _ to: Int?) throws(FromClause.NotUnderstood) -> SQL {
      guard let part = tokens.part(list[from].range.upperBound..<(to.map { list[$0].range.lowerBound } ?? end)) else {
        throw .init("parameters with names or numbers")
      }
      return part
    }
    columns = try piece(0, fromIndex)
    from = try piece(fromIndex, whereIndex ?? orderIndex)
    if let whereIndex { condition = try piece(whereIndex, orderIndex) }
  }

  /// The whole statement.
  var sql: SQL {
    let rows = SQL(raw: "SELECT ") + columns + SQL(raw: " FROM ") + from
    return condition.map { rows + SQL(raw: "\nWHERE ") + $0 } ?? rows
  }

  private static let refused = [
    ("GROUP", "GROUP BY"), ("HAVING", "HAVING"), ("WINDOW", "a window"),
    ("UNION", "a compound SELECT"), ("INTERSECT", "a compound SELECT"), ("EXCEPT", "a compound SELECT"),
    ("LIMIT", "a LIMIT of the statement's own"),
  ]

  init(columns: SQL, from: SQL, condition: SQL?) {
    self.columns = columns
    self.from = from
    self.condition = condition
  }
}
