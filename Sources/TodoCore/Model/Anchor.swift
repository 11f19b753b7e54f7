/// Where a rhythm began: a day, or a time in a zone.
///
/// It is written "2031-01-31", or "2031-01-31T05:00:00[Europe/Berlin]". The zone is missing in what an earlier version wrote.
struct Anchor: Equatable {
  /// The day or the time, as it is stored: by the clock on the wall.
  var time: String
  /// The zone of that clock: a name, or such as "+01:00". Nil for a day.
  var zone: String?

  init(_ day: CalendarDay) { time = day.description }

  init(_ time: WallTime, in zone: String?) {
    self.time = time.description
    self.zone = zone
  }

  /// What two columns hold.
  init?(time: String?, zone: String?) {
    guard let time else { return nil }
    self.time = time
    // Other programs may write anything.
    self.zone = WallTime(iso: time) == nil ? nil : zone.flatMap { LocalZone.isIdentifier($0) ? $0 : nil }
  }

  /// What a text says in any spelling; nil for what is neither a day nor a time of a day.
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

  var text: String { zone.map { "\(time)[\($0)]" } ?? time }
}

extension LocalZone {
  /// What names the zone in an ``Anchor``: a name of the time zone database where it has one, and else how far it is ahead of UTC at
  /// that moment, such as "+01:00".
  func identifier(at instant: Instant) -> String {
    switch self {
    case .named(let zone): return zone.name
    case .fixed: break
    case .system:
      // What TZ says need not be a name, and the file of a name need not be what the system reads.
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

  /// The zone that is named so; nil where this machine does not know it.
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

  /// Seconds of "+01:00", "-03:30" or "+00:19:32".
  private static func offset(_ text: String) -> Int? {
    guard let sign = text.utf8.first, sign == 0x2B || sign == 0x2D else { return nil }
    var reader = DigitReader(text.dropFirst().utf8)
    guard let second = WallTime.time(&reader), reader.isAtEnd else { return nil }
    return sign == 0x2D ? -second : second
  }
}
