/// Writes JSON into bytes, without spaces and without building values first.
///
/// It writes exactly what it is given; the caller adds commas and brackets, except inside whole values.
public struct JSONWriter: Sendable {
  /// The bytes written so far.
  public private(set) var bytes: [UInt8]

  /// Creates an empty writer.
  public init(capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// The bytes written so far, as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Removes the content, and keeps its memory.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Writes text that is JSON already, such as a bracket.
  @inline(__always)
  public mutating func raw(_ json: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
  }

  /// Writes text that is JSON already.
  public mutating func raw(_ json: String) { bytes.append(contentsOf: json.utf8) }

  /// Writes an integer.
  public mutating func write(_ integer: Int64) {
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = integer.magnitude
    let start = bytes.count
    repeat {
      bytes.append(48 + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  /// Appends `count` bytes of ASCII that are made in a buffer on the stack.
  mutating func append(_ count: Int, _ make: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { bytes in
      make(bytes)
      self.bytes.append(contentsOf: bytes)
    }
  }

  /// Writes a Boolean.
  public mutating func write(_ value: Bool) { raw(value ? "true" : "false") }

  /// Writes a text in quotes, with the escapes that JSON requires.
  ///
  /// Other controls are escaped too (DEL, C1, direction marks and line separators), so the output is as safe for a
  /// terminal as for a JSON reader.
  public mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      if Self.isPlain(utf8) {
        bytes.append(contentsOf: utf8)
      } else {
        appendEscaped(String(decoding: utf8, as: UTF8.self))
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether nothing in a text must be escaped. It doesn't return early, so that many bytes are checked at once.
  private static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    var isPlain = true
    for byte in utf8 {
      isPlain = isPlain && byte &- 0x20 < 0x5F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    return isPlain
  }

  private mutating func appendEscaped(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22: raw("\\\"")
      case 0x5C: raw("\\\\")
      case 0x08: raw("\\b")
      case 0x09: raw("\\t")
      case 0x0A: raw("\\n")
      case 0x0C: raw("\\f")
      case 0x0D: raw("\\r")
      case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: appendUnit(scalar.value)
      case 0x20...0x7E: bytes.append(UInt8(scalar.value))
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }

  private mutating func appendUnit(_ unit: UInt32) {
    let digits = String(unit, radix: 16)
    raw("\\u")
    for _ in digits.utf8.count..<4 { bytes.append(48) }
    bytes.append(contentsOf: digits.utf8)
  }

  /// Writes a value.
  public mutating func write(_ value: JSONValue) {
    switch value {
    case .null: raw("null")
    case .bool(let value): write(value)
    case .number(let digits): raw(digits)
    case .string(let text): write(text)
    case .array(let values):
      raw("[")
      for (index, value) in values.enumerated() {
        if index > 0 { raw(",") }
        write(value)
      }
      raw("]")
    case .object(let fields):
      raw("{")
      for (index, member) in fields.members.enumerated() {
        if index > 0 { raw(",") }
        write(member.key)
        raw(":")
        write(member.value)
      }
      raw("}")
    }
  }
}
