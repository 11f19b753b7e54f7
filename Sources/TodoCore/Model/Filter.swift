/// Selects items by tokens, words and states, all of which must match.
///
/// ```swift
/// let filter = try Filter(arguments: ["+home", "due:before:fri"])
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

  /// Names of lists, ignoring case.
  public var lists: [String] = []
  /// Tags; an item must have all of them.
  public var tags: [String] = []
  /// Priorities; nil means none.
  public var priorities: [Priority?] = []
  /// Due dates: a day, a moment, or nil for no date.
  public var due: [Due?] = []
  /// Limits before which items must be due.
  public var dueBefore: [Due] = []
  /// Recurrences; nil means none.
  public var every: [Recurrence?] = []
  /// What items wait for; empty hides open items that wait for a later date.
  public var wait: [Wait] = []
  /// Words that must occur in the title or notes, or be the beginning of a word there.
  public var text: [String] = []
  /// The states; nil leaves that to the command.
  public var status: Status?

  /// Creates a filter without conditions.
  public init(status: Status? = nil) { self.status = status }

  /// Creates a filter from tokens. An argument that is no token is a usage error.
  ///
  /// - Parameters:
  ///   - arguments: Tokens only.
  ///   - text: The value of `--text`; words are separated by white space.
  ///   - status: The status from `--done` and `--all`.
  ///   - moment: Determines "today".
  public init(
    arguments: [String], text: [String] = [], status: Status? = nil, at moment: Moment = .now
  ) throws(TodoError) {
    self.status = status
    self.text = text.flatMap { $0.words.map(String.init) }
    for argument in arguments {
      guard let token = try Token.parse(argument, as: .filter, at: moment) else {
        throw .usage(
          "\"\(argument)\" is no filter; use +LIST, @TAG, pri:high, due:DATE, due:before:DATE or --text WORDS")
      }
      add(token)
    }
  }

  /// Adds a condition.
  public mutating func add(_ token: Token) {
    switch token {
    case .list(let name): lists.append(name)
    case .tag(let tag): tags.append(tag)
    case .tags(let names): tags += names
    case .priority(let priority): priorities.append(priority)
    case .due(let due): self.due.append(due)
    case .dueBefore(let due): dueBefore.append(due)
    case .every(let every): self.every.append(every)
    case .note: break
    case .wait(let date): wait.append(.until(date))
    case .waitAny: wait.append(.any)
    }
  }

  /// Whether it has no condition except states.
  public var isEmpty: Bool {
    lists.isEmpty && tags.isEmpty && priorities.isEmpty && due.isEmpty && dueBefore.isEmpty && every.isEmpty
      && wait.isEmpty && text.isEmpty
  }
}
