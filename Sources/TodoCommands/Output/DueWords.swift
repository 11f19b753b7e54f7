import TodoCore

/// The text for a due date, in the reader's local time, with a word if it is overdue or within a week.
struct DueWords {
  /// "2031-01-12", "2031-01-12 14:00", "2031-01-02 overdue", "2031-01-03 today", "2031-01-05 Sun".
  let text: String
  /// The same in at most ten columns: "2031-01-02", "overdue", "today".
  let short: String
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
    short = isOverdue ? "overdue" : isToday ? "today" : due.day(in: moment.zone).description
    if !isDone, let word = Self.word(due.day(in: moment.zone), today: moment.today) { text += " \(word)" }
    self.text = text
  }

  /// The word for a day: "overdue", "today", "tomorrow", or a weekday of the coming week; nil for later days.
  static func word(_ day: CalendarDay, today: CalendarDay) -> String? {
    switch day.number - today.number {
    case ..<0: "overdue"
    case 0: "today"
    case 1: "tomorrow"
    case 2...6: String(day.weekdayName.prefix(3))
    default: nil
    }
  }

  /// Why an item matters now: "high, due tomorrow", "overdue by 3 days".
  static func reasons(for item: Item, at moment: Moment) -> String {
    var reasons = item.started == nil ? [] : ["started"]
    if item.priority == .high { reasons.append("high") }
    guard let due = item.due else { return reasons.joined(separator: ", ") }
    let day = due.day(in: moment.zone)
    let ahead = day.number - moment.today.number
    var words =
      switch ahead {
      case ..<0: "overdue by \(-ahead) \(ahead == -1 ? "day" : "days")"
      case 0: "due today"
      case 1: "due tomorrow"
      case ..<7: "due \(day.weekdayName)"
      default: "due \(day)"
      }
    if case .instant(let instant) = due, ahead >= 0 { words += local(instant, in: moment.zone).suffix(6) }
    return (reasons + [words]).joined(separator: ", ")
  }

  /// A moment in the local time of a zone, to the minute: "2031-01-02 14:00".
  static func local(_ instant: Instant, in zone: LocalZone) -> String {
    let time = zone.wallTime(at: instant)
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(time.day) \(digits(time.secondOfDay / 3600)):\(digits(time.secondOfDay / 60 % 60))"
  }
}

/// The heading of a section, for people.
enum SectionHeading {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// In `todo week` "today", "tomorrow" or "Friday 4 December"; in a list by due date also what follows the date.
  static func text(_ name: String, _ view: ItemView, today: CalendarDay) -> String {
    guard view == .due || view == .agenda, let day = CalendarDay(iso: name) else { return name }
    let word = DueWords.word(day, today: today)
    if view == .due { return word.map { "\(name) \($0)" } ?? name }
    if let word, (0...1).contains(day.number - today.number) { return word }
    let date = day.date
    let year = date.year == today.date.year ? "" : " \(date.year)"
    return "\(day.weekdayName) \(date.day) \(months[date.month - 1])\(year)"
  }
}

extension ItemView {
  /// "by list", "day by day".
  var title: String {
    switch self {
    case .agenda: "day by day"
    case .next: "what matters now"
    case .undivided: "in one list"
    default: "by \(rawValue)"
    }
  }
}
