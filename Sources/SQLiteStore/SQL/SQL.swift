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
  }

  mutating func append(text more: String) { text += more }

  mutating func append(_ value: some ValueConvertible) {
    do {
      bindings.append(try value.databaseValue)
    } catch let error as DatabaseError {
      if failure == nil { failure = error }
    } catch {
      if failure == nil { failure = DatabaseError(code: .mismatch, message: "\(error)") }
    }
    text += "?"
  }

  /// The most parameters that a statement takes, unless the library was built with another limit.
  static let parameterLimit = 32_766
  /// Longer lists of integers are bound as one JSON array: one text for every length, and no limit.
  static let listLimit = 1000

  mutating func append(list: [Value]) {
    if list.count > Self.listLimit, let json = Self.jsonArray(list) {
      text += "(SELECT value FROM json_each(?))"
      bindings.append(.text(json))
      return
    }
    if list.count > Self.parameterLimit, failure == nil {
      failure = DatabaseError(
        code: .tooBig,
        message: "a list of \(list.count) values is more than the \(Self.parameterLimit) that a statement takes; "
          + "put them into a temporary table and join it")
      return
    }
    text += "("
    for index in list.indices { text += index == 0 ? "?" : ", ?" }
    text += ")"
    bindings += list
  }

  private static func jsonArray(_ list: [Value]) -> String? {
    var json = "["
    for value in list {
      guard case .integer(let integer) = value else { return nil }
      if json.utf8.count > 1 { json += "," }
      json += String(integer)
    }
    return json + "]"
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
