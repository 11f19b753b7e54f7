/// Bytes as hexadecimal digits, for lists that are bound as JSON.
package enum HexText {
  private static let digits = Array("0123456789abcdef".utf8)

  static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
  }

  package static func bytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    func digit(_ byte: UInt8) -> UInt8 { byte < 97 ? byte &- 48 : byte &- 87 }
    return stride(from: 0, to: text.count - 1, by: 2).map { digit(text[$0]) << 4 | digit(text[$0 + 1]) }
  }
}
