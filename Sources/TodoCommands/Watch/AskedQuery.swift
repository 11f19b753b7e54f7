import TodoCore

/// The query of the command line, which means another list when a day begins, or when an item has waited long enough.
struct AskedQuery: Sendable {
  private let query: @Sendable (Moment) throws(TodoError) -> ListQuery
  /// The time to the hour, and the seconds ahead of UTC, which change with summer time.
  private var hour: [Int]

  /// The interval in which ``next(at:)`` is to be called, in milliseconds. No timer waits for an hour: a machine that
  /// sleeps does not count the time meanwhile.
  static let interval: Int32 = 500

  /// The items whose appearance changes the list before the next hour.
  private let waiting: WaitingItems?
  /// The moment of the last query.
  private var former: Instant

  init(
    _ query: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery, of store: any WatchedItems, at moment: Moment
  ) throws(TodoError) {
    self.query = query
    waiting = try store.waiting()
    hour = Self.hour(moment)
    former = moment.instant
  }

  private static func hour(_ moment: Moment) -> [Int] {
    let time = moment.zone.wallTime(at: moment.instant)
    return [time.day.number, time.secondOfDay / 3600, moment.zone.offset(at: moment.instant)]
  }

  /// The query if the hour has changed since it was last asked, or a hidden item appears; nil otherwise.
  mutating func next(at moment: Moment) throws(TodoError) -> ListQuery? {
    if Self.hour(moment) == hour, waiting?.appear(after: former, until: moment) != true { return nil }
    hour = Self.hour(moment)
    former = moment.instant
    return try query(moment)
  }
}
