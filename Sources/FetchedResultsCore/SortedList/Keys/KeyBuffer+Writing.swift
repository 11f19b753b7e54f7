// Encodes values as bytes that compare as the values do. The bytes of each part show where it ends, so keys of several
// parts compare part by part. The bytes of a descending part are inverted.

extension KeyBuffer {
  @inlinable @inline(__always)
  package func appendNull(_ part: KeyOrder.Part) { append(part.nullTag) }

  /// An integer: the largest double that is not above it, and the remainder if doubles are too coarse.
  @inlinable @inline(__always)
  package func append(_ value: Int64, _ part: KeyOrder.Part) {
    var double = Double(value)
    if double.magnitude < KeyTag.exactLimit {
      appendNumber(double, rest: 0, part.mask)
      return
    }
    if double >= 9_223_372_036_854_775_808 || Int64(double) > value { double = double.nextDown }
    appendNumber(double, rest: UInt64(bitPattern: value &- Int64(double)), part.mask)
  }

  @inlinable @inline(__always)
  package func append(_ value: Double, _ part: KeyOrder.Part) { appendNumber(value, rest: 0, part.mask) }

  @inlinable @inline(__always)
  func appendNumber(_ value: Double, rest: UInt64, _ mask: UInt8) {
    let bits = (value == 0 ? 0.0 : value).bitPattern
    // Doubles sort like their bits if the sign bit is inverted, and for negative numbers all other bits too.
    let sortable = bits >> 63 == 1 ? ~bits : bits | 1 << 63
    let wide: UInt64 = mask == 0 ? 0 : .max
    append(KeyTag.number ^ mask)
    append(bigEndian: sortable ^ wide)
    if value.magnitude >= KeyTag.exactLimit { append(bigEndian: rest ^ wide) }
  }

  package func append(text bytes: UnsafeBufferPointer<UInt8>, _ part: KeyOrder.Part) {
    let mask = part.mask
    append(KeyTag.text ^ mask)
    switch part.text {
    case .bytes, .utf16: appendEscaped(bytes, mask)
    case .rtrim: appendEscaped(UnsafeBufferPointer(rebasing: bytes[..<bytes.trimmedEnd]), mask)
    case .nocase: appendFolded(bytes, mask)
    case .asked:
      append(bigEndian: UInt64(bytes.count))
      append(plain: bytes, 0)
    }
  }

  package func append(blob bytes: UnsafeBufferPointer<UInt8>, _ part: KeyOrder.Part) {
    append(KeyTag.blob ^ part.mask)
    appendEscaped(bytes, part.mask)
  }

  private func append(plain bytes: UnsafeBufferPointer<UInt8>, _ mask: UInt8) {
    reserve(bytes.count)
    for byte in bytes { append(byte ^ mask) }
  }

  /// Bytes in which 0 becomes 0 255; the end is 0 1.
  private func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>, _ mask: UInt8) {
    reserve(bytes.count + 2)
    for byte in bytes {
      append(byte ^ mask)
      if byte == 0 { append(0xFF ^ mask) }
    }
    append(0 ^ mask)
    append(1 ^ mask)
  }

  /// Text as NOCASE compares it: folded, up to the first NUL; after that only the number of bytes counts.
  private func appendFolded(_ bytes: UnsafeBufferPointer<UInt8>, _ mask: UInt8) {
    let end = bytes.firstIndex(of: 0) ?? bytes.count
    reserve(end + 10)
    for byte in bytes[..<end] { append(byte.asciiLowercased ^ mask) }
    append(0 ^ mask)
    if end == bytes.count {
      append(0 ^ mask)
    } else {
      append(1 ^ mask)
      append(bigEndian: mask == 0 ? UInt64(bytes.count) : ~UInt64(bytes.count))
    }
  }
}

extension UInt8 {
  /// The lower-case letter of an ASCII upper-case one; any other byte unchanged.
  @inline(__always)
  var asciiLowercased: UInt8 { self >= 65 && self <= 90 ? self | 32 : self }
}

extension UnsafeBufferPointer<UInt8> {
  /// The end of the text without trailing spaces.
  var trimmedEnd: Int {
    var end = count
    while end > 0, self[end - 1] == 32 { end -= 1 }
    return end
  }
}
