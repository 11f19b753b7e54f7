/// Decides when lists have to be queried again because time has passed: when a quarter of an hour begins, as
/// days do in every zone, when the offset from UTC changes, as with summer time, and when a hidden item appears.
public struct ListClock: Sendable {
  /// The interval in which ``hasTurned(at:)`` is to be called, in milliseconds. No timer waits that long: a machine
  /// that sleeps does not count the time meanwhile.
  public static let interval: Int32 = 500

  private let waiting: WaitingItems?
  private var former: Moment

  /// - Parameter waiting: The items that may appear before that; nil if the lists report them by themselves.
  public init(_ waiting: WaitingItems?, at moment: Moment) { (self.waiting, former) = (waiting, moment) }

  private static func quarter(_ moment: Moment) -> [Int] {
    let time = moment.zone.wallTime(at: moment.instant)
    return [time.day.number, time.secondOfDay / 900, moment.zone.offset(at: moment.instant)]
  }

  /// Returns whether the lists have to be queried again, for the time since the last call that returned true.
  public mutating func hasTurned(at moment: Moment) -> Bool {
    if Self.quarter(moment) == Self.quarter(former), waiting?.appear(after: former.instant, until: moment) != true {
      return false
    }
    former = moment
    return true
  }
}
