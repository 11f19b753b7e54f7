/// The values of an item's due columns.
struct DueColumns {
  var due: String?
  var day: String?
  var anchor: Anchor?

  init(_ due: Due?, _ every: Recurrence?, _ zone: LocalZone) {
    self.due = due?.description
    day = due?.day(in: zone).description
    guard every != nil, let due else { return }
    switch due {
    case .day(let day): anchor = Anchor(day)
    case .instant(let instant): anchor = Anchor(zone.wallTime(at: instant), in: zone.identifier(at: instant))
    }
  }
}

extension Item {
  /// The next instance of a recurrence: when it is due, that day in the item's zone, and the anchor; nil at the end of
  /// the calendar.
  ///
  /// Instances are those of the anchor, in the local time of its zone, or of the current one if that is not known here.
  func next(_ every: Recurrence, at moment: Moment) -> (due: Due, day: CalendarDay, anchor: Anchor)? {
    let kept = anchor.flatMap { Anchor($0) }
    let time = kept.flatMap { WallTime(iso: $0.time) }
    let zone = kept?.zone.flatMap { LocalZone(identifier: $0) } ?? moment.zone
    let today = zone.day(of: moment.instant)
    // Without a date the recurrence begins on the day when the item is first completed.
    let current = due?.day(in: zone) ?? today
    let begun = time?.day ?? kept.flatMap { CalendarDay(iso: $0.time) } ?? current
    guard let day = every.next(after: current, anchor: begun, today: today) else { return nil }
    let start = every.dependsOnStart ? begun : day
    guard case .instant(let former)? = due else { return (.day(day), day, Anchor(start)) }
    let second = time?.secondOfDay ?? zone.wallTime(at: former).secondOfDay
    let instant = zone.instant(of: WallTime(day: day, secondOfDay: second))
    // A zone that this machine does not know stays the item's own.
    let next = Anchor(WallTime(day: start, secondOfDay: second), in: kept?.zone ?? zone.identifier(at: former))
    return (.instant(instant), zone.day(of: instant), next)
  }

  /// The date until which the next instance is hidden: as many days before it is due as with this one.
  func wait(before next: Due, in zone: LocalZone) -> Due? {
    guard let wait, let due else { return nil }
    let days = next.day(in: zone).number - due.day(in: zone).number
    switch wait {
    case .day(let day): return .day(day.adding(days: days))
    case .instant(let instant):
      var time = zone.wallTime(at: instant)
      time.day = time.day.adding(days: days)
      return .instant(zone.instant(of: time))
    }
  }
}
