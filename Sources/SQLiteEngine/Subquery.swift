import FetchedResultsCore
import RowModel
import SQLiteStore

/// A SELECT inside an expression.
///
/// Its result for a row depends only on the rows of its own tables that meet its condition for that row. So a change to
/// one of those rows affects the rows of the outer query that meet it together with that row, before or after the
/// change, whatever is done with the subquery's result.
struct Subquery {
  var from: FromClause
  var condition: SQL?
  /// Whether it is in the FROM clause of the outer query.
  var isInJoin = false

  /// The subqueries in a piece of SQL; throws if one contains more than tables, joins and a condition.
  static func all(in sql: SQL) throws(FromClause.NotUnderstood) -> [Subquery] {
    let tokens = SQLTokens(sql)
    var found: [Subquery] = []
    for body in try bodies(tokens) {
      guard let part = tokens.part(body) else { throw .init("parameters with names or numbers") }
      found.append(try Subquery(part))
    }
    return found
  }

  /// The SQL with its subqueries replaced by empty ones.
  static func hollow(_ sql: SQL) throws(FromClause.NotUnderstood) -> SQL {
    let tokens = SQLTokens(sql)
    var bytes = Array(sql.text.utf8)
    for body in try bodies(tokens).reversed() { bytes.replaceSubrange(body, with: "SELECT 1".utf8) }
    // Bound values don't matter if a statement is only examined.
    return SQL(raw: String(decoding: bytes, as: UTF8.self))
  }

  private static func bodies(_ tokens: SQLTokens) throws(FromClause.NotUnderstood) -> [Range<Int>] {
    var bodies: [Range<Int>] = []
    let list = tokens.tokens
    var index = 0
    while index < list.count {
      let token = list[index]
      index += 1
      if token.isWord("IN"), index < list.count, !list[index].isMark("(") {
        throw .init("IN without a list in parentheses")
      }
      guard token.isMark("("), index < list.count else { continue }
      if list[index].isWord("WITH") || list[index].isWord("VALUES") { throw .init("WITH or VALUES in an expression") }
      guard list[index].isWord("SELECT") else { continue }
      guard let end = list[index...].firstIndex(where: { $0.isMark(")") && $0.depth == token.depth }) else {
        throw .init("parentheses that do not close")
      }
      bodies.append(list[index].range.lowerBound..<list[end].range.lowerBound)
      index = end
    }
    return bodies
  }

  private init(_ sql: SQL) throws(FromClause.NotUnderstood) {
    let tokens = SQLTokens(sql)
    let list = tokens.tokens
    if list.dropFirst().contains(where: { $0.isWord("SELECT") }) { throw .init("a subquery in a subquery") }
    let top = list.filter { $0.depth == 0 }
    guard let fromIndex = top.firstIndex(where: { $0.isWord("FROM") }) else { throw .init("a subquery without FROM") }
    let ends = ["GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW"]
    if top.contains(where: { $0.isWord("UNION") || $0.isWord("EXCEPT") || $0.isWord("INTERSECT") }) {
      throw .init("a compound SELECT")
    }
    let whereIndex = top.firstIndex { $0.isWord("WHERE") }
    let endIndex = top.firstIndex { token in ends.contains { token.isWord($0) } }
    let end = endIndex.map { top[$0].range.lowerBound } ?? sql.text.utf8.count
    let fromEnd = whereIndex.map { top[$0].range.lowerBound } ?? end
    guard let from = tokens.part(top[fromIndex].range.upperBound..<fromEnd) else {
      throw .init("parameters with names or numbers")
    }
    self.from = try FromClause(from)
    if let whereIndex {
      guard let condition = tokens.part(top[whereIndex].range.upperBound..<end) else {
        throw .init("parameters with names or numbers")
      }
      self.condition = condition
    }
  }
}
