import TodoCore

/// What a list can depend on of the clock: when it differs from before, the words "today" and "tomorrow" mean other days, and other
/// items are overdue.
///
/// It is compared now and then, and nobody waits for an hour: a machine that sleeps does not count the time meanwhile.
struct ClockHour: Equatable, Sendable {
  private let day: CalendarDay
  private let hour: Int
  /// Seconds ahead of UTC, which change with summer time.
  private let offset: Int

  /// How often the clock is looked at, in milliseconds.
  static let interval: Int32 = 500

  init(_ moment: Moment) {
    let time = moment.zone.wallTime(at: moment.instant)
    day = time.day
    hour = time.secondOfDay / 3600
    offset = moment.zone.offset(at: moment.instant)
  }
}
