import FetchedResultsSupport

/// A named time zone, such as "Europe/Berlin", from the system's files.
///
/// Unlike ``LocalZone/system`` it does not depend on the environment.
public struct NamedZone: Hashable, Sendable {
  /// The name in the time zone database.
  public let name: String
  private let rules: ZoneRules

  /// The zone with a name; nil if this machine has no file for it.
  public init?(name: String) {
    guard Self.isName(name), let bytes = Self.file(name), let rules = ZoneRules(file: bytes) else { return nil }
    self.name = name
    self.rules = rules
  }

  /// The offset from UTC at a moment, in seconds.
  func offset(at seconds: Int64) -> Int { rules.offset(at: seconds) }

  /// Whether a text has the form of a name. It may come from an untrusted source, and becomes part of a path.
  static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...64).contains(bytes.count), let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2F, 0x5F].contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

  private static func file(_ name: String) -> [UInt8]? {
    for folder in [
      "/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/", "/usr/lib/zoneinfo/", "/var/db/timezone/zoneinfo/",
    ] {
      if let bytes = Platform.smallFile(folder + name) { return bytes }
    }
    return nil
  }

  /// Whether two zones have the same name.
  public static func == (left: NamedZone, right: NamedZone) -> Bool { left.name == right.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The offset changes of a zone, read from a file of the time zone database (RFC 8536).
struct ZoneRules: Sendable {
  /// The moments of the changes, ascending, and the offset from UTC after each.
  private var changes: [(at: Int64, offset: Int)] = []
  /// The offset before the first change.
  private var first = 0
  /// The rule after the last change.
  private var rule: ZoneRule?

  /// The rules of a file; nil if it is no such file, or is damaged.
  init?(file bytes: [UInt8]) {
    // The first part is for old programs, with 32-bit times.
    guard let header = Header(bytes, at: 0), header.version >= 2,
      let second = Header(bytes, at: header.end(timeSize: 4)), let end = read(bytes, second),
      end < bytes.count, bytes[end] == 0x0A
    else { return nil }
    let footer = bytes[(end + 1)...].prefix { $0 != 0x0A }
    if !footer.isEmpty {
      guard let rule = ZoneRule(String(decoding: footer, as: UTF8.self)) else { return nil }
      self.rule = rule
    }
  }

  private mutating func read(_ bytes: [UInt8], _ header: Header) -> Int? {
    let end = header.end(timeSize: 8)
    guard header.types > 0, end <= bytes.count else { return nil }
    func number(_ place: Int, _ size: Int) -> Int64 {
      let bits = bytes[place..<place + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return size == 4 ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(bitPattern: bits)
    }
    let indices = header.start + header.times * 8
    let types = indices + header.times
    func offset(ofType type: Int) -> Int? { type < header.types ? Int(number(types + type * 6, 4)) : nil }
    guard let first = offset(ofType: 0) else { return nil }
    self.first = first
    for index in 0..<header.times {
      guard let offset = offset(ofType: Int(bytes[indices + index])) else { return nil }
      changes.append((number(header.start + index * 8, 8), offset))
    }
    return end
  }

  private struct Header {
    var version: Int
    /// The offset of the data after it.
    var start: Int
    var times: Int
    var types: Int
    private var rest: (leaps: Int, others: Int)

    init?(_ bytes: [UInt8], at place: Int) {
      guard place + 44 <= bytes.count, bytes[place..<place + 4].elementsEqual("TZif".utf8) else { return nil }
      let counts = (0..<6).map { index in
        bytes[(place + 20 + index * 4)..<(place + 24 + index * 4)].reduce(0) { $0 << 8 | Int($1) }
      }
      guard counts.allSatisfy({ $0 < 100_000 }) else { return nil }
      version = bytes[place + 4] == 0 ? 1 : Int(bytes[place + 4]) - 0x30
      start = place + 44
      times = counts[3]
      types = counts[4]
      rest = (counts[2], counts[0] + counts[1] + counts[5])
    }

    func end(timeSize: Int) -> Int {
      start + times * (timeSize + 1) + types * 6 + rest.leaps * (timeSize + 4) + rest.others
    }
  }

  /// The offset from UTC at a moment, in seconds. O(log n)
  func offset(at seconds: Int64) -> Int {
    if let last = changes.last, seconds < last.at {
      var (low, high) = (0, changes.count)
      while low < high {
        let middle = (low + high) / 2
        if changes[middle].at <= seconds { low = middle + 1 } else { high = middle }
      }
      return low == 0 ? first : changes[low - 1].offset
    }
    return rule?.offset(at: seconds) ?? changes.last?.offset ?? first
  }
}

/// A zone in the notation of POSIX: "CET-1CEST,M3.5.0,M10.5.0/3".
private struct ZoneRule: Sendable {
  /// A day and the time of it: the week of a month, 5 for the last, and the day in it, 0 for Sunday. No zone of the
  /// database counts the days of a year, as the notation allows too.
  private typealias Change = (month: Int, week: Int, day: Int, second: Int)

  private var standard: Int
  private var summer: (offset: Int, begins: Change, ends: Change)?

  init?(_ text: String) {
    var reader = Reader(text)
    guard reader.name(), let standard = reader.time() else { return nil }
    // In this notation, a positive offset is behind UTC.
    self.standard = -standard
    if reader.isAtEnd { return }
    guard reader.name() else { return nil }
    var offset = self.standard + 3600
    if reader.peek != 0x2C {
      guard let time = reader.time() else { return nil }
      offset = -time
    }
    guard let begins = reader.rule(), let ends = reader.rule(), reader.isAtEnd else { return nil }
    summer = (offset, begins, ends)
  }

  func offset(at seconds: Int64) -> Int {
    guard let summer else { return standard }
    let year = WallTime(secondsSince1970: seconds + Int64(standard)).day.date.year
    func moment(_ rule: Change, _ offset: Int) -> Int64 {
      let first = CivilDay.days(year: year, month: rule.month, day: 1)
      let firstWeekday = CalendarDay(number: first).weekday % 7
      let day = first + (rule.day - firstWeekday + 7) % 7 + (rule.week - 1) * 7
      let isTooLate = day >= first + CivilDay.daysIn(month: rule.month, ofYear: year)
      return Int64(isTooLate ? day - 7 : day) * 86_400 + Int64(rule.second - offset)
    }
    let begins = moment(summer.begins, standard)
    let ends = moment(summer.ends, summer.offset)
    let isSummer = begins < ends ? seconds >= begins && seconds < ends : seconds >= begins || seconds < ends
    return isSummer ? summer.offset : standard
  }

  private struct Reader {
    private var bytes: Substring.UTF8View

    init(_ text: String) { bytes = text[...].utf8 }

    var isAtEnd: Bool { bytes.isEmpty }
    var peek: UInt8? { bytes.first }

    private mutating func take(_ byte: UInt8) -> Bool {
      guard bytes.first == byte else { return false }
      bytes.removeFirst()
      return true
    }

    /// "CET" or "<+03>".
    mutating func name() -> Bool {
      if take(0x3C) {
        guard let end = bytes.firstIndex(of: 0x3E) else { return false }
        bytes = bytes[bytes.index(after: end)...]
        return true
      }
      let rest = bytes.drop { (0x41...0x5A).contains($0 & 0xDF) }
      defer { bytes = rest }
      return rest.count < bytes.count
    }

    private mutating func number() -> Int? {
      let digits = bytes.prefix { (0x30...0x39).contains($0) }
      guard (1...4).contains(digits.count) else { return nil }
      bytes = bytes.dropFirst(digits.count)
      return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// The seconds of "-1", "3:30" or "+24:00:00".
    mutating func time() -> Int? {
      let isNegative = take(0x2D)
      if !isNegative { _ = take(0x2B) }
      guard let hours = number() else { return nil }
      var seconds = hours * 3600
      for unit in [60, 1] where take(0x3A) {
        guard let part = number(), part < 60 else { return nil }
        seconds += part * unit
      }
      return isNegative ? -seconds : seconds
    }

    /// ",M3.5.0/3".
    mutating func rule() -> Change? {
      guard take(0x2C), take(0x4D), let month = number(), take(0x2E), let week = number(), take(0x2E),
        let day = number(), (1...12).contains(month), (1...5).contains(week), day < 7
      else { return nil }
      guard take(0x2F) else { return (month, week, day, 7200) }
      return time().map { (month, week, day, $0) }
    }
  }
}
