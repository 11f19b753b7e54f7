import TodoCore

/// The query of the command line, which means another list when a day begins.
struct AskedQuery: Sendable {
  private let query: @Sendable (Moment) throws(TodoError) -> ListQuery
  /// The time to the hour, and the seconds ahead of UTC, which change with summer time.
  private var hour: [Int]

  /// The interval in which ``next(at:)`` is to be called, in milliseconds. No timer waits for an hour: a machine that
  /// sleeps does not count the time meanwhile.
  static let interval: Int32 = 500

  init(_ query: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery, at moment: Moment) {
    self.query = query
    hour = Self.hour(moment)
  }

  private static func hour(_ moment: Moment) -> [Int] {
    let time = moment.zone.wallTime(at: moment.instant)
    return [time.day.number, time.secondOfDay / 3600, moment.zone.offset(at: moment.instant)]
  }

  /// The query if the hour has changed since it was last asked; nil if it has not.
  mutating func next(at moment: Moment) throws(TodoError) -> ListQuery? {
    if Self.hour(moment) == hour { return nil }
    hour = Self.hour(moment)
    return try query(moment)
  }
}
