import FetchedResultsSupport

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The text of a date. It is written here because formatters take microseconds for each date and depend on settings.
package struct DateText {
  package let text: String

  package init?(_ date: Date) {
    let reference = date.timeIntervalSinceReferenceDate
    guard reference.isFinite, abs(reference) < 400_000_000_000 else { return nil }
    let whole = reference.rounded(.down)
    var seconds = Int64(whole) + 978_307_200
    var shown = ""
    // Nine digits identify any double except those within months of its zero, in 2001, which are denser. Fifteen
    // identify those too, except within some seconds.
    if let digits = [9, 15].first(where: {
      Self.restored(whole, Self.fraction(reference - whole, $0), $0) == reference
    }) {
      let fraction = Self.fraction(reference - whole, digits)
      if fraction == Self.power(digits) { seconds += 1 } else if fraction != 0 { shown = Self.padded(fraction, digits) }
    } else {
      let decimals = Self.decimals(abs(reference))
      let text = (reference < 0 ? Self.complement(decimals) : decimals).map(String.init).joined()
      shown = text + String(repeating: "0", count: max(0, 16 - text.count))
    }
    let days = seconds.quotientRoundedDown(by: 86_400)
    let second = Int(seconds - days * 86_400)
    let (year, month, day) = CivilDay.date(daysSince1970: Int(days))
    guard (0...9999).contains(year) else { return nil }
    var text = Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) + " "
    text += Self.padded(second / 3600, 2) + ":" + Self.padded(second / 60 % 60, 2) + ":" + Self.padded(second % 60, 2)
    if !shown.isEmpty {
      while shown.utf8.count <= 15, shown.hasSuffix("000") { shown.removeLast(3) }
      text += "." + shown
    }
    self.text = text
  }

  /// Whether a date is stored as text: in the years 0 to 9999.
  package static func isInRange(_ date: Date) -> Bool {
    (-63_145_526_400..<252_423_993_600 as Range<Double>).contains(date.timeIntervalSinceReferenceDate)
  }

  private static func power(_ digits: Int) -> Int64 { digits == 9 ? 1_000_000_000 : 1_000_000_000_000_000 }

  private static func fraction(_ part: Double, _ digits: Int) -> Int64 {
    Int64((part * Double(power(digits))).rounded())
  }

  private static func restored(_ whole: Double, _ fraction: Int64, _ digits: Int) -> Double {
    whole + Double(fraction) / Double(power(digits))
  }

  /// The digits after the decimal point of the shortest decimal number that is read as a double.
  private static func decimals(_ number: Double) -> [Int] {
    let parts = "\(number)".split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let digits = mantissa.joined().utf8.map { Int($0) - 48 }
    let point = mantissa[0].count + exponent
    return point < 0 ? Array(repeating: 0, count: -point) + digits : Array(digits.dropFirst(point))
  }

  /// The digits of 1 minus the fraction with these digits, which is not 0.
  private static func complement(_ digits: [Int]) -> [Int] {
    guard let last = digits.lastIndex(where: { $0 != 0 }) else { return digits }
    return digits[..<last].map { 9 - $0 } + [10 - digits[last]] + digits[(last + 1)...]
  }

  /// The time given by whole seconds and a fraction of many digits, rounded once.
  private static func exactly(_ seconds: Int64, _ digits: [Int]) -> Double {
    let isBelow = seconds < 0 && digits.contains { $0 != 0 }
    let shown = isBelow ? complement(digits) : digits
    let number = Double("\(isBelow ? -(seconds + 1) : abs(seconds)).\(shown.map(String.init).joined())") ?? 0
    return seconds < 0 ? -number : number
  }

  private static func padded(_ number: some BinaryInteger, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  package static func parse(_ text: String) -> Date? {
    var rest = Scanner(bytes: Array(text.utf8)[...])
    guard let year = rest.digits(4), rest.take("-"), let month = rest.digits(2), rest.take("-"),
      let day = rest.digits(2), CivilDay.isValid(year: year, month: month, day: day)
    else { return nil }
    var seconds = Int64(CivilDay.days(year: year, month: month, day: day)) * 86_400
    var fraction: [Int] = []
    if !rest.bytes.isEmpty {
      guard rest.take(" ") || rest.take("T"), let hour = rest.digits(2), hour < 24, rest.take(":"),
        let minute = rest.digits(2), minute < 60
      else { return nil }
      seconds += Int64(hour * 3600 + minute * 60)
      if rest.take(":") {
        guard let second = rest.digits(2), second < 60 else { return nil }
        seconds += Int64(second)
        if rest.take(".") {
          guard let read = rest.fraction() else { return nil }
          fraction = read
        }
      }
      if !rest.take("Z"), !rest.bytes.isEmpty {
        let sign: Int64
        if rest.take("+") { sign = -1 } else if rest.take("-") { sign = 1 } else { return nil }
        guard let hours = rest.digits(2), rest.take(":"), let minutes = rest.digits(2) else { return nil }
        seconds += sign * Int64(hours * 3600 + minutes * 60)
      }
    }
    guard rest.bytes.isEmpty else { return nil }
    if fraction.count > 15 { return Date(timeIntervalSinceReferenceDate: exactly(seconds - 978_307_200, fraction)) }
    let digits = fraction.count > 9 ? 15 : 9
    let value = (fraction + Array(repeating: 0, count: digits - fraction.count)).reduce(0) { $0 * 10 + Int64($1) }
    return Date(timeIntervalSinceReferenceDate: restored(Double(seconds - 978_307_200), value, digits))
  }

  private struct Scanner {
    var bytes: ArraySlice<UInt8>

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard bytes.first == UInt8(ascii: character) else { return false }
      bytes.removeFirst()
      return true
    }

    mutating func digit() -> Int? {
      guard let byte = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      bytes.removeFirst()
      return Int(byte - UInt8(ascii: "0"))
    }

    mutating func digits(_ count: Int) -> Int? {
      var number = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        number = number * 10 + digit
      }
      return number
    }

    /// The digits of a fraction, at least one.
    mutating func fraction() -> [Int]? {
      var digits: [Int] = []
      while let digit = digit() { digits.append(digit) }
      return digits.isEmpty ? nil : digits
    }
  }
}
