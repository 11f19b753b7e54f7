import RowModel

/// Finds what a SELECT evaluates even if its tables have no rows: what is beside an aggregate, and not in one.
///
/// It knows the functions by their names. One that it doesn't know counts as an aggregate.
struct AggregateScan {
  private let tokens: [SQLTokens.Token]
  /// The condition, in which there are no aggregates of this SELECT.
  private let condition: Range<Int>?

  init(_ tokens: [SQLTokens.Token], except condition: Range<Int>?) {
    self.tokens = tokens
    self.condition = condition
  }

  /// - Parameter body: The position of a subquery outside the condition.
  func isBesideAggregate(_ body: Range<Int>) -> Bool {
    // Without rows there are no groups.
    if tokens.contains(where: { $0.depth == 0 && $0.isWord("GROUP") }) { return false }
    var isAggregate = false
    for index in tokens.indices.dropLast() where tokens[index + 1].isMark("(") {
      let token = tokens[index]
      guard let name = token.plainName?.asciiUppercased, !isInSubquery(index),
        condition?.contains(token.range.lowerBound) != true
      else { continue }
      let end = tokens[(index + 2)...].firstIndex { $0.isMark(")") && $0.depth == tokens[index + 1].depth }
      let arguments = index + 2..<(end ?? tokens.count)
      switch Self.kind(of: name, hasSeveral: hasSeveral(arguments)) {
      case .scalar: continue
      case .aggregate:
        let range = token.range.lowerBound..<(end.map { tokens[$0].range.upperBound } ?? .max)
        // It is evaluated for each row.
        if range.contains(body.lowerBound) { return false }
        isAggregate = true
      case .unknown: isAggregate = true
      }
    }
    return isAggregate
  }

  private func isInSubquery(_ index: Int) -> Bool {
    var depth = tokens[index].depth
    for place in tokens.indices[..<index].reversed() where tokens[place].isMark("(") && tokens[place].depth < depth {
      depth = tokens[place].depth
      if tokens[place + 1].isWord("SELECT") { return true }
    }
    return false
  }

  private func hasSeveral(_ arguments: Range<Int>) -> Bool {
    guard let first = arguments.first else { return false }
    return arguments.contains { tokens[$0].isMark(",") && tokens[$0].depth == tokens[first - 1].depth + 1 }
  }

  private enum Kind { case scalar, aggregate, unknown }

  private static func kind(of name: String, hasSeveral: Bool) -> Kind {
    switch name {
    case "MIN", "MAX": hasSeveral ? .scalar : .aggregate
    case _ where aggregates.contains(name): .aggregate
    case _ where scalars.contains(name) || name.hasPrefix("JSON_") || name.hasPrefix("JSONB_"): .scalar
    default: .unknown
    }
  }

  private static let aggregates: Set<String> = [
    "COUNT", "SUM", "TOTAL", "AVG", "GROUP_CONCAT", "STRING_AGG", "JSON_GROUP_ARRAY", "JSON_GROUP_OBJECT",
    "JSONB_GROUP_ARRAY", "JSONB_GROUP_OBJECT",
  ]

  /// Functions, and words that may precede a parenthesis.
  private static let scalars: Set<String> = [
    "ABS", "CEIL", "CHAR", "COALESCE", "DATE", "DATETIME", "FLOOR", "FORMAT", "GLOB", "HEX", "IFNULL", "IIF", "INSTR",
    "JSON", "JULIANDAY", "LENGTH", "LIKE", "LOWER", "LTRIM", "NULLIF", "PRINTF", "QUOTE", "REPLACE", "ROUND", "RTRIM",
    "SIGN", "STRFTIME", "SUBSTR", "SUBSTRING", "TIME", "TRIM", "TYPEOF", "UNHEX", "UNICODE", "UNIXEPOCH", "UPPER",
    "ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "CAST", "DISTINCT", "ELSE", "EXISTS", "FROM", "HAVING", "IN", "IS",
    "ISNULL", "JOIN", "LIMIT", "NOT", "NOTNULL", "OFFSET", "ON", "OR", "REGEXP", "SELECT", "THEN", "USING", "VALUES",
    "WHEN",
  ]
}
