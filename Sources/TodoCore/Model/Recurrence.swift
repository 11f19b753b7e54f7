/// How often an item recurs.
public enum Recurrence: String, CaseIterable, Sendable {
  /// Every day.
  case day
  /// Every seven days.
  case week
  /// The same day of every month, or its last day if the month is shorter.
  case month
  /// The same day of every year; 29 February becomes the 28th in other years.
  case year

  /// The names of all, for messages.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// The day of the instance with a number; the anchor is number 0.
  ///
  /// Each is computed from the anchor, so that 31 January and 28 February are followed by 31 March.
  func day(_ number: Int, from anchor: CalendarDay) -> CalendarDay {
    switch self {
    case .day: anchor.adding(days: number)
    case .week: anchor.adding(days: number * 7)
    case .month: anchor.adding(months: number)
    case .year: anchor.adding(months: number * 12)
    }
  }

  /// The next day of a recurrence: the first after `current` that is not before `today`; nil if the calendar ends
  /// first.
  public func next(after current: CalendarDay, anchor: CalendarDay, today: CalendarDay) -> CalendarDay? {
    let least = max(current.adding(days: 1), today)
    guard least > current else { return nil }
    // A guess that is never too late, and at most a few steps too early.
    let apart = least.number - anchor.number
    var number =
      switch self {
      case .day: apart
      case .week: apart / 7
      case .month: apart / 31
      case .year: apart / 366
      }
    number = max(number - 2, 0)
    while true {
      let day = day(number, from: anchor)
      if day >= least { return day }
      if day.number == CalendarDay.last { return nil }
      number += 1
    }
  }
}
