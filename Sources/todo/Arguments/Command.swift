/// A command: the single declaration for the parser, running it, the help, the completions and the man page.
struct Command: Sendable {
  /// A shell command that can be run unchanged, and what it does.
  struct Example: Sendable {
    let line: String
    let about: String

    init(_ line: String, _ about: String) {
      self.line = line
      self.about = about
    }
  }

  /// What is completed for an operand.
  enum Completion: Sendable {
    case nothing
    /// `+list`, `@tag`, `!high`, and the values of keywords such as `due:`.
    case tokens
    /// The numbers of open or done items, and tokens.
    case items(done: Bool)
    case files
    case lists
    /// The names of saved filters.
    case filters
    case commands
    case words([String])
  }

  /// The name.
  let name: String
  /// What it does, in one line.
  let summary: String
  /// The operands after the name, such as `ID…`.
  let operands: String
  /// More information, a paragraph each. It is made when it is printed: at each start, it would take as long as all else.
  var details: [String] { makeDetails() }
  private let makeDetails: @Sendable () -> [String]
  /// The flags that it takes in addition to those of every command.
  let flags: [Flag]
  let completion: Completion
  /// In an order in which they can all be run, even in an empty database.
  let examples: [Example]
  let subcommands: [Command]
  /// Runs it, and returns the exit code.
  let run: @Sendable (Invocation) throws -> Int32

  init(
    _ name: String, _ summary: String, operands: String = "", flags: [Flag] = [],
    details: @autoclosure @escaping @Sendable () -> [String] = [],
    completion: Completion = .nothing, examples: [Example], subcommands: [Command] = [],
    run: @escaping @Sendable (Invocation) throws -> Int32
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    makeDetails = details
    self.flags = flags
    self.completion = completion
    self.examples = examples
    self.subcommands = subcommands
    self.run = run
  }

  /// All the flags that it takes.
  var allFlags: [Flag] { flags + Flag.everywhere }

  /// Its usage, without the flags of every command: `todo list [FILTER…] [--by VIEW]`.
  func usage(under parent: String? = nil) -> String {
    (["todo"] + (parent.map { [$0] } ?? []) + [name] + (operands.isEmpty ? [] : [operands])
      + flags.map { "[\($0.usage)]" }).joined(separator: " ")
  }
}
