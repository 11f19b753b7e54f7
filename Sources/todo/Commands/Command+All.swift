extension Command {
  /// All commands, in the order in which the help has them.
  static let all: [Command] = [
    AddCommand.command, ListCommand.command, WatchCommand.watch, WatchCommand.demo, HelpCommand.command,
    VersionCommand.command,
  ]
}
