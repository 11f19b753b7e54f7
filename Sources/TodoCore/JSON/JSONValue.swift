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

extension JSONValue: Equatable {
  /// Whether both are the same value. Numbers are compared as written, texts by their bytes, and objects in any order.
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
