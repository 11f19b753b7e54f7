/// UUIDs in their stored spelling: in lower case, with hyphens.
///
/// Other programs may have stored some with other letters than those of hexadecimal digits. The database accepts them,
/// so everything else does.
enum UUIDText {
  /// A UUID in that spelling; nil if the text is none.
  static func canonical(_ text: String) -> String? {
    if isCanonical(text) { return text }
    let uuid = text.asciiLowercased
    return isCanonical(uuid) ? uuid : nil
  }

  /// Whether a text is a UUID in that spelling.
  static func isCanonical(_ text: String) -> Bool {
    guard text.utf8.count == 36 else { return false }
    var text = text
    return text.withUTF8 { bytes in
      for index in 0..<36 {
        let byte = bytes[index]
        let isHyphen = index == 8 || index == 13 || index == 18 || index == 23
        let isDigit = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
        if isHyphen ? byte != 0x2D : !isDigit { return false }
      }
      return true
    }
  }

  /// A UUID of version 4.
  static func random() -> String {
    // Only two random numbers, because each is a system call.
    let high = UInt64.random(in: .min ... .max) & ~0xF000 | 0x4000
    let low = UInt64.random(in: .min ... .max) & ~(0xC << 60) | 0x8 << 60
    return String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      for (half, number) in [high, low].enumerated() {
        for digit in 0..<16 {
          if half == 0 ? digit == 8 || digit == 12 : digit == 0 || digit == 4 {
            text[place] = UInt8(ascii: "-")
            place += 1
          }
          let value = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * digit) & 0xF)
          text[place] = value < 10 ? value + 48 : value + 87
          place += 1
        }
      }
      return place
    }
  }
}
