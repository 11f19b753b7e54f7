/// A word of a command that sets an attribute of an item: `+list`, `@tag`, `!high`, `due:fri`, `every:month`.
///
/// Only a whole argument is a token. In `add` and `edit`, an argument that contains white space is text, unless it
/// begins with `due:`, `every:` or `wait:`. ``parse(_:as:at:)`` says what an argument is.
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
  /// `every:month`; nil for `every:none`.
  case every(Recurrence?)
  /// `wait:fri`; nil for `wait:none`.
  case wait(Due?)
  /// `wait:any`, in filters only.
  case waitAny

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
    for prefix in ["due:", "every:", "wait:"] where argument.hasPrefix(prefix) {
      let value = String(argument.dropFirst(prefix.count))
      if value.first?.isWhitespace == true { return nil }
      switch prefix {
      case "due:": return try due(value, of: argument, use, moment)
      case "every:": return .every(try every(value, of: argument))
      default: return try wait(value, of: argument, use, moment)
      }
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
    if let every = Recurrence(word) { return every }
    let words = Recurrence.table.flatMap(\.examples) + ["none"]
    throw bad(
      argument,
      "it is such as every:day, every:2weeks, every:mon,thu or every:month; `todo help recurrences` lists all",
      "every:", word, words)
  }

  private static func wait(
    _ value: String, of argument: String, _ use: Use, _ moment: Moment
  ) throws(TodoError) -> Token {
    switch value.lowercased() {
    case "none": return .wait(nil)
    case "any" where use == .filter: return .waitAny
    default:
      return .wait(
        try DueExpression.due(argument, after: "wait:", or: use == .filter ? ["none", "any"] : ["none"], at: moment))
    }
  }

  private static func due(
    _ value: String, of argument: String, _ use: Use, _ moment: Moment
  ) throws(TodoError) -> Token {
    if value.lowercased() == "none" { return .due(nil) }
    let isBefore = value.hasPrefix("before:")
    let date = isBefore ? String(value.dropFirst("before:".count)) : value
    if isBefore, use != .filter {
      throw .usage("\"\(argument)\" chooses items and can't be said of one; did you mean \"due:\(date)\"?")
    }
    if isBefore { return .dueBefore(try DueExpression.due(argument, after: "due:before:", at: moment)) }
    return .due(try DueExpression.due(argument, after: "due:", or: ["none", "before:"], at: moment))
  }

  private static func bad(
    _ argument: String, _ rule: String, _ prefix: String, _ word: String, _ words: [String]
  ) -> TodoError {
    if let nearest = Suggestion.nearest(to: word, among: words) {
      return .usage("\"\(argument)\" is not understood; did you mean \"\(prefix)\(nearest)\"?")
    }
    return .usage("\"\(argument)\" is not understood; \(rule)")
  }
}
