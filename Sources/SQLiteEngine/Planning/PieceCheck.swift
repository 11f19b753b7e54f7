import FetchedResultsCore
import RowModel
import SQLiteStore

/// Refuses pieces of SQL that would change the meaning of the text around them in a composed statement: a piece that
/// doesn't end, that closes a parenthesis it has not opened, or that is more than one expression.
struct PieceCheck {
  static func check(_ request: RequestDescription) throws {
    switch request.source {
    case .pieces(let from, let select, let condition):
      if let from {
        try checkEnd(from, "the FROM clause")
        try checkContent(from, "the FROM clause")
        try checkIsOnlyFrom(from)
      }
      for part in condition?.parts ?? [] {
        try checkExpression(part.sql, "the condition")
        if SQLTokens(part.sql).tokens.first?.isWord("WHERE") == true {
          throw refusal(part.sql, "the condition", "begins with WHERE; leave that word out")
        }
      }
      for selection in select { try checkExpression(selection.expression, "the selected expression") }
    case .statement(let sql):
      try checkContent(sql, "the statement")
      try checkEnd(SQLTokens(sql).withoutEnd, "the statement")
    }
    if let section = request.sectionBy {
      if let name = section.name { try checkExpression(name, "the name of sections") }
      if let including = section.including { try checkEnd(SQLTokens(including).withoutEnd, "`including`") }
    }
    for term in request.terms {
      try checkExpression(term, "the term")
      try checkDirection(term)
    }
  }

  /// Checks that a piece ends, and is one statement at most.
  private static func checkEnd(_ sql: SQL, _ what: String) throws {
    let tokens = SQLTokens(sql)
    if sql.text.utf8.contains(0) { throw refusal(sql, what, "contains the character NUL, where SQLite stops reading") }
    if let unended = tokens.unended { throw refusal(sql, what, "has \(unended) that does not end") }
    if tokens.tokens.contains(where: { $0.depth < 0 }) {
      throw refusal(sql, what, "closes a parenthesis that it does not open")
    }
    if tokens.openParentheses > 0 { throw refusal(sql, what, "opens a parenthesis that it does not close") }
    if tokens.tokens.contains(where: { $0.isMark(";") }) { throw refusal(sql, what, "has a semicolon inside") }
  }

  private static func checkExpression(_ sql: SQL, _ what: String) throws {
    try checkEnd(sql, what)
    try checkContent(sql, what)
    if SQLTokens(sql).tokens.contains(where: { $0.depth == 0 && $0.isMark(",") }) {
      throw refusal(sql, what, "has several expressions; write each as one of its own")
    }
  }

  /// Checks that a FROM clause is not followed by another one. These words are never names without quotes.
  private static func checkIsOnlyFrom(_ sql: SQL) throws {
    let advice = [
      "WHERE": "write the condition as `where:`", "ORDER": "write the terms as `orderBy:`",
      "LIMIT": "write the number as `limit:`", "GROUP": "write the whole statement as `sql:`",
      "HAVING": "write the whole statement as `sql:`",
    ]
    for token in SQLTokens(sql).tokens where token.depth == 0 {
      if case .word(let word) = token.kind, let advice = advice[word] {
        throw refusal(sql, "the FROM clause", "contains \(word); \(advice)")
      }
    }
  }

  private static func checkContent(_ sql: SQL, _ what: String) throws {
    if SQLTokens(sql).tokens.isEmpty {
      throw DatabaseError(code: .misuse, message: "\(what) is empty; leave it out, or write it", sql: sql.text)
    }
  }

  private static func checkDirection(_ sql: SQL) throws {
    let tokens = SQLTokens(sql).tokens
    // After a dot it is the name of a column.
    if tokens.dropLast().last?.isMark(".") == true { return }
    let last = tokens.last
    for (word, spelling) in [("FIRST", ".first"), ("LAST", ".last")]
    where last?.isWord(word) == true && tokens.dropLast().last?.isWord("NULLS") == true {
      throw refusal(sql, "the term", "ends in NULLS \(word); write it as .ascending(…, nulls: \(spelling))")
    }
    for (word, spelling) in [("DESC", ".descending(…)"), ("ASC", ".ascending(…)")] where last?.isWord(word) == true {
      throw refusal(sql, "the term", "ends in \(word); write the direction as \(spelling)")
    }
  }

  private static func refusal(_ sql: SQL, _ what: String, _ problem: String) -> DatabaseError {
    DatabaseError(code: .misuse, message: "\(what) \"\(sql)\" \(problem)", sql: sql.text)
  }
}
