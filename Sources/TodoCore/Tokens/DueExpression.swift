/// The expressions for a due date.
///
/// "2031-01-02", "2031-01-02T14:00", "today", "tomorrow", "fri", "in 3 days", "next week", "end of month"; a time of
/// day may follow a day: "tomorrow 9:30". Hyphens may replace spaces: `due:in-3-days`.
public enum DueExpression {
  /// Parses an expression; nil if it isn't one.
  ///
  /// A weekday is the next such day, never today. A day without a time is the same day in every zone; with a time it is
  /// a moment in the local time of `moment`'s zone.
  public static func parse(_ text: some StringProtocol, at moment: Moment) -> Due? {
    let words = words(of: text)
    if let time = wallTime(words, moment) { return instant(time, moment.zone) }
    return absolute(words) ?? spelt(words[...], moment.today).map { .day($0) }
  }

  private static func words(of text: some StringProtocol) -> [Substring] {
    String(text).lowercased().split(whereSeparator: \.isWhitespace)
  }

  /// The local time of an expression with a day and a time.
  private static func wallTime(_ words: [Substring], _ moment: Moment) -> WallTime? {
    if words.count == 1 { return WallTime(iso: words[0].uppercased()) }
    guard let last = words.last, let second = time(last) else { return nil }
    let day = words.count == 2 ? CalendarDay(iso: words[0]) : nil
    return (day ?? spelt(words.dropLast(), moment.today)).map { WallTime(day: $0, secondOfDay: second) }
  }

  /// The day of an expression, whose words hyphens may join: "in 3 days", "in-3-days", "end_of_month".
  private static func spelt(_ words: ArraySlice<Substring>, _ today: CalendarDay) -> CalendarDay? {
    if let day = day(words.map(String.init), today) { return day }
    let parts = words.flatMap { $0.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" } }.map(String.init)
    return parts.count > words.count ? day(parts, today) : nil
  }

  /// The moment of a local time; nil if it is outside the calendar's years in UTC.
  private static func instant(_ time: WallTime, _ zone: LocalZone) -> Due? {
    let instant = zone.instant(of: time)
    let seconds = time.secondsSince1970 - Int64(zone.offset(at: instant))
    return (Instant.first...Instant.last).contains(seconds) ? .instant(instant) : nil
  }

  /// Why a date such as 2026-02-29 does not exist; nil if an expression is not of that form.
  static func missingDay(_ text: some StringProtocol) -> String? {
    var reader = DigitReader(text.prefix(10).utf8)
    guard let year = reader.number(4), year > 0, reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), reader.isAtEnd
    else { return nil }
    guard (1...12).contains(month) else { return "there is no month \(month)" }
    let last = CalendarDay(year: year, month: month, day: 1)?.endOfMonth.date.day ?? 31
    return (1...last).contains(day) ? nil : "\(months[month - 1]) \(year) has \(last) days"
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// Whether an expression is a negative number of days: "in -3 days".
  static func isCountedBack(_ text: some StringProtocol) -> Bool {
    let words = words(of: text)
    if words.first == "in", words.count > 1 { return words[1].hasPrefix("-") && words[1].count > 1 }
    return words.first.map { $0.hasPrefix("in--") } ?? false
  }

  /// The single-word expressions, for suggestions.
  static let words =
    ["today", "tomorrow", "yesterday", "none", "before:", "after:"] + weekdays.flatMap { [$0.long, $0.short] }
    + ["in 3 days", "next week", "next month", "end of week", "end of month", "end of year"]

  private static let weekdays: [(long: String, short: String)] = [
    ("monday", "mon"), ("tuesday", "tue"), ("wednesday", "wed"), ("thursday", "thu"), ("friday", "fri"),
    ("saturday", "sat"), ("sunday", "sun"),
  ]

  // MARK: Dates

  /// A day, or a moment with a zone of its own.
  private static func absolute(_ words: [Substring]) -> Due? {
    guard words.count == 1 else { return nil }
    let word = words[0].uppercased()
    if let day = CalendarDay(iso: word) { return .day(day) }
    guard word.utf8.count > 11 else { return nil }
    // With a zone of its own: Z, +02:00, +0200.
    let split = word.utf8.dropFirst(11).firstIndex { $0 == 0x5A || $0 == 0x2B || $0 == 0x2D }
    guard let split, let time = WallTime(iso: word[..<split]), let offset = offset(word[split...]) else { return nil }
    let seconds = time.secondsSince1970 - Int64(offset)
    return (Instant.first...Instant.last).contains(seconds) ? .instant(Instant(seconds: seconds)) : nil
  }

  /// The seconds of "Z", "+02:00", "-0330" or "+02".
  private static func offset(_ text: Substring) -> Int? {
    if text == "Z" { return 0 }
    var reader = DigitReader(text.dropFirst().utf8)
    guard let hours = reader.number(2), hours <= 15 else { return nil }
    var minutes = 0
    if !reader.isAtEnd {
      _ = reader.take(":")
      guard let number = reader.number(2), number < 60, reader.isAtEnd else { return nil }
      minutes = number
    }
    return (text.first == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  /// The seconds since midnight of "9:30", "09:30" or "09:30:15".
  private static func time(_ text: Substring) -> Int? {
    guard text.contains(":") else { return nil }
    var reader = DigitReader((text.firstIndex(of: ":") == text.index(after: text.startIndex) ? "0" + text : text).utf8)
    guard let second = WallTime.time(&reader), reader.isAtEnd else { return nil }
    return second
  }

  // MARK: Words

  private static func day(_ words: [String], _ today: CalendarDay) -> CalendarDay? {
    switch words.count {
    case 1:
      switch words[0] {
      case "today": return today
      case "tomorrow": return today.adding(days: 1)
      case "yesterday": return today.adding(days: -1)
      default: return weekday(words[0], after: today) ?? CalendarDay(iso: words[0])
      }
    case 2 where words[0] == "next":
      return weekday(words[1], after: today) ?? unit(words[1]).map { $0.day(1, from: today) }
    case 2 where words[0] == "end": return end(of: words[1], today)
    case 3 where words[0] == "in":
      guard let unit = unit(words[2]), let count = count(words[1]) else { return nil }
      let day = unit.day(count, from: today)
      return day.number == CalendarDay.last ? nil : day
    case 3 where words[0] == "end" && words[1] == "of": return end(of: words[2], today)
    case 4 where words[0] == "end" && words[1] == "of" && words[2] == "the": return end(of: words[3], today)
    default: return nil
    }
  }

  private static func weekday(_ word: String, after today: CalendarDay) -> CalendarDay? {
    guard let index = weekdays.firstIndex(where: { matches(word, $0) }) else { return nil }
    let ahead = (index + 1 - today.weekday + 7) % 7
    return today.adding(days: ahead == 0 ? 7 : ahead)
  }

  /// "fri", "friday", and anything in between, such as "thurs".
  private static func matches(_ word: String, _ weekday: (long: String, short: String)) -> Bool {
    word.utf8.count >= 3 && weekday.long.hasPrefix(word)
  }

  private static func unit(_ word: String) -> Recurrence? {
    Recurrence.allCases.first { word == $0.rawValue || word == $0.rawValue + "s" }
  }

  private static func count(_ word: String) -> Int? {
    if word == "a" || word == "an" || word == "one" { return 1 }
    guard let number = Int(word), (0...10_000_000).contains(number) else { return nil }
    return number
  }

  private static func end(of word: String, _ today: CalendarDay) -> CalendarDay? {
    switch word {
    case "day": today
    case "week": today.adding(days: 7 - today.weekday)
    case "month": today.endOfMonth
    case "year": CalendarDay(year: today.date.year, month: 12, day: 31)
    default: nil
    }
  }
}
