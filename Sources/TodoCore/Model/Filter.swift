/// Selects items by a condition and by their state.
///
/// ```swift
/// let filter = try Filter(arguments: ["+home", "or", "due:before:fri"])
/// ```
public struct Filter: Hashable, Sendable {
  /// The states that an item may have.
  public enum Status: Hashable, Sendable {
    /// Not done, not archived.
    case open
    /// Done, not archived.
    case done
    /// Done or not, not archived.
    case all
    /// Archived, done or not.
    case archived
    /// Every item there is.
    case any
  }

  /// A condition on the date until which an item is hidden.
  public enum Wait: Hashable, Sendable {
    /// Whether it is hidden or not.
    case any
    /// This date; nil for none.
    case until(Due?)
  }

  /// A condition: one property of an item, or several conditions joined.
  public indirect enum Condition: Hashable, Sendable {
    /// All of these; without any it is true.
    case all([Condition])
    /// At least one of these.
    case any([Condition])
    /// Not this one, also where an item lacks the property.
    case not(Condition)
    /// In the list with this name, ignoring case.
    case list(String)
    /// With this tag.
    case tag(String)
    /// With this priority; nil means none.
    case priority(Priority?)
    /// With this recurrence; nil means none.
    case every(Recurrence?)
    /// Due between two limits, which are excluded, a day as a whole. Without limits: due at any time.
    case due(after: Due?, before: Due?)
    /// Completed between two limits, in the same way.
    case completed(after: Due?, before: Due?)
    /// Hidden until this date; ``Wait/any`` finds hidden items besides the others.
    case wait(Wait)
    /// Each of these words occurs in the title or notes, or is the beginning of a word there.
    case text([String])

    /// The conditions that must all be true.
    var required: [Condition] { if case .all(let parts) = self { parts.flatMap(\.required) } else { [self] } }

    /// The conditions on one property each that it consists of.
    public var parts: [Condition] {
      switch self {
      case .all(let parts), .any(let parts): parts.flatMap(\.parts)
      case .not(let part): part.parts
      default: [self]
      }
    }
  }

  /// The condition that items must meet.
  public var condition: Condition
  /// The states; nil leaves that to the command.
  public var status: Status?

  /// Creates a filter; without arguments, it has no condition.
  public init(_ condition: Condition = .all([]), status: Status? = nil) {
    self.condition = condition
    self.status = status
  }

  /// Creates a filter from arguments. One that is no filter is a usage error.
  ///
  /// - Parameters:
  ///   - arguments: Filters, joined by `or`, `not` and brackets.
  ///   - text: The value of `--text`; words are separated by white space.
  ///   - status: The status from `--done` and `--all`.
  ///   - moment: Determines "today".
  ///   - saved: Returns the arguments of a saved filter.
  public init(
    arguments: [String], text: [String] = [], status: Status? = nil, at moment: Moment = .now,
    saved: @escaping SavedFilters = noSavedFilters
  ) throws(TodoError) {
    self.init(status: status)
    try add(arguments.map { FilterWord($0) }, at: moment, saved: saved)
    let words = text.flatMap { $0.words.map(String.init) }
    if !words.isEmpty { add(.text(words)) }
  }

  /// Adds a condition that items must also meet.
  public mutating func add(_ other: Condition) { condition = isEmpty ? other : .all([condition, other]) }

  /// Adds the condition that words say. One about the day of completion means done items, unless states were chosen.
  public mutating func add(
    _ words: [FilterWord], at moment: Moment, saved: @escaping SavedFilters = noSavedFilters
  ) throws(TodoError) {
    guard let other = try FilterParser.parse(words, at: moment, saved) else { return }
    add(other)
    let isAboutDone = other.required.contains { if case .completed = $0 { true } else { false } }
    if isAboutDone, status == nil { status = .done }
  }

  /// Whether it has no condition except states.
  public var isEmpty: Bool { condition == .all([]) }

  /// Whether hidden items are wanted too, or only some of them.
  var saysWait: Bool { condition.parts.contains { if case .wait = $0 { true } else { false } } }

  /// The lists that it names.
  public var lists: [String] { condition.parts.compactMap { if case .list(let name) = $0 { name } else { nil } } }

  /// The tags that it names.
  public var tags: [String] { condition.parts.compactMap { if case .tag(let tag) = $0 { tag } else { nil } } }

  /// The list that every item must be in; nil if there is no such list, or more than one.
  public var onlyList: String? {
    let lists = condition.required.compactMap { if case .list(let name) = $0 { name } else { nil } }
    return lists.count == 1 ? lists[0] : nil
  }

  /// Whether it is plain that nothing can match: a condition beside its opposite, or a date before and after others.
  var excludesItself: Bool {
    let required = condition.required
    if required.contains(where: { required.contains(.not($0)) }) { return true }
    var (after, before): (CalendarDay?, CalendarDay?)
    var isUndated = false
    for part in required {
      if case .due(.day(let day)?, _) = part { after = max(after ?? day, day) }
      if case .due(_, .day(let day)?) = part { before = min(before ?? day, day) }
      if case .not(.due(nil, nil)) = part { isUndated = true }
    }
    if isUndated { return after != nil || before != nil }
    guard let after, let before else { return false }
    return before.number - after.number < 2
  }
}
