/// How often an item recurs: `every:month`, `every:2weeks`, `every:mon,thu`, `every:3days-after-done`.
///
/// ``rawValue`` is its one spelling in the database and in files, and ``table`` lists what people can type.
public struct Recurrence: Hashable, Sendable {
  private enum Step: Hashable {
    /// Every so many units, counted from the first day: a month later is the same day of the month, or its last day.
    case units(Int, DateUnit)
    /// These days of the week in order, from 1 for Monday.
    case weekdays([Int])
    /// The last day of every month.
    case monthEnd
  }

  private var step: Step
  /// Whether the next day is counted from the day of completion.
  public private(set) var isAfterDone = false

  private init(_ step: Step) { self.step = step }

  /// Every day.
  public static let day = Recurrence(.units(1, .day))
  /// Every seven days.
  public static let week = Recurrence(.units(1, .week))
  /// The same day of every month, or its last day if the month is shorter.
  public static let month = Recurrence(.units(1, .month))
  /// The same day of every year; 29 February becomes the 28th in other years.
  public static let year = Recurrence(.units(1, .year))

  /// The recurrences that one word of the database can say.
  public static let allCases = [day, week, month, year]

  // MARK: Words

  /// The recurrences that have names of their own; the first name of each is its spelling.
  private static let named: [(names: [String], recurrence: Recurrence)] = [
    (["day", "daily"], .day), (["week", "weekly"], .week), (["month", "monthly"], .month),
    (["year", "yearly", "annually"], .year), (["quarter", "quarterly"], Recurrence(.units(3, .month))),
    (["2weeks", "biweekly", "fortnight"], Recurrence(.units(2, .week))),
    (["weekday", "weekdays"], Recurrence(.weekdays([1, 2, 3, 4, 5]))),
    (["month-end", "last-day", "last-day-of-month"], Recurrence(.monthEnd)),
  ]

  /// What people can type: examples, and their meaning.
  public static let table: [(examples: [String], about: String)] = [
    (["day", "week", "month", "quarter", "year"], "the same day again; the 31st is the last day of a shorter month"),
    (["daily", "weekly", "biweekly", "monthly", "quarterly", "yearly"], "the same in other words"),
    (["3days", "2weeks", "6months", "2y"], "every so many days, weeks, months or years"),
    (["weekday", "weekdays"], "Monday to Friday"),
    (["mon,thu", "sat", "mon-wed"], "these days of the week"),
    (["month-end", "last-day"], "the last day of every month"),
    (["3days-after-done", "month-after-done"], "so long after the day on which it is done"),
  ]

  /// Parses what was typed; nil for other words.
  public init?(_ text: String) {
    let text = text.lowercased()
    if let named = Self.named.first(where: { $0.names.contains(text) })?.recurrence {
      self = named
      return
    }
    var tokens = DateTokens.tokens(of: text)
    let isAfterDone = tokens.suffix(2) == ["after", "done"]
    if isAfterDone { tokens.removeLast(2) }
    if !isAfterDone, let days = Self.weekdays(text) {
      self.init(days.count < 7 ? .weekdays(days) : .units(1, .day))
      return
    }
    let count = tokens.count == 2 ? Int(tokens[0]) : 1
    guard let count, (1...9999).contains(count), let last = tokens.last, tokens.count <= 2,
      let place = DateRule.Slot.span.value(of: last)
    else { return nil }
    let unit = DateUnit.allCases[place]
    self.init(unit == .quarter ? .units(count * 3, .month) : .units(count, unit))
    self.isAfterDone = isAfterDone
  }

  /// The days of "mon,thu" and "mon-fri"; nil for other words.
  private static func weekdays(_ text: String) -> [Int]? {
    var days: Set<Int> = []
    for part in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      let ends = part.split(separator: "-").map { DateNames.place(of: $0, in: DateNames.weekdays) }
      guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2 else { return nil }
      // From Friday to Monday there are four days.
      for step in 0...(last - first + 7) % 7 { days.insert((first + step - 1) % 7 + 1) }
    }
    return days.isEmpty ? nil : days.sorted()
  }

  /// The recurrence with a spelling; nil for any other text.
  public init?(rawValue: String) {
    self.init(rawValue)
    if self.rawValue != rawValue { return nil }
  }

  /// Its spelling: "month", "2weeks", "mon,thu", "3days-after-done".
  public var rawValue: String {
    if !isAfterDone, let named = Self.named.first(where: { $0.recurrence == self }) { return named.names[0] }
    switch step {
    case .units(let count, let unit):
      return "\(count)\(unit.rawValue)\(count == 1 ? "" : "s")" + (isAfterDone ? "-after-done" : "")
    case .weekdays(let days):
      return days.map { DateNames.weekdays[$0 - 1].prefix(3).lowercased() }.joined(separator: ",")
    case .monthEnd: return "month-end"
    }
  }

  /// The text for people: "month", "2 weeks", "mon, thu", "3 days after done".
  public var words: String {
    let digits = rawValue.prefix { $0.isNumber }
    let rest = rawValue.dropFirst(digits.count).replacing("-", with: " ").replacing(",", with: ", ")
    return digits.isEmpty ? String(rest) : "\(digits) \(rest)"
  }

  // MARK: The database

  /// Reads the values of two columns. A rhythm that does not refine the word beside it is out of date.
  init?(every: String?, rhythm: String?) {
    guard let every, let nearest = Self.allCases.first(where: { $0.rawValue == every }) else { return nil }
    let rhythm = rhythm.flatMap { Recurrence(rawValue: $0) }
    self = rhythm?.nearest == nearest ? rhythm ?? nearest : nearest
  }

  /// The recurrence of ``allCases`` that is nearest to it.
  var nearest: Recurrence {
    switch step {
    case .units(_, let unit): Recurrence(.units(1, unit))
    case .weekdays: .week
    case .monthEnd: .month
    }
  }

  /// Its spelling, if that is none of ``allCases``.
  var rhythm: String? { self == nearest ? nil : rawValue }

  /// The number of units, for formats that count; nil for a recurrence that no number says.
  var units: (count: Int, unit: DateUnit)? { if case .units(let count, let unit) = step { (count, unit) } else { nil } }

  // MARK: Days

  /// Whether its days depend on the first one.
  var dependsOnStart: Bool { units != nil && !isAfterDone }

  /// The day of the instance with a number; the anchor is number 0.
  ///
  /// Each is computed from the anchor, so that 31 January and 28 February are followed by 31 March.
  private func day(_ number: Int, from anchor: CalendarDay) -> CalendarDay {
    switch step {
    case .units(let count, let unit): unit.day(number * count, after: anchor)
    case .weekdays: anchor.adding(days: number)
    case .monthEnd: anchor.adding(months: number).endOfMonth
    }
  }

  /// The next day of a recurrence: the first after `current` that is not before `today`; nil if the calendar ends
  /// first. If it is counted from completion, it is counted from `today`.
  public func next(after current: CalendarDay, anchor: CalendarDay, today: CalendarDay) -> CalendarDay? {
    if isAfterDone {
      let day = day(1, from: today)
      return day.number == CalendarDay.last ? nil : day
    }
    let least = max(current.adding(days: 1), today)
    guard least > current else { return nil }
    // A guess that is never too late, and at most a few steps too early.
    let longest =
      switch step {
      case .units(let count, let unit): count * (unit == .day ? 1 : unit == .week ? 7 : unit == .month ? 31 : 366)
      case .weekdays: 1
      case .monthEnd: 31
      }
    var number = max((least.number - anchor.number) / longest - 2, 0)
    while true {
      let day = day(number, from: anchor)
      if day >= least, isAllowed(day) { return day }
      if day.number == CalendarDay.last { return nil }
      number += 1
    }
  }

  private func isAllowed(_ day: CalendarDay) -> Bool {
    if case .weekdays(let days) = step { days.contains(day.weekday) } else { true }
  }
}
