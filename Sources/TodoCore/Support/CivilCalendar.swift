/// The Gregorian calendar by arithmetic alone.
enum CivilCalendar {
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  static func daysIn(month: Int, ofYear year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

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
    let (year, month, day) = CivilCalendar.date(days: number)
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
