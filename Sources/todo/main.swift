import TodoCommands

// The `todo` program. The commands are declared in TodoCommands/Commands/Command+All.swift; Arguments/ parses them.

Program.main()
