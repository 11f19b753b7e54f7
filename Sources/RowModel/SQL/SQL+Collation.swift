// Comments that are put into statements, and a connection replaces where its database compares otherwise.
extension SQL {
  /// Follows `COLLATE BINARY` if texts must be compared by their UTF-8: a comment, which a connection to a UTF-16
  /// database replaces with a collation that does so.
  package static let asUTF8 = " /* UTF-8 */"

  /// Follows a column whose texts are compared in their declared order, for which an index can be used: a comment,
  /// which a connection replaces with `COLLATE BINARY` if that order is defined by the program.
  package static let asDeclared = " /* as declared */"

  /// The statement, with bounds compared by bytes for the columns for which `isOwn` is true.
  package static func comparingBytes(_ text: String, _ isOwn: (String) -> Bool) -> String {
    var rest = text[...]
    var result = ""
    while let place = rest.firstRange(of: asDeclared) {
      result += rest[..<place.lowerBound]
      rest = rest[place.upperBound...]
      result += isOwn(lastName(of: result)) ? " COLLATE BINARY" : ""
    }
    return result + rest
  }

  /// The quoted name at the end of a text.
  private static func lastName(of text: String) -> String {
    var name: [UInt8] = []
    var rest = text.utf8.dropLast()[...]
    let quote = UInt8(ascii: "\"")
    while let byte = rest.popLast() {
      if byte == quote {
        guard rest.last == quote else { break }
        rest.removeLast()
      }
      name.append(byte)
    }
    return String(decoding: name.reversed(), as: UTF8.self)
  }

  /// The statement as needed by a database with another encoding than UTF-8.
  package static func comparingUTF8(_ text: String) -> String {
    var rest = text[...]
    var result = ""
    let mark = "BINARY" + asUTF8
    while let place = rest.firstRange(of: mark) {
      result += rest[..<place.lowerBound] + "frc_utf8"
      rest = rest[place.upperBound...]
    }
    return result + rest
  }
}
