import DataSources
import RowModel

/// Reads the parts of an order key.
struct KeyReader {
  let bytes: UnsafeBufferPointer<UInt8>
  var place = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Skips a part, and returns its range.
  mutating func skip(_ part: KeyOrder.Part) -> Range<Int> {
    let start = place
    _ = read(part)
    return start..<place
  }

  /// The value of a part, as its order treats it: folded, trimmed, an integral real as an integer.
  mutating func read(_ part: KeyOrder.Part) -> SectionID {
    let mask = part.mask
    let tag = bytes[place] ^ mask
    place += 1
    switch tag {
    case KeyTag.number: return number(mask)
    case KeyTag.text:
      switch part.text {
      case .nocase: return .text(String(decoding: folded(mask), as: UTF8.self))
      case .asked:
        let count = Int(number64(0))
        defer { place += count }
        return .text(String(decoding: bytes[place..<place + count], as: UTF8.self))
      case .utf16(let isBigEndian): return .text(Self.text(utf16: escaped(mask), isBigEndian))
      case .bytes, .rtrim: return .text(String(decoding: escaped(mask), as: UTF8.self))
      }
    case KeyTag.blob: return .blob(escaped(mask))
    default: return .none
    }
  }

  private mutating func number64(_ mask: UInt8) -> UInt64 {
    var number: UInt64 = 0
    for _ in 0..<8 {
      number = number << 8 | UInt64(bytes[place] ^ mask)
      place += 1
    }
    return number
  }

  private mutating func number(_ mask: UInt8) -> SectionID {
    let sortable = number64(mask)
    let value = Double(bitPattern: sortable >> 63 == 1 ? sortable & ~(1 << 63) : ~sortable)
    let rest = value.magnitude >= KeyTag.exactLimit ? number64(mask) : 0
    guard let whole = Int64(exactly: value) else { return .real(value) }
    return .integer(whole &+ Int64(bitPattern: rest))
  }

  private mutating func escaped(_ mask: UInt8) -> [UInt8] {
    var content: [UInt8] = []
    while true {
      let byte = bytes[place] ^ mask
      place += 1
      if byte == 0 {
        let next = bytes[place] ^ mask
        place += 1
        if next == 1 { return content }
      }
      content.append(byte)
    }
  }

  private mutating func folded(_ mask: UInt8) -> [UInt8] {
    var content: [UInt8] = []
    while true {
      let byte = bytes[place] ^ mask
      place += 1
      if byte == 0 { break }
      content.append(byte)
    }
    let hasRest = bytes[place] ^ mask == 1
    place += 1
    if hasRest {
      // After a NUL, only the number of bytes counts.
      let count = Int(number64(mask))
      content.append(contentsOf: repeatElement(0, count: max(0, count - content.count)))
    }
    return content
  }

  private static func text(utf16 bytes: [UInt8], _ isBigEndian: Bool) -> String {
    var units: [UInt16] = []
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      let first = UInt16(bytes[index])
      let second = UInt16(bytes[index + 1])
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
    }
    return String(decoding: units, as: UTF16.self)
  }
}

extension KeyOrder {
  /// Compares two keys, or their first `count` parts, if the engine has to be asked about a part.
  func compare(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, parts count: Int,
    asking question: CollationQuestion
  ) throws -> Int {
    var first = KeyReader(left)
    var second = KeyReader(right)
    for part in parts.prefix(count) {
      var firstValue = first
      var secondValue = second
      let firstRange = first.skip(part)
      let secondRange = second.skip(part)
      if case .asked(let collation) = part.text, case .text(let a) = firstValue.read(part),
        case .text(let b) = secondValue.read(part)
      {
        let order = try question(collation, a, b)
        if order != 0 { return part.isDescending ? -order : order }
        continue
      }
      let order = KeyBuffer.compare(
        UnsafeBufferPointer(rebasing: left[firstRange]), UnsafeBufferPointer(rebasing: right[secondRange]))
      if order != 0 { return order }
    }
    return 0
  }
}
