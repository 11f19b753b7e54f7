import FetchedResultsCore
import RowModel
import SQLiteStore

/// The words, names and marks of a piece of SQL, divided as SQLite does.
///
/// Requests are composed, not parsed. But the boundaries of a piece, the tables that it names, and whether it contains
/// another SELECT must be read from it. A request that is not clearly understood runs again as a whole, so reading too
/// little is slow and never wrong.
struct SQLTokens {
  struct Token: Equatable {
    enum Kind: Equatable {
      /// A keyword or an unquoted name, in upper case.
      case word(String)
      /// A name in quotes, without them.
      case quoted(String)
      /// A text literal, without its quotes.
      case text(String)
      case number, blob
      /// `?` without a number.
      case parameter
      /// `?1`, `:name` and similar ones.
      case namedParameter
      case mark(UInt8)
    }

    var kind: Kind
    /// Its range in the text's UTF-8.
    var range: Range<Int>
    /// The number of open parentheses around it.
    var depth: Int

    func isWord(_ word: String) -> Bool { kind == .word(word) }
    func isMark(_ mark: Unicode.Scalar) -> Bool { kind == .mark(UInt8(ascii: mark)) }

    /// The name, if it is a word or in quotes; nil for a text literal.
    var plainName: String? {
      switch kind {
      case .word(let name), .quoted(let name): name
      default: nil
      }
    }

    /// The name in upper case, if it can be one. SQLite reads a text literal as a name where only a name can be.
    var name: String? {
      switch kind {
      case .word(let name): name
      case .quoted(let name), .text(let name): name.asciiUppercased
      default: nil
      }
    }
  }

  let sql: SQL
  let bytes: [UInt8]
  private(set) var tokens: [Token] = []
  /// What does not end, in words for a message: a comment, a quote or a name in brackets. Nil if everything ends.
  private(set) var unended: String?
  /// How many parentheses are open at the end.
  private(set) var openParentheses = 0

  init(_ sql: SQL) {
    self.sql = sql
    bytes = Array(sql.text.utf8)
    var depth = 0
    var place = 0
    while let token = next(&place, depth) {
      var token = token
      if token.isMark(")") {
        depth -= 1
        token.depth = depth
      }
      tokens.append(token)
      if token.isMark("(") { depth += 1 }
    }
    openParentheses = depth
  }

  /// Whether it contains a word, at any depth.
  func contains(word: String) -> Bool { tokens.contains { $0.isWord(word) } }

  /// Everything that can be a name, in upper case; text literals too, see `Token.name`.
  var names: [String] { tokens.compactMap(\.name) }

  /// The SQL without semicolons at its end, and without what follows them.
  var withoutEnd: SQL {
    guard let last = tokens.last(where: { !$0.isMark(";") }), last != tokens.last else { return sql }
    return plain(0..<last.range.upperBound, sql.bindings)
  }

  /// A part of the SQL with the values that belong to it; nil if parameters have names or numbers, so that they can't
  /// be identified by position.
  func part(_ range: Range<Int>) -> SQL? {
    if tokens.contains(where: { $0.kind == .namedParameter }) { return sql.bindings.isEmpty ? plain(range, []) : nil }
    var before = 0
    var inside = 0
    for token in tokens where token.kind == .parameter {
      if token.range.lowerBound < range.lowerBound {
        before += 1
      } else if token.range.lowerBound < range.upperBound {
        inside += 1
      }
    }
    guard before + inside <= sql.bindings.count else { return nil }
    return plain(range, Array(sql.bindings[before..<before + inside]))
  }

  private func plain(_ range: Range<Int>, _ bindings: [Value]) -> SQL {
    SQL(raw: String(decoding: bytes[range], as: UTF8.self), bindings: bindings)
  }

  // MARK: Cutting

  private mutating func next(_ place: inout Int, _ depth: Int) -> Token? {
    skipBlanks(&place)
    guard place < bytes.count else { return nil }
    let start = place
    func token(_ kind: Token.Kind) -> Token { Token(kind: kind, range: start..<place, depth: depth) }
    let byte = bytes[place]
    switch byte {
    case UInt8(ascii: "'"):
      return token(.text(skipQuoted(&place, byte)))
    case UInt8(ascii: "\""), UInt8(ascii: "`"):
      return token(.quoted(skipQuoted(&place, byte)))
    case UInt8(ascii: "["):
      while place < bytes.count, bytes[place] != UInt8(ascii: "]") { place += 1 }
      let name = String(decoding: bytes[start + 1..<place], as: UTF8.self)
      if place == bytes.count { unended = "a name in brackets" }
      place = min(bytes.count, place + 1)
      return token(.quoted(name))
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      if place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "'") {
        place += 1
        _ = skipQuoted(&place, UInt8(ascii: "'"))
        return token(.blob)
      }
    case UInt8(ascii: "?"):
      place += 1
      let digits = place
      while place < bytes.count, isDigit(bytes[place]) { place += 1 }
      return token(place == digits ? .parameter : .namedParameter)
    case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"):
      place += 1
      while place < bytes.count, isNamePart(bytes[place]) { place += 1 }
      return token(.namedParameter)
    default: break
    }
    if isDigit(byte) || byte == UInt8(ascii: ".") && place + 1 < bytes.count && isDigit(bytes[place + 1]) {
      while place < bytes.count, isNamePart(bytes[place]) || bytes[place] == UInt8(ascii: ".") { place += 1 }
      return token(.number)
    }
    if isNamePart(byte) {
      while place < bytes.count, isNamePart(bytes[place]) { place += 1 }
      return token(.word(String(decoding: bytes[start..<place], as: UTF8.self).asciiUppercased))
    }
    place += 1
    return token(.mark(byte))
  }

  private mutating func skipBlanks(_ place: inout Int) {
    while place < bytes.count {
      if bytes[place] == 32 || (9...13).contains(bytes[place]) {
        place += 1
      } else if starts("--", at: place) {
        while place < bytes.count, bytes[place] != 10 { place += 1 }
      } else if starts("/*", at: place) {
        place += 2
        while place < bytes.count, !starts("*/", at: place) { place += 1 }
        if place >= bytes.count { unended = "a comment" }
        place = min(bytes.count, place + 2)
      } else {
        return
      }
    }
  }

  /// Skips a quoted text, in which two quotes mean one, and returns it.
  private mutating func skipQuoted(_ place: inout Int, _ quote: UInt8) -> String {
    var content: [UInt8] = []
    var isEnded = false
    defer { if !isEnded { unended = "a quote" } }
    place += 1
    while place < bytes.count {
      if bytes[place] == quote {
        place += 1
        guard place < bytes.count, bytes[place] == quote else {
          isEnded = true
          break
        }
      }
      content.append(bytes[place])
      place += 1
    }
    return String(decoding: content, as: UTF8.self)
  }

  private func starts(_ mark: StaticString, at place: Int) -> Bool {
    place + 1 < bytes.count && bytes[place] == mark.utf8Start[0] && bytes[place + 1] == mark.utf8Start[1]
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private func isNamePart(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte >= 128 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32)
  }
}
