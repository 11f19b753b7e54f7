import FetchedResultsCore
import RowModel

/// The `x IN (SELECT …)` and `(x, y) IN (SELECT …)` in a condition, where x and y are names of columns; not those
/// in other subqueries.
struct InSubqueries {
  /// A column's name in upper case, with its table's if that is written.
  struct ColumnName {
    var table: String?
    var column: String

    /// The name that ends in a token, and the index of its first token; nil if no name ends there.
    static func ending(at index: Int, in tokens: [SQLTokens.Token]) -> (name: ColumnName, first: Int)? {
      guard tokens.indices.contains(index), let column = tokens[index].plainName?.asciiUppercased,
        !InSubqueries.wordsForValues.contains(column)
      else { return nil }
      guard index > 0, tokens[index - 1].isMark(".") else { return (ColumnName(column: column), index) }
      guard index > 1, let table = tokens[index - 2].plainName else { return nil }
      if index > 2, tokens[index - 3].isMark(".") { return nil }
      return (ColumnName(table: table, column: column), index - 2)
    }

    /// The name that some tokens are; nil if they are anything else.
    static func only(in tokens: ArraySlice<SQLTokens.Token>) -> ColumnName? {
      let tokens = Array(tokens)
      guard let (name, first) = ending(at: tokens.count - 1, in: tokens), first == 0 else { return nil }
      return name
    }
  }

  struct InSubquery {
    var left: [ColumnName]
    var isNegated: Bool
    /// The SELECT in the parentheses.
    var body: Range<Int>
    /// From the columns' names to the parenthesis that closes the SELECT.
    var range: Range<Int>
    /// Whether only AND, OR and parentheses are around it, so that NULL is the same as false. That includes the NOT of
    /// a NOT IN.
    var mayBeNull: Bool
  }

  let tokens: SQLTokens
  private(set) var all: [InSubquery] = []

  /// Words that mean a value, even if a column has that name.
  static let wordsForValues: Set<String> = ["NULL", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"]

  /// The words after which an operand begins, and nothing that binds more tightly than IN precedes it.
  private static let wordsBefore: Set<String> = ["AND", "OR", "NOT", "WHEN", "THEN", "ELSE"]

  /// The words before which an expression ends, whatever operators it has.
  private static let wordsAfter: Set<String> = ["AND", "OR", "WHEN", "THEN", "ELSE", "END"]

  init(_ condition: SQL) {
    tokens = SQLTokens(condition)
    let list = tokens.tokens
    var next = 0
    while next + 1 < list.count {
      let index = next - 1
      next += 1
      guard list[index + 1].isMark("("), list[index + 2].isWord("SELECT"),
        let end = list[(index + 2)...].firstIndex(where: { $0.isMark(")") && $0.depth == list[index + 1].depth })
      else { continue }
      next = end
      guard index >= 0, list[index].isWord("IN") else { continue }
      var isNegated = index > 0 && list[index - 1].isWord("NOT")
      guard let (names, left) = Self.names(endingAt: index - (isNegated ? 2 : 1), in: list) else { continue }
      var first = left
      // `NOT x IN (…)` is the same as `x NOT IN (…)`, if nothing follows that binds as tightly as IN.
      let follows = end + 1 < list.count ? list[end + 1] : nil
      if !isNegated, first > 0, list[first - 1].isWord("NOT"), first == 1 || !list[first - 2].isWord("IS"),
        follows == nil || follows?.isMark(")") == true
          || Self.wordsAfter.contains(where: { follows?.isWord($0) == true })
      {
        isNegated = true
        first -= 1
      }
      if first > 0 {
        let before = list[first - 1]
        guard before.isMark("(") || before.isMark(",") || Self.wordsBefore.contains(where: before.isWord) else {
          continue
        }
        // IS NOT and BETWEEN … AND bind as tightly as IN.
        if first > 1, before.isWord("NOT"), list[first - 2].isWord("IS") { continue }
        if before.isWord("AND"), Self.belongsToBetween(first - 1, in: list) { continue }
      }
      all.append(
        InSubquery(
          left: names, isNegated: isNegated, body: list[index + 2].range.lowerBound..<list[end].range.lowerBound,
          range: list[first].range.lowerBound..<list[end].range.upperBound,
          mayBeNull: Self.isInAndOr(first...end, in: list)))
    }
  }

  /// The columns that end in a token, `x` or `(x, y)`, and the index of their first token; nil if there are none.
  private static func names(endingAt index: Int, in tokens: [SQLTokens.Token]) -> (names: [ColumnName], first: Int)? {
    if let (name, first) = ColumnName.ending(at: index, in: tokens) { return ([name], first) }
    guard tokens.indices.contains(index), tokens[index].isMark(")"),
      let open = tokens[..<index].lastIndex(where: { $0.isMark("(") && $0.depth == tokens[index].depth })
    else { return nil }
    var names: [ColumnName] = []
    for part in tokens[(open + 1)..<index].split(omittingEmptySubsequences: false, whereSeparator: { $0.isMark(",") }) {
      guard let name = ColumnName.only(in: part) else { return nil }
      names.append(name)
    }
    return (names, open)
  }

  /// Whether an AND belongs to a BETWEEN, or might.
  static func belongsToBetween(_ and: Int, in tokens: [SQLTokens.Token]) -> Bool {
    let depth = tokens[and].depth
    var open = 0
    for token in tokens[..<and].reversed().prefix(while: { $0.depth >= depth }).reversed() where token.depth == depth {
      if token.isWord("BETWEEN") { open += 1 }
      if token.isWord("AND"), open > 0 { open -= 1 }
      // An AND inside CASE … END belongs to no BETWEEN before it, so those can't be counted.
      if token.isWord("CASE") { return true }
    }
    return open > 0
  }

  /// Whether an expression is the whole condition, or joined with the rest of it by AND and OR only, in parentheses or
  /// not.
  private static func isInAndOr(_ part: ClosedRange<Int>, in tokens: [SQLTokens.Token]) -> Bool {
    var part = part
    while true {
      let depth = tokens[part.lowerBound].depth
      let open = tokens[..<part.lowerBound].lastIndex { $0.isMark("(") && $0.depth == depth - 1 }
      let close = tokens[part.upperBound...].dropFirst().firstIndex { $0.isMark(")") && $0.depth == depth - 1 }
      let group = (open.map { $0 + 1 } ?? 0)..<(close ?? tokens.count)
      func joins(_ index: Int) -> Bool {
        tokens[index].isWord("OR") || tokens[index].isWord("AND") && !belongsToBetween(index, in: tokens)
      }
      if tokens[group].contains(where: { $0.depth == depth && $0.isWord("CASE") }) { return false }
      if part.lowerBound > group.lowerBound, !joins(part.lowerBound - 1) { return false }
      if part.upperBound + 1 < group.upperBound, !joins(part.upperBound + 1) { return false }
      guard let open, let close else { return open == nil && close == nil }
      part = open...close
    }
  }
}
