/// The expressions for a date, such as "fri", "in 3 days", "24 dec" or "tomorrow at 9".
///
/// ``table`` lists all forms. Hyphens or underscores may replace spaces: `due:in-3-days`.
public enum DueExpression {
  /// The meaning of an expression.
  public enum Reading: Equatable, Sendable {
    /// It is this date.
    case due(Due)
    /// It has the form of a date, but can't be one; the reason, such as "February 2026 has 28 days".
    case impossible(String)
    /// It is no date.
    case unknown
  }

  /// The forms of a date: examples, and what they mean.
  public static let table: [(examples: [String], about: String)] = DateRule.all.map { ($0.examples, $0.about) }

  /// Reads an expression.
  ///
  /// A day without a time is the same day in every zone; with a time it is a moment in the local time of `moment`'s
  /// zone.
  ///
  /// - Parameters:
  ///   - text: The expression.
  ///   - moment: Determines "today", and what 12/24 and a week are.
  public static func read(_ text: some StringProtocol, at moment: Moment) -> Reading {
    if let instant = instantWithZone(text) { return .due(.instant(instant)) }
    let tokens = DateTokens.tokens(of: text)
    // No form is longer; a long text is not tried.
    guard !tokens.isEmpty, tokens.count <= 16 else { return .unknown }
    let context = DateContext(moment: moment)
    var reason: String?
    for end in (1...tokens.count).reversed() {
      do throws(DateRule.Impossible) {
        if let due = try due(tokens[..<end], tokens[end...], context) { return .due(due) }
      } catch {
        reason = reason ?? error.reason
      }
    }
    return reason.map { .impossible($0) } ?? .unknown
  }

  /// Parses an expression; nil if it isn't one, or can't be a date.
  public static func parse(_ text: some StringProtocol, at moment: Moment) -> Due? {
    if case .due(let due) = read(text, at: moment) { due } else { nil }
  }

  /// The date of an argument such as `due:fri`; a usage error says what is wrong with another one.
  ///
  /// - Parameters:
  ///   - argument: The argument.
  ///   - prefix: Its part before the date.
  ///   - words: Words that it can have instead of a date, for suggestions.
  ///   - moment: Determines "today".
  static func due(
    _ argument: String, after prefix: String, or words: [String] = [], at moment: Moment
  ) throws(TodoError) -> Due {
    let text = argument.dropFirst(prefix.count)
    switch read(text, at: moment) {
    case .due(let due): return due
    case .impossible(let reason): throw .usage("\"\(argument)\" is no date: \(reason)")
    case .unknown: break
    }
    let tokens = DateTokens.tokens(of: text)
    if zip(tokens, tokens.dropFirst()).contains(where: { $0 == "-" && Int($1) != nil }) {
      throw .usage("\"\(argument)\" counts into the past; name the day itself, such as yesterday or 2031-01-02")
    }
    let days = DateNames.weekdays.map { $0.lowercased() }
    let words = words + days + days.map { String($0.prefix(3)) } + table.flatMap(\.examples)
    let advice = "a date is such as 2031-01-02, today, fri, 9am or \"in 3 days\"; `todo help dates` lists all forms"
    throw .usage(
      "\"\(argument)\" is not understood"
        + (Suggestion.nearest(to: String(text), among: words).map { "; did you mean \"\(prefix)\($0)\"?" }
          ?? "; \(advice)"))
  }

  // MARK: Values

  /// The date of an expression in two parts, of which the second may be empty; nil if it is none.
  private static func due(
    _ left: ArraySlice<Substring>, _ right: ArraySlice<Substring>, _ context: DateContext
  ) throws(DateRule.Impossible) -> Due? {
    guard let (rule, match) = match(left) else { return nil }
    if right.isEmpty {
      switch try rule.value(match, context) {
      case .day(let day): return .day(day)
      case .instant(let instant): return .instant(instant)
      case .tonight: return try instant(context.today, 20 * 3600, context)
      case .time(let second):
        let due = try instant(context.today, second, context)
        if case .instant(let instant) = due, instant > context.moment.instant { return due }
        return try instant(context.today.adding(days: 1), second, context)
      }
    }
    guard let (other, otherMatch) = Self.match(right) else { return nil }
    switch (try rule.value(match, context), try other.value(otherMatch, context)) {
    case (.day(let day), .time(let second)), (.time(let second), .day(let day)):
      return try instant(day, second, context)
    case (.tonight, .time(let second)):
      // Nine o'clock is 21:00, and one o'clock is after midnight.
      let hour = second / 3600
      return try instant(context.today, second + (hour < 5 ? 86_400 : hour < 12 ? 43_200 : 0), context)
    default: return nil
    }
  }

  private static func match(_ tokens: ArraySlice<Substring>) -> (DateRule, DateRule.Match)? {
    for rule in DateRule.all {
      if let match = rule.match(tokens) { return (rule, match) }
    }
    return nil
  }

  /// The moment of a local time, which may be on the day after.
  private static func instant(
    _ day: CalendarDay, _ second: Int, _ context: DateContext
  ) throws(DateRule.Impossible) -> Due {
    let zone = context.moment.zone
    let time = WallTime(day: day.adding(days: second / 86_400), secondOfDay: second % 86_400)
    let instant = zone.instant(of: time)
    let seconds = time.secondsSince1970 - Int64(zone.offset(at: instant))
    guard (Instant.first...Instant.last).contains(seconds) else {
      throw DateRule.Impossible("dates are from the year 1 to the year 9999")
    }
    return .instant(instant)
  }

  /// The moment of a date with a zone of its own: "2031-01-02T14:00Z", "2031-01-02T14:00+02:00".
  private static func instantWithZone(_ text: some StringProtocol) -> Instant? {
    let word = text.uppercased()
    guard word.utf8.count > 11 else { return nil }
    let split = word.utf8.dropFirst(11).firstIndex { $0 == 0x5A || $0 == 0x2B || $0 == 0x2D }
    guard let split, let time = WallTime(iso: word[..<split]), let offset = offset(word[split...]) else { return nil }
    let seconds = time.secondsSince1970 - Int64(offset)
    return (Instant.first...Instant.last).contains(seconds) ? Instant(seconds: seconds) : nil
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
}
