#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A piece of SQL with the values that it binds.
///
/// Write it as a string. What you interpolate becomes a bound parameter, never text, so nothing has to be escaped and
/// nothing can be injected:
///
/// ```swift
/// try connection.rows("SELECT * FROM item WHERE title = \(title) AND list IN \(ids)")
/// ```
///
/// An array binds as a list in parentheses. Another `SQL` is inserted with its values. `\(identifier: name)` quotes a
/// name. `\(raw: text)` is the only way to insert text as it is: never pass it anything a user typed.
public struct SQL: Sendable {
  /// The text, with a `?` for every value.
  public private(set) var text: String
  /// The values, in the order of the question marks.
  public private(set) var bindings: [Value]
  /// Conditions that look as if an index could be used but can't, for `statistics`.
  package private(set) var lostIndexes: Set<String> = []
  /// The first value that could not be converted; preparing the statement throws it.
  package private(set) var failure: DatabaseError?

  /// Creates SQL from a text that is used as it is, and the values for its question marks.
  ///
  /// If their number differs from that of the question marks, running the statement is an error.
  public init(raw text: String, bindings: [Value] = []) {
    self.text = text
    self.bindings = bindings
  }

  /// An empty piece of SQL.
  public static let empty = SQL(raw: "")

  /// Whether there is no text.
  public var isEmpty: Bool { text.isEmpty }

  /// A name in double quotes.
  ///
  /// ```swift
  /// let name = SQL.quoted("my table")
  /// ```
  public static func quoted(_ name: String) -> String {
    var quoted = "\""
    for character in name.unicodeScalars {
      if character == "\"" { quoted += "\"\"" } else { quoted.unicodeScalars.append(character) }
    }
    return quoted + "\""
  }

  /// A table's own name, without that of the attached file before it.
  package static func unqualified(_ table: String) -> String {
    table.firstIndex(of: ".").map { String(table[table.index(after: $0)...]) } ?? table
  }

  /// Joins two pieces.
  public static func + (left: SQL, right: SQL) -> SQL {
    var result = left
    result += right
    return result
  }

  /// Appends a piece.
  public static func += (left: inout SQL, right: SQL) {
    left.text += right.text
    left.bindings += right.bindings
    if left.failure == nil { left.failure = right.failure }
    left.lostIndexes.formUnion(right.lostIndexes)
  }

  /// The same, with a note that an index can't be used.
  package func losingIndex(_ reason: some Sequence<String>) -> SQL {
    var result = self
    result.lostIndexes.formUnion(reason)
    return result
  }

  mutating func append(text more: String) { text += more }

  /// The value to bind. A date that can't be written as text is an error, because the column is not known: a TEXT
  /// column would store something that is no date, and compare it wrongly.
  static func stored<T: ValueConvertible>(_ value: T) throws -> Value {
    let stored = try value.databaseValue
    if case .real(let real) = stored, real.isNaN {
      if T.storedForms != .one, isDate(value) {
        throw DatabaseError(code: .mismatch, message: "a date that is not a number can't be bound")
      }
      return .null
    }
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

  /// The maximum number of parameters of a statement, unless the library was built with another limit.
  static let parameterLimit = 32_766
  /// Longer lists of one kind are bound as one JSON array: the SQL text is the same for every length, and there is no
  /// limit.
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

  /// A list of one kind as JSON, and the SELECT that turns it into rows; nil for reals, which JSON may round, and for
  /// mixed lists.
  private static func jsonArray(_ list: [Value]) -> (json: String, source: String)? {
    var json: [UInt8] = [UInt8(ascii: "[")]
    // The plus sign removes the affinity of the values, so that they are compared like those of a list.
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
      var size = 2
      // SQLite's JSON functions end a text at a NUL.
      var hasNUL = false
      for value in list {
        guard case .text(var text) = value else { return nil }
        text.withUTF8 {
          size += $0.count + 3
          hasNUL = hasNUL || $0.contains(0)
        }
      }
      if hasNUL { source = "(SELECT frc_unhex(1, value) FROM json_each(?))" }
      json.reserveCapacity(hasNUL ? 2 * size : size)
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
    var text = text
    text.withUTF8 { bytes in
      // Most texts are appended as a whole.
      var start = 0
      for (index, byte) in bytes.enumerated()
      where byte < 32 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        json += bytes[start..<index]
        start = index + 1
        if byte < 32 {
          json += "\\u00".utf8
          HexText.append(CollectionOfOne(byte), to: &json)
        } else {
          json.append(UInt8(ascii: "\\"))
          json.append(byte)
        }
      }
      json += bytes[start...]
    }
  }
}

extension SQL: Equatable {
  /// Whether both have the same text, byte by byte, and the same bound values.
  public static func == (left: SQL, right: SQL) -> Bool {
    left.text.hasSameBytes(as: right.text) && left.bindings == right.bindings
  }
}

extension SQL: Hashable {
  /// Hashes the text and the values.
  public func hash(into hasher: inout Hasher) {
    text.hashBytes(into: &hasher)
    hasher.combine(bindings)
  }
}

extension SQL: CustomStringConvertible {
  /// The text and its bound values.
  public var description: String {
    bindings.isEmpty ? text : "\(text) with \(bindings.map(\.description).joined(separator: ", "))"
  }
}
