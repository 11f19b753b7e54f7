import FetchedResultsSupport

/// A number with leading zeros.
func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// Writes days and times as ISO text into bytes, because lists contain many of them.
enum ISOWriter {
  /// The length of a moment: "2031-01-02T14:00:00Z".
  static let instantLength = 20
  /// The length of a day: "2031-01-02".
  static let dayLength = 10

  static func write(day number: Int, into bytes: UnsafeMutableBufferPointer<UInt8>) {
    let (year, month, day) = CivilDay.date(daysSince1970: number)
    write(year / 100, at: 0, bytes)
    write(year % 100, at: 2, bytes)
    bytes[4] = UInt8(ascii: "-")
    write(month, at: 5, bytes)
    bytes[7] = UInt8(ascii: "-")
    write(day, at: 8, bytes)
  }

  static func write(instant seconds: Int64, into bytes: UnsafeMutableBufferPointer<UInt8>) {
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let second = Int(seconds - days * 86_400)
    write(day: Int(days), into: bytes)
    bytes[10] = UInt8(ascii: "T")
    write(second / 3600, at: 11, bytes)
    bytes[13] = UInt8(ascii: ":")
    write(second / 60 % 60, at: 14, bytes)
    bytes[16] = UInt8(ascii: ":")
    write(second % 60, at: 17, bytes)
    bytes[19] = UInt8(ascii: "Z")
  }

  /// Two digits.
  private static func write(_ number: Int, at index: Int, _ bytes: UnsafeMutableBufferPointer<UInt8>) {
    bytes[index] = 48 + UInt8(truncatingIfNeeded: number / 10)
    bytes[index + 1] = 48 + UInt8(truncatingIfNeeded: number % 10)
  }
}

/// Reads numbers of fixed width and the marks between them.
struct DigitReader<Bytes: Collection<UInt8>> {
  private let bytes: Bytes
  private var index: Bytes.Index

  init(_ bytes: Bytes) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  var isAtEnd: Bool { index == bytes.endIndex }

  /// The next byte, which is not consumed.
  var next: UInt8? { isAtEnd ? nil : bytes[index] }

  /// A number with exactly `width` digits.
  mutating func number(_ width: Int) -> Int? {
    var result = 0
    for _ in 0..<width {
      guard let byte = next, (48...57).contains(byte) else { return nil }
      result = result * 10 + Int(byte - 48)
      index = bytes.index(after: index)
    }
    return result
  }

  /// Consumes a mark if it comes next; returns whether it did.
  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard let byte = next, UInt32(byte) == mark.value else { return false }
    index = bytes.index(after: index)
    return true
  }
}
