/// A word that sets or chooses something by the value after its colon: `due:fri`.
///
/// ``all`` is the one table of these words. Parsing, help, completions and suggestions read it, so a new word is a new
/// row, and a case of ``Token`` if it sets something new.
public struct Keyword: Sendable {
  /// What a value is.
  enum Kind: Sendable {
    /// One of a few words.
    case choice
    /// A date, whose words need no quotes: `due:next friday 9:15`.
    case date
    /// Any text.
    case text
  }

  /// What a value is read with.
  struct Said: Sendable {
    var value: String
    /// The whole argument, for errors.
    var argument: String
    var use: Token.Use
    var moment: Moment
  }

  /// The word itself.
  public let name: String
  /// The words of other programs that mean the same.
  public let aliases: [String]
  /// How it is written, and what it sets, for the help.
  public let usage: String
  /// The values that are completed.
  public let values: [String]
  let kind: Kind
  /// The token of a value.
  let token: @Sendable (Said) throws(TodoError) -> Token

  private init(
    _ name: String, _ aliases: [String], _ usage: String, values: [String] = [], _ kind: Kind,
    token: @escaping @Sendable (Said) throws(TodoError) -> Token
  ) {
    self.name = name
    self.aliases = aliases
    self.usage = usage
    self.values = values
    self.kind = kind
    self.token = token
  }

  /// Every such word, in the order of the help.
  public static let all: [Keyword] = [
    Keyword("list", ["project", "proj"], "+LIST or list:NAME for the list", .text) { .list($0.value) },
    Keyword("tag", ["tags"], "@TAG or tag:A,B for tags", .text) { said throws(TodoError) in
      let none = said.value.lowercased() == "none"
      if none, said.use == .filter {
        throw .usage("\"\(said.argument)\" can't choose items; `todo list --by tag` shows those without tags")
      }
      let tags = said.value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return .tags(none ? [] : tags)
    },
    priority,
    Keyword(
      "due", [], "due:DATE for the due date",
      values: ["today", "tomorrow", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "tonight", "weekend", "in-3-days"]
        + ["end-of-week", "end-of-month", "9am"], .date
    ) { said throws(TodoError) in try Token.due(said) },
    Keyword(
      "every", ["recur", "rec", "repeat"], "every:month, every:2weeks or every:mon,thu for how often it recurs",
      values: ["day", "week", "month", "year", "2weeks", "weekday", "mon,thu", "month-end", "3days-after-done"], .choice
    ) { said throws(TodoError) in .every(try Token.every(said)) },
    Keyword(
      "wait", [], "wait:DATE to hide it until then", values: ["tomorrow", "weekend", "next-week", "any"], .date
    ) { said throws(TodoError) in try Token.wait(said) },
    Keyword("note", ["notes"], "note:TEXT for a note", .text) { said throws(TodoError) in
      if said.use == .filter {
        throw .usage("\"\(said.argument)\" adds a note and can't choose items; use --text WORDS to find words in notes")
      }
      return .note(said.value)
    },
    Keyword("scheduled", ["schedule", "sched"], "", .date) { said throws(TodoError) in
      throw .usage(
        "\"\(said.argument)\" has no place here; use wait:DATE to hide it until then, or due:DATE for the day on which to do it"
      )
    },
  ]

  /// `pri:`, whose values also follow `!`.
  static let priority = Keyword(
    "pri", ["priority", "prio"], "pri:high, pri:medium or pri:low (also !high, or p1 to p3) for the priority",
    values: ["high", "medium", "low"], .choice
  ) { said throws(TodoError) in
    let word = said.value.lowercased()
    if let place = priorities.firstIndex(where: { $0.contains(word) }) {
      return .priority([.high, .medium, .low, nil][place])
    }
    throw Token.bad(
      said, "a priority is pri:high, pri:medium, pri:low or pri:none", "pri:", said.value, priorities.map { $0[0] })
  }

  /// The names of the priorities, from high to none, and what other programs write.
  private static let priorities = [
    ["high", "h", "a", "1", "p1"], ["medium", "med", "m", "b", "2", "p2"], ["low", "l", "c", "3", "p3"],
    ["none", "4", "p4"],
  ]

  /// `pri:p1` for `p1`, and `pri:a` for `(A)` at the beginning, as in todo.txt; nil for other words.
  static func priority(_ word: String, isFirst: Bool) -> String? {
    if ["p1", "p2", "p3", "p4"].contains(word) { return "pri:" + word }
    return isFirst ? ["(A)": "pri:a", "(B)": "pri:b", "(C)": "pri:c"][word] : nil
  }

  // MARK: Help

  /// What the words set, as a part of a sentence.
  public static var usages: String { all.map(\.usage).filter { !$0.isEmpty }.joined(separator: "; ") }

  /// The words of other programs, as a sentence.
  public static var elsewhere: String {
    let words = all.filter { !$0.aliases.isEmpty && !$0.usage.isEmpty }.map { keyword in
      "\(keyword.aliases.map { $0 + ":" }.joined(separator: ", ")) for \(keyword.name):"
    }
    return "Words of other programs are understood: " + words.joined(separator: "; ")
      + "; and (A), (B) or (C) at the beginning for a priority."
  }

  // MARK: Finding

  /// The keyword of an argument, and the value after its colon; nil for text, such as an address or a time.
  static func divide(_ argument: String) -> (keyword: Keyword, value: String)? {
    guard let (key, value) = parts(argument),
      let keyword = all.first(where: { $0.name == key || $0.aliases.contains(key) })
    else { return nil }
    return (keyword, value)
  }

  /// Whether an argument begins with a keyword.
  public static func begins(_ argument: String) -> Bool { divide(argument) != nil }

  /// Whether an argument is a keyword with any text, in which further words are no tokens.
  public static func takesText(_ argument: String) -> Bool { divide(argument)?.keyword.kind == .text }

  private static func parts(_ argument: String) -> (key: String, value: String)? {
    guard let colon = argument.firstIndex(of: ":"), colon > argument.startIndex else { return nil }
    let value = argument[argument.index(after: colon)...]
    // "due: the rent" in quotes is a title, and "list://x" an address.
    if value.first?.isWhitespace == true || value.hasPrefix("//") { return nil }
    return (String(argument[..<colon]), String(value))
  }

  /// The argument that was probably meant, such as `every:week` for `evry:week`; nil for text.
  ///
  /// Any text is a value of some keywords: only a longer word can be mistyped for those.
  static func meant(by argument: String, at moment: Moment) -> String? {
    guard divide(argument) == nil, let (key, value) = parts(argument),
      let near = Suggestion.nearest(to: key, among: all.flatMap { [$0.name] + $0.aliases }),
      let keyword = divide(near + ":")?.keyword, keyword.kind != .text || key.utf8.count > 4
    else { return nil }
    let meant = "\(keyword.name):\(value)"
    return (try? Token.parse(meant, as: .attributes, at: moment)).map { _ in meant }
  }

  // MARK: Dates of several words

  /// How many of the next words belong to an argument. A note goes on to the next token.
  ///
  /// A date is the longest run of at most five further words that is one: `due:next friday at 9`. After a date that is
  /// whole by itself, all of them must be words of dates: `due:fri 9:15`, `due:9am tomorrow`.
  static func followers(
    of argument: String, in rest: ArraySlice<TypedLine.Word>, at moment: Moment
  ) throws(TodoError) -> Int {
    guard let (keyword, value) = divide(argument), !value.isEmpty else { return 0 }
    if keyword.name == "note" { return rest.prefix { !$0.isQuoted && !isToken($0.text) }.count }
    guard keyword.kind == .date else { return 0 }
    let isWhole = DueExpression.parse(value, at: moment) != nil
    let next = rest.prefix(5).prefix { !$0.isQuoted && !$0.text.contains(where: \.isWhitespace) }.map(\.text)
    for count in stride(from: next.count, to: 0, by: -1) {
      let words = Array(next.prefix(count))
      if isWhole, !areOfDates(words) { continue }
      if DueExpression.parse(([value] + words).joined(separator: " "), at: moment) != nil { return count }
    }
    if isWhole, let word = next.first, isDigital(word), DueExpression.parse("today \(word)", at: moment) == nil {
      throw .usage("\"\(word)\" after \"\(argument)\" is no time of day; times are 0:00 to 23:59")
    }
    return 0
  }

  private static func isToken(_ word: String) -> Bool {
    begins(word) || (word.count > 1 && "+@!".contains(word.first ?? " "))
  }

  /// Whether words belong to dates, wherever they are. A number alone doesn't: "fri 9 apples" are nine apples.
  private static func areOfDates(_ words: [String]) -> Bool {
    let halves = ["am", "pm"]
    let others = "at on in of the this next last today tomorrow tonight noon midnight day week month quarter year"
    let known = halves + others.split(separator: " ").map(String.init)
    func isName(_ word: String) -> Bool {
      DateNames.place(of: word[...], in: DateNames.weekdays + DateNames.months) != nil
    }
    return words.indices.allSatisfy { place in
      let word = words[place].lowercased()
      if known.contains(word) || isName(word) || isDigital(word) { return true }
      guard word.first?.isWholeNumber == true else { return false }
      // "24 dec", "dec 24", "15th", "2027".
      if ["st", "nd", "rd", "th"].contains(where: word.hasSuffix) || word.count == 4 && Int(word) != nil {
        return true
      }
      if [place - 1, place + 1].contains(where: { words.indices.contains($0) && isName(words[$0]) }) { return true }
      let after = place + 1 < words.count ? words[place + 1].lowercased() : ""
      return halves.contains(where: word.hasSuffix) || halves.contains(after)
        || place > 0 && words[place - 1].lowercased() == "at"
    }
  }

  private static func isDigital(_ word: String) -> Bool {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    return (2...3).contains(parts.count)
      && parts.allSatisfy { (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy { (48...57).contains($0) } }
  }
}
