/// When an item is due: on a day, which is that day wherever one is, or at a moment, whatever the clock on the wall says.
public enum Due: Hashable, Sendable {
  /// Some time that day.
  case day(CalendarDay)
  /// At that moment.
  case instant(Instant)

  /// What "2031-01-02" or "2031-01-02T14:00:00Z" says; nil for everything else. It is also how it is stored.
  public init?(iso text: some StringProtocol) {
    if text.utf8.count == ISOWriter.dayLength {
      guard let day = CalendarDay(iso: text) else { return nil }
      self = .day(day)
    } else {
      guard let instant = Instant(iso: text) else { return nil }
      self = .instant(instant)
    }
  }

  /// The day under which it stands in a zone.
  public func day(in zone: LocalZone) -> CalendarDay {
    switch self {
    case .day(let day): day
    case .instant(let instant): zone.day(of: instant)
    }
  }

  /// Whether its day is over. What is due today is not overdue, whatever the hour.
  public func isOverdue(at moment: Moment) -> Bool { day(in: moment.zone) < moment.today }
}

extension Due: CustomStringConvertible {
  /// As it is stored and as JSON shows it: "2031-01-02" or "2031-01-02T14:00:00Z".
  public var description: String {
    switch self {
    case .day(let day): day.description
    case .instant(let instant): instant.description
    }
  }
}
