/// A local time: a day and a time of day, without a zone.
///
/// Recurrences use it, so that nine o'clock stays nine o'clock when summer time begins.
public struct WallTime: Hashable, Sendable {
  /// The day.
  public var day: CalendarDay
  /// Seconds since midnight, 0 to 86,399.
  public var secondOfDay: Int

  /// Creates a day with a time of day.
  public init(day: CalendarDay, secondOfDay: Int) {
    self.day = day
    self.secondOfDay = min(max(secondOfDay, 0), 86_399)
  }

  init(secondsSince1970 seconds: Int64) {
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    self.init(day: CalendarDay(number: Int(days)), secondOfDay: Int(seconds - days * 86_400))
  }

  /// Parses "2031-01-31T09:00:00", or the same without seconds; nil for everything else.
  public init?(iso text: some StringProtocol) {
    var reader = DigitReader(text.utf8)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let date = reader.number(2), reader.take("T"), let day = CalendarDay(year: year, month: month, day: date),
      let second = Self.time(&reader), reader.isAtEnd
    else { return nil }
    self.init(day: day, secondOfDay: second)
  }

  /// The seconds since midnight of "14:00" or "14:00:30".
  static func time<Bytes>(_ reader: inout DigitReader<Bytes>) -> Int? {
    guard let hour = reader.number(2), reader.take(":"), let minute = reader.number(2), hour < 24, minute < 60 else {
      return nil
    }
    var second = 0
    if reader.take(":") {
      guard let number = reader.number(2), number < 60 else { return nil }
      second = number
    }
    return hour * 3600 + minute * 60 + second
  }

  /// The same time in UTC, in seconds since 1970.
  var secondsSince1970: Int64 { Int64(day.number) * 86_400 + Int64(secondOfDay) }
}

extension WallTime: CustomStringConvertible {
  /// In ISO form: "2031-01-31T09:00:00".
  public var description: String {
    let time = "\(padded(secondOfDay / 3600, 2)):\(padded(secondOfDay / 60 % 60, 2)):\(padded(secondOfDay % 60, 2))"
    return "\(day)T\(time)"
  }
}
