/// Which items: tokens, words and states, all of which must hold.
///
/// ```swift
/// let filter = try Filter(arguments: ["+home", "due:before:fri"])
/// ```
public struct Filter: Hashable, Sendable {
  /// Which states an item may be in.
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

  /// Names of lists; in whatever case they are written.
  public var lists: [String] = []
  /// Tags, all of which it must have.
  public var tags: [String] = []
  /// Priorities; nil is none.
  public var priorities: [Priority?] = []
  /// When it is due: a day, a moment, or nil for no date.
  public var due: [Due?] = []
  /// What it must be due before.
  public var dueBefore: [Due] = []
  /// How often it comes again; nil is never.
  public var every: [Recurrence?] = []
  /// Words that must stand in its title or notes, or begin words there.
  public var text: [String] = []
  /// Which states; nil leaves that to the command.
  public var status: Status?

  /// No condition.
  public init(status: Status? = nil) { self.status = status }

  /// What tokens say. An argument that is none is a usage error.
  ///
  /// - Parameters:
  ///   - arguments: Tokens only.
  ///   - text: What was given with `--text`; its words are told apart by white space.
  ///   - status: What `--done` and `--all` say.
  ///   - moment: What "today" is.
  public init(
    arguments: [String], text: [String] = [], status: Status? = nil, at moment: Moment = .now
  ) throws(TodoError) {
    self.status = status
    self.text = text.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
    for argument in arguments {
      guard let token = try Token.parse(argument, as: .filter, at: moment) else {
        throw .usage("\"\(argument)\" is no filter; use +LIST, @TAG, !high, due:DATE, due:before:DATE or --text WORDS")
      }
      add(token)
    }
  }

  /// Adds a condition.
  public mutating func add(_ token: Token) {
    switch token {
    case .list(let name): lists.append(name)
    case .tag(let tag): tags.append(tag)
    case .priority(let priority): priorities.append(priority)
    case .due(let due): self.due.append(due)
    case .dueBefore(let due): dueBefore.append(due)
    case .every(let every): self.every.append(every)
    }
  }

  /// Whether it says nothing, whatever its states.
  public var isEmpty: Bool {
    lists.isEmpty && tags.isEmpty && priorities.isEmpty && due.isEmpty && dueBefore.isEmpty && every.isEmpty
      && text.isEmpty
  }
}
