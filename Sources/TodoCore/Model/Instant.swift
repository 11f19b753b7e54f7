public import SQLiteStore

/// A moment, to the second. It is written in UTC, as it is stored and as in JSON: "2031-01-02T14:00:00Z".
public struct Instant: Hashable, Comparable, Sendable {
  /// Seconds since 1970 in UTC.
  public let seconds: Int64

  static let first = Int64(CalendarDay.first) * 86_400
  static let last = Int64(CalendarDay.last) * 86_400 + 86_399

  /// The moment a number of seconds after 1970 in UTC; outside the years 1 to 9999 it is the first or the last moment.
  public init(seconds: Int64) { self.seconds = min(max(seconds, Self.first), Self.last) }

  /// The current moment, by the system's clock.
  public static var now: Instant { Instant(seconds: Platform.now()) }

  /// Parses "2031-01-02T14:00:00Z"; nil for everything else.
  public init?(iso text: some StringProtocol) {
    let fast = text.utf8.withContiguousStorageIfAvailable { Instant(bytes: $0) }
    guard let instant = fast ?? Instant(bytes: Array(text.utf8)) else { return nil }
    self = instant
  }

  private init?(bytes: some Collection<UInt8>) {
    var reader = DigitReader(bytes)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), reader.take("T"), let hour = reader.number(2), reader.take(":"),
      let minute = reader.number(2), reader.take(":"), let second = reader.number(2), reader.take("Z"), reader.isAtEnd,
      hour < 24, minute < 60, second < 60, let date = CalendarDay(year: year, month: month, day: day)
    else { return nil }
    seconds = Int64(date.number) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// Whether it comes before another moment.
  public static func < (left: Instant, right: Instant) -> Bool { left.seconds < right.seconds }

  /// The moment a number of seconds later.
  public func adding(seconds more: Int64) -> Instant {
    let (sum, overflow) = seconds.addingReportingOverflow(more)
    return Instant(seconds: overflow ? (more < 0 ? Self.first : Self.last) : sum)
  }
}

extension Instant: CustomStringConvertible {
  /// The moment in UTC, as it is stored: "2031-01-02T14:00:00Z".
  public var description: String {
    String(unsafeUninitializedCapacity: ISOWriter.instantLength) { bytes in
      ISOWriter.write(instant: seconds, into: bytes)
      return ISOWriter.instantLength
    }
  }
}

extension Instant: ValueConvertible {
  /// The text that is stored.
  public var databaseValue: Value { .text(description) }

  /// The moment of a stored text.
  public init(databaseValue: Value) throws {
    guard case .text(let text) = databaseValue, let instant = Instant(iso: text) else {
      throw DatabaseError.mismatch(expected: "an instant such as 2031-01-02T14:00:00Z", found: databaseValue)
    }
    self = instant
  }

  /// Reads the moment without creating a text.
  public static func read(_ column: borrowing Column) throws -> Instant {
    guard let instant = try column.withText({ Instant(bytes: $0) }) else {
      throw column.mismatch(expected: "an instant such as 2031-01-02T14:00:00Z")
    }
    return instant
  }
}
