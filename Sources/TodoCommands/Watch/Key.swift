/// A key, or pasted text.
enum Key: Equatable {
  /// A letter, a digit or a sign: the text that it types. Combining marks come as keys of their own.
  case text(String)
  /// With the control key: "c" for Ctrl-C.
  case control(Character)
  case enter, tab, escape, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  /// Pasted text, whatever it contains.
  case paste(String)
  /// A key without a meaning here.
  case other
}

/// Divides a terminal's input into keys. Incomplete input waits for the rest.
struct KeyParser {
  private var bytes: [UInt8] = []
  private var isPasting = false
  /// How many bytes of a paste contain no beginning of its end marker.
  private var searched = 0

  /// Whether input waits that may be complete: other keys also begin with Escape.
  var isWaiting: Bool { !bytes.isEmpty && !isPasting }

  /// The complete keys in the input.
  mutating func parse(_ sent: [UInt8]) -> [Key] {
    // The end marker of a paste can be lost with a connection. Ctrl-C by itself was typed, and means what it always
    // does.
    if isPasting, sent == [0x03] {
      endPaste()
      bytes = []
    }
    bytes += sent
    return take(isAll: false)
  }

  /// Nothing has followed for a while: the waiting input is complete.
  mutating func finish() -> [Key] { isPasting ? [] : take(isAll: true) }

  private mutating func take(isAll: Bool) -> [Key] {
    var keys: [Key] = []
    while !bytes.isEmpty {
      guard let (key, count) = isPasting ? pasted() : first(isAll) else { break }
      bytes.removeFirst(count)
      if let key { keys.append(key) }
    }
    return keys
  }

  // MARK: Parts

  private mutating func first(_ isAll: Bool) -> (Key?, Int)? {
    let byte = bytes[0]
    switch byte {
    case 0x1B: return escape(isAll)
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x08, 0x7F: return (.backspace, 1)
    case 0x01...0x1A: return (.control(Character(Unicode.Scalar(byte + 0x60))), 1)
    case 0x1C: return (.control("\\"), 1)
    case 0x00...0x1F: return (.other, 1)
    case 0x20...0x7E: return (.text(String(Unicode.Scalar(byte))), 1)
    default: return letter(isAll)
    }
  }

  /// A letter of several bytes. Invalid bytes are left out.
  private func letter(_ isAll: Bool) -> (Key?, Int)? {
    let length =
      switch bytes[0] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    let rest = bytes.dropFirst().prefix(length - 1)
    let valid = rest.prefix { $0 & 0xC0 == 0x80 }.count
    if valid < rest.count || length == 1 { return (nil, 1 + valid) }
    if rest.count < length - 1 { return isAll ? (nil, bytes.count) : nil }
    guard let text = String(validating: bytes[..<length], as: UTF8.self) else { return (nil, length) }
    return (.text(text), length)
  }

  private mutating func escape(_ isAll: Bool) -> (Key?, Int)? {
    guard bytes.count > 1 else { return isAll ? (.escape, 1) : nil }
    switch bytes[1] {
    case UInt8(ascii: "["): break
    case UInt8(ascii: "O"):
      guard bytes.count > 2 else { return isAll ? (.other, 2) : nil }
      return (Self.keys[bytes[2]] ?? .other, 3)
    // Escape twice, or with Alt: first Escape, then the other key.
    default: return (.escape, 1)
    }
    guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return isAll || bytes.count > 32 ? (.other, bytes.count) : nil
    }
    let parameter = bytes[2..<end].prefix { (48...57).contains($0) }.reduce(0) { ($0 * 10 + Int($1) - 48) % 10000 }
    if bytes[end] == UInt8(ascii: "~") {
      if parameter == 200 {
        isPasting = true
        return (nil, end + 1)
      }
      return (Self.numberedKeys[parameter] ?? .other, end + 1)
    }
    return (Self.keys[bytes[end]] ?? .other, end + 1)
  }

  /// Pasted text up to the end marker.
  private mutating func pasted() -> (Key?, Int)? {
    let end = Array("\u{1B}[201~".utf8)
    while searched + end.count <= bytes.count {
      if bytes[searched] == end[0], bytes[searched..<searched + end.count].elementsEqual(end) {
        let text = String(decoding: bytes[..<searched], as: UTF8.self)
        defer { endPaste() }
        return (.paste(text), searched + end.count)
      }
      searched += 1
    }
    return nil
  }

  private mutating func endPaste() {
    isPasting = false
    searched = 0
  }

  private static let keys: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "M"): .enter,
  ]

  private static let numberedKeys: [Int: Key] = [
    1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
  ]
}
