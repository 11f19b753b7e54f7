extension Command {
  /// All commands, in the order of the help.
  package static let all: [Command] =
    [AddCommand.command, ListCommand.command] + ListCommand.days + afterLists

  private static let afterLists: [Command] = [
    ShowCommand.command, ListCommand.search, EditCommands.edit, StateCommands.done, StateCommands.undone,
    StateCommands.start, StateCommands.stop, StateCommands.remove,
    MoveCommand.command, EditCommands.tag, EditCommands.note, ListsCommand.command, FilterCommand.command,
    UndoCommands.undo,
    UndoCommands.redo, UndoCommands.log, StateCommands.archive, TransferCommands.importing, TransferCommands.exporting,
    UpkeepCommands.stats, WatchCommand.watch,
    WatchCommand.demo, ServeCommand.command, UpkeepCommands.doctor, UpkeepCommands.backup, RestoreCommand.command,
    ConfigCommand.command,
    CompletionCommand.command,
    HelpCommand.command,
    VersionCommand.command,
  ]
}
