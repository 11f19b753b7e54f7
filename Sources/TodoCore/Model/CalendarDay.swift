import FetchedResultsSupport

/// A day in the Gregorian calendar without a time zone: "2031-01-02" everywhere.
///
/// ```swift
/// CalendarDay(year: 2031, month: 1, day: 31)?.adding(months: 1).description  // "2031-02-28"
/// ```
public struct CalendarDay: Hashable, Comparable, Sendable {
  /// Days since 1 January 1970.
  public let number: Int

  /// The possible years: those that ISO writes with four digits.
  public static let years = 1...9999

  static let first = CivilDay.days(year: 1, month: 1, day: 1)
  static let last = CivilDay.days(year: 9999, month: 12, day: 31)

  /// The day a number of days after 1 January 1970; a number outside the years gives the first or the last day.
  public init(number: Int) { self.number = min(max(number, Self.first), Self.last) }

  /// The day of a date; nil if it doesn't exist, such as 30 February.
  public init?(year: Int, month: Int, day: Int) {
    guard Self.years.contains(year), (1...12).contains(month), day >= 1,
      day <= CivilDay.daysIn(month: month, ofYear: year)
    else { return nil }
    number = CivilDay.days(year: year, month: month, day: day)
  }

  /// Parses "2031-01-02"; nil for everything else.
  public init?(iso text: some StringProtocol) {
    let fast = text.utf8.withContiguousStorageIfAvailable { CalendarDay(bytes: $0) }
    guard let day = fast ?? CalendarDay(bytes: Array(text.utf8)) else { return nil }
    self = day
  }

  private init?(bytes: some Collection<UInt8>) {
    var reader = DigitReader(bytes)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), reader.isAtEnd
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// Year, month and day.
  public var date: (year: Int, month: Int, day: Int) { CivilDay.date(daysSince1970: number) }

  /// The day of the week, from 1 for Monday to 7 for Sunday.
  public var weekday: Int {
    let remainder = (number + 3) % 7  // 1 January 1970 was a Thursday
    return (remainder < 0 ? remainder + 7 : remainder) + 1
  }

  /// The name of the day of the week: "Monday".
  public var weekdayName: String { DateNames.weekdays[weekday - 1] }

  /// The day a number of days later.
  public func adding(days: Int) -> CalendarDay {
    let (sum, overflow) = number.addingReportingOverflow(days)
    return CalendarDay(number: overflow ? (days < 0 ? Self.first : Self.last) : sum)
  }

  /// The same day a number of months later, or the month's last day if it is shorter.
  public func adding(months: Int) -> CalendarDay {
    let (year, month, day) = date
    let (count, overflow) = (year * 12 + month - 1).addingReportingOverflow(months)
    if overflow { return CalendarDay(number: months < 0 ? Self.first : Self.last) }
    let newYear = count >= 0 ? count / 12 : (count - 11) / 12
    let newMonth = count - newYear * 12 + 1
    guard newYear >= 1 else { return CalendarDay(number: Self.first) }
    guard newYear <= 9999 else { return CalendarDay(number: Self.last) }
    let last = CivilDay.daysIn(month: newMonth, ofYear: newYear)
    return CalendarDay(number: CivilDay.days(year: newYear, month: newMonth, day: min(day, last)))
  }

  /// The last day of its month.
  public var endOfMonth: CalendarDay {
    let (year, month, _) = date
    let last = CivilDay.daysIn(month: month, ofYear: year)
    return CalendarDay(number: CivilDay.days(year: year, month: month, day: last))
  }

  /// Whether it comes before another day.
  public static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }
}

extension CalendarDay: CustomStringConvertible {
  /// The day in ISO form: "2031-01-02".
  public var description: String {
    String(unsafeUninitializedCapacity: ISOWriter.dayLength) { bytes in
      ISOWriter.write(day: number, into: bytes)
      return ISOWriter.dayLength
    }
  }
}
