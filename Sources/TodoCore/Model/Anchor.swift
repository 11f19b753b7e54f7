/// The start of a recurrence: a day, or a time in a zone.
///
/// It is written "2031-01-31", or "2031-01-31T05:00:00[Europe/Berlin]".
struct Anchor: Equatable {
  /// The day or the local time, as it is stored.
  var time: String
  /// The zone of that time: a name, or an offset such as "+01:00". Nil for a day.
  var zone: String?

  init(_ day: CalendarDay) { time = day.description }

  init(_ time: WallTime, in zone: String?) {
    self.time = time.description
    self.zone = zone
  }

  /// Reads the values of two columns.
  init?(time: String?, zone: String?) {
    guard let time else { return nil }
    self.time = time
    // Other programs may write anything.
    self.zone = WallTime(iso: time) == nil ? nil : zone.flatMap { LocalZone.isIdentifier($0) ? $0 : nil }
  }

  /// Reads a text in any spelling; nil if it is neither a day nor a time of a day.
  init?(_ text: String) {
    if let day = CalendarDay(iso: text) {
      self.init(day)
      return
    }
    var time = text[...]
    var zone: String?
    if time.utf8.last == 0x5D, let bracket = time.utf8.firstIndex(of: 0x5B) {
      zone = String(time[time.index(after: bracket)...].dropLast())
      time = time[..<bracket]
    }
    guard let wall = WallTime(iso: time), zone.map(LocalZone.isIdentifier) ?? true else { return nil }
    self.init(wall, in: zone)
  }

  /// Whether it is the same as a due date: the same day, or the same moment in a zone that this machine knows.
  func isMoment(of due: Due) -> Bool {
    switch due {
    case .day(let day): time == day.description
    case .instant(let instant):
      zone.flatMap { LocalZone(identifier: $0) }?.wallTime(at: instant).description == time
    }
  }

  var text: String { zone.map { "\(time)[\($0)]" } ?? time }
}

extension LocalZone {
  /// The identifier of the zone in an ``Anchor``: its name in the time zone database if it has one, otherwise its
  /// offset from UTC at that moment, such as "+01:00".
  func identifier(at instant: Instant) -> String {
    switch self {
    case .named(let zone): return zone.name
    case .fixed: break
    case .system:
      // The value of TZ need not be a name, and the file for a name need not be the one that the system uses.
      if let name = Platform.zoneName, let zone = NamedZone(name: name),
        zone.offset(at: instant.seconds) == offset(at: instant)
      {
        return name
      }
    }
    let offset = offset(at: instant)
    let (sign, size) = (offset < 0 ? "-" : "+", abs(offset))
    let seconds = size % 60 == 0 ? "" : ":\(padded(size % 60, 2))"
    return "\(sign)\(padded(size / 3600, 2)):\(padded(size / 60 % 60, 2))\(seconds)"
  }

  /// The zone with an identifier; nil if this machine does not know it.
  init?(identifier: String) {
    if let seconds = Self.offset(identifier) {
      self = .fixed(seconds: seconds)
    } else if let zone = NamedZone(name: identifier) {
      self = .named(zone)
    } else {
      return nil
    }
  }

  /// Whether a text could name a zone.
  static func isIdentifier(_ text: String) -> Bool { offset(text) != nil || NamedZone.isName(text) }

  /// The seconds of "+01:00", "-03:30" or "+00:19:32".
  private static func offset(_ text: String) -> Int? {
    guard let sign = text.utf8.first, sign == 0x2B || sign == 0x2D else { return nil }
    var reader = DigitReader(text.dropFirst().utf8)
    guard let second = WallTime.time(&reader), reader.isAtEnd else { return nil }
    return sign == 0x2D ? -second : second
  }
}
