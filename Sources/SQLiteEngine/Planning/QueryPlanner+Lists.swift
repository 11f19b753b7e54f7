import FetchedResultsCore
import RowModel
import SQLiteStore

extension QueryPlanner {
  /// Returns the query with `EXISTS (SELECT … WHERE … AND x = y)` in place of each `x IN (SELECT y … WHERE …)`
  /// of its condition, or `(x1, x2) IN (SELECT y1, y2 …)`, for which that is equivalent; nil if no IN can be
  /// replaced.
  ///
  /// For one row, SQLite computes the whole list of an IN, and a change of the list's table does not say which rows it
  /// concerns. An EXISTS looks only for what belongs to the row, and its comparison finds the rows that a change
  /// concerns.
  ///
  /// - Parameter tables: The tables of the query, in the order of its FROM clause.
  /// - Parameter isWanted: Whether the IN with this number may be replaced.
  func comparingLists(
    _ composition: Composition, _ clause: FromClause, _ tables: [SourceTable?], where isWanted: (Int) -> Bool
  ) throws -> Composition? {
    guard let condition = composition.condition else { return nil }
    do {
      var compared = composition
      compared.condition = try comparing(condition, [clause], tables, where: isWanted)
      return compared.condition.map { _ in compared }
    } catch is NotUnderstood {
      return nil
    }
  }

  /// - Parameters:
  ///   - clauses: The FROM clauses around the condition.
  ///   - tables: The tables of the innermost of them.
  private func comparing(
    _ condition: SQL, _ clauses: [FromClause], _ tables: [SourceTable?], where isWanted: (Int) -> Bool = { _ in true }
  ) throws -> SQL? {
    let lists = InSubqueries(condition)
    var sql = SQL.empty
    var end = 0
    func replace(_ range: Range<Int>, _ replacement: SQL) {
      guard let before = lists.tokens.part(end..<range.lowerBound) else { return }
      sql += before + replacement
      end = range.upperBound
    }
    for body in try Subquery.bodies(lists.tokens) {
      guard let part = lists.tokens.part(body) else { continue }
      let subquery = try Subquery(part)
      // Those in the subquery.
      let inner = try subquery.condition.flatMap { condition in
        let own = try subquery.from.sources.map { try table($0) }
        return try comparing(condition, clauses + [subquery.from], own)
      }
      if let number = lists.all.firstIndex(where: { $0.body == body }), isWanted(number),
        let named = try subquery.withNames(unlike: clauses.flatMap(\.sources).map(\.alias), part),
        let replacement = try exists(lists.all[number], named, inner, tables)
      {
        replace(lists.all[number].range, replacement)
        continue
      }
      if let inner, let range = subquery.conditionRange {
        let place = body.lowerBound + range.lowerBound..<body.lowerBound + range.upperBound
        replace(place, SQL(raw: " ") + inner + SQL(raw: "\n"))
      }
    }
    guard end > 0, let rest = lists.tokens.part(end..<condition.text.utf8.count) else { return nil }
    return sql + rest
  }

  /// - Parameter inner: The condition of the list's SELECT with the lists in it replaced, if there are any.
  private func exists(
    _ list: InSubqueries.InSubquery, _ subquery: Subquery, _ inner: SQL?, _ tables: [SourceTable?]
  ) throws -> SQL? {
    let own = try subquery.from.sources.map { try table($0) }
    let left = list.left.compactMap { column($0, of: tables) }
    let right = subquery.columns.compactMap { column($0, of: own) }
    guard left.count == list.left.count, right.count == subquery.columns.count, left.count == right.count else {
      return nil
    }
    // Where NULL is not the same as false, there must be none. NULL left of NOT IN means that the list must be empty.
    let isLeftNeverNull = left.allSatisfy(\.isNeverNull)
    let isRightNeverNull = right.allSatisfy(\.isNeverNull)
    let hasNull = !(isLeftNeverNull && isRightNeverNull)
    if hasNull, !list.mayBeNull || list.isNegated && (!isLeftNeverNull || left.count > 1) { return nil }
    func exists(_ comparison: String, _ condition: SQL?) -> SQL {
      let conditions = condition.map { SQL(raw: "(") + $0 + SQL(raw: "\n) AND ") } ?? .empty
      return SQL(raw: "EXISTS (SELECT 1 FROM ") + subquery.from.sql + SQL(raw: "\nWHERE ") + conditions
        + SQL(raw: comparison + ")")
    }
    let comparison = zip(left, right).map { "\($0.sql) = \($1.sql)" }.joined(separator: " AND ")
    let equal = exists(comparison, inner ?? subquery.condition)
    if !list.isNegated { return SQL(raw: "(") + equal + SQL(raw: ")") }
    if isRightNeverNull { return SQL(raw: "(NOT ") + equal + SQL(raw: ")") }
    // NULL in the list of NOT IN means that no row is in the result. The lists in its condition are not replaced again,
    // or the statement would double at each level.
    let null = exists("\(right[0].sql) IS NULL", subquery.condition)
    return SQL(raw: "(NOT ") + equal + SQL(raw: " AND NOT ") + null + SQL(raw: ")")
  }

  /// A column of one of some tables that are joined without LEFT JOIN; nil if it isn't clear whose it is.
  private func column(_ name: InSubqueries.ColumnName, of tables: [SourceTable?]) -> (sql: String, isNeverNull: Bool)? {
    var candidates: [SourceTable] = []
    for table in tables {
      // Which columns a table-valued function has is not known.
      guard let table else {
        if name.table == nil { return nil } else { continue }
      }
      if let alias = name.table, !table.isNamed(alias) { continue }
      if table.has(name.column) { candidates.append(table) }
    }
    guard let table = candidates.first, candidates.count == 1, table.source.join == .inner else { return nil }
    return ("\(SQL.quoted(table.source.alias)).\(SQL.quoted(name.column))", table.isNeverNull(name.column))
  }

  /// The condition of a subquery, for a FROM clause with the subquery's tables and those of the query. A column of the
  /// subquery's own tables gets the name of its table if the query has a column with that name too. Those inside
  /// another subquery stay as they are; SQLite refuses the statement if one of them is ambiguous.
  func qualified(_ condition: SQL?, own: [SourceTable?], outer: [SourceTable?]) throws -> SQL? {
    guard let condition else { return nil }
    let tokens = SQLTokens(condition)
    let list = tokens.tokens
    let inner = try Subquery.bodies(tokens)
    var bytes = tokens.bytes
    for (index, token) in list.enumerated().reversed() {
      if inner.contains(where: { $0.contains(token.range.lowerBound) }) { continue }
      guard let name = token.plainName?.asciiUppercased, !InSubqueries.wordsForValues.contains(name),
        outer.contains(where: { $0?.has(name) == true })
      else { continue }
      let owners = own.compactMap { $0 }.filter { $0.has(name) }
      guard let owner = owners.first, owners.count == 1 else { continue }
      // Next to a dot it has a table already; the name of a function, a collation or a type is no column.
      let before = index > 0 ? list[index - 1] : nil
      let after = index + 1 < list.count ? list[index + 1] : nil
      if after?.isMark("(") == true || after?.isMark(".") == true || before?.isMark(".") == true { continue }
      if before?.isWord("COLLATE") == true || before?.isWord("AS") == true { continue }
      bytes.insert(contentsOf: Array("\(SQL.quoted(owner.source.alias)).".utf8), at: token.range.lowerBound)
    }
    return SQL(raw: String(decoding: bytes, as: UTF8.self), bindings: condition.bindings)
  }
}
