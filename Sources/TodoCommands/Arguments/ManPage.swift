/// The man page, made from the declarations of the commands.
enum ManPage {
  /// The page in the format of man, troff.
  static var text: String {
    var page = Troff()
    page.raw(".TH TODO 1 \"\" \"todo \(Program.version)\" \"User Commands\"\n")
    page.heading("NAME")
    page.text("todo \\- a to-do list in the terminal", isEscaped: true)
    page.heading("SYNOPSIS")
    page.raw(".B todo\n[\\fICOMMAND\\fR] [\\fIARGUMENT\\fR ...] [\\fB\\-\\-db\\fR \\fIFILE\\fR]\n")
    page.heading("DESCRIPTION")
    page.text(
      "Keeps items in lists, in a database file that any number of processes can use at once. Every change is one "
        + "transaction, and can be undone. Without a command, it shows the open items, as list does. Flags can be "
        + "anywhere before --; everything after it is text.")
    page.heading("COMMANDS")
    for command in Command.all {
      page.command(command, under: nil)
      for subcommand in command.subcommands { page.command(subcommand, under: command) }
    }
    for topic in HelpTopic.all {
      page.heading(topic.name.uppercased())
      for detail in topic.details { page.text(detail) }
      for (name, about) in topic.rows { page.term(name, about.prefix(1).uppercased() + about.dropFirst() + ".") }
    }
    page.heading("OPTIONS")
    page.text("Every command takes these.")
    for flag in Flag.everywhere { page.flag(flag) }
    page.heading("ANOTHER MACHINE")
    page.text(
      "With --remote a command runs at the service whose address it is, which todo serve has printed there, and prints "
        + "what it prints there. A token in the address is the service's token. A file to import is read on this "
        + "machine. Commands that need the database as a file, such as backup, are refused. Without --remote, the "
        + "service is that of TODO_REMOTE or of the setting remote, unless --db names a file; then commands that need "
        + "no database run here. The file of the setting token-file is for the service of the setting remote only.")
    for flag in Flag.connecting { page.flag(flag) }
    page.heading("JSON")
    page.text(
      "With --json a command prints one document on one line. It contains \"schema\", which is 1. Documents with items "
        + "also contain \"revision\", which counts the commits that changed something, and \"sections\", each with a "
        + "name and items. Every item has all of the fields id, uuid, title, list, tags, priority, due, every, done, "
        + "created, completed, started, notes, archived and wait. Errors are text on the standard error, and the "
        + "standard output is then empty."
    )
    page.heading("ENVIRONMENT")
    for (name, about) in environment { page.term(name, about) }
    page.heading("FILES")
    page.term(
      "$XDG_DATA_HOME/todo/todo.db", "The database, unless --db or TODO_DB name another; readable by its owner only.")
    page.term("$XDG_CONFIG_HOME/todo/config", "The settings, in ~/.config by default; see the command config.")
    page.heading("EXIT STATUS")
    for (code, about) in exitCodes { page.term("\(code)", about) }
    page.heading("EXAMPLES")
    for command in Command.all {
      if let example = command.examples.last { page.example(example) }
    }
    return page.result
  }

  private static let environment: [(String, String)] = [
    ("TODO_DB", "The database file, unless --db names another."),
    ("TODO_REMOTE", "The address of the service that runs the commands, unless --remote or --db is given."),
    (
      "TODO_TOKEN",
      "The token of that service or, without TODO_REMOTE, of any that is named; unless its address has one or "
        + "--token-file is given."
    ),
    (
      "XDG_DATA_HOME",
      "The folder that contains the folder todo with the database; ~/.local/share if it is not set or not absolute."
    ),
    ("VISUAL", "The editor for edit --editor; without it EDITOR, and without that vi."),
    ("NO_COLOR", "If it is set, no colours are used."),
    ("TERM", "The kind of terminal. If it is dumb, no colours are used, and watch can't show its screen."),
    ("COLUMNS", "The width of the terminal, if the terminal does not report it."),
    ("TZ", "The time zone of days and times."),
  ]

  private static let exitCodes: [(Int, String)] = [
    (0, "Success."), (1, "An error, or there is nothing to undo or redo."),
    (3, "An item or a list was not found."),
    (
      4,
      "A conflict: a list with that name exists, a list has open items, an imported item exists with other content, or "
        + "a file exists."
    ),
    (64, "The command was not understood."),
    (
      65,
      "Invalid data: a wrong file to import, or a database that is damaged, another program's, or of a newer version."
    ),
    (74, "A file system error: a missing folder or file, permissions, a full disk."),
    (75, "Another program has locked the database for too long."), (129, "The terminal was closed (SIGHUP)."),
    (130, "Interrupted (SIGINT)."), (143, "Terminated (SIGTERM)."),
  ]
}

/// Writes troff.
private struct Troff {
  private(set) var result = ""

  mutating func raw(_ text: String) { result += text }

  mutating func heading(_ text: String) { result += ".SH \(text)\n" }

  mutating func text(_ text: String, isEscaped: Bool = false) { result += (isEscaped ? text : escaped(text)) + "\n" }

  mutating func term(_ name: String, _ about: String) {
    result += ".TP\n.B \(escaped(name))\n\(escaped(about))\n"
  }

  mutating func flag(_ flag: Flag) {
    result += ".TP\n\\fB\(escaped(flag.name))\\fR"
    if let value = flag.value { result += " \\fI\(escaped(value))\\fR" }
    if let short = flag.short { result += ", \\fB\(escaped(short))\\fR" }
    result += "\n\(escaped(flag.summary))\n"
  }

  mutating func command(_ command: Command, under parent: Command?) {
    let name = (parent.map { "\($0.name) " } ?? "") + command.name
    result += ".SS \(escaped("todo \(name)\(command.operands.isEmpty ? "" : " \(command.operands)")"))\n"
    let summary = command.summary
    result += escaped(summary.prefix(1).uppercased() + summary.dropFirst() + ".") + "\n"
    for detail in command.details { result += ".PP\n\(escaped(detail))\n" }
    for flag in command.flags { self.flag(flag) }
    result += ".PP\nExamples:\n"
    for example in command.examples { self.example(example) }
  }

  mutating func example(_ example: Command.Example) {
    result += ".PP\n.RS 4\n.nf\n\\fB\(escaped(example.line))\\fR\n.fi\n.RE\n.RS 8\n\(escaped(example.about))\n.RE\n"
  }

  /// Text with troff's special characters escaped; hyphens stay those that can be typed.
  private func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "…": result += "..."
      case ".": result += result.isEmpty ? "\\&." : "."
      default: result.append(character)
      }
    }
    return result
  }
}
