/// The man page, made from the declarations of the commands.
enum ManPage {
  /// The page in the format of man, troff.
  static var text: String {
    var page = Troff()
    page.raw(".TH TODO 1 \"\" \"todo \(Program.version)\" \"User Commands\"\n")
    page.heading("NAME")
    page.text("todo \\- what there is to do, in the terminal", isEscaped: true)
    page.heading("SYNOPSIS")
    page.raw(".B todo\n[\\fICOMMAND\\fR] [\\fIARGUMENT\\fR ...] [\\fB\\-\\-db\\fR \\fIFILE\\fR]\n")
    page.heading("DESCRIPTION")
    page.text(
      "Keeps things to do in lists, in a database of one file that any number of processes may use at once. Every change is "
        + "one transaction, and can be undone. Without a command it shows what is to be done, as list does. Flags stand "
        + "anywhere before --; what stands behind it is text.")
    page.heading("COMMANDS")
    for command in Command.all {
      page.command(command, under: nil)
      for subcommand in command.subcommands { page.command(subcommand, under: command) }
    }
    page.heading("OPTIONS")
    page.text("Every command takes these.")
    for flag in Flag.everywhere { page.flag(flag) }
    page.heading("JSON")
    page.text(
      "With --json a command prints one document on one line. It holds \"schema\", which is 1; what touches items also holds "
        + "\"revision\", which counts the commits that changed something, and \"sections\", each with a name and items. An "
        + "item has the fields id, uuid, title, list, tags, priority, due, every, done, created, completed, started, notes "
        + "and archived, always all of them. Errors are text on the standard error, and then the standard output is empty."
    )
    page.heading("ENVIRONMENT")
    for (name, about) in environment { page.term(name, about) }
    page.heading("FILES")
    page.term(
      "$XDG_DATA_HOME/todo/todo.db", "The database, unless --db or TODO_DB name another; readable by its owner only.")
    page.heading("EXIT STATUS")
    for (code, about) in exitCodes { page.term("\(code)", about) }
    page.heading("EXAMPLES")
    for command in Command.all {
      if let example = command.examples.first { page.example(example) }
    }
    return page.result
  }

  private static let environment: [(String, String)] = [
    ("TODO_DB", "The file of the database; --db goes before it."),
    (
      "XDG_DATA_HOME",
      "The folder in which the folder todo with the database is; ~/.local/share where it is not set, or not absolute."
    ),
    ("NO_COLOR", "Where it is set, nothing is coloured."),
    ("TERM", "The kind of terminal; nothing is coloured on one that is dumb."),
    ("COLUMNS", "How wide the terminal is, where it does not say so itself."),
    ("TZ", "The time zone in which days begin and times of day are meant."),
  ]

  private static let exitCodes: [(Int, String)] = [
    (0, "All went well."), (1, "It failed, or there is nothing to undo or redo."),
    (3, "There is no such item, or no such list."),
    (
      4,
      "It conflicts with what is there: the name of a list is taken, a list has open items, an item is here with other content, a file is there already."
    ),
    (64, "The command was not understood."),
    (
      65, "The data makes no sense: a file to import, or a database that is damaged, foreign or newer than the program."
    ),
    (74, "The file system refuses: a missing folder or file, permissions, a full disk."),
    (75, "Another program holds the database for too long."), (130, "It was interrupted (SIGINT)."),
    (143, "It was ended (SIGTERM)."),
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
