import FixtureSupport
import Foundation
import Testing
import TodoCore

/// Every key of `todo watch`, in a pseudo-terminal, with screens compared as text.
@Suite(.serialized) struct WatchKeysTests {
  private static let errands = [
    ["Groceries", "+Errands"], ["Post Office", "+Errands", "!high"], ["Presentation", "+Career", "@work"],
    ["Slides", "+Career"],
  ]

  private static let screen = """
    todo  by list  4 items
    Errands (2)
        1 [ ] Groceries
        2 [ ] Post Office  !high
    Career (2)
        3 [ ] Presentation  @work
        4 [ ] Slides
    """

  private static let hint = "j/k move  x done  a add  e edit  / filter  v view  u undo  ? help  q quit"

  @Test func `the list is seen with hints`() throws {
    let session = try WatchSession(Self.errands, columns: 80, rows: 10)
    #expect(session.terminal.text == Self.screen + "\n\n\n" + Self.hint)
    #expect(session.terminal.modes.contains("1049") && !session.terminal.modes.contains("25"))
    #expect(!session.program.isCooked)
  }

  @Test func `keys move the selection`() throws {
    let items = (1...30).map { ["item \($0)"] }
    let session = try WatchSession(items, rows: 12)
    try session.press("j", selects: "item 2")
    try session.press("\u{1B}[B", selects: "item 3")
    try session.press("\u{1B}OB", selects: "item 4")
    try session.press("k", selects: "item 3")
    try session.press("\u{1B}[A", selects: "item 2")
    try session.press("G", selects: "item 30")
    try session.press("g", selects: "item 1")
    try session.press("\u{1B}[6~", selects: "item 9")
    try session.press("\u{1B}[5~", selects: "item 1")
    try session.press("\u{1B}[F", selects: "item 30")
    try session.press("\u{1B}[H", selects: "item 1")
    try session.press("k", selects: "item 1")
  }

  @Test func `space marks without moving and x completes what is marked`() throws {
    let session = try WatchSession(Self.errands)
    try session.press(" ", until: "*   1 [ ] Groceries")
    #expect(session.terminal.lines(withStyle: "7") == ["*   1 [ ] Groceries"])
    try session.press("G ", until: "*   4 [ ] Slides")
    try session.press("k ", until: "3 marked")
    try session.press(" ", until: "2 marked")
    try session.press("x", until: "todo  by list  2 items\n")
    #expect(
      session.list == ["Errands (1)", "    2 [ ] Post Office  !high", "Career (1)", "    3 [ ] Presentation  @work"])
    try session.wait("the message") { $0.text.contains("done \"Groceries\" and 1 more (u is undo)") }
    #expect(try session.titles() == ["Post Office", "Presentation"])
    // It was one change.
    try session.press("u", until: "4 items")
    #expect(try session.titles().count == 4)
  }

  @Test func `x goes on to the next item`() throws {
    let session = try WatchSession(Self.errands + [["Report", "+Career"]])
    // As fast as keys can come.
    try session.press("jxxx", until: "todo  by list  2 items\n")
    #expect(try session.titles() == ["Groceries", "Report"])
    try session.press("", selects: "Report")
    // From the last one to the one before it.
    try session.press("x", selects: "Groceries")
    try session.press("x", until: "Nothing to do")
    try session.press("x", until: "nothing is selected")
  }

  @Test func `after another program removes its item, x does nothing until a key selects`() throws {
    let session = try WatchSession(Self.errands)
    try session.press("j", selects: "Post Office  !high")
    _ = try session.store.remove(Selection(2))
    try session.wait("it to go") { !$0.text.contains("Post Office") }
    #expect(session.terminal.lines(withStyle: "7") == [])
    try session.press("x", until: "nothing is selected")
    try session.press("e", until: "nothing is selected")
    #expect(try session.titles() == ["Groceries", "Presentation", "Slides"])
    // The next key continues where the selection was.
    try session.press("j", selects: "Presentation  @work")
  }

  @Test func `items are added as on the command line`() throws {
    let session = try WatchSession([["Groceries"]])
    try session.press("a", until: "add:")
    try session.press("牛乳 und Käse 👩‍👩‍👧‍👦 +Errands @shop !high", until: "!high")
    try session.press("\r", until: "2 items")
    #expect(
      session.list == ["Inbox (1)", "    1 [ ] Groceries", "Errands (1)", "    2 [ ] 牛乳 und Käse 👩‍👩‍👧‍👦  !high @shop"])
    let item = try session.store.item(2)
    #expect(item.title == "牛乳 und Käse 👩‍👩‍👧‍👦" && item.tags == ["shop"] && item.priority == .high)
    // A bad token is reported, and the typed text stays.
    try session.press("aTea !hgh\r", until: "did you mean \"pri:high\"?")
    #expect(session.message.hasPrefix("add: Tea !hgh"))
    try session.press("\u{7F}\u{7F}\u{7F}low\r", until: "3 items")
    #expect(try session.store.item(3).priority == .low)
    // In quotes nothing is a token; a letter in pieces is one letter; Escape leaves.
    try session.press("a\"call @home\" e\u{301}\r", until: "4 items")
    #expect(try session.store.item(4).title == "call @home e\u{301}")
    try session.press("aNever", until: "Never")
    try session.press("\u{1B}", until: "? help")
    #expect(try session.titles().count == 4)
  }

  @Test(arguments: [
    "\u{301}a  +b c", "\u{200D}\"  b", "a  b\u{600}", "\u{301}", "\"\u{301}x\" y", "a\\\u{301}  b", "due:\u{301}x",
  ])
  func `a title keeps its code points while it is edited`(title: String) throws {
    let session = try WatchSession([[title]])
    try session.press("e", until: "edit 1:")
    try session.press("Y\r", until: "? help")
    let item = try session.store.item(1)
    #expect(item.title.utf8.elementsEqual((title + "Y").utf8), "\(item.title.debugDescription)")
    #expect(item.list == "Inbox")
  }

  @Test func `a title is edited in place`() throws {
    let session = try WatchSession([["牛乳 (+2) @home"], ["Tea"]])
    try session.press("e", until: "edit 1: \"牛乳 (+2) @home\"")
    // Accepting the text unchanged changes nothing.
    let revision = try session.store.revision()
    try session.press("\r", until: "? help")
    #expect(try session.store.revision() == revision)
    try session.press("je", until: "edit 2: Tea")
    try session.press("\u{1B}[D\u{7F}\u{7F}\u{15}牛x\u{7F} !low\u{1B}[F +Home", until: "牛 !lowa +Home")
    try session.press("\r", until: "did you mean \"pri:low\"?")
    try session.press("\u{1B}", until: "? help")
    try session.press("e\u{15}Black tea\u{1B}[H\u{1B}[3~b\r", until: "black tea")
    try session.wait("the message") { $0.text.contains("edit \"black tea\" (u is undo)") }
    #expect(try session.store.item(2).title == "black tea")
    try session.wait("the new title") { $0.lines(withStyle: "7") == ["    2 [ ] black tea"] }
  }

  @Test func `Ctrl-C ends a paste whose end is lost`() throws {
    let session = try WatchSession(Self.errands)
    session.program.type("\u{1B}[200~q\u{3}jq")
    // Each in a read of its own, sooner or later.
    for _ in 0..<5 {
      usleep(300_000)
      session.program.type("\u{3}")
    }
    #expect(session.finish() == .exit(130))
  }

  @Test func `pasted text is text and no keys`() throws {
    let session = try WatchSession(Self.errands)
    session.program.type("\u{1B}[200~xxx\rq\u{1B}[201~")
    try session.press("a\u{1B}[200~two\nlines\u{1B}[201~\r", until: "two lines")
    #expect(try session.titles() == ["Groceries", "Post Office", "Presentation", "Slides", "two lines"])
  }

  @Test func `items are put in order`() throws {
    let session = try WatchSession([["a"], ["b"], ["c"]])
    try session.press("J") { $0.text.contains("b\n    1 [ ] a\n") && $0.text.contains("undo") }
    #expect(session.terminal.lines(withStyle: "7") == ["    1 [ ] a"])
    try session.press("J") { $0.text.contains("c\n    1 [ ] a") }
    try session.press("J", until: "the last of its list")
    #expect(try session.titles() == ["b", "c", "a"])
    try session.press("K") { $0.text.contains("a\n    3 [ ] c") }
    #expect(try session.titles() == ["b", "a", "c"])
    try session.press("vJ", until: "in the view by list")
  }

  @Test func `a filter is typed and left`() throws {
    let session = try WatchSession(Self.errands)
    try session.press("/", until: "filter:")
    try session.press("pres", until: "1 item  filter: pres")
    #expect(session.list == ["Career (1)", "    3 [ ] Presentation  @work"])
    // Escape in the prompt restores the previous filter.
    try session.press("\u{1B}", until: "4 items")
    try session.press("/+errands !high\r", until: "1 found")
    #expect(session.list == ["Errands (1)", "    2 [ ] Post Office  !high"])
    // Views keep it, and so does what others do.
    try session.press("v", until: "by due  1 item  filter: +errands !high")
    _ = try session.store.add(ItemDraft(title: "not seen", list: "Career"))
    _ = try session.store.add(ItemDraft(title: "seen", list: "Errands", priority: .high))
    try session.wait("the item") { $0.text.contains("seen") }
    #expect(!session.terminal.text.contains("not seen"))
    try session.press("\u{1B}", until: "by due  6 items")
    try session.press("/nothing like it\r", until: "Nothing matches")
    try session.press("/@\r", until: "0 found")
    try session.press("/+x !hgh\r", until: "did you mean")
  }

  @Test func `tab folds the section of the selection`() throws {
    let session = try WatchSession(Self.errands)
    try session.press("j\t", until: "Errands (2, folded)")
    #expect(session.list == ["Errands (2, folded)", "Career (2)", "    3 [ ] Presentation  @work", "    4 [ ] Slides"])
    #expect(session.terminal.lines(withStyle: "7") == ["Errands (2, folded)"])
    // New items in it are counted; x has no item to complete.
    _ = try session.store.add(ItemDraft(title: "Bank", list: "Errands"))
    try session.wait("the count") { $0.text.contains("Errands (3, folded)") }
    try session.press("x", until: "nothing is selected")
    try session.press("\t", until: "[ ] Bank")
    try session.press("j", selects: "Post Office  !high")
  }

  @Test func `v shows the views round`() throws {
    let session = try WatchSession([
      ["Rent", "due:2031-01-02", "!high", "@home", "@bank"], ["Tea", "+Home"], ["Late", "due:2001-01-01"],
    ])
    try session.press("v", until: "by due")
    #expect(
      session.list == [
        "2001-01-01 overdue (1)", "    3 [ ] Late  2001-01-01 overdue +Inbox", "2031-01-02 (1)",
        "    1 [ ] Rent  2031-01-02 !high @home @bank +Inbox", "no date (1)", "    2 [ ] Tea  +Home",
      ])
    #expect(session.terminal.lines(withStyle: "7") == ["    1 [ ] Rent  2031-01-02 !high @home @bank +Inbox"])
    try session.press("v", until: "by priority")
    #expect(session.list.filter { !$0.hasPrefix(" ") } == ["high (1)", "no priority (2)"])
    try session.press("v", until: "by tag  4 items")
    #expect(session.list.filter { !$0.hasPrefix(" ") } == ["bank (1)", "home (1)", "untagged (2)"])
    // An item that occurs twice is completed, and undone, as one.
    try session.press("x", until: "by tag  2 items")
    try session.press("u", until: "by tag  4 items")
    try session.press("v", until: "by list  3 items")
  }

  @Test func `changes are undone and done again`() throws {
    let session = try WatchSession(Self.errands)
    try session.press("x", until: "3 items")
    try session.press("u", until: "undone: done \"Groceries\" (U is redo)")
    try session.wait("the item") { $0.text.contains("4 items") }
    try session.press("U", until: "redone: done \"Groceries\" (u is undo)")
    try session.wait("the item to go") { $0.text.contains("3 items") }
    try session.press("U", until: "there is nothing to redo")
    // A change of another program is named, and undone only after a question.
    _ = try session.store.add(ItemDraft(title: "from elsewhere"))
    try session.wait("the item") { $0.text.contains("from elsewhere") }
    let what = "add \"from elsewhere\" of another program, just now"
    try session.press("u", until: "undo \(what)? y/n")
    try session.press("n", until: "nothing was changed")
    try session.press("u", until: "undo \(what)? y/n")
    // Not another change that came since.
    _ = try session.store.add(ItemDraft(title: "another one"))
    try session.press("y", until: "another change has come in between: add \"another one\"")
    _ = try session.store.undo()
    try session.press("uy", until: "undone: \(what) (U is redo)")
    try session.press("U", until: "redone: add \"from elsewhere\" (u is undo)")
    let raw = try RawDatabase(path: session.database)
    try raw.execute("UPDATE item SET title = 'x' WHERE id = 1")
    try raw.execute("UPDATE change SET made = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-121 minutes')")
    try session.press("u", until: "undo a change by another program, 2 hours ago? y/n")
  }

  @Test(arguments: [(80, 24), (40, 12), (20, 6)])
  func `help shows the keys in any size and is closed again`(columns: Int, rows: Int) throws {
    let session = try WatchSession(Self.errands, columns: columns, rows: rows)
    let before = session.terminal.text
    try session.press("?", until: "the keys")
    var seen = session.terminal.text
    var last = ""
    while session.terminal.text != last {
      last = session.terminal.text
      // A second key that changes nothing visible, if the first one changes nothing.
      session.program.type(" ")
      try session.wait("a page") {
        $0.text != last || $0.text.contains("what is shown") || $0.text.contains("shown inst")
      }
      seen += session.terminal.text
    }
    for key in ["j k, arrows", "space", "/", "Tab", "u U", "q, Ctrl-D"] { #expect(seen.contains("  " + key)) }
    try session.press("k?") { $0.text == before }
    try session.press("?\u{1B}") { $0.text == before }
    session.program.type("\u{4}")
    #expect(session.finish() == .exit(0))
  }

  @Test func `a narrow screen has room for the most important parts`() throws {
    let session = try WatchSession(Self.errands, columns: 40, rows: 12)
    #expect(session.terminal.lines.last == "j/k move  x done  a add  ? help  q quit")
    try session.press(" jj j ", until: "by list  4 items  3 marked")
    try session.press("/Sli\r", until: "1 found")
    #expect(session.terminal.lines[0] == "3 marked, 2 not shown  filter: Sli")
    // A message is wrapped, above what is typed.
    try session.press("dtomorow\r", until: "did you\nmean \"due:tomorrow\"?\ndue date of 3 items: tomorow")
    try session.press("\u{1B}D", until: "remove 3 items, 2 of them not shown? y/n\ny does it")
  }

  // MARK: Keys for items

  /// Keys, the message after them, and the second item then.
  static let changes: [(keys: String, message: String, isSo: @Sendable (Item) -> Bool)] = [
    ("s", "start \"Post Office\"", { $0.started != nil }),
    ("ss", "stop \"Post Office\"", { $0.started == nil }),
    ("1", "it is so already", { $0.priority == .high }), ("2", "edit \"Post Office\"", { $0.priority == .medium }),
    ("3", "edit \"Post Office\"", { $0.priority == .low }), ("0", "edit \"Post Office\"", { $0.priority == nil }),
    ("d2031-01-02\r", "edit \"Post Office\"", { $0.due == Due(iso: "2031-01-02") }),
    ("d2031-01-02\rdnone\r", "edit \"Post Office\"", { $0.due == nil }),
    ("ddue:in 3 days\r", "edit \"Post Office\"", { $0.due != nil }),
    ("dtomorow\r", "did you mean \"due:tomorrow\"?", { $0.due == nil }),
    ("d\r", "? help", { $0.due == nil }),
    ("t@a b -@no\rt-a\r", "untag \"Post Office\"", { $0.tags == ["b"] }),
    ("nask: +1 @home?\r", "note \"Post Office\"", { $0.notes == ["ask: +1 @home?"] }),
    ("mcareer\r", "move \"Post Office\"", { $0.list == "Career" }),
    ("m +Two words \r", "move \"Post Office\"", { $0.list == "Two words" }),
    ("A", "archive \"Post Office\"", { $0.archived }),
    ("e\u{15}PO +Career due:2031-01-02\r", "edit \"PO\"", { $0.title == "PO" && $0.list == "Career" }),
  ]

  @Test(arguments: changes.indices) func `a key changes the item, in the list and in its details`(index: Int) throws {
    let (keys, message, isSo) = Self.changes[index]
    for place in ["j", "j\r"] {
      let session = try WatchSession(Self.errands)
      try session.press(place + keys, until: message)
      let item = try session.store.item(2)
      #expect(isSo(item), "\(item)")
      #expect(try session.store.item(1).title == "Groceries" && session.store.item(1).priority == nil)
    }
  }

  @Test func `a key changes all marked items as one change, also those that a filter hides`() throws {
    let session = try WatchSession(Self.errands, columns: 80)
    try session.press(" G ", until: "2 marked")
    try session.press("/gro\r", until: "2 marked, 1 not shown  filter: gro")
    for (keys, isSo) in [
      ("dfri\r", { $0.due != nil }), ("t@x\r", { $0.tags == ["x"] }), ("nwords\r", { $0.notes == ["words"] }),
      ("e!low\r", { $0.priority == .low }), ("s", { $0.started != nil }), ("mOther\r", { $0.list == "Other" }),
    ] as [(String, (Item) -> Bool)] {
      try session.press(keys, until: "\"Groceries\" and 1 more (u is undo)")
      #expect(try session.store.items(Selection(1, 4)).allSatisfy(isSo), "\(keys)")
      try session.press("u", until: "undone: ")
      #expect(try !session.store.items(Selection(1, 4)).contains(where: isSo), "\(keys)")
    }
    try session.press("D", until: "remove 2 items, 1 of them not shown? y/n")
    try session.press("\r", until: "nothing was changed")
    try session.press("Dy", until: "remove \"Groceries\" and 1 more")
    #expect(try session.titles() == ["Post Office", "Presentation"])
    // Esc leaves the filter, and then removes the marks; a removed item has none.
    try session.press("\u{1B}", until: "2 items")
    try session.press("g G ", until: "2 marked")
    _ = try session.store.remove(Selection(3))
    try session.press("", until: "1 marked")
    try session.press("\u{1B}") { !$0.text.contains("marked") }
    try session.press("gD", until: "remove \"Post Office\"")
  }

  @Test(arguments: [
    ([], "Call Kim +Work", false), (["--by", "due", "+Errands"], "Call Kim", true), (["!high"], "Call Kim", false),
  ])
  func `an item that was added outside the list is named`(arguments: [String], text: String, isShown: Bool) throws {
    let session = try WatchSession(Self.errands, arguments: arguments)
    if arguments.isEmpty { try session.press("/+errands\r", until: "2 found") }
    let place = arguments.isEmpty ? "Work" : isShown ? "Errands" : "Inbox"
    try session.press(
      "a\(text)\r",
      until: "added 5 \"Call Kim\" to \(place)\(isShown ? " (u is undo)" : ", which is not shown here")")
  }

  @Test func `the details follow the item and say when it is gone`() throws {
    let session = try WatchSession([["Groceries", "due:2031-01-02"], ["Post Office"]], rows: 12)
    _ = try session.store.note("first", to: Selection(1))
    let before = session.terminal.text
    try session.press("\r", until: "note       first")
    #expect(session.terminal.text.hasPrefix("todo  item 1\n1  Groceries\n  list       Inbox\n  state      open\n"))
    for key in ["\r", "q", "\u{1B}"] {
      try session.press(key) { $0.text == before }
      try session.press("\r", until: "note       first")
    }
    for index in 1...12 { _ = try session.store.note("note \(index).", to: Selection(1)) }
    try session.press("G", until: "note 12.")
    try session.press("g", until: "1  Groceries")
    try session.press("jjk ", until: "note 6.")
    _ = try session.store.done(Selection(1))
    try session.press("g", until: "done since")
    try session.press("u", until: "undo done \"Groceries\" of another program, just now? y/n")
    try session.press("y", until: "state      open")
    _ = try session.store.remove(Selection(1))
    try session.press("", until: "1 \"Groceries\" was removed. Escape goes back to the list.")
    try session.press("x", until: "there is no item 1")
    try session.press("uy", until: "1  Groceries")
    // What removes it here closes them.
    try session.press("D", until: "remove \"Groceries\" (u is undo)")
    try session.press("", selects: "Post Office")
  }
}
