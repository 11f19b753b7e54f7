/// The time zone for the beginning of days and for local times.
public enum LocalZone: Hashable, Sendable {
  /// The zone of the environment: TZ, or else the system's.
  case system
  /// A fixed number of seconds ahead of UTC.
  case fixed(seconds: Int)
  /// A named zone, independent of the environment.
  case named(NamedZone)

  /// The offset from UTC at a moment, in seconds.
  public func offset(at instant: Instant) -> Int {
    switch self {
    case .system: Platform.offset(at: instant.seconds)
    case .fixed(let seconds): seconds
    case .named(let zone): zone.offset(at: instant.seconds)
    }
  }

  /// The local time at a moment.
  public func wallTime(at instant: Instant) -> WallTime {
    WallTime(secondsSince1970: instant.seconds + Int64(offset(at: instant)))
  }

  /// The day of a moment.
  public func day(of instant: Instant) -> CalendarDay { wallTime(at: instant).day }

  /// The moment of a local time.
  ///
  /// If the clocks show it twice, as summer time ends, it is the first; if they skip it, as summer time begins, it is
  /// later by the length of the skip.
  public func instant(of time: WallTime) -> Instant {
    let plain = time.secondsSince1970
    // One of the offsets a day before and a day after applies.
    let before = Int64(offset(at: Instant(seconds: plain - 86_400)))
    let after = Int64(offset(at: Instant(seconds: plain + 86_400)))
    for offset in [before, after] {
      let candidate = Instant(seconds: plain - offset)
      if Int64(self.offset(at: candidate)) == offset { return candidate }
    }
    return Instant(seconds: plain - before)
  }

  /// The moment at which a day begins.
  public func start(of day: CalendarDay) -> Instant { instant(of: WallTime(day: day, secondOfDay: 0)) }
}

/// A time and a zone, which determine "today" and "tomorrow".
public struct Moment: Hashable, Sendable {
  /// The time.
  public var instant: Instant
  /// The zone.
  public var zone: LocalZone
  /// How the user says dates.
  public var habits = DateHabits()

  /// Creates a moment in a zone.
  public init(_ instant: Instant, in zone: LocalZone = .system) {
    self.instant = instant
    self.zone = zone
  }

  /// The current time, in the system's zone.
  public static var now: Moment { Moment(.now) }

  /// The current day.
  public var today: CalendarDay { zone.day(of: instant) }
}
