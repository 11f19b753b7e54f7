#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A piece of SQL with the values that it binds.
///
/// Write it as a string; what you interpolate becomes a bound parameter, never text, so there is nothing to escape and
/// nothing to inject:
///
/// ```swift
/// try connection.rows("SELECT * FROM item WHERE title = \(title) AND list IN \(ids)")
/// ```
///
/// An array binds as a list in parentheses, another `SQL` is put in place with its values, `\(identifier: name)` quotes a
/// name, and `\(raw: text)` is the only way to splice text as it stands: never pass it anything a user typed.
public struct SQL: Sendable {
  /// The text, with a `?` for every value.
  public private(set) var text: String
  /// The values, in the order of the question marks.
  public private(set) var bindings: [Value]
  /// What no index serves although it looks as if one could, for people who read statistics.
  package private(set) var lostIndexes: Set<String> = []
  /// The first value that could not be converted; whoever prepares the statement throws it.
  package private(set) var failure: DatabaseError?

  /// Makes SQL from a text that is spliced as it stands, and the values for its question marks.
  ///
  /// A count that differs from the question marks is an error when the statement is run.
  public init(raw text: String, bindings: [Value] = []) {
    self.text = text
    self.bindings = bindings
  }

  /// No SQL at all.
  public static let empty = SQL(raw: "")

  /// Whether there is no text.
  public var isEmpty: Bool { text.isEmpty }

  /// A name in double quotes.
  public static func quoted(_ name: String) -> String {
    var quoted = "\""
    for character in name.unicodeScalars {
      if character == "\"" { quoted += "\"\"" } else { quoted.unicodeScalars.append(character) }
    }
    return quoted + "\""
  }

  /// A table's own name, without that of the attached file that stands before it.
  package static func unqualified(_ table: String) -> String {
    table.firstIndex(of: ".").map { String(table[table.index(after: $0)...]) } ?? table
  }

  /// One piece after another.
  public static func + (left: SQL, right: SQL) -> SQL {
    var result = left
    result += right
    return result
  }

  /// Puts a piece behind this one.
  public static func += (left: inout SQL, right: SQL) {
    left.text += right.text
    left.bindings += right.bindings
    if left.failure == nil { left.failure = right.failure }
    left.lostIndexes.formUnion(right.lostIndexes)
  }

  /// The same, with a note of what no index serves.
  package func losingIndex(_ reason: some Sequence<String>) -> SQL {
    var result = self
    result.lostIndexes.formUnion(reason)
    return result
  }

  mutating func append(text more: String) { text += more }

  /// What a value is bound as. A date that no text means is an error, as nobody knows which column it is for: one of text would
  /// store what is no date, and compare it wrongly.
  static func stored<T: ValueConvertible>(_ value: T) throws -> Value {
    let stored = try value.databaseValue
    if case .real(let real) = stored, real.isNaN { return .null }
    if case .real(let seconds) = stored, T.storedForms != .one,
      !DateText.isInRange(Date(timeIntervalSince1970: seconds)), isDate(value)
    {
      throw DatabaseError(
        code: .mismatch,
        message: """
          a date outside the years 0 to 9999, \(seconds) seconds since 1970, can't be bound as a text; bind its \
          timeIntervalSince1970 if the column holds numbers
          """)
    }
    return stored
  }

  private static func isDate(_ value: Any) -> Bool {
    if let representable = value as? any RawRepresentable { return isDate(representable.rawValue) }
    return value is Date
  }

  mutating func append(_ value: some ValueConvertible) {
    do {
      bindings.append(try Self.stored(value))
    } catch let error as DatabaseError {
      if failure == nil { failure = error }
    } catch {
      if failure == nil { failure = DatabaseError(code: .mismatch, message: "\(error)") }
    }
    text += "?"
  }

  /// Stands behind `COLLATE BINARY` where texts are to be compared by their UTF-8: a comment, for which a connection
  /// to a database in UTF-16 puts a collation that does so.
  package static let asUTF8 = " /* UTF-8 */"

  /// Stands behind a column whose texts are compared in the order that it is declared with, which an index serves: a
  /// comment, for which a connection puts `COLLATE BINARY` where that order is of the program's own making.
  package static let asDeclared = " /* as declared */"

  /// The statement with its bounds compared by bytes where `isOwn` says so of a column.
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

  /// The name in double quotes that a text ends with.
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

  /// The statement as a database of another encoding than UTF-8 needs it.
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

  /// The most parameters that a statement takes, unless the library was built with another limit.
  static let parameterLimit = 32_766
  /// Longer lists of one kind are bound as one JSON array: one text for every length, and no limit.
  static let listLimit = 1000

  mutating func append(list: [Value]) {
    if list.count > Self.listLimit, let (json, source) = Self.jsonArray(list) {
      text += source
      bindings.append(.text(json))
      return
    }
    if list.count > Self.parameterLimit {
      if failure == nil {
        failure = DatabaseError(
          code: .tooBig,
          message:
            "a list of \(list.count) values is more than the \(Self.parameterLimit) that a statement takes, unless "
            + "all are integers, all are texts or all are blobs; bind each of these kinds as a list of its own, or write the "
            + "values into a table by write { } and join it")
      }
      text += "()"
      return
    }
    text += "("
    for index in list.indices { text += index == 0 ? "?" : ", ?" }
    text += ")"
    bindings += list
  }

  /// A list of one kind as JSON, and the SELECT that makes rows of it; nil for reals, which JSON may round, and for
  /// mixed lists.
  private static func jsonArray(_ list: [Value]) -> (json: String, source: String)? {
    var json: [UInt8] = [UInt8(ascii: "[")]
    // With the plus sign, the values have no affinity of their own and are compared as those of a list are.
    var source = "(SELECT +value FROM json_each(?))"
    func separate() { if json.count > 1 { json.append(UInt8(ascii: ",")) } }
    switch list.first {
    case .integer:
      for value in list {
        guard case .integer(let integer) = value else { return nil }
        separate()
        json += String(integer).utf8
      }
    case .text:
      // SQLite's JSON ends a text at a NUL.
      let hasNUL = list.contains { if case .text(let text) = $0 { text.utf8.contains(0) } else { false } }
      if hasNUL { source = "(SELECT frc_unhex(1, value) FROM json_each(?))" }
      for value in list {
        guard case .text(let text) = value else { return nil }
        separate()
        json.append(UInt8(ascii: "\""))
        if hasNUL { HexText.append(text.utf8, to: &json) } else { appendEscaped(text, to: &json) }
        json.append(UInt8(ascii: "\""))
      }
    case .blob:
      source = "(SELECT frc_unhex(0, value) FROM json_each(?))"
      for value in list {
        guard case .blob(let bytes) = value else { return nil }
        separate()
        json.append(UInt8(ascii: "\""))
        HexText.append(bytes, to: &json)
        json.append(UInt8(ascii: "\""))
      }
    default: return nil
    }
    json.append(UInt8(ascii: "]"))
    return (String(decoding: json, as: UTF8.self), source)
  }

  private static func appendEscaped(_ text: String, to json: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        json.append(UInt8(ascii: "\\"))
        json.append(byte)
      case 0..<32:
        json += "\\u00".utf8
        HexText.append(CollectionOfOne(byte), to: &json)
      default: json.append(byte)
      }
    }
  }
}

extension SQL: Equatable {
  /// Whether both have the same text, byte by byte, and bind the same values.
  public static func == (left: SQL, right: SQL) -> Bool {
    left.text.hasSameBytes(as: right.text) && left.bindings == right.bindings
  }
}

extension SQL: Hashable {
  /// Feeds the text and the values.
  public func hash(into hasher: inout Hasher) {
    text.hashBytes(into: &hasher)
    hasher.combine(bindings)
  }
}

extension SQL: CustomStringConvertible {
  /// The text and what it binds.
  public var description: String {
    bindings.isEmpty ? text : "\(text) with \(bindings.map(\.description).joined(separator: ", "))"
  }
}
