import SQLiteStore

/// How a list is divided into sections and ordered.
public enum ItemView: String, CaseIterable, Sendable {
  /// By list, in the lists' order, and manually ordered within a list.
  case list
  /// By due day, with undated items last.
  case due
  /// By priority, the highest first, items without one last.
  case priority
  /// By tag: an item is under each of its tags; items without tags are last.
  case tag
  /// Not divided, in the order of the view by list.
  case undivided = "none"
  /// What is overdue, and then day by day.
  case agenda
  /// The items that matter now, by ``Urgency``.
  case next

  /// The values of `--by`.
  public static let named: [ItemView] = [.list, .due, .priority, .tag, .undivided]

  /// The view with a name; an error suggests the nearest one.
  public init(name: String) throws(TodoError) {
    guard let view = Self.named.first(where: { $0.rawValue == name.lowercased() }) else {
      throw .usage(
        "there is no view by \"\(name)\""
          + Suggestion.clause(
            for: name, among: Self.named.map(\.rawValue), otherwise: "choose list, due, priority, tag or none"))
    }
    self = view
  }

  /// The next view in the cycle list, due, priority, tag, and the view with which it began.
  public func following(from first: ItemView) -> ItemView {
    let cycle = (Self.named.contains(first) ? [] : [first]) + Self.named.dropLast()
    return cycle.drop { $0 != self }.dropFirst().first ?? cycle[0]
  }
}

/// What orders the items within their sections.
public enum ItemSort: String, CaseIterable, Sendable {
  /// The first to be due first, undated ones last.
  case due
  /// The highest first.
  case priority
  /// The newest first.
  case created
  /// By the alphabet, ignoring the case of ASCII letters.
  case title

  /// The order with a name; an error suggests the nearest one.
  public init(name: String) throws(TodoError) {
    guard let sort = ItemSort(rawValue: name.lowercased()) else {
      if name.lowercased() == "modified" {
        throw .usage("it is not recorded when an item was last changed; use --sort created, or see `todo log`")
      }
      throw .usage(
        "items can't be sorted by \"\(name)\""
          + Suggestion.clause(
            for: name, among: Self.allCases.map(\.rawValue), otherwise: "choose due, priority, created or title"))
    }
    self = sort
  }
}

/// Why an item matters now, the most urgent first: the sections of `todo next`.
public enum Urgency: Int, CaseIterable, Sendable {
  case started, overdue, today, high, week

  /// The name of its section.
  public var name: String { self == .week ? "this week" : "\(self)" }

  /// The reason of an item; nil if it has none of these.
  public init?(_ item: Item, due day: CalendarDay?, today: CalendarDay) {
    if item.started != nil {
      self = .started
    } else if let day, day < today {
      self = .overdue
    } else if day == today {
      self = .today
    } else if item.priority == .high {
      self = .high
    } else if let day, day < today.adding(days: 7) {
      self = .week
    } else {
      return nil
    }
  }

  /// The same in SQL, as a number or NULL.
  static func sql(day: SQL, today: CalendarDay) -> SQL {
    """
    CASE WHEN item.started IS NOT NULL THEN 0 WHEN \(day) < \(today.description) THEN 1
      WHEN \(day) = \(today.description) THEN 2 WHEN item.priority = 3 THEN 3
      WHEN \(day) < \(today.adding(days: 7).description) THEN 4 END
    """
  }
}
