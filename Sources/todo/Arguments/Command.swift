/// A command: the one declaration from which it is parsed, run, explained, completed and put into the man page.
struct Command: Sendable {
  /// A line of shell that runs as it stands, and what it does.
  struct Example: Sendable {
    let line: String
    let about: String

    init(_ line: String, _ about: String) {
      self.line = line
      self.about = about
    }
  }

  /// What is completed where an operand is typed.
  enum Completion: Sendable {
    case nothing
    /// `+list`, `@tag`, `!high`, `due:` and `every:`.
    case tokens
    case files
    case lists
    case commands
    case words([String])
  }

  /// What is typed.
  let name: String
  /// What it does, in one line.
  let summary: String
  /// What stands behind the name, as `ID…`.
  let operands: String
  /// What more there is to know, a paragraph each.
  let details: [String]
  /// The flags that it takes besides those that every command takes.
  let flags: [Flag]
  let completion: Completion
  /// In an order in which they can all be run, also in a database in which there is nothing yet.
  let examples: [Example]
  let subcommands: [Command]
  /// Does it, and gives the exit code.
  let run: @Sendable (Invocation) throws -> Int32

  init(
    _ name: String, _ summary: String, operands: String = "", flags: [Flag] = [], details: [String] = [],
    completion: Completion = .nothing, examples: [Example], subcommands: [Command] = [],
    run: @escaping @Sendable (Invocation) throws -> Int32
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.details = details
    self.flags = flags
    self.completion = completion
    self.examples = examples
    self.subcommands = subcommands
    self.run = run
  }

  /// All the flags that it takes.
  var allFlags: [Flag] { flags + Flag.everywhere }

  /// How it is typed, without the flags of every command: `todo list [FILTER…] [--by VIEW]`.
  func usage(under parent: String? = nil) -> String {
    (["todo"] + (parent.map { [$0] } ?? []) + [name] + (operands.isEmpty ? [] : [operands])
      + flags.map { "[\($0.usage)]" }).joined(separator: " ")
  }
}
