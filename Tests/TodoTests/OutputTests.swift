import Foundation
import Testing

@Suite struct OutputTests {
  private func filled() throws -> Todo {
    let todo = try Todo()
    try todo.ok("add", "Pay rent", "+Home", "!high", "due:2031-01-02", "@errand")
    try todo.ok("add", "牛乳を買う 👩‍👩‍👧", "+Home", "due:2031-01-03")
    try todo.ok("add", "Call", "+Home")
    return todo
  }

  @Test func `a list has headings with counts and columns that stand under each other`() throws {
    let todo = try filled()
    let list = try todo.ok("list").output
    #expect(
      list == """
        Home (3)
          1  Pay rent       !high  2031-01-02  @errand
          2  牛乳を買う 👩‍👩‍👧         2031-01-03
          3  Call

        """)
    #expect(
      try todo.ok("list", "--plain").output == """
        1\topen\tHome\thigh\t2031-01-02\t\t@errand\tPay rent
        2\topen\tHome\t\t2031-01-03\t\t\t牛乳を買う 👩‍👩‍👧
        3\topen\tHome\t\t\t\t\tCall

        """)
  }

  @Test func `control characters and marks of direction are seen`() throws {
    let todo = try Todo()
    let title = "a\u{1B}[31m\tb\nc\u{202E}d\u{9B}e\u{7F}"
    try todo.ok("add", "--", title)
    #expect(try todo.titles() == [title])
    for arguments in [
      ["list"], ["list", "--plain"], ["show", "1"], ["log"], ["done", "1"], ["undo"], ["search", "--", "a"],
    ] {
      let output = try todo.run(arguments).output
      let scalars = output.unicodeScalars.filter {
        ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E
      }
      #expect(scalars.isEmpty, "\(arguments)")
      #expect(output.contains("a␛[31m␉b␊c�d�e␡"), "\(arguments): \(output)")
    }
  }

  @Test func `a terminal shows colours and no line that is wider than it`() throws {
    let todo = try filled()
    try todo.ok("add", String(repeating: "long words ", count: 30), "+Home", "due:2020-01-01", "@a")
    for columns in [20, 40, 80, 200] {
      let (code, text) = try onTerminal(["list"], path: todo.path, columns: columns, environment: ["NO_COLOR": "1"])
      #expect(code == 0)
      #expect(!text.contains("\u{1B}"))
      for line in text.split(separator: "\n") { #expect(width(line) <= columns, "\(columns): \(line)") }
      #expect(text.contains("…"))
    }
    #expect(try onTerminal(["list"], path: todo.path).text.contains("\u{1B}[1mHome"))
    let dumb = try onTerminal(["list"], path: todo.path, environment: ["TERM": "dumb"]).text
    #expect(!dumb.contains("\u{1B}"))
    #expect(try todo.ok("list").output.contains("long words long words"))
  }

  @Test func `no command prints a line that is wider than the terminal`() throws {
    let todo = try filled()
    try todo.ok("backup", todo.path + ".copy")
    for columns in [20, 33] {
      for arguments in [
        ["done", "1"], ["undo"], ["redo"], ["undo"], ["edit", "1", "@tag", "due:tomorrow"],
        ["note", "1", "some words"],
        ["tag", "1-2", "@x"], ["done", "+nowhere"], ["show", "1"], ["show", "+nowhere"], ["log"], ["stats"], ["lists"],
        ["doctor"],
        ["lists", "add", "A list with a name"], ["search", "nothing of it"],
        ["import", "/dev/null", "--format", "todotxt"],
        ["restore", todo.path + ".copy"], ["restore", todo.path + ".copy"], ["help"], ["help", "restore"],
        ["help", "list"],
        ["nonsense"],
      ] + (columns == 20 ? [["demo"]] : []) {
        let text = try onTerminal(arguments, path: todo.path, columns: columns, environment: ["NO_COLOR": "1"]).text
        // Behind what the screen of the demonstration has shown; and no word on how to do something is broken, so that
        // it can be copied.
        let lines = text.components(separatedBy: "\u{1B}[?2004l").last ?? ""
        for line in lines.replacing("\u{1B}[K", with: "").split(whereSeparator: \.isNewline)
        where !line.hasPrefix("  todo ") {
          #expect(width(line) <= columns, "\(arguments) in \(columns): \(line)")
        }
      }
    }
  }

  /// The columns of a line, as far as these tests need it: what is from Japan takes two.
  private func width(_ line: Substring) -> Int {
    line.reduce(0) { $0 + (($1.unicodeScalars.first?.value ?? 0) >= 0x1100 && $1 != "…" ? 2 : 1) }
  }

  @Test func `a closed pipe ends a command silently`() throws {
    let todo = try Todo()
    let lines = (0..<5000).map { "Item \($0) with a title that is long enough to fill a pipe" }
    try todo.ok("import", "-", "--format", "todotxt", input: lines.joined(separator: "\n"))
    let outcome = try todo.run(
      ["-c", "\"$0\" list | head -n 1", Program.path], program: "/bin/sh")
    #expect(outcome.code == 0 && outcome.output == "Inbox (5000)\n" && outcome.errors == "")
    let full = try todo.run(["-c", "\"$0\" list > /dev/full", Program.path], program: "/bin/sh")
    #expect(full.code == 74 && full.errors.hasPrefix("todo: "))
  }

  @Test func `help has examples that run as they stand`() throws {
    let overview = try Todo().ok("help").output
    let commands = [
      "add", "list", "show", "edit", "done", "undone", "start", "stop", "rm", "move", "tag", "note", "search", "lists",
      "undo", "redo", "log", "archive", "import", "export", "stats", "watch", "demo", "serve", "doctor", "backup",
      "restore",
      "completion",
      "help", "version",
    ]
    for command in commands {
      #expect(overview.contains("\n  \(command) "))
      let todo = try Todo()
      let help = try todo.ok("help", command)
      #expect(try todo.ok(command, "--help").output == help.output)
      let examples = help.lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasPrefix("todo ") }
      #expect(!examples.isEmpty, "\(command)")
      if ["watch", "demo", "serve"].contains(command) { continue }
      for example in examples {
        let script = "todo() { \"$PROGRAM\" \"$@\"; }\n\(example)"
        var copy = todo
        copy.environment = ["PROGRAM": Program.path]
        let outcome = try copy.run(["-c", script], program: "/bin/sh")
        #expect(outcome.code == 0, "\(example): \(outcome.errors)")
      }
    }
  }

  @Test func `the man page and the completions cover everything`() throws {
    let todo = try Todo()
    try todo.ok("lists", "add", "Home")
    try todo.ok("add", "Call", "@office")
    let page = try todo.ok("help", "--man").output
    for part in [".TH TODO 1", ".SH ENVIRONMENT", ".SH \"EXIT STATUS\"", "TODO_DB", "XDG_DATA_HOME", "130", "143"] {
      #expect(page.contains(part) || page.contains(part.filter { $0 != "\"" }))
    }
    for shell in ["bash", "zsh", "fish"] {
      let script = try todo.ok("completion", shell).output
      for (words, word) in [
        ([""], "undone"), (["comp"], "completion"), (["lists", "re"], "reorder"),
        (["export", "--format", ""], "markdown"),
        (["help", ""], "watch"), (["restore", ""], "/"), (["list", "--db="], "/"), (["restore", "--"], "--plain"),
        (["lists", "reorder", "a", "--before", ""], "Home"), (["list", "--format=", ""], "+Home"),
        (["list", "@of"], "@office"), (["--", ""], ""),
      ] {
        let typed = shell == "bash" ? [(["todo"] + words).joined(separator: " "), " :="] : words
        let lines = try todo.run(["completion", shell, "--"] + typed).lines
        #expect(lines.contains { $0.hasPrefix(word) } == !word.isEmpty, "\(shell) \(words): \(lines)")
      }
      let path = todo.folder + "/completion"
      try script.write(toFile: path, atomically: true, encoding: .utf8)
      let program = "/usr/bin/\(shell)"
      guard FileManager.default.isExecutableFile(atPath: program) else { continue }
      let checked = try todo.run(["-n", path], program: program)
      #expect(checked.code == 0 && checked.errors == "", "\(shell): \(checked.errors)")
    }
    try todo.fails(64, "completion", "tcsh")
  }

  /// Each word as bash divides it, also at colons and signs of equality, and what is offered for the last one.
  @Test(arguments: [
    (["add", "x", "due", ":", "f"], ["fri"]), (["list", "--by", "="], ["list", "due", "priority", "tag", "none"]),
    (["add", "every", ":", "mo"], ["month", "mon,thu", "month-end"]), (["add", "'!h"], ["!high"]),
    (["add", "\\!h"], ["\\!high"]),
    (["add", "list", ":", "My\\ L"], ["My\\ List"]), (["list", "+My\\ L"], ["+My\\ List"]),
    (["move", "1", "--to", "\"My L"], ["My List"]),
    (["move", "1", "--to", "=", "I"], ["Inbox", "It\\'s"]), (["move", "1", "--to", "'It"], ["It'\\''s"]),
    (["list", "--by", "=", "du"], ["due"]), (["list", "+a", ":", "b"], ["b\\ c"]), (["lists", "ren"], ["rename"]),
    (["--db", "other\\ one.db", "move", "1", "--to", ""], ["Elsewhere"]),
    (["--db", "=", "other\\ one.db", "move", "1", "--to", ""], ["Elsewhere"]),
  ]) func `bash completes words with colons, blanks and quotes`(words: [String], offered: [String]) throws {
    let todo = try Todo()
    for list in ["My List", "Inbox", "It's", "a:b c"] { try todo.ok("lists", "add", list) }
    try todo.ok("--db", todo.folder + "/other one.db", "lists", "add", "Elsewhere")
    let script = todo.folder + "/completion"
    try todo.ok("completion", "bash").output.write(toFile: script, atomically: true, encoding: .utf8)
    var line = "todo"
    for (index, word) in words.enumerated() {
      let isJoined = [":", "="].contains(word) || index > 0 && [":", "="].contains(words[index - 1])
      line += (isJoined ? "" : " ") + word
    }
    let outcome = try todo.run(
      [
        "-c",
        """
        source completion; todo() { "$0" "$@"; }; COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS=$' \"\\'=:'; shift
        COMP_WORDS=(todo "$@") COMP_CWORD=$#; _todo; printf '%s\n' "${COMPREPLY[@]}"
        """, Program.path, line,
      ] + words, program: "/usr/bin/bash")
    #expect(outcome.lines == offered, "\(line)")
  }

  @Test(arguments: [
    ["add", "x"], ["list"], ["list", "--json"], [], ["show", "1"], ["search", "rent"], ["edit", "1", "y"],
    ["tag", "1", "@x"], ["note", "1", "n"], ["done", "1"], ["start", "1"], ["stop", "1"], ["undone", "4"], ["rm", "1"],
    ["archive"], ["move", "2", "--before", "1"], ["lists"], ["lists", "add", "New"], ["undo"], ["log"], ["stats"],
    ["doctor"], ["export"], ["export", "--format", "csv"], ["import", "more.txt"], ["import", "more.txt", "--dry-run"],
    ["backup", "copy.db"], ["restore", "backup.db"], ["help"], ["help", "add"], ["add", "--help"], ["help", "--man"],
    ["version"], ["--version"], ["completion", "bash"], ["watch", "--json"], ["watch"], ["demo", "--json"],
  ]) func `a command fails if its output can't be written`(command: [String]) throws {
    let todo = try filled()
    try todo.ok("add", "Old")
    try todo.ok("done", "4")
    try todo.ok("backup", "backup.db")
    try "More\n".write(toFile: todo.folder + "/more.txt", atomically: true, encoding: .utf8)
    for redirection in ["> /dev/full", ">&-"] {
      let copy = try Todo()
      for name in ["todo.db", "backup.db", "more.txt"] {
        try FileManager.default.copyItem(atPath: todo.folder + "/" + name, toPath: copy.folder + "/" + name)
      }
      let outcome = try copy.run(["-c", "\"$0\" \"$@\" \(redirection)", Program.path] + command, program: "/bin/sh")
      #expect(outcome.code == 74, "\(command) \(redirection): \(outcome)")
      #expect(
        outcome.errors.hasPrefix("todo: ") && outcome.errors.contains("output can't be written"),
        "\(command) \(redirection): \(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: copy.path + "-wal"), "\(command)")
    }
  }

  @Test func `the error says what was changed if the output can't be written`() throws {
    let todo = try Todo()
    let outcome = try todo.run(["-c", "\"$0\" add x >&-", Program.path], program: "/bin/sh")
    #expect(outcome.code == 74 && outcome.errors.contains("was made"), "\(outcome)")
    #expect(try todo.titles() == ["x"])
    try todo.ok("backup", "other.db")
    try "more\n".write(toFile: todo.folder + "/more.txt", atomically: true, encoding: .utf8)
    for command in [
      ["backup", "copy.db"], ["backup", "copy2.db", "--json"], ["edit", "1", "y"], ["note", "1", "n"], ["start", "1"],
      ["lists", "add", "New"], ["lists", "rename", "New", "Newer"], ["lists", "reorder", "Newer", "--first"],
      ["lists", "remove", "Newer"], ["undo"], ["redo"], ["undo", "--skip"], ["import", "more.txt"], ["done", "1"],
      ["restore", "other.db"], ["restore", "other.db", "--db", "third.db"],
    ] {
      let outcome = try todo.run(["-c", "\"$0\" \"$@\" >&-", Program.path] + command, program: "/bin/sh")
      #expect(outcome.code == 74 && outcome.errors.contains("was made all the same"), "\(command): \(outcome)")
    }
    #expect(try todo.ok("list", "--db", "copy.db", "--json").items().count == 1)
    let closed = try todo.run(["-c", "\"$0\" list >&- 2>&-", Program.path], program: "/bin/sh")
    #expect(closed.code == 74)
  }
}
