/// The values of an item's due columns.
struct DueColumns {
  var due: String?
  var day: String?
  var anchor: Anchor?

  /// - Parameter said: The requested time, if the clocks skip it: the first instance is later, and those after it are
  ///   not.
  init(_ due: Due?, _ every: Recurrence?, _ zone: LocalZone, said: WallTime? = nil) {
    self.due = due?.description
    day = due?.day(in: zone).description
    guard every != nil, let due else { return }
    switch due {
    case .day(let day): anchor = Anchor(day)
    case .instant(let instant):
      anchor = Anchor(said ?? zone.wallTime(at: instant), in: zone.identifier(at: instant))
    }
  }
}

/// An item's recurrence: instances of its anchor, in the local time of the anchor's zone.
struct Rhythm {
  private let every: Recurrence
  /// The zone in which the recurrence is computed: that of its anchor, or the current one if it has none.
  private let zone: LocalZone
  private let today: CalendarDay
  /// The day of the current instance, in that zone, or the day under which it was written.
  private let current: CalendarDay
  /// When the current instance is due.
  private let due: Due?
  private let anchor: CalendarDay
  /// The time of day, if the item has one.
  private let secondOfDay: Int?
  private let identifier: String?
  /// The number of days by which the instance's day in that zone is after the day under which it was written, if the
  /// anchor is a day.
  private let daysAhead: Int
  private let isAnchoredByDay: Bool

  init(_ item: Item, _ every: Recurrence, _ moment: Moment) {
    self.every = every
    due = item.due
    let kept = item.anchor.flatMap { Anchor($0) }
    let time = kept.flatMap { WallTime(iso: $0.time) }
    let own = kept?.zone.flatMap { LocalZone(identifier: $0) }
    zone = own ?? moment.zone
    isAnchoredByDay = kept != nil && time == nil
    // An earlier version did not store the zone, but the day of the instance where it was written. In the local time of
    // a zone further west it may be the day before, and the next instance would then be the same again.
    let writtenDay = own == nil && time != nil ? item.dueDay : nil
    let here = item.due?.day(in: zone)
    // A day has no zone. An item with a time is due at the same moment wherever it is completed, and its recurrence
    // uses the days under which its instances were written. No two zones are more than two days apart; other programs
    // may write anything.
    if isAnchoredByDay, let here, let written = item.dueDay, abs(here.number - written.number) <= 2 {
      daysAhead = here.number - written.number
    } else {
      daysAhead = 0
    }
    today = zone.day(of: moment.instant).adding(days: -daysAhead)
    // Without a date the recurrence begins on the day when the item is first completed.
    current = writtenDay ?? here.map { [daysAhead] in $0.adding(days: -daysAhead) } ?? today
    anchor = time?.day ?? kept.flatMap { CalendarDay(iso: $0.time) } ?? current
    if case .instant(let instant)? = item.due {
      secondOfDay = time?.secondOfDay ?? zone.wallTime(at: instant).secondOfDay
      // A zone that this machine does not know stays the item's own.
      identifier = kept?.zone ?? zone.identifier(at: instant)
    } else {
      secondOfDay = nil
      identifier = nil
    }
  }

  /// The next instance: when it is due, that day in the item's zone, and the anchor; nil at the end of the calendar.
  var next: (due: Due, day: CalendarDay, anchor: Anchor)? {
    var day = current
    while let next = every.next(after: day, anchor: anchor, today: today) {
      guard let secondOfDay else { return (.day(next), next, Anchor(anchor)) }
      let instant = zone.instant(of: WallTime(day: next.adding(days: daysAhead), secondOfDay: secondOfDay))
      // A day later in a zone that is more than a day ahead may not be later at all.
      if case .instant(let former)? = due, instant <= former {
        day = next
        continue
      }
      if isAnchoredByDay { return (.instant(instant), next, Anchor(anchor)) }
      let anchor = Anchor(WallTime(day: anchor, secondOfDay: secondOfDay), in: identifier)
      return (.instant(instant), zone.day(of: instant), anchor)
    }
    return nil
  }
}
