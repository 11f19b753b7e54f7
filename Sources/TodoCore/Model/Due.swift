/// When an item is due: on a day, which is the same day in every zone, or at a moment.
public enum Due: Hashable, Sendable {
  /// Some time that day.
  case day(CalendarDay)
  /// At that moment.
  case instant(Instant)

  /// Parses "2031-01-02" or "2031-01-02T14:00:00Z"; nil for everything else. This is also the stored form.
  public init?(iso text: some StringProtocol) {
    if text.utf8.count == ISOWriter.dayLength {
      guard let day = CalendarDay(iso: text) else { return nil }
      self = .day(day)
    } else {
      guard let instant = Instant(iso: text) else { return nil }
      self = .instant(instant)
    }
  }

  /// The day in a zone.
  public func day(in zone: LocalZone) -> CalendarDay {
    switch self {
    case .day(let day): day
    case .instant(let instant): zone.day(of: instant)
    }
  }

  /// The moment at which it begins: for a day, its first one in a zone.
  public func start(in zone: LocalZone) -> Instant {
    switch self {
    case .day(let day): zone.start(of: day)
    case .instant(let instant): instant
    }
  }

  /// Whether its day is over. An item that is due today is not overdue, whatever the time.
  public func isOverdue(at moment: Moment) -> Bool { day(in: moment.zone) < moment.today }
}

extension Due: CustomStringConvertible {
  /// The stored form, also used in JSON: "2031-01-02" or "2031-01-02T14:00:00Z".
  public var description: String {
    switch self {
    case .day(let day): day.description
    case .instant(let instant): instant.description
    }
  }
}
