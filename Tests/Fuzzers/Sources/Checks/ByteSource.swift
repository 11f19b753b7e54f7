/// Takes choices from bytes, one after another. At the end all numbers are 0, so that any bytes are choices.
struct ByteSource {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// A number from 0 up to and without another.
  mutating func number(below count: Int) -> Int { count <= 1 ? 0 : Int(count <= 256 ? UInt(byte()) : short()) % count }

  private mutating func short() -> UInt { UInt(byte()) << 8 | UInt(byte()) }

  /// Eight bytes as a number, the first the lowest.
  mutating func integer() -> Int64 {
    var bits: UInt64 = 0
    for place in 0..<8 { bits |= UInt64(byte()) << UInt64(8 * place) }
    return Int64(bitPattern: bits)
  }

  /// The bytes up to the next 0xFF, which no text contains.
  mutating func field() -> [UInt8] {
    let field = Array(rest.prefix { $0 != 0xFF })
    rest = rest.dropFirst(field.count + 1)
    return field
  }

  /// A field as text, with what is no UTF-8 in it replaced.
  mutating func text() -> String { String(decoding: field(), as: UTF8.self) }

  /// All that is left.
  mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}
