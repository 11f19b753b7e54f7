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
  /// The priority.
  public var priority = Change<Priority>.keep
  /// When it is due.
  public var due = Change<Due>.keep
  /// The recurrence.
  public var every = Change<Recurrence>.keep

  /// Creates attributes without any values.
  public init() {}

  /// Parses arguments.
  ///
  /// - Parameters:
  ///   - arguments: The arguments that may be tokens, in order.
  ///   - literal: The arguments after `--`, which are always text.
  ///   - moment: Determines "today".
  ///
  /// A wrong token is a usage error, and so are two lists, two priorities, two dates.
  public init(arguments: [String], literal: [String] = [], at moment: Moment = .now) throws(TodoError) {
    for argument in arguments {
      guard let token = try Token.parse(argument, as: .attributes, at: moment) else {
        words.append(argument)
        continue
      }
      try take(token, argument)
    }
    words += literal
    tags = tags.withoutRepeats
  }

  private mutating func take(_ token: Token, _ argument: String) throws(TodoError) {
    var isSaidTwice = false
    switch token {
    case .list(let name):
      isSaidTwice = list != nil
      list = name
    case .tag(let tag): tags.append(tag)
    case .priority(let value):
      isSaidTwice = priority != .keep
      priority = .set(value)
    case .due(let value):
      isSaidTwice = due != .keep
      due = .set(value)
    case .every(let value):
      isSaidTwice = every != .keep
      every = .set(value)
    case .dueBefore, .dueAfter: break
    }
    if isSaidTwice { throw .usage("\"\(argument)\" says a second time what was said before; leave one of the two out") }
  }

  /// The words as one title.
  public var title: String { words.joined(separator: " ") }
}
