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
  /// The day of the instance that there is, where it was written: by the clocks that the anchor is of.
  private let current: CalendarDay
  /// When the instance is due.
  private let due: Due?
  private let anchor: CalendarDay
  /// The time of day, where the item has one.
  private let secondOfDay: Int?

  init(_ item: Item, _ every: Recurrence, _ moment: Moment) {
    self.every = every
    self.moment = moment
    due = item.due
    let kept = item.anchor.flatMap { WallTime(iso: $0) }
    // An instance is counted by its own day. By the clocks of a zone further west it may be the day before, and the next one
    // would be the same again. Without a date the rhythm begins on the day when it is first done.
    let ownDay = kept == nil ? nil : item.dueDay
    current = ownDay ?? item.due?.day(in: moment.zone) ?? moment.today
    anchor = kept?.day ?? item.anchor.flatMap { CalendarDay(iso: $0) } ?? current
    if case .instant(let instant)? = item.due {
      secondOfDay = kept?.secondOfDay ?? moment.zone.wallTime(at: instant).secondOfDay
    } else {
      secondOfDay = nil
    }
  }

  /// When the next instance is due, and where its rhythm began; nil at the end of the calendar.
  var next: (due: Due, anchor: String)? {
    var day = current
    while let next = every.next(after: day, anchor: anchor, today: moment.today) {
      guard let secondOfDay else { return (.day(next), anchor.description) }
      let instant = moment.zone.instant(of: WallTime(day: next, secondOfDay: secondOfDay))
      // A day later by clocks that are more than a day ahead may be no later at all.
      if case .instant(let former)? = due, instant <= former {
        day = next
        continue
      }
      return (.instant(instant), WallTime(day: anchor, secondOfDay: secondOfDay).description)
    }
    return nil
  }
}
