/// A word of a command that sets an attribute of an item: `+list`, `@tag`, `pri:high`, `due:fri`, `every:month`.
///
/// Only a whole argument is a token. In `add` and `edit`, an argument that contains white space is text, unless it
/// begins with a ``Keyword``. ``parse(_:as:at:)`` says what an argument is.
public enum Token: Hashable, Sendable {
  /// `+home`: the list.
  case list(String)
  /// `@errand`: a tag.
  case tag(String)
  /// `tag:errand,shop`: several tags; empty for `tag:none`.
  case tags([String])
  /// `pri:high`; nil for `pri:none`.
  case priority(Priority?)
  /// `due:fri`; nil for `due:none`.
  case due(Due?)
  /// `due:before:fri`, in filters only.
  case dueBefore(Due)
  /// `every:month`; nil for `every:none`.
  case every(Recurrence?)
  /// `note:TEXT`, in `add` and `edit` only.
  case note(String)

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
    var said = Keyword.Said(value: rest, argument: argument, use: use, moment: moment)
    switch argument.first {
    case "+" where !isText: return .list(rest)
    case "@" where !isText: return .tag(rest)
    case "!" where !isText: return try Keyword.priority.token(said)
    default: break
    }
    guard let (keyword, value) = Keyword.divide(argument) else { return nil }
    // "Shopping list: milk" is a title.
    if keyword.kind == .text, value.isEmpty { return nil }
    said.value = value
    return try keyword.token(said)
  }

  static func every(_ said: Keyword.Said) throws(TodoError) -> Recurrence? {
    let word = said.value.lowercased()
    if word == "none" { return nil }
    let aliases = ["daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year"]
    if let every = Recurrence(rawValue: aliases[word] ?? word) { return every }
    throw bad(
      said, "it is every:day, every:week, every:month, every:year or every:none", "every:", said.value,
      Recurrence.allCases.map(\.rawValue) + ["none"])
  }

  static func due(_ said: Keyword.Said) throws(TodoError) -> Token {
    let (value, argument) = (said.value, said.argument)
    if value.lowercased() == "none" { return .due(nil) }
    let isBefore = value.hasPrefix("before:")
    let date = isBefore ? String(value.dropFirst("before:".count)) : value
    if isBefore, said.use != .filter {
      throw .usage("\"\(argument)\" chooses items and can't be said of one; did you mean \"due:\(date)\"?")
    }
    if let due = DueExpression.parse(date, at: said.moment) { return isBefore ? .dueBefore(due) : .due(due) }
    if DueExpression.isCountedBack(date) {
      throw .usage("\"\(argument)\" counts into the past; name the day itself, such as yesterday or 2031-01-02")
    }
    if let reason = DueExpression.missingDay(date) { throw .usage("\"\(argument)\" is no date: \(reason)") }
    let words = DueExpression.words.filter { !isBefore || $0 != "none" && !$0.hasPrefix("before") }
    throw bad(said, dates, isBefore ? "due:before:" : "due:", date, words)
  }

  private static let dates =
    "a date is such as 2031-01-02, 2031-01-02T14:00, today, fri, \"in 3 days\" or \"end of month\""

  static func bad(
    _ said: Keyword.Said, _ rule: String, _ prefix: String, _ word: String, _ words: [String]
  ) -> TodoError {
    if let nearest = Suggestion.nearest(to: word, among: words) {
      return .usage("\"\(said.argument)\" is not understood; did you mean \"\(prefix)\(nearest)\"?")
    }
    return .usage("\"\(said.argument)\" is not understood; \(rule)")
  }
}
