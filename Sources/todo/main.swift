// The `todo` program. The commands are declared in Commands/Command+All.swift; Arguments/ parses them.

Program.main()
