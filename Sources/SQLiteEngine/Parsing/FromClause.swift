import FetchedResultsCore
import RowModel
import SQLiteStore

/// The tables of a FROM clause in order, and how they are joined.
struct FromClause {
  struct Source {
    enum Join: Equatable {
      /// Every row of the result contains one of its rows: the first table, inner, comma and cross joins.
      case inner
      /// LEFT JOIN: its columns are NULL if nothing matches.
      case left
    }

    /// The schema, if it is named.
    var schema: String?
    var table: String
    /// Its name in the query.
    var alias: String
    var join: Join
    /// Whether it is a table-valued function, like json_each(…).
    var isFunction: Bool
    /// Whether it is joined by USING or NATURAL.
    var isJoinedByName = false
    /// The position of LEFT [OUTER] in the clause's text.
    var leftWords: Range<Int>?
    /// Its ON, if it has one.
    var condition: SQL?
    /// The end of its part of the clause's text.
    var end = 0
  }

  let sql: SQL
  let sources: [Source]

  /// Whether it has USING or NATURAL, whose columns are looked for in the tables further left.
  var joinsByName: Bool { sources.contains(where: \.isJoinedByName) }

  /// What may name columns: the conditions of its joins, or the whole clause if it calls table-valued functions.
  var expressions: [SQL] { sources.contains(where: \.isFunction) ? [sql] : sources.compactMap(\.condition) }

  /// Parses a clause; throws a reason if it contains anything but tables and joins.
  init(_ sql: SQL) throws(NotUnderstood) {
    var reader = Reader(tokens: SQLTokens(sql))
    self.sql = sql
    sources = try reader.sources()
  }

  /// The first table, whatever follows it; nil if the clause doesn't begin with a table.
  static func first(of sql: SQL) -> Source? {
    var reader = Reader(tokens: SQLTokens(sql))
    do {
      return try reader.source(.inner, leftWords: nil)
    } catch {
      return nil
    }
  }

  /// The name of that table in the query.
  static func firstAlias(_ sql: SQL) -> String? { first(of: sql)?.alias }

  /// The clause up to a table that is joined by LEFT JOIN, with an inner join instead: the rows to which the table's
  /// rows are joined.
  ///
  /// Later joins are left out, because they may find nothing for the very rows that appear or disappear with the match.
  func joiningInner(_ index: Int) throws(NotUnderstood) -> SQL {
    guard let part = SQLTokens(sql).part(0..<sources[index].end) else {
      throw NotUnderstood("parameters with names or numbers")
    }
    guard let words = sources[index].leftWords else { return part }
    var bytes = Array(part.text.utf8)
    bytes.replaceSubrange(words, with: "INNER".utf8)
    return SQL(raw: String(decoding: bytes, as: UTF8.self), bindings: part.bindings)
  }

  /// Why a piece of SQL is treated as a whole.
  struct NotUnderstood: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  private struct Reader {
    let tokens: SQLTokens
    var place = 0

    private typealias Token = SQLTokens.Token

    private var token: Token? { place < tokens.tokens.count ? tokens.tokens[place] : nil }

    private mutating func take(_ word: String) -> Bool {
      guard let token, token.isWord(word) else { return false }
      place += 1
      return true
    }

    private static let joinWords: Set<String> = ["JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "OUTER"]
    private static let endWords: Set<String> = ["ON", "USING", "AS", "INDEXED", "NOT"]

    mutating func sources() throws(NotUnderstood) -> [Source] {
      var sources = [try source(.inner, leftWords: nil)]
      while token != nil {
        let isNatural = token?.isWord("NATURAL") == true
        let (join, words) = try joinOperator()
        var source = try source(join, leftWords: words)
        if isNatural { source.isJoinedByName = true }
        sources.append(source)
      }
      return sources
    }

    private mutating func joinOperator() throws(NotUnderstood) -> (Source.Join, Range<Int>?) {
      if let token, token.isMark(",") {
        place += 1
        return (.inner, nil)
      }
      _ = take("NATURAL")
      var join = Source.Join.inner
      var words: Range<Int>?
      if let token, take("LEFT") {
        join = .left
        words = token.range
        if let outer = self.token, take("OUTER") { words = token.range.lowerBound..<outer.range.upperBound }
      } else if take("INNER") || take("CROSS") {
      } else if let token, token.isWord("RIGHT") || token.isWord("FULL") {
        throw NotUnderstood("RIGHT and FULL joins")
      }
      guard take("JOIN") else { throw NotUnderstood("a FROM clause with more than tables and joins") }
      return (join, words)
    }

    private mutating func name() throws(NotUnderstood) -> String {
      guard let token else { throw NotUnderstood("a FROM clause that ends in a join") }
      place += 1
      switch token.kind {
      case .word(let word) where !Self.joinWords.contains(word) && word != "SELECT":
        return String(decoding: tokens.bytes[token.range], as: UTF8.self)
      case .quoted(let name): return name
      case .mark(UInt8(ascii: "(")): throw NotUnderstood("a subquery in FROM")
      default: throw NotUnderstood("a FROM clause with more than tables and joins")
      }
    }

    mutating func source(_ join: Source.Join, leftWords: Range<Int>?) throws(NotUnderstood) -> Source {
      var schema: String?
      var table = try name()
      if let token, token.isMark(".") {
        place += 1
        schema = table
        table = try name()
      }
      var isFunction = false
      if let token, token.isMark("(") {
        isFunction = true
        skipParentheses()
      }
      var alias = table
      if take("AS") {
        alias = try name()
      } else if let token {
        switch token.kind {
        case .word(let word) where !Self.joinWords.contains(word) && !Self.endWords.contains(word):
          alias = try name()
        case .quoted: alias = try name()
        default: break
        }
      }
      if take("INDEXED") {
        _ = take("BY")
        _ = try name()
      } else if take("NOT") {
        _ = take("INDEXED")
      }
      var isJoinedByName = false
      var condition: SQL?
      if take("ON") {
        let start = place
        while let token, !endsCondition(token) { place += 1 }
        if start < place {
          let range = tokens.tokens[start].range.lowerBound..<tokens.tokens[place - 1].range.upperBound
          condition = SQL(raw: String(decoding: tokens.bytes[range], as: UTF8.self))
        }
      } else if take("USING") {
        isJoinedByName = true
        skipParentheses()
      }
      return Source(
        schema: schema, table: table, alias: alias, join: join, isFunction: isFunction, isJoinedByName: isJoinedByName,
        leftWords: leftWords, condition: condition,
        end: place > 0 ? tokens.tokens[min(place, tokens.tokens.count) - 1].range.upperBound : 0)
    }

    private func endsCondition(_ token: Token) -> Bool {
      guard token.depth == 0 else { return false }
      if token.isMark(",") { return true }
      guard case .word(let word) = token.kind, Self.joinWords.contains(word) else { return false }
      // A function may have such a name, and a column, after a dot.
      if place + 1 < tokens.tokens.count, tokens.tokens[place + 1].isMark("(") { return false }
      return !tokens.tokens[place - 1].isMark(".")
    }

    private mutating func skipParentheses() {
      guard let open = token else { return }
      place += 1
      while let token, !(token.isMark(")") && token.depth == open.depth) { place += 1 }
      place += 1
    }
  }
}
