extension JSONValue {
  /// Parses one JSON value (RFC 8259), surrounded only by white space.
  public static func parse(_ text: String) throws(JSONError) -> JSONValue { try parse(Array(text.utf8)) }

  /// Parses one JSON value from UTF-8; a byte order mark before it is skipped.
  public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes)
    return try parser.document()
  }

  /// Parses a value that the database holds. Other programs may have stored half of a surrogate pair, as Python does
  /// for file names: it becomes U+FFFD, so that everything else can be read.
  static func parse(stored text: String) throws(JSONError) -> JSONValue {
    var parser = JSONParser(Array(text.utf8))
    parser.isStored = true
    return try parser.document()
  }

  /// Parses a sequence of JSON values, with or without line breaks between them, as in line-based formats.
  public static func parseSequence(_ bytes: [UInt8]) throws(JSONError) -> [JSONValue] {
    var parser = JSONParser(bytes)
    return try parser.sequence()
  }
}

/// Parses JSON and always knows its line.
struct JSONParser {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var lineStart = 0
  // Continuation bytes of the current line up to here, which are not columns of their own.
  private var continuations = 0
  private var depth = 0
  /// Whether the database holds the text.
  fileprivate(set) var isStored = false

  /// Deeper nesting does not occur in real data, and would overflow the stack.
  static let depthLimit = 300

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      index = 3
      lineStart = 3
    }
  }

  mutating func document() throws(JSONError) -> JSONValue {
    skipSpace()
    if index == bytes.count { throw error("there is nothing to read") }
    let value = try value()
    skipSpace()
    if index < bytes.count { throw error("something follows the value") }
    return value
  }

  mutating func sequence() throws(JSONError) -> [JSONValue] {
    var values: [JSONValue] = []
    skipSpace()
    while index < bytes.count {
      values.append(try value())
      skipSpace()
    }
    return values
  }

  // MARK: Values

  private mutating func value() throws(JSONError) -> JSONValue {
    guard index < bytes.count else { throw error("a value is missing at the end") }
    switch bytes[index] {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), 48...57: return try number()
    case 0, 0xFE, 0xFF: throw error("this is \(TextLines.whatIsInstead(bytes[index...]))")
    default: throw error("a value is expected here")
    }
  }

  private mutating func object() throws(JSONError) -> JSONValue {
    var fields = JSONObject()
    fields.place = place()
    try descend()
    skipSpace()
    if !take("}") {
      repeat {
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
          throw error("a field's name in quotes is expected here")
        }
        let key = try string()
        skipSpace()
        guard take(":") else { throw error("a colon is missing after the name \"\(key)\"") }
        skipSpace()
        let start = place()
        fields.append(key, try value(), at: start)
      } while try takeComma(before: "}")
    }
    depth -= 1
    return .object(fields)
  }

  private mutating func array() throws(JSONError) -> JSONValue {
    var values: [JSONValue] = []
    try descend()
    skipSpace()
    if !take("]") {
      repeat {
        skipSpace()
        values.append(try value())
      } while try takeComma(before: "]")
    }
    depth -= 1
    return .array(values)
  }

  private mutating func descend() throws(JSONError) {
    depth += 1
    if depth > Self.depthLimit { throw error("values are nested more than \(Self.depthLimit) deep") }
    index += 1
  }

  private mutating func takeComma(before end: Unicode.Scalar) throws(JSONError) -> Bool {
    skipSpace()
    if take(",") { return true }
    if take(end) { return false }
    throw error("a comma or \(end) is missing")
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes[index...].starts(with: expected) else { throw error("a value is expected here") }
    index += expected.count
    return value
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = index
    _ = take("-")
    let whole = digits()
    if whole == 0 { throw error("a digit is missing") }
    if whole > 1, bytes[index - whole] == 48 { throw error("a number does not begin with 0") }
    if take("."), digits() == 0 { throw error("a digit is missing after the point") }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      if digits() == 0 { throw error("a digit is missing in the exponent") }
    }
    return .number(String(decoding: bytes[start..<index], as: UTF8.self))
  }

  private mutating func digits() -> Int {
    let start = index
    while index < bytes.count, (48...57).contains(bytes[index]) { index += 1 }
    return index - start
  }

  // MARK: Texts

  private mutating func string() throws(JSONError) -> String {
    index += 1
    // Nearly every text has no escapes, and is one piece.
    var pieces: [UInt8] = []
    var start = index
    var isASCII = true
    while true {
      index = endOfPlainText(from: index)
      guard index < bytes.count else { throw error("a text has no closing quote") }
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        let last = bytes[start..<index]
        defer { index += 1 }
        return pieces.isEmpty ? try text(last, isASCII: isASCII) : try text(pieces + last, isASCII: false)
      case UInt8(ascii: "\\"):
        pieces += bytes[start..<index]
        try escape(into: &pieces)
        start = index + 1
      case 0..<0x20: throw error("a text contains a control character; write it as an escape such as \\n")
      default:
        isASCII = false
        if byte & 0xC0 == 0x80 { continuations += 1 }
      }
      index += 1
    }
  }

  /// The end of a text's leading plain ASCII part.
  private func endOfPlainText(from start: Int) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      var index = start
      while index < bytes.count {
        let byte = bytes[index]
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { break }
        index += 1
      }
      return index
    }
  }

  private mutating func text(_ bytes: some Collection<UInt8>, isASCII: Bool) throws(JSONError) -> String {
    if isASCII { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw error("this text is not UTF-8") }
    return text
  }

  /// Reads an escape up to its last byte.
  private mutating func escape(into result: inout [UInt8]) throws(JSONError) {
    index += 1
    guard index < bytes.count else { throw error("a text has no closing quote") }
    switch bytes[index] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(bytes[index])
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"): result += Array(String(try escapedScalar()).utf8)
    default: throw error("there is no such escape")
    }
  }

  private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "\\"),
      bytes[index + 2] == UInt8(ascii: "u")
    else { return try halfPair() }
    let end = index
    index += 2
    let second = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else {
      index = end
      return try halfPair()
    }
    return scalar
  }

  private func halfPair() throws(JSONError) -> Unicode.Scalar {
    if isStored { return "\u{FFFD}" }
    throw error("a text contains half of a surrogate pair")
  }

  /// Reads the four digits after \u, up to the last.
  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 {
      index += 1
      guard index < bytes.count, let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else {
        throw error("\\u needs four hexadecimal digits")
      }
      number = number << 4 | UInt32(digit)
    }
    return number
  }

  // MARK: Where it is

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard index < bytes.count, UInt32(bytes[index]) == mark.value else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0D: index += 1
      case 0x0A:
        index += 1
        line += 1
        lineStart = index
        continuations = 0
      default: return
      }
    }
  }

  private func place() -> TextPlace { TextPlace(line: line, column: index - lineStart - continuations + 1) }

  private func error(_ problem: String) -> JSONError { JSONError(problem, at: place()) }
}
