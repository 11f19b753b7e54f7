/// The time zone in which days begin and clocks are read.
public enum LocalZone: Hashable, Sendable {
  /// That of the environment: TZ, or else the system's.
  case system
  /// Always so many seconds ahead of UTC.
  case fixed(seconds: Int)
  /// That of a place, whatever the environment says.
  case named(NamedZone)

  /// How many seconds its clocks are ahead of UTC at a moment.
  public func offset(at instant: Instant) -> Int {
    switch self {
    case .system: Platform.offset(at: instant.seconds)
    case .fixed(let seconds): seconds
    case .named(let zone): zone.offset(at: instant.seconds)
    }
  }

  /// What its clocks show at a moment.
  public func wallTime(at instant: Instant) -> WallTime {
    WallTime(secondsSince1970: instant.seconds + Int64(offset(at: instant)))
  }

  /// The day of a moment.
  public func day(of instant: Instant) -> CalendarDay { wallTime(at: instant).day }

  /// The moment at which its clocks show something.
  ///
  /// Where they show it twice, as summer time ends, it is the first; where they leap over it, as summer time begins, as much
  /// later as they leap.
  public func instant(of time: WallTime) -> Instant {
    let plain = time.secondsSince1970
    // The offset of a day before and a day after are the two that can apply.
    let before = Int64(offset(at: Instant(seconds: plain - 86_400)))
    let after = Int64(offset(at: Instant(seconds: plain + 86_400)))
    for offset in [before, after] {
      let candidate = Instant(seconds: plain - offset)
      if Int64(self.offset(at: candidate)) == offset { return candidate }
    }
    return Instant(seconds: plain - before)
  }

  /// Whether its clocks never show something, as summer time begins.
  func isLeaptOver(_ time: WallTime) -> Bool {
    let plain = time.secondsSince1970
    let before = offset(at: Instant(seconds: plain - 86_400))
    let after = offset(at: Instant(seconds: plain + 86_400))
    return before < after && instant(of: time).seconds == plain - Int64(before)
  }

  /// The moment at which a day begins.
  public func start(of day: CalendarDay) -> Instant { instant(of: WallTime(day: day, secondOfDay: 0)) }
}

/// When and where something is said: what "today" and "tomorrow" depend on.
public struct Moment: Hashable, Sendable {
  /// When.
  public var instant: Instant
  /// In which zone.
  public var zone: LocalZone

  /// A moment in a zone.
  public init(_ instant: Instant, in zone: LocalZone = .system) {
    self.instant = instant
    self.zone = zone
  }

  /// Now and here.
  public static var now: Moment { Moment(.now) }

  /// The day that it is.
  public var today: CalendarDay { zone.day(of: instant) }
}
