import TodoCore

/// `todo help` and `--help`.
enum HelpCommand {
  static let command = Command(
    "help", "explain the program, or a command", operands: "[COMMAND]", flags: [.man], completion: .commands,
    examples: [.init("todo help add", "everything about add"), .init("todo help --man", "the man page")],
    run: run)

  private static func run(_ invocation: Invocation) throws -> Int32 {
    guard let name = invocation.words.first else {
      let output = Output()
      for command in Command.all { try output.line("  \(command.name)  \(command.summary)") }
      try output.flush()
      return 0
    }
    guard let command = Command.all.first(where: { $0.name == name }) else {
      throw TodoError.usage(
        "there is no command \"\(name)\"\(Suggestion.clause(for: name, among: Command.all.map(\.name)))")
    }
    return try print(command, under: nil)
  }

  /// Prints what there is to know of a command.
  static func print(_ command: Command, under parent: Command?) throws -> Int32 {
    let output = Output()
    try output.line(command.usage(under: parent?.name))
    try output.line("\n\(command.summary)")
    for example in command.examples { try output.line("  \(example.line)") }
    try output.flush()
    return 0
  }
}
