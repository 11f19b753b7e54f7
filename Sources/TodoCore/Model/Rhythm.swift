/// What the columns of an item hold that say when it is due.
struct DueColumns {
  var due: String?
  var day: String?
  var anchor: String?

  init(_ due: Due?, _ every: Recurrence?, _ zone: LocalZone) {
    self.due = due?.description
    day = due?.day(in: zone).description
    guard every != nil, let due else { return }
    switch due {
    case .day(let day): anchor = day.description
    case .instant(let instant): anchor = zone.wallTime(at: instant).description
    }
  }
}

/// The rhythm in which an item comes again.
struct Rhythm {
  private let every: Recurrence
  private let moment: Moment
  /// The day of the instance that there is.
  private let current: CalendarDay
  private let anchor: CalendarDay
  /// The time of day, where the item has one.
  private let secondOfDay: Int?

  init(_ item: Item, _ every: Recurrence, _ moment: Moment) {
    self.every = every
    self.moment = moment
    // Without a date the rhythm begins on the day when it is first done.
    current = item.due?.day(in: moment.zone) ?? moment.today
    let kept = item.anchor.flatMap { WallTime(iso: $0) }
    anchor = kept?.day ?? item.anchor.flatMap { CalendarDay(iso: $0) } ?? current
    if case .instant(let instant)? = item.due {
      secondOfDay = kept?.secondOfDay ?? moment.zone.wallTime(at: instant).secondOfDay
    } else {
      secondOfDay = nil
    }
  }

  /// When the next instance is due, and where its rhythm began; nil at the end of the calendar.
  var next: (due: Due, anchor: String)? {
    guard let day = every.next(after: current, anchor: anchor, today: moment.today) else { return nil }
    guard let secondOfDay else { return (.day(day), anchor.description) }
    return (
      .instant(moment.zone.instant(of: WallTime(day: day, secondOfDay: secondOfDay))),
      WallTime(day: anchor, secondOfDay: secondOfDay).description
    )
  }
}
