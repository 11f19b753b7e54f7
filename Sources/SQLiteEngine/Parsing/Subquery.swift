import FetchedResultsCore
import RowModel
import SQLiteStore

/// A SELECT inside an expression.
///
/// Its result for a row depends only on the rows of its own tables that meet its condition for that row. So a change to
/// one of those rows affects the rows of the outer query that meet it together with that row, before or after the
/// change, whatever is done with the subquery's result. A subquery in another one also needs a row of that one, unless
/// it is beside an aggregate.
struct Subquery {
  var from: FromClause
  var condition: SQL?
  /// Its results, if they are columns of each of the rows that meet the condition; otherwise empty.
  var columns: [InSubqueries.ColumnName] = []
  /// Whether it is in the FROM clause of the outer query.
  var isInJoin = false
  /// The subqueries that it is in, from the outermost on.
  var around: [Around] = []
  /// The position of the condition in the subquery's text.
  private(set) var conditionRange: Range<Int>?

  /// A subquery around another one.
  struct Around {
    var from: FromClause
    /// The parts of its condition that must all be met, as far as they contain no subquery.
    var conditions: [SQL]
    /// Whether the one in it counts even if this one finds no row: it is beside an aggregate, which then has a result
    /// too, as in `SELECT count(*) < (SELECT …) FROM …`.
    var mayBeEmpty: Bool
  }

  /// The subqueries in a piece of SQL, also those in others; throws if one contains more than tables, joins and a
  /// condition.
  static func all(in sql: SQL) throws(FromClause.NotUnderstood) -> [Subquery] {
    let tokens = SQLTokens(sql)
    var found: [Subquery] = []
    for body in try bodies(tokens) { found += try all(in: tokens, body) }
    return found
  }

  /// The subquery at a position, and those in it.
  private static func all(
    in tokens: SQLTokens, _ body: Range<Int>
  ) throws(FromClause.NotUnderstood) -> [Subquery] {
    guard let part = tokens.part(body) else { throw .init("parameters with names or numbers") }
    let subquery = try Subquery(part)
    var found = [subquery]
    let inside = SQLTokens(part)
    for body in try bodies(inside) {
      let around = Around(
        from: subquery.from, conditions: subquery.plainConditions,
        mayBeEmpty: subquery.conditionRange?.contains(body.lowerBound) != true
          && AggregateScan(inside.tokens, except: subquery.conditionRange).isBesideAggregate(body))
      for var inner in try all(in: inside, body) {
        inner.around.insert(around, at: 0)
        found.append(inner)
      }
    }
    return found
  }

  /// The parts of its condition that must all be met, as far as they contain no subquery.
  var plainConditions: [SQL] {
    guard let condition else { return [] }
    let tokens = SQLTokens(condition)
    let list = tokens.tokens
    var parts: [SQL?] = []
    var start = 0
    // OR binds less tightly than AND, and what is in CASE … END is no part of the condition.
    if !list.contains(where: { $0.depth == 0 && ($0.isWord("OR") || $0.isWord("CASE")) }) {
      for (index, token) in list.enumerated() where token.depth == 0 && token.isWord("AND") {
        if InSubqueries.belongsToBetween(index, in: list) { continue }
        parts.append(tokens.part(start..<token.range.lowerBound))
        start = token.range.upperBound
      }
    }
    parts.append(tokens.part(start..<condition.text.utf8.count))
    return parts.compactMap { $0 }.filter { !SQLTokens($0).contains(word: "SELECT") }
  }

  /// The subquery with other names for its tables where they have names of outer ones, as in
  /// `id IN (SELECT parent FROM item)`; nil if that needs more than replacing names.
  ///
  /// - Parameter body: The subquery's text.
  func withNames(unlike outer: [String], _ body: SQL) throws(FromClause.NotUnderstood) -> Subquery? {
    func isOuter(_ name: String) -> Bool { outer.contains { $0.isSameName(as: name) } }
    let shadowing = from.sources.filter { isOuter($0.alias) }
    if shadowing.isEmpty { return self }
    guard let old = shadowing.first?.alias, shadowing.count == 1, shadowing[0].table.isSameName(as: old) else {
      return nil
    }
    var new = "inner_\(old)"
    while isOuter(new) || from.sources.contains(where: { $0.alias.isSameName(as: new) }) { new = "inner_\(new)" }
    let tokens = SQLTokens(body)
    let list = tokens.tokens
    if list.dropFirst().contains(where: { $0.isWord("SELECT") }) { return nil }
    var bytes = tokens.bytes
    for (index, token) in list.enumerated().reversed() where token.name.map({ $0.isSameName(as: old) }) == true {
      let before = index > 0 ? list[index - 1] : nil
      let after = index + 1 < list.count ? list[index + 1] : nil
      if before?.isMark(".") == true {
        // A column of another table.
        if after?.isMark(".") == true { return nil }
      } else if after?.isMark(".") == true {
        bytes.replaceSubrange(token.range, with: Array(SQL.quoted(new).utf8))
      } else if before?.isWord("FROM") == true || before?.isWord("JOIN") == true || before?.isMark(",") == true,
        token.depth == 0
      {
        bytes.insert(contentsOf: Array(" AS \(SQL.quoted(new))".utf8), at: token.range.upperBound)
      } else {
        return nil
      }
    }
    let renamed = try Subquery(SQL(raw: String(decoding: bytes, as: UTF8.self), bindings: body.bindings))
    return renamed.from.sources.contains { isOuter($0.alias) } ? nil : renamed
  }

  /// The SQL with its subqueries replaced by empty ones.
  static func hollow(_ sql: SQL) throws(FromClause.NotUnderstood) -> SQL {
    let lists = InSubqueries(sql)
    var bytes = Array(sql.text.utf8)
    for body in try bodies(lists.tokens).reversed() {
      let count = lists.all.first { $0.body == body }?.left.count ?? 1
      bytes.replaceSubrange(body, with: "SELECT 1\(String(repeating: ", 1", count: count - 1))".utf8)
    }
    // Bound values don't matter if a statement is only examined.
    return SQL(raw: String(decoding: bytes, as: UTF8.self))
  }

  /// The positions of the subqueries in a text, without those in others and without their parentheses.
  static func bodies(_ tokens: SQLTokens) throws(FromClause.NotUnderstood) -> [Range<Int>] {
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

  /// The names that a subquery gives its results, with AS or without.
  private static func resultNames(_ tokens: [SQLTokens.Token], before end: Int) -> Set<String> {
    var names: Set<String> = []
    for (index, token) in tokens.enumerated() where index >= 2 && index + 1 < tokens.count {
      let next = tokens[index + 1]
      guard token.depth == 0, next.range.lowerBound <= end else { continue }
      guard next.isMark(",") || next.range.lowerBound == end, let name = token.name else { continue }
      switch tokens[index - 1].kind {
      case .word(let word) where wordsBeforeValues.contains(word): continue
      case .mark(let mark) where mark != UInt8(ascii: ")"): continue
      default: names.insert(name)
      }
    }
    return names
  }

  /// The words after which a name is a column's and not a result's.
  private static let wordsBeforeValues: Set<String> = [
    "SELECT", "DISTINCT", "ALL", "NOT", "AND", "OR", "IS", "LIKE", "GLOB", "MATCH", "REGEXP", "BETWEEN", "ESCAPE",
    "COLLATE", "FROM",
  ]

  /// Whether a token begins what may follow the condition.
  private static func endsCondition(_ tokens: [SQLTokens.Token], _ index: Int) -> Bool {
    switch tokens[index].kind {
    case .word("GROUP"), .word("HAVING"), .word("ORDER"), .word("LIMIT"): true
    // A table or a column may be called `window`. SQLite decides by what follows, too.
    case .word("WINDOW"): index + 2 < tokens.count && tokens[index + 1].name != nil && tokens[index + 2].isWord("AS")
    default: false
    }
  }

  init(_ sql: SQL) throws(FromClause.NotUnderstood) {
    let tokens = SQLTokens(sql)
    let list = tokens.tokens
    let top = list.filter { $0.depth == 0 }
    guard let fromIndex = top.firstIndex(where: { $0.isWord("FROM") }) else { throw .init("a subquery without FROM") }
    if top.contains(where: { $0.isWord("UNION") || $0.isWord("EXCEPT") || $0.isWord("INTERSECT") }) {
      throw .init("a compound SELECT")
    }
    let whereIndex = top[fromIndex...].firstIndex { $0.isWord("WHERE") }
    let endIndex = top.indices[fromIndex...].first { Self.endsCondition(top, $0) }
    let end = endIndex.map { top[$0].range.lowerBound } ?? sql.text.utf8.count
    let fromEnd = whereIndex.map { top[$0].range.lowerBound } ?? end
    guard let from = tokens.part(top[fromIndex].range.upperBound..<fromEnd) else {
      throw .init("parameters with names or numbers")
    }
    if SQLTokens(from).contains(word: "SELECT") { throw .init("a subquery in a join of a subquery") }
    self.from = try FromClause(from)
    // In its conditions and in subqueries of its order, SQLite looks for the names of its results before it looks for
    // the outer query's columns. Where the subquery is taken apart there are no results.
    let names = Self.resultNames(list, before: top[fromIndex].range.lowerBound)
    let places = [top[fromIndex].range.upperBound..<end] + (try Self.bodies(tokens))
    for (index, token) in list.enumerated()
    where places.contains(where: { $0.contains(token.range.lowerBound) }) {
      if list[index - 1].isMark(".") || index + 1 < list.count && list[index + 1].isMark(".") { continue }
      if let name = token.name, names.contains(name) {
        throw .init("a subquery in which the name of its result is used")
      }
    }
    if let whereIndex {
      guard let condition = tokens.part(top[whereIndex].range.upperBound..<end) else {
        throw .init("parameters with names or numbers")
      }
      self.condition = condition
      conditionRange = top[whereIndex].range.upperBound..<end
    }
    // An order alone does not change which rows there are.
    let isPlain = endIndex.map { top[$0].isWord("ORDER") && !top[$0...].contains { $0.isWord("LIMIT") } } ?? true
    if isPlain { columns = Self.columns(top[..<fromIndex]) }
  }

  /// The results of a subquery, if all of them are columns, whatever names they get; otherwise none.
  private static func columns(_ tokens: ArraySlice<SQLTokens.Token>) -> [InSubqueries.ColumnName] {
    var tokens = tokens.dropFirst()
    if tokens.first?.isWord("DISTINCT") == true || tokens.first?.isWord("ALL") == true { tokens.removeFirst() }
    var names: [InSubqueries.ColumnName] = []
    for part in tokens.split(omittingEmptySubsequences: false, whereSeparator: { $0.isMark(",") }) {
      let part = part.prefix { !$0.isWord("AS") }
      guard let name = InSubqueries.ColumnName.only(in: part) else { return [] }
      names.append(name)
    }
    return names
  }
}
