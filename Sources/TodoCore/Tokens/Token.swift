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
  /// `due:after:fri`, in filters only.
  case dueAfter(Due)
  /// `every:month`; nil for `every:none`.
  case every(Recurrence?)
  /// `note:TEXT`, in `add` and `edit` only.
  case note(String)
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
    if said.value.lowercased() == "none" { return nil }
    if let every = Recurrence(said.value) { return every }
    throw bad(
      said, "it is such as every:day, every:2weeks, every:mon,thu or every:month; `todo help recurrences` lists all",
      "every:", said.value, Recurrence.table.flatMap(\.examples) + ["none"])
  }

  static func wait(_ said: Keyword.Said) throws(TodoError) -> Token {
    let isFilter = said.use == .filter
    switch said.value.lowercased() {
    case "none": return .wait(nil)
    case "any" where isFilter: return .waitAny
    default:
      return .wait(
        try DueExpression.due(
          said.argument, after: "wait:", or: isFilter ? ["none", "any"] : ["none"], at: said.moment))
    }
  }

  static func due(_ said: Keyword.Said) throws(TodoError) -> Token {
    let (value, argument) = (said.value, said.argument)
    if value.lowercased() == "none" { return .due(nil) }
    let limit = ["before:", "after:"].first { value.hasPrefix($0) }
    if let limit, said.use != .filter {
      let date = value.dropFirst(limit.count)
      throw .usage("\"\(argument)\" chooses items and can't be said of one; did you mean \"due:\(date)\"?")
    }
    let words = limit != nil ? [] : ["none", "before:", "after:"] + (said.use == .filter ? DueSpan.words : [])
    let due = try DueExpression.due(argument, after: "due:" + (limit ?? ""), or: words, at: said.moment)
    return limit == nil ? .due(due) : limit == "before:" ? .dueBefore(due) : .dueAfter(due)
  }

  static func bad(
    _ said: Keyword.Said, _ rule: String, _ prefix: String, _ word: String, _ words: [String]
  ) -> TodoError {
    if let nearest = Suggestion.nearest(to: word, among: words) {
      return .usage("\"\(said.argument)\" is not understood; did you mean \"\(prefix)\(nearest)\"?")
    }
    return .usage("\"\(said.argument)\" is not understood; \(rule)")
  }
}
