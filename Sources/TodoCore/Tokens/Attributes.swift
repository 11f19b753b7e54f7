/// The arguments of `add` and `edit`: the tokens among them, and the words of the title.
///
/// ```swift
/// let said = try Attributes(arguments: ["Pay", "rent", "+home", "due:fri"])
/// said.title  // "Pay rent"
/// ```
public struct Attributes: Hashable, Sendable {
  /// A value that is set, cleared, or not mentioned.
  public enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
    /// It stays unchanged.
    case keep
    /// It becomes this; nil clears it.
    case set(Value?)

    /// The new value, if one was given.
    public var value: Value? { if case .set(let value) = self { value } else { nil } }
  }

  /// The arguments that are no tokens, in order.
  public var words: [String] = []
  /// The list; nil if none was given.
  public var list: String?
  /// The tags, in order and each once.
  public var tags: [String] = []
  /// Whether `tag:none` removes the tags that are there.
  public var clearsTags = false
  /// The priority.
  public var priority = Change<Priority>.keep
  /// When it is due.
  public var due = Change<Due>.keep
  /// The recurrence.
  public var every = Change<Recurrence>.keep
  /// The date until which it is hidden.
  public var wait = Change<Due>.keep
  /// Notes to add.
  public var notes: [String] = []

  /// Asks whether a word that is near to a keyword was meant as it: `every:week` for `evry:week`. Returns true for yes,
  /// false for text, and nil to refuse the word.
  public typealias Question = (_ typed: String, _ meant: String) -> Bool?

  /// Creates attributes without any values.
  public init() {}

  /// Parses arguments.
  ///
  /// - Parameters:
  ///   - arguments: The arguments that may be tokens, in order.
  ///   - literal: The arguments after `--`, which are always text.
  ///   - moment: Determines "today".
  ///   - ask: Asks about a word that is near to a keyword. Without it the word is refused.
  ///
  /// The words after a date may belong to it: `due:fri 9:15`, `due:next friday`. A wrong token is a usage error, and so
  /// are two lists, two priorities, two dates.
  public init(
    arguments: [String], literal: [String] = [], at moment: Moment = .now, ask: Question? = nil
  ) throws(TodoError) {
    try self.init(
      arguments.map { .init(text: $0, raw: $0) } + literal.map { .init(text: $0, isQuoted: true, raw: $0) },
      keepsQuotes: true, moment, ask)
  }

  /// Parses a whole line: `Pay rent due:fri 9:15 +Home`. Text in quotes is always text.
  ///
  /// - Parameter keepsQuotes: Whether quotes stay a part of the text; they are removed otherwise. A line without tokens
  ///   then stays exactly as it is.
  public init(
    line: String, keepsQuotes: Bool = false, at moment: Moment = .now, ask: Question? = nil
  ) throws(TodoError) {
    let all = TypedLine.split(line)
    try self.init(all, keepsQuotes: keepsQuotes, moment, ask)
    if keepsQuotes, words.count == all.count { words = [line] }
  }

  private init(
    _ all: [TypedLine.Word], keepsQuotes: Bool, _ moment: Moment, _ ask: Question?
  ) throws(TodoError) {
    var rest = all[...]
    while let word = rest.popFirst() {
      guard !word.isQuoted, let argument = try Self.asked(word.text, moment, ask) else {
        words.append(keepsQuotes ? word.raw : word.text)
        continue
      }
      let count = try Keyword.followers(of: argument, in: rest, at: moment)
      let isFirst = rest.count == all.count - 1
      let whole =
        Keyword.priority(argument, isFirst: isFirst)
        ?? ([argument] + rest.prefix(count).map(\.text)).joined(separator: " ")
      rest.removeFirst(count)
      if let token = try Token.parse(whole, as: .attributes, at: moment) {
        try take(token, whole)
      } else {
        words.append(keepsQuotes ? word.raw : word.text)
      }
    }
    tags = tags.withoutRepeats
    // A title of just "note:" would replace one by a slip.
    if words.count == 1, let word = all.first(where: { !$0.isQuoted && $0.text == words[0] }),
      Keyword.begins(word.text)
    {
      throw .usage("\"\(word.text)\" needs a value after the colon, such as \(word.text)home")
    }
  }

  /// The argument, or the one that was meant by it; nil if the answer is that it is text.
  private static func asked(_ argument: String, _ moment: Moment, _ ask: Question?) throws(TodoError) -> String? {
    guard let meant = Keyword.meant(by: argument, at: moment) else { return argument }
    switch ask?(argument, meant) {
    case true?: return meant
    case false?: return nil
    case nil: throw .usage("\"\(argument)\" is not understood; did you mean \"\(meant)\"?")
    }
  }

  private mutating func take(_ token: Token, _ argument: String) throws(TodoError) {
    var isSaidTwice = false
    switch token {
    case .list(let name):
      isSaidTwice = list != nil
      list = name
    case .tag(let tag): tags.append(tag)
    case .tags(let names):
      tags += names
      clearsTags = clearsTags || names.isEmpty
    case .priority(let value):
      isSaidTwice = priority != .keep
      priority = .set(value)
    case .due(let value):
      isSaidTwice = due != .keep
      due = .set(value)
    case .every(let value):
      isSaidTwice = every != .keep
      every = .set(value)
    case .note(let text): notes.append(text)
    case .wait(let value):
      isSaidTwice = wait != .keep
      wait = .set(value)
    case .dueBefore, .dueAfter, .waitAny: break
    }
    if isSaidTwice { throw .usage("\"\(argument)\" says a second time what was said before; leave one of the two out") }
  }

  /// The words as one title.
  public var title: String { words.joined(separator: " ") }
}
