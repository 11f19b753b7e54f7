/// What the columns of an item hold that say when it is due.
struct DueColumns {
  var due: String?
  var day: String?
  var anchor: Anchor?

  /// - Parameter said: The time that was said, where the clocks leap over it: the first instance is later, and those after it are not.
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

/// The rhythm in which an item comes again: instances of its anchor, by the clocks of the anchor's zone.
struct Rhythm {
  private let every: Recurrence
  /// Where the rhythm is counted: in the zone of its anchor, and for what has none where one is.
  private let zone: LocalZone
  private let today: CalendarDay
  /// The day of the instance that there is, in that zone, or the one under which it was written.
  private let current: CalendarDay
  /// When the instance is due.
  private let due: Due?
  private let anchor: CalendarDay
  /// The time of day, where the item has one.
  private let secondOfDay: Int?
  private let identifier: String?
  /// How many days the instance's day in that zone is after the day under which it was written, where the anchor is a day.
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
    // An earlier version did not write down the zone, but the day under which the instance stands where it was written. By the clocks
    // of a zone further west it may be the day before, and the next one would be the same again.
    let writtenDay = own == nil && time != nil ? item.dueDay : nil
    let here = item.due?.day(in: zone)
    // A day has no zone. An item with a time is at the same moment wherever it is done, and its rhythm goes by the days under which
    // its instances are written. No two zones are more than two days apart; other programs may write anything.
    if isAnchoredByDay, let here, let written = item.dueDay, abs(here.number - written.number) <= 2 {
      daysAhead = here.number - written.number
    } else {
      daysAhead = 0
    }
    today = zone.day(of: moment.instant).adding(days: -daysAhead)
    // Without a date the rhythm begins on the day when it is first done.
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

  /// When the next instance is due, the day that this is in the item's zone, and where its rhythm began; nil at the end of the calendar.
  var next: (due: Due, day: CalendarDay, anchor: Anchor)? {
    var day = current
    while let next = every.next(after: day, anchor: anchor, today: today) {
      guard let secondOfDay else { return (.day(next), next, Anchor(anchor)) }
      let instant = zone.instant(of: WallTime(day: next.adding(days: daysAhead), secondOfDay: secondOfDay))
      // A day later by clocks that are more than a day ahead may be no later at all.
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
