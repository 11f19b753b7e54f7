/// A JSON value that keeps the order of fields and every digit of a number.
///
/// ```swift
/// let value: JSONValue = ["schema": 1, "lists": [["name": "Inbox"]]]
/// value.text  // {"schema":1,"lists":[{"name":"Inbox"}]}
/// ```
public enum JSONValue: Sendable {
  /// null
  case null
  /// true or false
  case bool(Bool)
  /// A number, as it was written.
  case number(String)
  /// A text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Fields in order.
  case object(JSONObject)

  /// An integer.
  public static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

  /// A text, or null.
  public init(_ text: String?) { self = text.map { .string($0) } ?? .null }

  /// The text, if it is one.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The integer, if it is an integral number.
  public var integer: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }

  /// The Boolean, if it is one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The values, if it is an array.
  public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

  /// The fields, if it is an object.
  public var object: JSONObject? { if case .object(let fields) = self { fields } else { nil } }

  /// Its type, in a word for messages: "a text", "null".
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a Boolean"
    case .number: "a number"
    case .string: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The value as JSON, without spaces.
  public var text: String {
    var writer = JSONWriter()
    writer.write(self)
    return writer.text
  }
}

extension JSONValue: Hashable {
  /// Whether both are the same value. Numbers are compared as written, and texts by their bytes.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)), (.string(let left), .string(let right)): left.isIdentical(to: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let text), .string(let text): hasher.combine(TextKey(text))
    case .array(let values): hasher.combine(values)
    case .object(let fields): hasher.combine(fields)
    }
  }
}

extension JSONValue {
  /// The nesting depth: 0 for a value that is neither an array nor an object.
  var depth: Int {
    switch self {
    case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
    case .object(let fields): 1 + (fields.members.map(\.value.depth).max() ?? 0)
    default: 0
    }
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// null
  public init(nilLiteral: ()) { self = .null }
  /// A Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object.
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}

extension JSONValue {
  /// Whether two values mean the same: the order of an object's fields means nothing.
  func means(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let left), .object(let right)): left.means(right)
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.means($1) }
    default: self == other
    }
  }
}

extension JSONObject {
  /// Whether two objects have the same fields, in any order. Of two fields of one name, the last one counts.
  func means(_ other: JSONObject) -> Bool {
    func has(_ left: JSONObject, _ right: JSONObject) -> Bool {
      left.members.allSatisfy { member in
        guard let one = left[member.key], let value = right[member.key] else { return false }
        return one.means(value)
      }
    }
    return has(self, other) && has(other, self)
  }
}
