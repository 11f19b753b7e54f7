import TodoCore

/// The text for a due date, in the reader's local time, with a word if it is overdue or today.
struct DueWords {
  /// "2031-01-02", "2031-01-02 14:00", "2031-01-02 overdue", "2031-01-02 today".
  let text: String
  /// Whether its day is over and it is not done.
  let isOverdue: Bool
  /// Whether its day is today and it is not done.
  let isToday: Bool

  init(_ due: Due, isDone: Bool = false, at moment: Moment) {
    isOverdue = !isDone && due.isOverdue(at: moment)
    isToday = !isDone && !isOverdue && due.day(in: moment.zone) == moment.today
    var text =
      switch due {
      case .day(let day): day.description
      case .instant(let instant): Self.local(instant, in: moment.zone)
      }
    if isOverdue { text += " overdue" }
    if isToday { text += " today" }
    self.text = text
  }

  /// A moment in the local time of a zone, to the minute: "2031-01-02 14:00".
  static func local(_ instant: Instant, in zone: LocalZone) -> String {
    let time = zone.wallTime(at: instant)
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(time.day) \(digits(time.secondOfDay / 3600)):\(digits(time.secondOfDay / 60 % 60))"
  }
}
