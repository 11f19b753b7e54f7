import DataSources

/// The help as text, made from the declaration of the commands.
enum HelpText {
  /// Help is easiest to read in lines that are not too long, however wide the terminal is.
  private static var screen: Screen {
    Screen(width: min(Screen.standard.width ?? 80, 80), isColoured: false)
  }

  /// All commands, and what applies to all of them.
  static func overview() -> String {
    var text = paragraph("todo: a to-do list in the terminal") + "\n"
    text += paragraph("usage: todo COMMAND …, or `todo` alone for `todo list`") + "\n"
    let width = Command.all.map(\.name.count).max() ?? 0
    text += table(Command.all.map { ($0.name, $0.summary) }, width: width)
    text += "\n" + paragraph("Common flags, anywhere before --:")
    text += flags(Flag.everywhere)
    text += "\n" + paragraph("To use the items of another machine, where `todo serve` runs:")
    text += flags(Flag.connecting)
    text += "\n"
    text += paragraph(
      "The database is the FILE of --db, or the file that TODO_DB names, or $XDG_DATA_HOME/todo/todo.db (by default "
        + "~/.local/share/todo/todo.db). `todo help COMMAND` explains a command, `todo help dates` the forms of dates, "
        + "`todo help recurrences` those of recurrences, and `todo help --man` prints the man page.")
    text += "\nTo begin:\n"
    text += examples([
      .init("todo add \"Pay rent\" +home pri:high due:fri every:month", "add an item"),
      .init("todo", "show the open items"), .init("todo done 1", "complete it"), .init("todo undo", "undo that"),
    ])
    return text
  }

  /// The full help of a command.
  static func page(_ command: Command, under parent: Command?) -> String {
    var text = paragraph(command.summary.prefix(1).uppercased() + command.summary.dropFirst() + ".")
    text += "\n" + usage(command, under: parent)
    for subcommand in command.subcommands { text += usage(subcommand, under: command) }
    for detail in command.details { text += "\n" + paragraph(detail) }
    if !command.subcommands.isEmpty {
      text += "\n" + table(command.subcommands.map { ($0.name, $0.summary) }, width: 8)
    }
    if !command.flags.isEmpty { text += "\n" + flags(command.flags) }
    text += "\nCommon flags:\n" + flags(Flag.everywhere)
    text += "\nExamples:\n" + examples(command.examples)
    return text
  }

  /// The full help of a topic.
  static func page(_ topic: HelpTopic) -> String {
    var text = paragraph(topic.summary.prefix(1).uppercased() + topic.summary.dropFirst() + ".")
    for detail in topic.details { text += "\n" + paragraph(detail) }
    return text + "\n" + table(topic.rows, width: 28)
  }

  // MARK: Parts

  private static func usage(_ command: Command, under parent: Command?) -> String {
    screen.wrapped("usage: " + command.usage(under: parent?.name), indent: 9).enumerated()
      .map { (index, line) in (index == 0 ? "" : "         ") + line + "\n" }.joined()
  }

  private static func paragraph(_ text: String) -> String { screen.wrapped(text).map { $0 + "\n" }.joined() }

  private static func flags(_ flags: [Flag]) -> String {
    let rows = flags.map { ($0.usage + ($0.short.map { ", \($0)" } ?? ""), $0.summary) }
    return table(rows, width: rows.map(\.0.count).max() ?? 0)
  }

  private static func table(_ rows: [(String, String)], width: Int) -> String {
    var text = ""
    for (name, summary) in rows {
      let label = "  " + name + String(repeating: " ", count: max(0, width - name.count) + 2)
      // Beside the names if there is room for a few words, otherwise below them.
      if name.count > width || label.count + 16 > screen.width ?? .max {
        text += screen.wrapped(name, indent: 2).map { "  " + $0 + "\n" }.joined()
        text += screen.wrapped(summary, indent: 4).map { "    " + $0 + "\n" }.joined()
        continue
      }
      for (index, line) in screen.wrapped(summary, indent: label.count).enumerated() {
        text += (index == 0 ? label : String(repeating: " ", count: label.count)) + line + "\n"
      }
    }
    return text
  }

  /// Each on a line of its own, to be copied unchanged, below a comment that says what it does.
  private static func examples(_ examples: [Command.Example]) -> String {
    examples.map { example in
      screen.wrapped(example.about, indent: 4).map { "  # \($0)\n" }.joined() + "  \(example.line)\n"
    }.joined()
  }
}
