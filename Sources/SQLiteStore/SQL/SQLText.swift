import RowModel

/// Reads what is needed from SQL text: where a statement begins, and whether anything follows it.
enum SQLText {
  /// The text after leading white space, semicolons and comments.
  static func skippingBlanks<Text: Collection<UInt8>>(_ text: Text) -> Text.SubSequence where Text.SubSequence == Text {
    var rest = text
    while let byte = rest.first {
      let next = rest.dropFirst().first
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: ";"), 9...13:
        rest = rest.dropFirst()
      case 0xEF where rest.starts(with: [0xEF, 0xBB, 0xBF]):  // a byte order mark, which SQLite skips
        rest = rest.dropFirst(3)
      case UInt8(ascii: "-") where next == UInt8(ascii: "-"):
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
        rest = rest.dropFirst(2)
        while let byte = rest.first, !(byte == UInt8(ascii: "*") && rest.dropFirst().first == UInt8(ascii: "/")) {
          rest = rest.dropFirst()
        }
        rest = rest.dropFirst(2)
      default:
        return rest
      }
    }
    return rest
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
