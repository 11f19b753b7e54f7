import Foundation
import Testing

@Suite struct CommandTests {
  @Test func `a command reports what it changed`() throws {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    #expect(
      try todo.ok("edit", "1", "due:2031-01-02", "every:month", "!high", "@shop", "+Home").output.replacing(
        "\n", with: " "
      )
      .contains("changed 1 \"Milk\": in Home, due 2031-01-02, every month, high priority, @shop"))
    try todo.ok("edit", "1", "every:none")
    try todo.ok("done", "1")
    try todo.ok("archive")
    for verb in ["opened", "is open already"] {
      let said = try todo.ok("undone", "1").output.replacing("\n", with: " ")
      #expect(said.contains(verb) && said.contains("todo archive --restore 1"), "\(said)")
    }
    try todo.ok("archive", "--restore", "1")
    #expect(!(try todo.ok("undone", "1").output.contains("archive")))
  }

  @Test func `signs that are a part of names are searched for`() throws {
    let todo = try Todo()
    for title in ["Learn C++", "Learn C#", "A cat", "Ⓐ plan", "plan B", "set $PATH"] { try todo.ok("add", title) }
    func found(_ words: String...) throws -> [String] {
      try todo.ok("search", words[0], "--json").items().compactMap { $0["title"] as? String }
    }
    #expect(try found("c++") == ["Learn C++"] && found("C#") == ["Learn C#"] && found("c").count == 3)
    #expect(try found("Ⓐ") == ["Ⓐ plan"] && found("Ⓐ plan") == ["Ⓐ plan"] && found("$path") == ["set $PATH"])
    #expect(try found("plan,") == ["Ⓐ plan", "plan B"])
  }

  @Test func `an argument that is not text is refused`() throws {
    var todo = try Todo()
    todo.environment["PROGRAM"] = Program.path
    for command in ["add", "list --db"] {
      let script = "\"$PROGRAM\" \(command) \"$(printf 'caf\\351')\""
      let outcome = try todo.run(["-c", script], program: "/bin/sh")
      #expect(outcome.code == 64 && outcome.errors.contains("UTF-8"), "\(outcome)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: todo.folder) == [])
  }

  @Test func `a variable or a folder that is not text does not become another file`() throws {
    var todo = try Todo()
    todo.environment["PROGRAM"] = Program.path
    for variable in ["TODO_DB", "XDG_DATA_HOME", "HOME"] {
      let script =
        "unset TODO_DB; \(variable)=\"$(printf '/tmp/caf\\351')\"; export \(variable); \"$PROGRAM\" list"
      let outcome = try todo.run(["-c", script], program: "/bin/sh")
      #expect(outcome.code == 64 && outcome.errors.contains("\(variable) is"), "\(outcome)")
    }
    let script =
      "cd '\(todo.folder)' && d=\"$(printf 'caf\\351')\" && mkdir \"$d\" && cd \"$d\" && \"$PROGRAM\" add one --db b.db "
      + "&& \"$PROGRAM\" add two --db b.db && ln -s \"$PWD/b.db\" ../l.db && \"$PROGRAM\" backup c.db --db ../l.db "
      + "&& \"$PROGRAM\" list --json --db ../l.db"
    let outcome = try todo.run(["-c", script], program: "/bin/sh")
    #expect(outcome.code == 0 && outcome.output.contains("two") && outcome.errors == "", "\(outcome)")
  }

  /// Whether this is Linux, where Swift reads the arguments from /proc, and a command may be run without it.
  private static let canHideProc =
    (try? Todo().run(["-m", "/bin/sh", "-c", "mount -t tmpfs none /proc"], program: "/usr/bin/unshare"))?.code == 0

  @Test(.enabled(if: canHideProc, "only root may hide /proc from a command"))
  func `a command that can't read its arguments fails`() throws {
    var todo = try Todo()
    todo.environment["PROGRAM"] = Program.path
    let outcome = try todo.run(
      ["-m", "/bin/sh", "-c", "mount -t tmpfs none /proc && exec \"$PROGRAM\" add one"], program: "/usr/bin/unshare")
    #expect(outcome.code == 74 && outcome.errors.contains("/proc") && outcome.output == "", "\(outcome)")
  }

  @Test func `a limit on the size of files is an error and no signal`() throws {
    var todo = try Todo()
    try todo.ok("add", "one")
    todo.environment["PROGRAM"] = Program.path
    let outcome = try todo.run(["-c", "ulimit -f 8; \"$PROGRAM\" add two"], program: "/bin/sh")
    #expect(outcome.code == 74 && outcome.errors.hasPrefix("todo: "), "\(outcome)")
    #expect(try todo.titles() == ["one"])
    #expect(try todo.fails(64, "backup", ":memory:").contains("name a new file"))
  }

  @Test func `too few file descriptors are an error that says so`() throws {
    var todo = try Todo()
    try todo.ok("add", "one")
    todo.environment["PROGRAM"] = Program.path
    for limit in [4, 5] {
      let outcome = try todo.run(["-c", "ulimit -n \(limit); exec \"$PROGRAM\" list"], program: "/bin/sh")
      // Five may be enough.
      if limit == 5, outcome.code == 0 { continue }
      #expect(outcome.code == 74 && outcome.errors.contains("too many files are open"), "\(limit): \(outcome)")
    }
    #expect(try todo.titles() == ["one"])
  }

  @Test func `add takes tokens and says how to undo it`() throws {
    let todo = try Todo()
    let said = try todo.ok("add", "Pay rent", "+home", "@errand", "!high", "due:2031-01-31", "every:month").output
    #expect(said.contains("1 \"Pay rent\"") && said.contains("home") && said.contains("undo"))
    let item = try #require(try todo.items().first)
    #expect(item["title"] as? String == "Pay rent" && item["list"] as? String == "home")
    #expect(item["tags"] as? [String] == ["errand"] && item["priority"] as? String == "high")
    #expect(item["due"] as? String == "2031-01-31" && item["every"] as? String == "month")
    #expect(Set(item.keys).count == 15)
    try todo.ok("add", "--", "+1", "is", "text")
    try todo.ok("add", "--", "Ask @kim about +1 due:never")
    #expect(try todo.titles("+Inbox") == ["+1 is text", "Ask @kim about +1 due:never"])
  }

  @Test func `edit never replaces a title by a word that was meant to set something`() throws {
    let todo = try Todo()
    try todo.ok("add", "Dentist", "@a")
    try todo.ok("edit", "1", "due:2031-01-03", "9:15")
    try todo.ok("edit", "1", "priority:high")
    try todo.ok("edit", "1", "note:call first")
    let said = try todo.ok("edit", "1", "tag:none").output
    #expect(said == "changed 1 \"Dentist\": in Inbox, due 2031-01-03 09:15, high priority, 1 note\n")
    for wrong in ["priority:hihg", "due:fry 9:15", "evry:week", "note:"] { try todo.fails(64, "edit", "1", wrong) }
    #expect(
      try todo.ok("edit", "1", "Dentist", "at", "noon").output
        == "changed 1 \"Dentist\" → \"Dentist at noon\": in Inbox, due 2031-01-03 09:15, high priority, 1 note\n")
    #expect(try todo.items().first?["tags"] as? [String] == [])
  }

  @Test func `a line in quotes is read as words, and a new list is mentioned`() throws {
    let todo = try Todo()
    #expect(
      try todo.ok("add", "Pay rent due:2031-01-03 !high +Home").output == """
        added 1 "Pay rent" to Home, due 2031-01-03, high priority
        (new list Home; `todo undo` takes it back)

        """)
    #expect(try !todo.ok("add", "Sweep  the floor +home").output.contains("new list"))
    try todo.ok("add", "Two  blanks")
    #expect(try todo.ok("add", "Another").output == "added 4 \"Another\" to Inbox\n")
    for arguments in [
      ["add", "b", "-q"], ["done", "1", "--quiet"], ["undo", "-q"], ["lists", "add", "Garden", "-q"],
    ] {
      let outcome = try todo.run(arguments)
      #expect(outcome.code == 0 && outcome.output == "" && outcome.errors == "", "\(outcome)")
    }
    #expect(try todo.titles("--all") == ["Pay rent", "Sweep the floor", "Two  blanks", "Another", "b"])
  }

  @Test func `a list near to another one is created, and asked about on a terminal`() throws {
    let todo = try Todo()
    try todo.ok("add", "a", "+Home")
    let outcome = try todo.run(["add", "b", "+Hme"])
    #expect(
      outcome.code == 0 && outcome.errors == "todo: the list \"Hme\" is new; there is also \"Home\"\n", "\(outcome)")
    for (answer, lists) in [("y", ["Home", "Hme"]), ("n", ["Home", "Hme", "Hmoe"])] {
      let program = try RunningProgram(
        terminal: [Program.path, "add", "c", "+Hmoe"], columns: 80, rows: 24, environment: ["TODO_DB": todo.path])
      program.type(answer + "\n")
      #expect(program.readAll().contains("did you mean \"Home\"?") && program.wait() == .exit(0))
      #expect(try todo.ok("lists", "--plain").lines.map { String($0.split(separator: "\t")[0]) } == lists)
    }
  }

  @Test func `a bad token is refused with the nearest right one and makes no file`() throws {
    let todo = try Todo()
    #expect(try todo.fails(64, "add", "x", "!hihg").contains("pri:high"))
    try todo.fails(64, "add", "x", "due:foo")
    try todo.fails(64, "add", "x", "every:sometimes")
    try todo.fails(64, "add")
    #expect(try todo.fails(64, "lits").contains("did you mean \"list\"?"))
    #expect(try todo.fails(64, "list", "--bye", "due").contains("--by"))
    #expect(try todo.fails(64, "list", "--by", "prioritty").contains("priority"))
    try todo.fails(64, "list", "--limit", "-1")
    try todo.fails(64, "list", "--done", "--all")
    try todo.fails(64, "done")
    try todo.fails(64, "list", "--json", "--plain")
    #expect(!FileManager.default.fileExists(atPath: todo.path))
  }

  @Test func `arguments after two dashes select nothing`() throws {
    let todo = try Todo()
    try todo.ok("add", "a", "+home", "@x")
    for command in ["rm", "done", "list", "export", "archive", "start"] {
      #expect(try todo.fails(64, command, "--", "+home").contains("--text"))
    }
    try todo.fails(64, "done", "--", "1")
    try todo.fails(64, "tag", "1", "--", "@y")
    #expect(try todo.items().first?["tags"] as? [String] == ["x"])
    try todo.ok("rm", "+home")
  }

  @Test func `a limit of 0 does not report that nothing was found`() throws {
    let todo = try Todo()
    try todo.ok("add", "a")
    #expect(try todo.ok("list", "--limit", "0").output == "")
    #expect(try todo.ok("log", "--limit", "0").output == "")
    #expect(try !todo.fails(64, "list", "due:before:none").contains("did you mean"))
    #expect(try todo.fails(64, "completion", "bsh").contains("did you mean \"bash\"?\n"))
  }

  @Test func `removing a list reports what is removed with it`() throws {
    let todo = try Todo()
    try todo.ok("add", "a", "+old")
    try todo.ok("add", "b", "+old")
    try todo.ok("done", "1")
    try todo.ok("archive", "2")
    #expect(try todo.ok("lists", "remove", "old").output.contains("\"old\" and the 2 items in it"))
    try todo.ok("lists", "add", "empty")
    #expect(try todo.ok("lists", "remove", "empty").output.contains("removed the list \"empty\" "))
  }

  @Test func `reading creates no file, and an empty list is reported`() throws {
    let todo = try Todo()
    for command in [["list"], ["search", "x"]] {
      let text = try todo.run(command + ["--db", "typo.db"]).output
      #expect(text.hasPrefix("nothing ") && text.hasSuffix("; there is no database typo.db yet\n"))
    }
    #expect(
      try todo.run([]).output
        == "nothing to do\nadd an item: todo add \"Pay rent\" due:fri\nsee every command: todo help\n")
    for arguments in [["list"], ["list", "+home"]] {
      #expect(try todo.run(arguments).output == "nothing to do\n")
    }
    #expect(try todo.ok("list", "--json").output == "{\"schema\":1,\"revision\":0,\"sections\":[]}\n")
    #expect(try todo.ok("list", "--plain").output == "")
    #expect(try todo.ok("lists", "--json").output == "{\"schema\":1,\"revision\":0,\"lists\":[]}\n")
    try todo.ok("search", "x")
    try todo.ok("stats")
    try todo.ok("log")
    try todo.ok("doctor")
    try todo.ok("export")
    try todo.ok("import", "-", "--format", "todotxt", "--dry-run", input: "Milk\n")
    try todo.fails(3, "done", "1")
    try todo.fails(3, "show", "1")
    #expect(try todo.fails(1, "undo", "--only", "1").contains("nothing to undo"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: todo.folder) == [])
  }

  @Test func `done makes the next instance once and says what is done already`() throws {
    let todo = try Todo()
    try todo.ok("add", "Rent", "due:2031-01-31", "every:month")
    #expect(try todo.ok("done", "1").output.contains("due 2031-02-28"))
    let revision = try todo.ok("list", "--json").json()["revision"] as? Int
    #expect(try todo.ok("done", "1").output.contains("done already"))
    #expect(try todo.ok("list", "--json").json()["revision"] as? Int == revision)
    try todo.ok("undone", "1")
    try todo.ok("done", "1")
    #expect(try todo.items("--all").count == 2)
  }

  @Test func `several numbers are all or nothing and ranges skip gaps`() throws {
    let todo = try Todo()
    for title in ["a", "b", "c", "d"] { try todo.ok("add", title) }
    try todo.ok("rm", "2")
    try todo.fails(3, "done", "1", "2")
    #expect(try todo.titles("--done") == [])
    try todo.fails(3, "done", "7-9")
    try todo.ok("done", "3", "1-2")
    #expect(try todo.titles("--done") == ["a", "c"])
    #expect(try todo.titles() == ["d"])
    try todo.ok("add", "e")
    try todo.ok("undo")
    try todo.ok("add", "f")
    #expect(try todo.items().last?["id"] as? Int == 6)
  }

  @Test func `changes print their items as JSON`() throws {
    let todo = try Todo()
    #expect(try todo.ok("add", "Milk", "--json").items().first?["id"] as? Int == 1)
    for command in ["start", "stop", "done", "undone", "archive"] {
      let document = try todo.ok(command, "1", "--json")
      #expect(try document.items().count == 1, "\(command)")
      #expect(try document.json()["schema"] as? Int == 1)
    }
    #expect(try todo.ok("archive", "1", "--json").items().isEmpty)
    #expect(try todo.ok("archive", "--restore", "1", "--json").items().first?["archived"] as? Bool == false)
    #expect(try todo.ok("note", "1", "call first", "--json").items().first?["notes"] as? [String] == ["call first"])
    #expect(try todo.ok("tag", "1", "@a", "@b", "--json").items().first?["tags"] as? [String] == ["a", "b"])
    #expect(try todo.ok("tag", "1", "--remove", "a", "--json").items().first?["tags"] as? [String] == ["b"])
    #expect(try todo.ok("edit", "1", "Oat milk", "!low", "--json").items().first?["priority"] as? String == "low")
    #expect(try todo.ok("edit", "1", "!none", "due:none", "--json").items().first?["title"] as? String == "Oat milk")
    #expect(try todo.ok("move", "1", "--to", "Shop", "--json").items().first?["list"] as? String == "Shop")
    #expect(try todo.ok("rm", "1", "--json").items().first?["title"] as? String == "Oat milk")
    #expect(try todo.ok("undo", "--json").items().first?["id"] as? Int == 1)
    #expect(try todo.ok("show", "1", "--json").items().count == 1)
    #expect(try todo.ok("log", "--json", "--limit", "2").json()["changes"].map { ($0 as? [Any])?.count } == 2)
    #expect(try todo.ok("stats", "--json").json()["open"] as? Int == 1)
    #expect(try todo.ok("doctor", "--json").json()["well"] as? Bool == true)
    // The changelog begins with the version that it describes, below 1.0 as long as no release is tagged.
    let changelog = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../CHANGELOG.md"),
      encoding: .utf8)
    let heading = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
    let version = try #require(try todo.ok("version", "--json").json()["version"] as? String)
    #expect(heading.dropFirst(3).prefix { $0 != "," } == version && version.hasPrefix("0."))
    #expect(try todo.ok("help", "--json").json()["help"] is String)
  }

  @Test func `every change can be undone and redone by other processes`() throws {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    try todo.ok("add", "Bread")
    #expect(try todo.fails(4, "undo", "--only", "1").contains("another change has come in between: add \"Bread\""))
    #expect(try todo.fails(64, "undo", "--only", "x").contains("`todo log`"))
    #expect(try todo.ok("undo", "--only", "2").output.contains("add \"Bread\""))
    #expect(try todo.titles() == ["Milk"])
    let redone = try todo.ok("redo").output
    #expect(redone.contains("add \"Bread\"") && redone.contains("undo"))
    try todo.fails(1, "redo")
    #expect(try todo.ok("undo").output.contains("next undo takes back: add \"Milk\""))
    try todo.ok("undo")
    #expect(try todo.fails(1, "undo", "--only", "1").contains("nothing to undo"))
    #expect(try todo.ok("log").lines.count == 6)
    #expect(try todo.ok("list", "--json").json()["revision"] as? Int == 6)
  }

  @Test func `the log says what was undone, and what was skipped`() throws {
    let todo = try Todo()
    for title in ["a", "b", "c"] { try todo.ok("add", title) }
    try todo.ok("undo")
    try todo.ok("undo", "--skip")
    let expected = [("undo: add \"c\"", false), ("add \"c\" (undone)", true), ("add \"b\" (can't be undone)", false)]
    let lines = try todo.ok("log").lines
    #expect(lines.count == 4 && lines[3].hasSuffix("add \"a\""), "\(lines)")
    let changes = try #require(try todo.ok("log", "--json").json()["changes"] as? [[String: Any]])
    for (place, (words, isUndone)) in expected.enumerated() {
      #expect(lines[place].hasSuffix(words) && changes[place]["undone"] as? Bool == isUndone, "\(lines)")
    }
    // With a limit, what came later still counts.
    #expect(try todo.ok("log", "--limit", "2").lines.last?.hasSuffix("(undone)") == true)
    try todo.ok("redo")
    #expect(try todo.ok("log", "--limit", "1").lines[0].hasSuffix("redo: add \"c\""))
    try todo.ok("undo")
    #expect(try todo.ok("log").lines[1].hasSuffix("redo: add \"c\" (undone)"))
  }

  @Test func `items and lists are moved`() throws {
    let todo = try Todo()
    for title in ["a", "b", "c", "d"] { try todo.ok("add", title) }
    try todo.ok("move", "4", "2", "--before", "1")
    #expect(try todo.titles() == ["d", "b", "a", "c"])
    try todo.ok("move", "4", "--last")
    try todo.ok("move", "1", "--first")
    try todo.ok("move", "2", "--after", "3")
    #expect(try todo.titles() == ["a", "c", "b", "d"])
    try todo.ok("move", "3", "1", "--to", "Work")
    #expect(try todo.titles("+work") == ["c", "a"])
    try todo.fails(64, "move", "1", "--first", "--last")
    try todo.fails(64, "move", "1")
    try todo.fails(3, "move", "1", "--before", "99")
    try todo.ok("lists", "reorder", "Work", "--first")
    try todo.ok("lists", "add", "Zoo")
    try todo.ok("lists", "rename", "Zoo", "Park")
    try todo.ok("lists", "reorder", "Park", "--before", "Inbox")
    #expect(
      try todo.ok("lists", "--json").output
        == "{\"schema\":1,\"revision\":13,\"lists\":[{\"name\":\"Work\"},{\"name\":\"Park\"},{\"name\":\"Inbox\"}]}\n")
    try todo.fails(4, "lists", "add", "work")
    try todo.fails(4, "lists", "rename", "Park", "Inbox")
    try todo.fails(4, "lists", "remove", "Work")
    try todo.fails(3, "lists", "remove", "Nowhere")
    try todo.ok("lists", "remove", "Park")
    #expect(try todo.fails(64, "lists", "renam", "a", "b").contains("rename"))
  }

  @Test func `filters and views choose`() throws {
    let todo = try Todo()
    try todo.ok("add", "Old", "due:2020-01-01", "@x", "!low")
    try todo.ok("add", "New", "due:2031-01-02", "@x", "@y", "+Home")
    try todo.ok("add", "None", "!high")
    #expect(try todo.titles("due:before:today") == ["Old"])
    #expect(try todo.titles("@x", "+home") == ["New"])
    #expect(try todo.titles("--text", "ol") == ["Old"])
    let names = { (view: String) in
      (try todo.ok("list", "--by", view, "--json").json()["sections"] as? [[String: Any]])?.compactMap {
        $0["name"] as? String
      }
    }
    #expect(try names("due") == ["2020-01-01", "2031-01-02", "no date"])
    #expect(try names("priority") == ["high", "low", "no priority"])
    #expect(try names("tag") == ["x", "y", "untagged"])
    #expect(try names("list") == ["Inbox", "Home"])
    #expect(try todo.ok("list", "due:before:today").output.contains("overdue"))
    #expect(try todo.ok("list", "--limit", "0", "--json").items().isEmpty)
    #expect(try todo.ok("list", "--limit=1", "--plain").lines.count == 1)
    try todo.ok("done", "@y")
    try todo.ok("note", "1", "a needle in it")
    #expect(try todo.ok("search", "needle", "--json").items().count == 1)
    #expect(try todo.ok("search", "new", "--json").items().count == 1)
    #expect(try todo.ok("search", "nowhere").output == "nothing found\n")
    try todo.ok("rm", "--all", "@x", "--yes")
    #expect(try todo.titles("--all") == ["None"])
  }

  // MARK: What recurs, in zones that people live in

  private func nextDue(_ todo: Todo, _ id: Int, in zone: String) throws -> String? {
    var todo = todo
    todo.environment = ["TZ": zone, "TODO_DB": todo.path]
    let items = try todo.ok("done", "\(id)", "--json").items()
    return items.first { $0["id"] as? Int == id + 1 }?["due"] as? String
  }

  @Test(arguments: ["Europe/Berlin", "America/New_York", "Pacific/Auckland", "UTC", "Asia/Kolkata", "<+13>-13:45"])
  func `a recurring item keeps the local time of its zone`(elsewhere: String) throws {
    var todo = try Todo()
    todo.environment = ["TZ": "Europe/Berlin", "TODO_DB": todo.path]
    try todo.ok("add", "early", "due:2031-01-31T05:00", "every:month")
    // Summer time begins on 30 March and ends on 26 October.
    let expected = [
      "2031-02-28T04:00:00Z", "2031-03-31T03:00:00Z", "2031-04-30T03:00:00Z", "2031-05-31T03:00:00Z",
      "2031-06-30T03:00:00Z", "2031-07-31T03:00:00Z", "2031-08-31T03:00:00Z", "2031-09-30T03:00:00Z",
      "2031-10-31T04:00:00Z", "2031-11-30T04:00:00Z",
    ]
    for (index, due) in expected.enumerated() {
      let zone = index % 2 == 0 ? elsewhere : ["Europe/Berlin", "Pacific/Auckland"][index / 2 % 2]
      #expect(try nextDue(todo, index + 1, in: zone) == due, "\(index) in \(zone)")
    }
    // An export contains it.
    for format in ["json", "csv"] {
      var copy = try Todo()
      copy.environment = ["TZ": "America/New_York", "TODO_DB": copy.path]
      let text = try todo.ok("export", "--format", format, "--ids").output
      try copy.ok("import", "-", "--format", format, input: text)
      #expect(try nextDue(copy, expected.count + 1, in: "America/New_York") == "2031-12-31T04:00:00Z", "\(format)")
    }
  }

  @Test func `a recurrence that ends with the calendar says so`() throws {
    let todo = try Todo()
    try todo.ok("add", "last", "due:9999-12-31", "every:year")
    let outcome = try todo.ok("done", "1")
    #expect(outcome.output.contains("completed 1 \"last\"") && outcome.output.contains("9999"), "\(outcome.output)")
    try todo.ok("undone", "1")
    try todo.ok("done", "1", "--json")
    try todo.ok("add", "other", "due:2031-12-31", "every:year")
    #expect(try !todo.ok("done", "2").output.contains("9999"))
  }
}
