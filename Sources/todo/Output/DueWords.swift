import TodoCore

/// The text for a due date, in the reader's local time, with a word if it is overdue or within a week.
struct DueWords {
  /// "2031-01-12", "2031-01-12 14:00", "2031-01-02 overdue", "2031-01-03 today", "2031-01-05 Sun".
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
    if !isDone, let word = Self.word(due.day(in: moment.zone), at: moment) { text += " \(word)" }
    self.text = text
  }

  /// The word for a day: "overdue", "today", "tomorrow", or a weekday of the coming week; nil for later days.
  static func word(_ day: CalendarDay, at moment: Moment) -> String? {
    switch day.number - moment.today.number {
    case ..<0: "overdue"
    case 0: "today"
    case 1: "tomorrow"
    case 2...6: String(day.weekdayName.prefix(3))
    default: nil
    }
  }

  /// A moment in the local time of a zone, to the minute: "2031-01-02 14:00".
  static func local(_ instant: Instant, in zone: LocalZone) -> String {
    let time = zone.wallTime(at: instant)
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(time.day) \(digits(time.secondOfDay / 3600)):\(digits(time.secondOfDay / 60 % 60))"
  }
}
