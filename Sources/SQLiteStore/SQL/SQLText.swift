/// The little that has to be read from SQL text: where it begins, and whether anything follows it.
enum SQLText {
  /// The text behind leading white space, semicolons and comments.
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

  static let nulProblem = "the SQL contains NUL, where SQLite stops reading; bind such a text as a value"

  /// Whether there is nothing to run in the text.
  static func isBlank(_ text: Substring) -> Bool { skippingBlanks(text.utf8).isEmpty }

  /// The first word in upper case, comments aside.
  static func firstWord(of text: String) -> String {
    let rest = skippingBlanks(text[...].utf8)
    let word = rest.prefix { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
    return String(Substring(word)).uppercased()
  }
}

extension Connection {
  /// A statement's text as this database needs it: in one that keeps texts in UTF-16, `COLLATE BINARY` does not
  /// compare as Swift does.
  package func resolved(_ sql: String) throws -> String {
    guard sql.utf8.contains(UInt8(ascii: "/")), sql.contains(SQL.asUTF8), try text("PRAGMA encoding") != "UTF-8" else {
      return sql
    }
    return SQL.comparingUTF8(sql)
  }
}
