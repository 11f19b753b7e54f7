import RowModel

/// Reads what is needed from SQL text: where a statement begins, and whether anything follows it.
enum SQLText {
  /// The text after leading white space, semicolons and comments.
  static func skippingBlanks(_ text: Substring.UTF8View) -> Substring.UTF8View {
    var rest = text
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: ";"), 9...13:
        rest.removeFirst()
      case 0xEF where rest.starts(with: [0xEF, 0xBB, 0xBF]):  // a byte order mark, which SQLite skips
        rest = rest.dropFirst(3)
      case UInt8(ascii: "-") where rest.dropFirst().first == UInt8(ascii: "-"):
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      case UInt8(ascii: "/") where rest.dropFirst().first == UInt8(ascii: "*"):
        rest = rest.dropFirst(2)
        while let byte = rest.first, !(byte == UInt8(ascii: "*") && rest.dropFirst().first == UInt8(ascii: "/")) {
          rest.removeFirst()
        }
        rest = rest.dropFirst(2)
      default:
        return rest
      }
    }
    return rest
  }

  /// Where the first statement after an offset begins; nil if nothing is left to run. The text ends in a NUL.
  static func firstByte(of text: UnsafeBufferPointer<CChar>, from start: Int) -> Int? {
    let end = text.count - 1
    var place = start
    func byte(_ offset: Int) -> UInt8 { place + offset < end ? UInt8(bitPattern: text[place + offset]) : 0 }
    while place < end {
      switch byte(0) {
      case UInt8(ascii: " "), UInt8(ascii: ";"), 9...13: place += 1
      case 0xEF where byte(1) == 0xBB && byte(2) == 0xBF: place += 3  // a byte order mark, which SQLite skips
      case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
        while place < end, byte(0) != UInt8(ascii: "\n") { place += 1 }
      case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
        place += 2
        while place < end, byte(0) != UInt8(ascii: "*") || byte(1) != UInt8(ascii: "/") { place += 1 }
        place += 2
      default: return place
      }
    }
    return nil
  }

  /// Where the statement that begins at an offset ends: at its semicolon, or at the end of the text, which is a NUL.
  ///
  /// The body of a trigger contains semicolons. As for SQLite, it ends with the semicolon after an END that follows
  /// another semicolon.
  static func endOfStatement(_ text: UnsafeBufferPointer<CChar>, from start: Int) -> Int {
    let end = text.count - 1
    var place = start
    var words: [String] = []
    var isBehindSemicolon = false
    var isBehindEnd = false
    func byte(_ index: Int) -> UInt8 { index < end ? UInt8(bitPattern: text[index]) : 0 }
    func isInWord(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
        true
      default: false
      }
    }
    /// Goes behind the next occurrence of these bytes.
    func skip(_ closing: [UInt8]) {
      while place < end, !closing.indices.allSatisfy({ byte(place + $0) == closing[$0] }) { place += 1 }
      place += closing.count
    }
    while place < end {
      switch byte(place) {
      case UInt8(ascii: ";"):
        let isInTrigger =
          words.first == "CREATE" && words.dropFirst().contains("TRIGGER")
          && (words[1] == "TRIGGER" || words[1].hasPrefix("TEMP"))
        if !isInTrigger || isBehindEnd { return place }
        (isBehindSemicolon, isBehindEnd) = (true, false)
        place += 1
      case UInt8(ascii: " "), 9...13: place += 1
      case UInt8(ascii: "-") where byte(place + 1) == UInt8(ascii: "-"): skip([UInt8(ascii: "\n")])
      case UInt8(ascii: "/") where byte(place + 1) == UInt8(ascii: "*"):
        place += 2
        skip([UInt8(ascii: "*"), UInt8(ascii: "/")])
      case let first where isInWord(first):
        let begin = place
        while isInWord(byte(place)) { place += 1 }
        let isEnd = place - begin == 3 && word(text, begin..<place) == "END"
        (isBehindSemicolon, isBehindEnd) = (false, isEnd && isBehindSemicolon)
        if words.count < 3 { words.append(word(text, begin..<place)) }
      case let other:
        (isBehindSemicolon, isBehindEnd) = (false, false)
        place += 1
        switch other {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skip([other])
        case UInt8(ascii: "["): skip([UInt8(ascii: "]")])
        default: break
        }
      }
    }
    return min(place, end)
  }

  private static func word(_ text: UnsafeBufferPointer<CChar>, _ range: Range<Int>) -> String {
    String(decoding: text[range].map { UInt8(bitPattern: $0) }, as: UTF8.self).asciiUppercased
  }

  static let nulProblem = "the SQL contains NUL, where SQLite stops reading; bind such a text as a value"

  /// Whether the text has nothing to run.
  static func isBlank(_ text: Substring) -> Bool { skippingBlanks(text.utf8).isEmpty }

  /// The first word in upper case, ignoring comments.
  static func firstWord(of text: String) -> String {
    let rest = skippingBlanks(text[...].utf8)
    let word = rest.prefix { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
    return String(Substring(word)).uppercased()
  }
}

extension Connection {
  /// A statement's text as this database needs it: in a UTF-16 database, `COLLATE BINARY` does not compare as Swift
  /// does.
  package func resolved(_ sql: String) throws -> String {
    guard sql.utf8.contains(UInt8(ascii: "/")) else { return sql }
    var sql = sql
    if sql.contains(SQL.asUTF8), try text("PRAGMA encoding") != "UTF-8" { sql = SQL.comparingUTF8(sql) }
    if sql.contains(SQL.asDeclared), let collated = try CollatedColumns(self) {
      sql = SQL.comparingBytes(sql, collated.mayContain)
    }
    return sql
  }
}
