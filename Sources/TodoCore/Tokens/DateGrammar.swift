/// One form in which people say a date or a time: its patterns, its meaning, and its line in the help.
///
/// A pattern is a list of words. `next|this` is one of several words, `[the]` may be left out, and a word in capitals
/// is a ``Slot``, which stands for a value.
struct DateRule: Sendable {
  /// The value of a text: a day, a time of day, or both.
  enum Value {
    case day(CalendarDay)
    /// Seconds since midnight; 86,400 is the end of the day.
    case time(Int)
    /// The evening of today, in which `at 9` is 21:00.
    case tonight
    case instant(Instant)
  }

  /// A text has the form of a date, and can't be one; the reason.
  struct Impossible: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  let patterns: [[Element]]
  /// Texts of this form, for the help.
  let examples: [String]
  /// Their meaning, for the help.
  let about: String
  let value: @Sendable (Match, DateContext) throws(Impossible) -> Value

  init(
    _ patterns: String..., examples: [String], _ about: String,
    value: @escaping @Sendable (Match, DateContext) throws(Impossible) -> Value
  ) {
    self.patterns = patterns.map { $0.split(separator: " ").map { Element($0) } }
    self.examples = examples
    self.about = about
    self.value = value
  }

  /// The values of a text that has the form; nil for other texts.
  func match(_ tokens: ArraySlice<Substring>) -> Match? {
    for pattern in patterns {
      var rest = tokens
      var match = Match()
      if pattern.allSatisfy({ $0.take(from: &rest, &match) }), rest.isEmpty { return match }
    }
    return nil
  }

  // MARK: Patterns

  /// What a word in capitals stands for.
  enum Slot: String {
    /// 2031-01-02.
    case date = "DATE"
    /// A number, or a, an, one.
    case count = "COUNT"
    /// day, week, month, quarter, year, or the same with an s.
    case unit = "UNIT"
    /// The same, or its first letter.
    case span = "SPAN"
    /// h, hours, min, minutes, as a number of seconds.
    case clock = "CLOCK"
    /// At least three letters of a weekday, as a number from 1 for Monday.
    case weekday = "WEEKDAY"
    /// At least three letters of a month.
    case month = "MONTH"
    /// 15 or 15th.
    case day = "DAY"
    /// 15th.
    case nth = "NTH"
    /// One or two digits: the first and the second of two numbers, an hour.
    case first = "N1"
    case second = "N2"
    case hour = "HOUR"
    /// Two digits.
    case minute = "MIN"
    case seconds = "SEC"
    /// Four digits.
    case year = "YEAR"
  }

  /// A part of a pattern.
  struct Element: Sendable {
    let isOptional: Bool
    let slot: Slot?
    let words: [Substring]

    init(_ text: Substring) {
      isOptional = text.first == "["
      let text = isOptional ? text.dropFirst().dropLast() : text
      slot = Slot(rawValue: String(text))
      words = text.split(separator: "|")
    }

    /// Removes the tokens of this element; returns false if they are others.
    func take(from tokens: inout ArraySlice<Substring>, _ match: inout Match) -> Bool {
      guard let token = tokens.first else { return isOptional }
      if let slot {
        guard let value = slot.value(of: token) else { return isOptional }
        tokens.removeFirst()
        if slot == .day || slot == .nth, let suffix = tokens.first, ["st", "nd", "rd", "th"].contains(suffix) {
          tokens.removeFirst()
        } else if slot == .nth {
          return false
        }
        match.values[slot] = value
      } else {
        guard let place = words.firstIndex(of: token) else { return isOptional }
        tokens.removeFirst()
        if words.count > 1 { match.choice = place }
      }
      return true
    }
  }

  /// The values of the slots in a text, and the place of its word among alternatives.
  struct Match {
    fileprivate(set) var values: [Slot: Int] = [:]
    fileprivate(set) var choice: Int?

    /// The value of a slot that the rule requires.
    subscript(_ slot: Slot) -> Int { values[slot] ?? 0 }
  }
}

extension DateRule.Slot {
  /// The value of a token; nil if it is of another kind.
  func value(of token: Substring) -> Int? {
    func number(_ digits: ClosedRange<Int>) -> Int? {
      digits.contains(token.utf8.count) && token.utf8.allSatisfy { (48...57).contains($0) } ? Int(token) : nil
    }
    switch self {
    case .date:
      guard DateTokens.isDate(token) else { return nil }
      return Int(token.filter { $0 != "-" })
    case .count: return ["a", "an", "one"].contains(token) ? 1 : number(1...8)
    case .unit: return DateUnit.allCases.firstIndex { token == $0.rawValue || token == $0.rawValue + "s" }
    case .span: return Self.unit.value(of: token) ?? DateUnit.allCases.firstIndex { token == $0.rawValue.prefix(1) }
    case .clock:
      if ["h", "hour", "hours"].contains(token) { return 3600 }
      return ["min", "mins", "minute", "minutes"].contains(token) ? 60 : nil
    case .weekday: return DateNames.place(of: token, in: DateNames.weekdays)
    case .month: return DateNames.place(of: token, in: DateNames.months)
    case .day, .nth, .first, .second, .hour: return number(1...2)
    case .minute, .seconds: return number(2...2)
    case .year: return number(4...4)
    }
  }
}

/// Names of days and months.
enum DateNames {
  static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// The number of a name, from 1 on, of which at least three letters are needed: "fri", "thurs".
  static func place(of word: some StringProtocol, in names: [String]) -> Int? {
    guard word.utf8.count >= 3 else { return nil }
    return names.firstIndex { $0.lowercased().hasPrefix(word) }.map { $0 + 1 }
  }
}

/// A length of time in the calendar.
enum DateUnit: String, CaseIterable, Sendable {
  case day, week, month, quarter, year

  /// The day a number of units later.
  func day(_ count: Int, after day: CalendarDay) -> CalendarDay {
    switch self {
    case .day: day.adding(days: count)
    case .week: day.adding(days: count * 7)
    case .month: day.adding(months: count)
    case .quarter: day.adding(months: count * 3)
    case .year: day.adding(months: count * 12)
    }
  }

  /// The first day of the unit that a day is in.
  func start(_ day: CalendarDay, _ habits: DateHabits) -> CalendarDay {
    let (year, month, date) = day.date
    switch self {
    case .day: return day
    case .week: return day.adding(days: habits.beginsOnSunday ? -(day.weekday % 7) : 1 - day.weekday)
    case .month: return day.adding(days: 1 - date)
    case .quarter: return CalendarDay(year: year, month: (month - 1) / 3 * 3 + 1, day: 1) ?? day
    case .year: return CalendarDay(year: year, month: 1, day: 1) ?? day
    }
  }

  /// The last day of the unit that a day is in.
  func end(_ day: CalendarDay, _ habits: DateHabits) -> CalendarDay {
    self.day(1, after: start(day, habits)).adding(days: -1)
  }
}

/// Divides a text into the tokens of the grammar: runs of digits, runs of letters, and single signs.
///
/// Blanks separate tokens, and so do hyphens, underscores and commas after a letter or digit. A date such as 2031-01-02
/// is one token, and a T after it is left out.
enum DateTokens {
  static func tokens(of text: some StringProtocol) -> [Substring] {
    String(text).lowercased().split(whereSeparator: \.isWhitespace).flatMap(tokens(ofWord:))
  }

  private static func tokens(ofWord word: Substring) -> [Substring] {
    var tokens: [Substring] = []
    var rest = word
    if isDate(word.prefix(10)) {
      tokens.append(word.prefix(10))
      rest = word.dropFirst(10)
      if rest.first == "t" { rest.removeFirst() }
    } else if rest.first == "+", rest.dropFirst().first?.isASCIIDigit == true {
      rest.removeFirst()
    }
    var isAfterRun = false
    while let first = rest.first {
      let run = first.isASCIIDigit ? rest.prefix(while: \.isASCIIDigit) : rest.prefix(while: \.isLetter)
      let next = rest.dropFirst().first
      let isBeforeRun = next.map { $0.isASCIIDigit || $0.isLetter } ?? false
      if !run.isEmpty {
        tokens.append(run)
      } else if !isAfterRun || !(first == "," || isBeforeRun && "-_".contains(first)) {
        tokens.append(rest.prefix(1))
      }
      isAfterRun = !run.isEmpty
      rest = rest.dropFirst(max(run.count, 1))
    }
    return tokens
  }

  /// Whether a text has the form of 2031-01-02.
  static func isDate(_ text: some StringProtocol) -> Bool {
    var reader = DigitReader(text.utf8)
    return reader.number(4) != nil && reader.take("-") && reader.number(2) != nil && reader.take("-")
      && reader.number(2) != nil && reader.isAtEnd
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
