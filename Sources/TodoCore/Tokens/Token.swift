/// A word of a command that sets an attribute of an item: `+list`, `@tag`, `!high`, `due:fri`, `every:month`.
///
/// Only a whole argument is a token. In `add` and `edit`, an argument that contains white space is text, unless it
/// begins with `due:` or `every:`. ``parse(_:as:at:)`` says what an argument is.
public enum Token: Hashable, Sendable {
  /// `+home`: the list.
  case list(String)
  /// `@errand`: a tag.
  case tag(String)
  /// `!high`; nil for `!none`.
  case priority(Priority?)
  /// `due:fri`; nil for `due:none`.
  case due(Due?)
  /// `due:before:fri`, in filters only.
  case dueBefore(Due)
  /// `due:after:fri`, in filters only.
  case dueAfter(Due)
  /// `every:month`; nil for `every:none`.
  case every(Recurrence?)

  /// The use of tokens.
  public enum Use: Sendable {
    /// They set attributes of an item: in `add` and `edit`.
    case attributes
    /// They select items: in `list` and in commands on several items.
    case filter
  }

  /// Parses an argument: a token, or nil for text.
  ///
  /// An argument that begins like a token but isn't one is a usage error that names it and the nearest valid word. A
  /// sign alone is text.
  public static func parse(_ argument: String, as use: Use, at moment: Moment = .now) throws(TodoError) -> Token? {
    let rest = String(argument.dropFirst())
    // An argument with a space was quoted: "+1 for the idea" is a title.
    let isText = rest.isEmpty || (use == .attributes && rest.contains(where: \.isWhitespace))
    switch argument.first {
    case "+" where !isText: return .list(rest)
    case "@" where !isText: return .tag(rest)
    case "!" where !isText: return .priority(try priority(rest, of: argument))
    default: break
    }
    for (prefix, isDue) in [("due:", true), ("every:", false)] where argument.hasPrefix(prefix) {
      let value = String(argument.dropFirst(prefix.count))
      if value.first?.isWhitespace == true { return nil }
      return isDue ? try due(value, of: argument, use, moment) : .every(try every(value, of: argument))
    }
    return nil
  }

  private static func priority(_ word: String, of argument: String) throws(TodoError) -> Priority? {
    if word.lowercased() == "none" { return nil }
    if let priority = Priority(name: word) { return priority }
    let words = ["high", "medium", "low", "none"]
    throw bad(argument, "a priority is !high, !medium, !low or !none", "!", word, words)
  }

  private static func every(_ word: String, of argument: String) throws(TodoError) -> Recurrence? {
    let lowercased = word.lowercased()
    if lowercased == "none" { return nil }
    if let every = Recurrence(rawValue: lowercased) { return every }
    let aliases = ["daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year"]
    let words = Recurrence.allCases.map(\.rawValue) + ["none"]
    throw bad(
      argument, "it is every:day, every:week, every:month, every:year or every:none", "every:",
      aliases[lowercased] ?? word, words)
  }

  private static func due(
    _ value: String, of argument: String, _ use: Use, _ moment: Moment
  ) throws(TodoError) -> Token {
    if value.lowercased() == "none" { return .due(nil) }
    let limit = ["before:", "after:"].first { value.hasPrefix($0) }
    let date = String(value.dropFirst(limit?.count ?? 0))
    if limit != nil, use != .filter {
      throw .usage("\"\(argument)\" chooses items and can't be said of one; did you mean \"due:\(date)\"?")
    }
    if let due = DueExpression.parse(date, at: moment) {
      return limit == nil ? .due(due) : limit == "before:" ? .dueBefore(due) : .dueAfter(due)
    }
    if DueExpression.isCountedBack(date) {
      throw .usage("\"\(argument)\" counts into the past; name the day itself, such as yesterday or 2031-01-02")
    }
    if let reason = DueExpression.missingDay(date) { throw .usage("\"\(argument)\" is no date: \(reason)") }
    let words = DueExpression.words.filter { limit == nil || $0 != "none" && !$0.hasSuffix(":") }
    throw bad(
      argument, dates, "due:" + (limit ?? ""), date, words + (use == .filter && limit == nil ? DueSpan.words : []))
  }

  private static let dates =
    "a date is such as 2031-01-02, 2031-01-02T14:00, today, fri, \"in 3 days\" or \"end of month\""

  private static func bad(
    _ argument: String, _ rule: String, _ prefix: String, _ word: String, _ words: [String]
  ) -> TodoError {
    if let nearest = Suggestion.nearest(to: word, among: words) {
      return .usage("\"\(argument)\" is not understood; did you mean \"\(prefix)\(nearest)\"?")
    }
    return .usage("\"\(argument)\" is not understood; \(rule)")
  }
}
