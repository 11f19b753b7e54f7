import FetchedResultsCore
import RowModel
import SQLiteStore

extension QueryPlanner {
  /// Returns the query with `EXISTS (SELECT … WHERE … AND x = y)` in place of each `x IN (SELECT y … WHERE …)` of its
  /// condition for which that is equivalent; nil if no IN can be replaced.
  ///
  /// For one row, SQLite computes the whole list of an IN, and a change of the list's table does not say which rows it
  /// concerns. An EXISTS looks only for what belongs to the row, and its comparison finds the rows that a change
  /// concerns.
  ///
  /// - Parameter tables: The tables of the query, in the order of its FROM clause.
  func comparingMembers(
    _ composition: Composition, _ clause: FromClause, _ tables: [SourceTable?]
  ) throws -> Composition? {
    guard let condition = composition.condition else { return nil }
    let members = Members(condition)
    var sql = SQL.empty
    var end = 0
    for member in members.all {
      guard let replacement = try exists(member, members, clause, tables),
        let before = members.tokens.part(end..<member.range.lowerBound)
      else { continue }
      sql += before + replacement
      end = member.range.upperBound
    }
    guard end > 0, let rest = members.tokens.part(end..<condition.text.utf8.count) else { return nil }
    var compared = composition
    compared.condition = sql + rest
    return compared
  }

  private func exists(
    _ member: Members.Member, _ members: Members, _ clause: FromClause, _ tables: [SourceTable?]
  ) throws -> SQL? {
    let subquery: Subquery
    let own: [SourceTable?]
    do {
      guard let body = members.tokens.part(member.body) else { return nil }
      subquery = try Subquery(body)
      own = try subquery.from.sources.map { try table($0) }
    } catch is NotUnderstood {
      return nil
    }
    guard let result = subquery.column, let left = column(member.left, of: tables), let right = column(result, of: own),
      !clause.sources.contains(where: { outer in subquery.from.sources.contains { $0.alias.isSameName(as: outer.alias) }
      })
    else { return nil }
    // Where NULL is not the same as false, there must be none.
    guard member.isConjunct || left.isNeverNull && right.isNeverNull else { return nil }
    let conditions = subquery.condition.map { SQL(raw: "(") + $0 + SQL(raw: "\n) AND ") } ?? .empty
    return SQL(raw: member.isNegated ? "(NOT EXISTS (SELECT 1 FROM " : "(EXISTS (SELECT 1 FROM ") + subquery.from.sql
      + SQL(raw: "\nWHERE ") + conditions + SQL(raw: "\(left.sql) = \(right.sql)))")
  }

  /// A column of one of some tables that are joined without LEFT JOIN; nil if it isn't clear whose it is.
  private func column(_ name: Members.ColumnName, of tables: [SourceTable?]) -> (sql: String, isNeverNull: Bool)? {
    var candidates: [SourceTable] = []
    for table in tables {
      // Which columns a table-valued function has is not known.
      guard let table else {
        if name.table == nil { return nil } else { continue }
      }
      if let alias = name.table, !table.isNamed(alias) { continue }
      if table.columns.contains(name.column) { candidates.append(table) }
    }
    guard let table = candidates.first, candidates.count == 1, table.source.join == .inner else { return nil }
    return (
      "\(SQL.quoted(table.source.alias)).\(SQL.quoted(name.column))", table.columnsWithoutNull.contains(name.column)
    )
  }

  /// The condition of a subquery, for a FROM clause with the subquery's tables and those of the query. A column of the
  /// subquery's own tables gets the name of its table if the query has a column with that name too.
  func qualified(_ condition: SQL?, own: [SourceTable?], outer: [SourceTable?]) -> SQL? {
    guard let condition else { return nil }
    let tokens = SQLTokens(condition)
    let list = tokens.tokens
    var bytes = tokens.bytes
    for (index, token) in list.enumerated().reversed() {
      guard let name = token.plainName?.asciiUppercased, !Members.wordsForValues.contains(name),
        outer.contains(where: { $0?.columns.contains(name) == true })
      else { continue }
      let owners = own.compactMap { $0 }.filter { $0.columns.contains(name) }
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

/// The `x IN (SELECT …)` in a condition, where x is the name of a column.
struct Members {
  /// A column's name in upper case, with its table's if that is written.
  struct ColumnName {
    var table: String?
    var column: String

    /// The name that ends in a token, and the index of its first token; nil if no name ends there.
    static func ending(at index: Int, in tokens: [SQLTokens.Token]) -> (name: ColumnName, first: Int)? {
      guard tokens.indices.contains(index), let column = tokens[index].plainName?.asciiUppercased,
        !Members.wordsForValues.contains(column)
      else { return nil }
      guard index > 0, tokens[index - 1].isMark(".") else { return (ColumnName(column: column), index) }
      guard index > 1, let table = tokens[index - 2].plainName else { return nil }
      if index > 2, tokens[index - 3].isMark(".") { return nil }
      return (ColumnName(table: table, column: column), index - 2)
    }
  }

  struct Member {
    var left: ColumnName
    var isNegated: Bool
    /// The SELECT in the parentheses.
    var body: Range<Int>
    /// From the column's name to the parenthesis that closes the SELECT.
    var range: Range<Int>
    /// Whether the condition holds only where it is true, so that NULL is the same as false.
    var isConjunct: Bool
  }

  let tokens: SQLTokens
  private(set) var all: [Member] = []

  /// Words that mean a value, even if a column has that name.
  static let wordsForValues: Set<String> = ["NULL", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"]

  /// The words after which an operand begins, and nothing that binds more tightly than IN precedes it.
  private static let wordsBefore: Set<String> = ["AND", "OR", "NOT", "WHEN", "THEN", "ELSE"]

  init(_ condition: SQL) {
    tokens = SQLTokens(condition)
    // An AND may belong to BETWEEN.
    if tokens.contains(word: "BETWEEN") { return }
    let list = tokens.tokens
    for index in list.indices where list[index].isWord("IN") {
      guard index + 2 < list.count, list[index + 1].isMark("("), list[index + 2].isWord("SELECT"),
        let end = list[index...].firstIndex(where: { $0.isMark(")") && $0.depth == list[index + 1].depth })
      else { continue }
      let isNegated = index > 0 && list[index - 1].isWord("NOT")
      guard let (name, first) = ColumnName.ending(at: index - (isNegated ? 2 : 1), in: list) else { continue }
      if first > 0 {
        let before = list[first - 1]
        guard before.isMark("(") || before.isMark(",") || Self.wordsBefore.contains(where: before.isWord) else {
          continue
        }
        // IS NOT binds as tightly as IN.
        if first > 1, before.isWord("NOT"), list[first - 2].isWord("IS") { continue }
      }
      all.append(
        Member(
          left: name, isNegated: isNegated, body: list[index + 2].range.lowerBound..<list[end].range.lowerBound,
          range: list[first].range.lowerBound..<list[end].range.upperBound,
          isConjunct: !isNegated && Self.isConjunct(first...end, in: list)))
    }
  }

  /// Whether an expression is a part of a chain of ANDs, in parentheses or not, that is the whole condition.
  private static func isConjunct(_ part: ClosedRange<Int>, in tokens: [SQLTokens.Token]) -> Bool {
    var part = part
    while true {
      let depth = tokens[part.lowerBound].depth
      let open = tokens[..<part.lowerBound].lastIndex { $0.isMark("(") && $0.depth == depth - 1 }
      let close = tokens[part.upperBound...].dropFirst().firstIndex { $0.isMark(")") && $0.depth == depth - 1 }
      let group = (open.map { $0 + 1 } ?? 0)..<(close ?? tokens.count)
      if tokens[group].contains(where: { $0.depth == depth && ($0.isWord("OR") || $0.isWord("CASE")) }) { return false }
      if part.lowerBound > group.lowerBound, !tokens[part.lowerBound - 1].isWord("AND") { return false }
      if part.upperBound + 1 < group.upperBound, !tokens[part.upperBound + 1].isWord("AND") { return false }
      guard let open, let close else { return open == nil && close == nil }
      part = open...close
    }
  }
}
