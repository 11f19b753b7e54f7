import Foundation
import Testing

/// Many items at once: by filters, by numbers from other programs, from lines, and in an editor.
@Suite(.timeLimit(.minutes(3))) struct BulkTests {
  @Test func `words of a date are the same with and without quotes`() throws {
    let todo = try Todo()
    for date in [
      "5th january", "15th of next month", "24-dec 2027", "9am tomorrow", "5pm fri", "noon tomorrow",
      "next friday at 9", "in 3 days", "fri 9:15", "tomorrow at 9", "3rd march 9:00", "end of month",
    ] {
      let said = "due:" + date
      #expect(try todo.run(["add", "x", said]).code == 0)
      #expect(try todo.run(["add", "x"] + said.split(separator: " ").map(String.init)).code == 0)
      let items = try todo.items().suffix(2)
      #expect(items.allSatisfy { $0["title"] as? String == "x" && $0["due"] as? String != nil }, "\(date): \(items)")
      #expect(Set(items.map { $0["due"] as? String }).count == 1, "\(date): \(items)")
    }
    try todo.ok("add", "Buy", "due:fri", "9", "apples")
    #expect(try todo.items().last?["title"] as? String == "Buy 9 apples")
  }

  @Test func `what the first users of these words met`() throws {
    let todo = try Todo()
    try todo.ok("add", "Gym", "due:mon", "every:mon-wed")
    #expect(try todo.items().first?["every"] as? String == "mon,tue,wed")
    try todo.ok("add", "book flights note:ask for a window seat +travel")
    let flights = try #require(try todo.items("+travel").first)
    #expect(flights["title"] as? String == "book flights" && flights["notes"] as? [String] == ["ask for a window seat"])
    #expect(try todo.fails(64, "add", "-", "+home").contains("takes nothing more"))
    try todo.ok("filter", "save", "u", "due:today")
    #expect(try todo.ok("filter", "save", "u", "due:tomorrow").output.contains("instead of due:today"))
    #expect(try todo.ok("filter", "save", "u", "due:today", "--quiet").output == "")
    try todo.ok("done", "2")
    #expect(try todo.items("--all", "due:this-week", "done:today").isEmpty)
    // What taskwarrior can't say is kept by an update from it.
    let exported = try todo.run(["export", "--format", "taskwarrior"]).output
    try todo.ok("import", "-", "--update", input: exported.replacing("\"Gym\"", with: "\"Gym!\""))
    let gym = try #require(try todo.items().first { $0["title"] as? String == "Gym!" })
    #expect(gym["every"] as? String == "mon,tue,wed")
    try "title,list\nMilk,Home\n".write(toFile: todo.folder + "/z.txt", atomically: true, encoding: .utf8)
    #expect(try todo.ok("import", "z.txt", "--dry-run").output.contains("(as csv)"))
  }

  private func filled() throws -> Todo {
    let todo = try Todo()
    for (title, list, tag) in [("Milk", "+Shop", "@a"), ("Bread", "+Shop", "@b"), ("Rent", "+Home", "@a")] {
      try todo.ok("add", title, list, tag)
    }
    return todo
  }

  /// All there is to see of each item.
  private func items(_ todo: Todo) throws -> [String] {
    try todo.items("--all").map { item in item.keys.sorted().map { "\($0) \(item[$0] ?? "")" }.joined(separator: "\n") }
  }

  private func due(_ todo: Todo) throws -> [String?] {
    try todo.items("--all").sorted { ($0["id"] as? Int ?? 0) < ($1["id"] as? Int ?? 0) }.map { $0["due"] as? String }
  }

  @Test func `edit takes lists, tags and flags in place of numbers, or numbers at the end`() throws {
    let todo = try filled()
    let day = "2031-01-02"
    for (arguments, chosen) in [
      (["+Shop", "due:\(day)"], [1, 2]), (["@a", "due:\(day)"], [1, 3]), (["+Shop", "@a", "due:\(day)"], [1]),
      (["--text", "rent", "due:\(day)"], [3]), (["due:\(day)", "1", "3"], [1, 3]),
      (["due:\(day)", "9:15", "2-3"], [2, 3]),
      (["3", "due:\(day)", "+Shop"], [3]), (["+shop", "list:Home", "due:\(day)"], [1, 2]),
    ] {
      let outcome = try todo.run(["edit", "--yes"] + arguments)
      let set = try due(todo).enumerated().filter { $0.element != nil }.map { $0.offset + 1 }
      #expect(outcome.code == 0 && set == chosen, "\(arguments): \(outcome) \(set)")
      try todo.ok("undo")
    }
    for arguments in [
      ["due:\(day)"], ["+Shop"], ["Buy", "milk", "3"], ["Buy", "milk"], ["+Shop", "One", "title", "-y"],
    ] {
      let outcome = try todo.run(["edit"] + arguments)
      #expect(outcome.code == 64 && outcome.output == "", "\(arguments): \(outcome)")
    }
    try todo.ok("edit", "3", "--", "7")
    #expect(try todo.titles() == ["Milk", "Bread", "7"])
  }

  @Test(arguments: [
    ["done", "+Shop"], ["rm", "+Shop"], ["start", "+Shop"], ["tag", "+Shop", "@c"], ["move", "+Shop", "--to", "Home"],
    ["edit", "+Shop", "due:2031-01-02"], ["archive", "--all", "+Shop"], ["rm", "--all"],
  ]) func `a filter that chooses several items needs an answer, or --yes`(command: [String]) throws {
    let todo = try filled()
    let before = try todo.ok("export", "--ids").output
    let outcome = try todo.run(command)
    let message = outcome.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      outcome.code == 64 && outcome.output == "" && message.contains("`todo \(command[0])` would change")
        && message.contains(" items; add --yes"), "\(outcome)")
    for (answer, code) in [("n", Int32(1)), ("y", 0)] {
      #expect(try todo.ok("export", "--ids").output == before)
      let program = try RunningProgram(
        terminal: [Program.path] + command, columns: 120, rows: 24, environment: ["TODO_DB": todo.path])
      program.type("what\n\(answer)\n")
      #expect(program.readAll().contains("items: go on? [y/n]") && program.wait() == .exit(code))
    }
    #expect(try todo.ok("export", "--ids").output != before)
    try todo.ok("undo")
    let sure = try todo.run(command + ["-y"])
    #expect(sure.code == 0 && sure.errors == "", "\(sure)")
  }

  @Test func `numbers, one item and the default of archive need no answer`() throws {
    let todo = try filled()
    try todo.ok("done", "+Home")
    try todo.ok("done", "1-2", "+Shop")
    try todo.ok("archive")
    #expect(try todo.fails(64, "archive", "--restore", "--archived").contains("3 items"))
    try todo.ok("archive", "--restore", "1-3")
    #expect(try todo.fails(64, "undone", "--done").contains("3 items"))
  }

  @Test func `add reads lines, all or none`() throws {
    let todo = try Todo()
    let lines = "Pay rent due:2031-01-03 9:15 +Home\r\n\n  (A) Call \"@ann\" @b\nplain  text\n"
    let wrong = try todo.fails(64, "add", "-", input: lines + "bad due:fry\n")
    #expect(wrong.contains("line 5: \"due:fry\""), "\(wrong)")
    #expect(try todo.fails(64, "add", "-", input: "\n").contains("no lines"))
    #expect(!FileManager.default.fileExists(atPath: todo.path))
    #expect(try todo.ok("add", "-", input: lines).output.contains("added 3 items:"))
    #expect(try todo.titles("--by", "due") == ["Pay rent", "Call \"@ann\"", "plain  text"])
    try todo.ok("undo")
    #expect(try todo.titles() == [])
  }

  @Test func `notes are edited and removed by their numbers`() throws {
    let todo = try filled()
    for note in ["a", "b", "c"] { try todo.ok("note", "1", note) }
    try todo.ok("note", "1", "--edit", "2", "B", "bb")
    try todo.ok("note", "1", "--remove=1")
    #expect(try todo.items("@a", "+Shop").first?["notes"] as? [String] == ["B bb", "c"])
    let shown = try todo.ok("show", "1").output
    #expect(shown.contains("note 1     B bb") && shown.contains("note 2     c"), "\(shown)")
    #expect(try todo.ok("note", "1", "--edit", "2", "c").output.contains("is so already"))
    #expect(try todo.fails(3, "note", "1", "--remove", "3").contains("item 1 has no note 3"))
    for wrong in [
      ["--remove", "x"], ["--edit", "1"], ["--remove", "1", "--edit", "1", "x"], ["--remove", "1", "x"],
    ] {
      let outcome = try todo.run(["note", "1"] + wrong)
      #expect(outcome.code == 64 && outcome.output == "", "\(wrong): \(outcome)")
    }
    try todo.ok("undo")
    #expect(try todo.items("@a", "+Shop").first?["notes"] as? [String] == ["a", "B bb", "c"])
  }

  // MARK: In an editor

  /// Runs `edit --editor` with a script that edits the file "$1".
  private func edit(_ todo: Todo, _ arguments: [String], by script: String) throws -> Outcome {
    var copy = todo
    // Run by a shell: a program that was just written may still be open in the child of another test.
    let path = todo.folder + "/editor"
    try (script + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    copy.environment = ["TODO_DB": todo.path, "EDITOR": "sh '\(path)' --wait", "TMPDIR": todo.folder]
    return try copy.run(["edit", "--editor"] + arguments)
  }

  @Test func `items are edited as lines of text, as one change`() throws {
    let todo = try filled()
    try todo.ok("edit", "1", "due:2031-01-03", "9:15", "p1")
    let before = try items(todo)
    let script =
      #"cp "$2" seen; sed -e 's/Milk/Oat milk/; s/ pri:high//; /Bread/d' "$2" > t; echo 'Eggs +New' >> t; mv t "$2""#
    let outcome = try edit(todo, [], by: script)
    #expect(outcome.code == 0 && outcome.errors.contains("1 deleted line changes nothing"), "\(outcome)")
    #expect(
      outcome.output.contains("1 \"Milk\" → \"Oat milk\"") && outcome.output.contains("new list New"), "\(outcome)")
    let seen = try String(contentsOfFile: todo.folder + "/seen", encoding: .utf8).split(separator: "\n").suffix(3)
    #expect(
      Array(seen) == ["1 Milk +Shop @a pri:high due:2031-01-03T09:15:00", "2 Bread +Shop @b", "3 Rent +Home @a"])
    #expect(try todo.titles() == ["Oat milk", "Bread", "Rent", "Eggs"])
    #expect(try todo.items("+Shop", "@a").first?["priority"] is NSNull)
    try todo.ok("undo")
    #expect(try items(todo) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: todo.folder).filter { $0.hasPrefix("todo-") } == [])
  }

  @Test(arguments: [
    (#"sed -i 's/due:/due:x/' "$2""#, "line 3: \"due:x2031"), (#"echo '9 x' >> "$2""#, "line 6: 9 is no number"),
    (#"sed -i 's/^2/1/' "$2""#, "line 4: item 1 has two lines"), (#"sed -i 's/Milk//' "$2""#, "line 3: an item needs"),
    ("exit 1", "the editor ended"), (#""$PROGRAM" rm 1; sed -i 's/Milk/x/' "$2""#, "there is no item 1"),
  ]) func `text that is refused is kept in a file, and nothing is changed`(script: String, says: String) throws {
    let todo = try filled()
    try todo.ok("edit", "1", "due:2031-01-03")
    let outcome = try edit(todo, ["1-3"], by: "PROGRAM='\(Program.path)'\n" + script)
    let message = outcome.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(outcome.code == 64 && message.contains(says) && outcome.output.contains("changed") == false, "\(outcome)")
    let path = try #require(message.components(separatedBy: "the text is kept in ").dropFirst().first)
    #expect(FileManager.default.fileExists(atPath: path), "\(outcome)")
    #expect(try todo.titles().suffix(2) == ["Bread", "Rent"])
  }

  @Test func `Ctrl-C in the editor does not end the command, and wrong text is edited again`() throws {
    let todo = try filled()
    let path = todo.folder + "/editor"
    let script = #"""
      trap : INT
      kill -INT 0
      if [ -e "$0.was" ]; then sed -i 's/due:foo/due:fri/' "$1"; else touch "$0.was"; echo 'Eggs due:foo' >> "$1"; fi
      """#
    try script.write(toFile: path, atomically: true, encoding: .utf8)
    let program = try RunningProgram(
      terminal: [Program.path, "edit", "--editor"], columns: 80, rows: 24,
      environment: ["TODO_DB": todo.path, "VISUAL": "sh '\(path)'", "TMPDIR": todo.folder])
    program.type("y\n")
    let text = program.readAll()
    #expect(
      text.contains("line 6: \"due:foo\"") && text.contains("added 4 \"Eggs\"") && program.wait() == .exit(0), "\(text)"
    )
  }

  @Test func `a line for an item says what the item is, whatever its names`() throws {
    let todo = try Todo()
    for title in ["p1 due:fri", "(A) x", "3 apples", "say \"hi\" \\", "# a", "a\nb", "+x @y", "due:in 3 days 9:15"] {
      try todo.ok("add", "list:My \"own\" list", "tag:two words", "due:2031-07-01T10:00:30", "every:week", "--", title)
    }
    let before = try items(todo)
    let outcome = try edit(todo, [], by: "true")
    #expect(outcome.code == 0 && outcome.output == "nothing was changed\n" && outcome.errors == "", "\(outcome)")
    let changed = try edit(todo, [], by: #"sed -i 's/every:week/every:day/' "$2""#)
    #expect(changed.code == 0 && changed.output.contains("changed 8 items"), "\(changed)")
    #expect(try items(todo) == before.map { $0.replacing("week", with: "day") })
  }
}
