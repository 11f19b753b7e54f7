// The `todo` program. What the commands are stands in Commands/Command+All.swift; how they are read, in Arguments/.

Program.main()
