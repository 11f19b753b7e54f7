import FetchedResultsSupport

/// The order of day and month in a date such as 12/24.
public enum DateOrder: Sendable {
  /// The day is first.
  case dayFirst
  /// The month is first.
  case monthFirst
  /// Not known; a date that can be read in both orders is refused.
  case unknown
}

/// How somebody says dates.
public struct DateHabits: Hashable, Sendable {
  /// The order of day and month in dates such as 12/24.
  public var order = DateOrder.unknown
  /// Whether a week begins on Sunday, and not on Monday.
  public var beginsOnSunday = false

  /// Creates the usual habits.
  public init() {}
}

/// What the meaning of a date depends on.
struct DateContext: Sendable {
  let moment: Moment
  var order: DateOrder { moment.habits.order }
  var today: CalendarDay { moment.today }

  /// The day of a date; without a year, the next such day from today on.
  func day(_ day: Int, _ month: Int, _ year: Int? = nil) throws(DateRule.Impossible) -> DateRule.Value {
    guard (1...12).contains(month) else { throw DateRule.Impossible("there is no month \(month)") }
    if year == 0 { throw DateRule.Impossible("there is no year 0") }
    let longest = CivilDay.daysIn(month: month, ofYear: year ?? 2000)
    guard (1...longest).contains(day) else {
      throw DateRule.Impossible("\(DateNames.months[month - 1])\(year.map { " \($0)" } ?? "") has \(longest) days")
    }
    if let year { return try existing(CalendarDay(year: year, month: month, day: day)) }
    // Between 1896 and 1904, for one, there was no 29 February.
    let years = today.date.year...today.date.year + 8
    return try existing(
      years.lazy.compactMap { CalendarDay(year: $0, month: month, day: day) }.first { $0 >= today })
  }

  /// A day that is computed, if the calendar has it.
  func existing(_ day: CalendarDay?) throws(DateRule.Impossible) -> DateRule.Value {
    guard let day else { throw DateRule.Impossible("dates end with the year 9999") }
    return .day(day)
  }

  /// The day a number of units after today.
  func day(_ count: Int, _ unit: DateUnit) throws(DateRule.Impossible) -> DateRule.Value {
    let day = unit.day(count, after: today)
    return try existing(day.number == CalendarDay.last ? nil : day)
  }

  /// The next such weekday after today.
  func next(weekday: Int) -> CalendarDay { today.adding(days: (weekday - today.weekday + 6) % 7 + 1) }
}

extension DateRule {
  /// The table of all forms, in the order of the help. A day can have a time of day after it, or before it.
  static let all: [DateRule] = [
    DateRule("yesterday|today|tomorrow", examples: ["today", "tomorrow", "yesterday"], "that day") { said, now in
      .day(now.today.adding(days: (said.choice ?? 0) - 1))
    },
    DateRule(
      "[on|next|this] WEEKDAY", examples: ["fri", "friday", "next friday", "this friday"],
      "the next Friday; on a Friday, only \"this friday\" is today"
    ) { said, now in
      .day(said.choice == 2 && said[.weekday] == now.today.weekday ? now.today : now.next(weekday: said[.weekday]))
    },
    DateRule("[this|next] weekend", examples: ["weekend", "next weekend"], "the next Saturday, or today at a weekend") {
      said, now in .day(said.choice != 1 && now.today.weekday > 5 ? now.today : now.next(weekday: 6))
    },
    DateRule(
      "[in] COUNT SPAN", examples: ["3d", "+3d", "2w", "1m", "1q", "1y", "in 3 days", "in a week"],
      "so many days, weeks, months, quarters or years after today"
    ) { said, now throws(Impossible) in try now.day(said[.count], DateUnit.allCases[said[.span]]) },
    DateRule("[in] COUNT CLOCK", examples: ["3h", "in 2 hours", "45min"], "so many hours or minutes from now") {
      said, now throws(Impossible) in
      let seconds = now.moment.instant.seconds + Int64(said[.count] * said[.clock])
      guard seconds <= Instant.last else { throw Impossible("dates end with the year 9999") }
      return .instant(Instant(seconds: seconds - seconds % 60))
    },
    DateRule("next UNIT", examples: ["next week", "next month", "next year"], "a week, a month, a year after today") {
      said, now throws(Impossible) in try now.day(1, DateUnit.allCases[said[.unit]])
    },
    DateRule(
      "eod|eow|eom|eoq|eoy", examples: ["eow", "eom", "eoq", "eoy"], "the end of the week, month, quarter, year"
    ) {
      said, now in .day(DateUnit.allCases[said.choice ?? 0].end(now.today, now.moment.habits))
    },
    DateRule(
      "end [of] [the|this|next] UNIT", "last day of [the|this|next] UNIT",
      examples: ["end of month", "end of next week", "last day of month"],
      "its last day; a week ends on Sunday, or as the config file says"
    ) { said, now throws(Impossible) in
      let unit = DateUnit.allCases[said[.unit]]
      let habits = now.moment.habits
      return .day(unit.end(said.choice == 2 ? unit.day(1, after: unit.start(now.today, habits)) : now.today, habits))
    },
    DateRule(
      "first [day] of [the|this|next] UNIT", "start of [the|this|next] UNIT",
      examples: ["first of next month", "start of week"], "its first day; without \"next\", the next one from today on"
    ) { said, now throws(Impossible) in
      let unit = DateUnit.allCases[said[.unit]]
      let start = unit.start(now.today, now.moment.habits)
      return .day(said.choice == 2 || start < now.today ? unit.day(1, after: start) : start)
    },
    DateRule("end [of] MONTH [YEAR]", "last day of MONTH [YEAR]", examples: ["end of february"], "that day") {
      said, now throws(Impossible) in
      let year = said.values[.year]
      guard case .day(let day) = try now.day(1, said[.month], year) else { return .day(now.today) }
      let isNow = year == nil && said[.month] == now.today.date.month
      return .day(isNow ? now.today.endOfMonth : day.endOfMonth)
    },
    DateRule(
      "[the] NTH", "[the] NTH [day] of [the|this|next] month",
      examples: ["15th", "15th of next month"], "the next such day from today on, or that of the next month"
    ) { said, now throws(Impossible) in
      let month = DateUnit.month.start(now.today, now.moment.habits)
      if said.choice == 2 {
        let date = month.adding(months: 1).date
        return try now.day(said[.nth], date.month, date.year)
      }
      guard (1...31).contains(said[.nth]) else { throw Impossible("no month has \(said[.nth]) days") }
      return try now.existing(
        (0...2).lazy.map { month.adding(months: $0).date }
          .compactMap { CalendarDay(year: $0.year, month: $0.month, day: said[.nth]) }.first { $0 >= now.today })
    },
    DateRule(
      "DAY [of] MONTH [YEAR]", "MONTH DAY [YEAR]", "first [day] of MONTH [YEAR]",
      examples: ["24 dec", "dec 24", "24 december 2027", "december 24, 2027"],
      "that day; without a year, the next one from today on"
    ) { said, now throws(Impossible) in
      try now.day(said.values[.day] ?? 1, said[.month], said.values[.year])
    },
    DateRule("N1 . N2 [.] [YEAR]", examples: ["24.12.", "24.12.2027"], "the same, the day first") {
      said, now throws(Impossible) in try now.day(said[.first], said[.second], said.values[.year])
    },
    DateRule(
      "N1 / N2", "N1 / N2 / YEAR", examples: ["12/24", "24/12/2027"],
      "the same, if only one of the two numbers can be the month"
    ) { said, now throws(Impossible) in
      let (first, second, year) = (said[.first], said[.second], said.values[.year])
      let isDayFirst =
        now.order == .dayFirst || now.order == .unknown && (second <= 12 && (first > 12 || first == second))
      if now.order == .unknown, first != second, first <= 12, second <= 12, first > 0, second > 0 {
        func day(_ day: Int, _ month: Int) -> String { "\(day) \(DateNames.months[month - 1])" }
        let (one, other) = (day(first, second), day(second, first))
        throw Impossible("it can be \(one) or \(other); type \"\(one)\" or \"\(other)\"")
      }
      return isDayFirst ? try now.day(first, second, year) : try now.day(second, first, year)
    },
    DateRule("DATE", examples: ["2031-01-02", "2031-01-02T14:00", "2031-01-02T14:00Z"], "that day, that time") {
      said, now throws(Impossible) in try now.day(said[.date] % 100, said[.date] / 100 % 100, said[.date] / 10_000)
    },
    DateRule(
      "[at] HOUR : MIN [am|pm]", "[at] HOUR : MIN : SEC", "[at] HOUR am|pm", "at HOUR",
      examples: ["9am", "9:30pm", "14:00", "at 9", "fri 5pm", "tomorrow at 9:30"],
      "that time of the day; without a day, today, or tomorrow if it has passed"
    ) { said, _ throws(Impossible) in
      var hour = said[.hour]
      guard said.choice == nil ? hour < 24 : (1...12).contains(hour) else {
        throw Impossible("there is no hour \(hour)\(said.choice.map { $0 == 0 ? " am" : " pm" } ?? "")")
      }
      for (slot, name) in [(Slot.minute, "minute"), (.seconds, "second")] where said[slot] > 59 {
        throw Impossible("there is no \(name) \(said[slot])")
      }
      if let half = said.choice { hour = hour % 12 + half * 12 }
      return .time(hour * 3600 + said[.minute] * 60 + said[.seconds])
    },
    DateRule(
      "noon|midnight", "at noon|midnight", examples: ["noon", "midnight", "fri noon"], "12:00, or the end of the day"
    ) {
      said, _ in .time(said.choice == 0 ? 43_200 : 86_400)
    },
    DateRule("tonight", examples: ["tonight", "tonight at 9"], "today at 20:00, or at that hour") { _, _ in .tonight },
  ]
}
