import TodoCore

/// `todo help` and `--help`.
enum HelpCommand {
  static let command = Command(
    "help", "explain the program, a command, dates, or recurrences", operands: "[COMMAND|dates|recurrences]",
    flags: [.man],
    completion: .commands, place: .anywhere,
    examples: [
      .init("todo help add", "everything about add"), .init("todo help dates", "what can follow due:"),
      .init("todo help --man", "the man page"),
    ],
    run: run)

  private static func run(_ invocation: Invocation) throws -> Int32 {
    let output = Output()
    if invocation.has(.man) {
      try invocation.takeNone()
      try show(ManPage.text, invocation, to: output)
      return 0
    }
    guard let name = invocation.words.first else {
      try show(HelpText.overview(), invocation, to: output)
      return 0
    }
    if let topic = HelpTopic.all.first(where: { $0.name == name }), invocation.words.count == 1 {
      try show(HelpText.page(topic), invocation, to: output)
      return 0
    }
    guard let command = Command.all.first(where: { $0.name == name }) else {
      let names = Command.all.map(\.name) + HelpTopic.all.map(\.name)
      throw TodoError.usage(
        "there is no command \"\(name)\""
          + Suggestion.clause(for: name, among: names, otherwise: "`todo help` shows those there are"))
    }
    guard invocation.words.count > 1 else {
      try show(HelpText.page(command, under: nil), invocation, to: output)
      return 0
    }
    let second = invocation.words[1]
    guard let subcommand = command.subcommands.first(where: { $0.name == second }), invocation.words.count == 2 else {
      throw TodoError.usage("`todo \(name)` knows no \"\(second)\"; `todo help \(name)` shows what it knows")
    }
    try show(HelpText.page(subcommand, under: command), invocation, to: output)
    return 0
  }

  /// Prints the help for `--help`: the page of a command, or the overview if none was typed.
  static func print(_ invocation: Invocation, isOverview: Bool) throws -> Int32 {
    let text = isOverview ? HelpText.overview() : HelpText.page(invocation.command, under: invocation.parent)
    try show(text, invocation, to: Output())
    return 0
  }

  private static func show(_ text: String, _ invocation: Invocation, to output: Output) throws {
    if invocation.form == .json {
      try Documents.print([("help", .string(text))], to: output)
    } else {
      try output.print(text)
    }
    try output.flush()
  }
}
