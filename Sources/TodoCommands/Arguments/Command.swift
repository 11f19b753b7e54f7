/// A command: the single declaration for the parser, running it, the help, the completions and the man page.
package struct Command: Sendable {
  /// A shell command that can be run unchanged, and what it does.
  package struct Example: Sendable {
    package let line: String
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

  /// Where a command runs if there is a service, see ``RemoteAddress``.
  package enum Place: Sendable {
    /// The service runs it.
    case service
    /// It needs no database: the service runs it if `--remote` asks for that.
    case anywhere
    /// It shows what the service has on this machine's terminal.
    case terminal
    /// It needs the database as a file, so it is refused.
    case files
    /// It needs nothing but this machine: it runs here, and is refused if `--remote` asks for the service.
    case machine
  }

  /// What it reads, which is sent to the service along with it.
  enum Input: Sendable {
    case nothing
    /// The standard input, if the only operand is a hyphen.
    case hyphen
    /// The file of its operand.
    case file
  }

  /// The name.
  package let name: String
  /// What it does, in one line.
  let summary: String
  /// The operands after the name, such as `ID…`.
  let operands: String
  /// More information, a paragraph each. It is made when it is printed: at each start, it would take as long as all
  /// else.
  var details: [String] { makeDetails() }
  private let makeDetails: @Sendable () -> [String]
  /// The flags that it takes in addition to those of every command.
  package let flags: [Flag]
  let completion: Completion
  /// In an order in which they can all be run, even in an empty database.
  package let examples: [Example]
  package let subcommands: [Command]
  package let place: Place
  let input: Input
  /// Runs it, and returns the exit code.
  let run: @Sendable (Invocation) throws -> Int32

  init(
    _ name: String, _ summary: String, operands: String = "", flags: [Flag] = [],
    details: @autoclosure @escaping @Sendable () -> [String] = [],
    completion: Completion = .nothing, place: Place = .service, input: Input = .nothing,
    examples: [Example], subcommands: [Command] = [],
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
    self.place = place
    self.input = input
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
