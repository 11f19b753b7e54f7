import FetchedResultsSupport
import FixtureSupport
import Testing
import TodoCore

/// What `todo watch` shows of what others do, and how it treats the terminal.
@Suite(.serialized) struct WatchScreenTests {
  // MARK: Others

  @Test func `others' changes are shown and highlighted for a while`() throws {
    let session = try WatchSession([["a"], ["b"], ["c"]], rows: 12)
    try session.press("j", selects: "b")
    _ = try session.store.add(ItemDraft(title: "first of all"))
    _ = try session.store.move(Selection(4), .first(list: "Inbox"))
    try session.wait("the item, highlighted") {
      $0.text.contains("Inbox (4)\n    4 [ ] first of all\n    1 [ ] a\n    2 [ ] b\n    3 [ ] c\n")
        && $0.lines(withStyle: "1").contains("    4 [ ] first of all")
    }
    // The selection is still on its item.
    #expect(session.terminal.lines(withStyle: "7") == ["    2 [ ] b"])
    try session.wait("the highlight to go") { !$0.lines(withStyle: "1").contains("    4 [ ] first of all") }
    try session.press("x", until: "done \"b\"")
  }

  @Test func `every field of a line follows others' changes`() throws {
    let session = try WatchSession([["a"]], arguments: ["--all"])
    let store = session.store
    for (change, text) in [
      ({ _ = try store.start(Selection(1)) }, "a  started"),
      ({ _ = try store.edit(Selection(1), ItemEdit(Attributes(arguments: ["!low"]))) }, "a  started !low"),
      ({ _ = try store.edit(Selection(1), ItemEdit(Attributes(arguments: ["@x"]))) }, "a  started !low @x"),
      ({ _ = try store.edit(Selection(1), ItemEdit(Attributes(arguments: ["due:2031-01-02"]))) }, "started 2031-01-02"),
      ({ _ = try store.edit(Selection(1), ItemEdit(Attributes(arguments: ["every:week"]))) }, "2031-01-02 every week"),
      ({ _ = try store.edit(Selection(1), ItemEdit(Attributes(arguments: ["A"]))) }, "1 [ ] A  started"),
      ({ _ = try store.renameList("Inbox", to: "Home") }, "Home (1)"),
      ({ _ = try store.done(Selection(1)) }, "1 [x] A"),
    ] as [(() throws -> Void, String)] {
      try change()
      try session.wait(text) { $0.text.contains(text) }
    }
  }

  @Test func `the selection stays on its item wherever it moves`() throws {
    let session = try WatchSession([["a"], ["b"], ["c", "+Other"]])
    try session.press("j", selects: "b")
    _ = try session.store.move(Selection(2), .last(list: "Other"))
    try session.wait("the move") { $0.text.contains("c\n    2 [ ] b") }
    #expect(session.terminal.lines(withStyle: "7") == ["    2 [ ] b"])
    // Its section gets another name, and others are inserted and deleted around it.
    _ = try session.store.renameList("Other", to: "Else")
    _ = try session.store.remove(Selection(1, 3))
    try session.wait("the rest") { $0.text.hasPrefix("todo  by list  1 item\nElse (1)\n    2 [ ] b\n") }
    #expect(session.terminal.lines(withStyle: "7") == ["    2 [ ] b"])
  }

  @Test func `another process is seen`() throws {
    let session = try WatchSession([["a"]])
    let other = try RunningProgram(piped: [
      RunningProgram.path, "add", "from another process", "--db", session.database,
    ])
    #expect(other.wait() == .exit(0))
    try session.wait("the item") { $0.text.contains("2 [ ] from another process") }
  }

  @Test func `a database that is not there yet is made`() throws {
    let folder = try TemporaryFolder.make()
    let program = try RunningProgram(
      terminal: [RunningProgram.path, "watch", "--db", folder + "/new.db"], columns: 60, rows: 8)
    var terminal = TerminalModel(columns: 60, rows: 8)
    while !terminal.text.contains("Nothing to do") { terminal.receive(try #require(program.read())) }
    program.type("aThe first\r")
    while !terminal.text.contains("1 [ ] The first") { terminal.receive(try #require(program.read())) }
  }

  @Test func `titles send the terminal nothing but letters`() throws {
    let session = try WatchSession([
      ["\u{1B}[31mred\u{7}"], ["a\u{202E}b\u{200F}\u{9B}2Jc\r\n"], ["+tag", "@\u{1B}[2J", "x"],
    ])
    try session.wait("all of them") { $0.text.contains("3 [ ] x") }
    #expect(session.terminal.text.contains("␛[31mred␇"))
    try session.press("je", until: "edit 2")
    #expect(session.terminal.complaints == [])
    try session.press("\u{1B}", until: "? help")
    try session.press("x", until: "done")
    #expect(session.terminal.complaints == [])
  }

  @Test func `no line is wider than the terminal`() throws {
    let long = String(repeating: "wide 漢字 ", count: 20)
    let session = try WatchSession([[long, "due:2001-01-01", "!high", "@tag"]], columns: 30, rows: 8)
    #expect(session.terminal.complaints == [])
    #expect(session.list.last?.hasSuffix("…") == true)
    try session.press("e", until: "…")
    try session.press("\u{1B}[H", until: "edit 1: \"wide")
    #expect(session.terminal.complaints == [])
  }

  @Test func `colours are left out where they are not wanted`() throws {
    let items = [["a", "!high", "@x"]]
    let coloured = try WatchSession(items)
    #expect(coloured.terminal.lines(withStyle: "31") + coloured.terminal.lines(withStyle: "36") != [])
    let plain = try WatchSession(items, environment: ["NO_COLOR": "1"])
    #expect(plain.terminal.lines(withStyle: "31") + plain.terminal.lines(withStyle: "36") == [])
  }

  // MARK: The terminal

  @Test func `a new size is used`() throws {
    let session = try WatchSession((1...20).map { ["item \($0)"] }, rows: 12)
    try session.press("G", selects: "item 20")
    session.resize(columns: 40, rows: 8)
    try session.wait("the new screen") { $0.lines.last?.hasPrefix("j/k move") == true && $0.text.contains("item 20") }
    #expect(session.terminal.lines(withStyle: "7") == ["   20 [ ] item 20"])
    for (columns, rows) in [(10, 2), (1, 1), (200, 3), (60, 30)] {
      session.resize(columns: columns, rows: rows)
      if rows < 30 { try session.press("k") { _ in true } }
    }
    try session.wait("all of it") { $0.text.hasPrefix("todo  by list  20 items\nInbox (20)\n    1 [ ] item 1\n") }
  }

  @Test(arguments: ["", "?", "\r", "nText", "d!\r", "\u{20}j D"])
  func `every size is survived, whatever is shown`(keys: String) throws {
    let session = try WatchSession((1...20).map { ["item \($0)"] })
    session.program.type(keys)
    for (columns, rows) in [(40, 12), (12, 6), (10, 4), (5, 3), (2, 2), (1, 1), (200, 1), (1, 60), (200, 60), (80, 16)]
    {
      session.resize(columns: columns, rows: rows)
      try session.press("\u{C}") { _ in true }
    }
    try session.press("\u{1B}\u{1B}\u{1B}", until: "j/k move")
    session.program.type("q")
    #expect(session.finish() == .exit(0))
  }

  @Test func `a terminal that goes away ends it`() throws {
    let session = try WatchSession([["a"]])
    session.program.hangUp()
    #expect(session.program.wait() == .exit(129))
  }

  @Test(arguments: ["", "dumb"]) func `a terminal that can't move its cursor is refused in a sentence`(name: String)
    throws
  {
    let database = try TemporaryFolder.make() + "/todo.db"
    func run(_ arguments: String...) throws -> (text: String, ending: RunningProgram.Ending?) {
      let program = try RunningProgram(
        terminal: [RunningProgram.path] + arguments + ["--db", database], columns: 80, rows: 8,
        environment: ["TERM": name])
      return (program.readAll(), program.wait())
    }
    let watch = try run("watch")
    #expect(watch.text.hasPrefix("todo: `todo watch` needs a terminal that can move its cursor, and"))
    #expect(watch.ending == .exit(1))
    for arguments in [["add", "a", "!high"], ["list"], ["show", "1"]] {
      let result = try run(arguments[0], Array(arguments.dropFirst()).joined(separator: " "))
      #expect(!(watch.text + result.text).contains("\u{1B}"), "\(arguments)")
    }
  }

  @Test(arguments: [("q", 0), ("\u{4}", 0), ("\u{3}", 130), ("aText\u{3}", 130), ("\u{1C}", 131)])
  func `keys that end it restore the terminal`(keys: String, code: Int32) throws {
    let session = try WatchSession([["a"]])
    session.program.type(keys)
    #expect(session.finish() == .exit(code))
    #expect(session.terminal.isRestored && session.program.isCooked)
    #expect(session.terminal.transcript == "")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `signals that end it restore the terminal`(signal: Int32, code: Int32) throws {
    let session = try WatchSession([["a"]])
    session.program.send(signal)
    #expect(session.finish() == .exit(code))
    #expect(session.terminal.isRestored && session.program.isCooked)
  }

  @Test func `an error of the list is shown while the list stays`() throws {
    let session = try WatchSession([["a"], ["b"]])
    let raw = try RawDatabase(path: session.database)
    try raw.execute("DROP TRIGGER item_tag_after_update; UPDATE item SET tags = '[oops]', title = 'c' WHERE id = 2")
    try session.wait("the error") { $0.text.contains("JSON") }
    #expect(session.terminal.text.hasPrefix("todo  by list  2 items\nInbox (2)\n    1 [ ] a\n    2 [ ] b\n"))
    try raw.execute("UPDATE item SET tags = '[]' WHERE id = 2")
    try session.wait("the list") { $0.text.contains("    2 [ ] c\n") }
    session.program.type("q")
    #expect(session.finish() == .exit(0))
  }

  @Test func `a fault restores the terminal too`() throws {
    let session = try WatchSession([["a"]])
    session.program.send(SIGABRT)
    #expect(session.finish() == .signal(SIGABRT))
    #expect(session.terminal.isRestored && session.program.isCooked)
  }

  @Test func `another file in its place ends it and restores the terminal`() throws {
    let session = try WatchSession([["a"]])
    #expect(try RunningProgram(piped: ["/bin/mv", session.database, session.database + ".away"]).wait() == .exit(0))
    #expect(session.finish() == .exit(74))
    #expect(session.terminal.isRestored && session.program.isCooked)
    #expect(session.terminal.transcript.contains("start `todo` again"))
  }

  @Test func `an error is printed after the terminal is restored`() throws {
    let database = try TemporaryFolder.make() + "/no/such/folder.db"
    let program = try RunningProgram(terminal: [RunningProgram.path, "watch", "--db", database], columns: 60, rows: 8)
    var terminal = TerminalModel(columns: 60, rows: 8)
    while let bytes = program.read() { terminal.receive(bytes) }
    #expect(program.wait() == .exit(74))
    #expect(terminal.isRestored && terminal.transcript.hasPrefix("todo: "))
  }

  @Test func `suspended in a shell, it restores the terminal, and takes it again afterwards`() throws {
    let session = try WatchSession([["a"]], wrapper: "set -m; \"$@\"; echo suspended; read line; fg; echo ended $?")
    try session.press("\u{1A}") { $0.transcript.contains("suspended") }
    #expect(session.terminal.isRestored && session.program.isCooked)
    _ = try session.store.add(ItemDraft(title: "meanwhile"))
    session.resize(columns: 50, rows: 12)
    try session.press("\n") { $0.text.contains("2 [ ] meanwhile") && $0.lines.last?.hasPrefix("j/k move") == true }
    #expect(!session.program.isCooked)
    session.program.type("q")
    #expect(session.finish() == .exit(0))
    #expect(session.terminal.transcript.contains("ended 0") && session.terminal.isRestored)
  }

  @Test func `stopped by a signal, it restores the terminal, and continues afterwards`() throws {
    let session = try WatchSession([["a"]])
    session.program.send(SIGTSTP)
    #expect(session.program.waitForStop())
    try session.wait("the terminal to be given back") { $0.isRestored }
    #expect(session.program.isCooked)
    session.program.send(SIGCONT)
    try session.wait("the list again") { $0.modes.contains("1049") && $0.text.contains("1 [ ] a") }
    try session.press("x", until: "done \"a\"")
    // And again.
    session.program.send(SIGTSTP)
    #expect(session.program.waitForStop())
    session.program.send(SIGCONT)
    session.program.type("q")
    #expect(session.finish() == .exit(0))
  }

  // MARK: Midnight

  /// What `add` does in a zone.
  private func add(_ arguments: String..., to database: String, in zone: String) throws {
    let adding = try RunningProgram(
      piped: [RunningProgram.path, "add", "--db", database] + arguments, environment: ["TZ": zone])
    #expect(adding.wait() == .exit(0))
  }

  @Test func `the screen keeps its filter after midnight`() throws {
    for arguments in [["due:today"], ["due:before:today"], ["--by", "due", "due:today"]] {
      let zone = zone(beforeMidnight: 7)
      let session = try WatchSession([], arguments: arguments, environment: ["TZ": zone])
      try add("due:today", "item A", to: session.database, in: zone)
      try add("due:tomorrow", "item B", to: session.database, in: zone)
      let isBefore = arguments[0].contains("before")
      if !isBefore { try session.wait("today's item") { $0.text.contains("item A") && !$0.text.contains("item B") } }
      try session.wait("the next day") {
        $0.text.contains(isBefore ? "item A" : "item B") && !$0.text.contains(isBefore ? "item B" : "item A")
      }
      try session.press("q") { _ in true }
      #expect(session.finish() == .exit(0))
    }
  }

  @Test func `the headings of days change at midnight`() throws {
    for arguments in [["--by", "due"], ["week"]] {
      let zone = zone(beforeMidnight: 8)
      let session = try WatchSession([], arguments: arguments, environment: ["TZ": zone])
      try add("due:today", "item A", to: session.database, in: zone)
      try add("due:tomorrow", "item B", to: session.database, in: zone)
      try session.wait("today") { $0.text.contains("today (1)") && $0.text.contains("tomorrow (1)") }
      try session.wait("the next day") {
        $0.text.contains("overdue (1)") && $0.text.contains("today (1)") && !$0.text.contains("tomorrow (1)")
      }
      try session.press("q") { _ in true }
      #expect(session.finish() == .exit(0))
    }
  }

  @Test func `a typed filter is kept after midnight`() throws {
    let zone = zone(beforeMidnight: 8)
    let session = try WatchSession([], environment: ["TZ": zone])
    try add("due:today", "item A", to: session.database, in: zone)
    try add("due:tomorrow", "item B", to: session.database, in: zone)
    try session.wait("both") { $0.text.contains("item A") && $0.text.contains("item B") }
    try session.press("/due:today\r") { $0.text.contains("item A") && !$0.text.contains("item B") }
    try session.wait("the next day") { $0.text.contains("item B") && !$0.text.contains("item A") }
  }
}
