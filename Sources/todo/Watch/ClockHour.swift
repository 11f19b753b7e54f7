import TodoCore

/// The part of the time that a list depends on: when it changes, "today" and "tomorrow" mean other days, and other
/// items are overdue.
///
/// It is compared from time to time, and no timer waits for an hour: a machine that sleeps does not count the time
/// meanwhile.
struct ClockHour: Equatable, Sendable {
  private let day: CalendarDay
  private let hour: Int
  /// Seconds ahead of UTC, which change with summer time.
  private let offset: Int

  /// The interval of the comparisons, in milliseconds.
  static let interval: Int32 = 500

  init(_ moment: Moment) {
    let time = moment.zone.wallTime(at: moment.instant)
    day = time.day
    hour = time.secondOfDay / 3600
    offset = moment.zone.offset(at: moment.instant)
  }
}
