import TodoCore

/// The text for a due date, in the reader's local time, with a word if it is overdue or today.
struct DueWords {
  /// "2031-01-02", "2031-01-02 14:00", "2031-01-02 overdue", "2031-01-02 today".
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
    if isOverdue { text += " overdue" }
    if isToday { text += " today" }
    self.text = text
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
      case ..<7: "due \(SectionHeading.weekday(day))"
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
  static func weekday(_ day: CalendarDay) -> String {
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][day.weekday - 1]
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// In `todo week` "today", "tomorrow" or "Friday 4 December"; in a list by due date also what follows the date.
  static func text(_ name: String, _ view: ItemView, today: CalendarDay) -> String {
    guard view == .due || view == .agenda, let day = CalendarDay(iso: name) else { return name }
    let (date, ahead) = (day.date, day.number - today.number)
    let word = [-1: "overdue", 0: "today", 1: "tomorrow"][max(ahead, -1)]
    if view == .due { return word.map { "\(name) \($0)" } ?? name }
    if ahead >= 0, let word { return word }
    let year = date.year == today.date.year ? "" : " \(date.year)"
    return "\(weekday(day)) \(date.day) \(months[date.month - 1])\(year)"
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
