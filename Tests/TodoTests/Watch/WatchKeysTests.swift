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

  @Test func `after its item is removed, x does nothing until a key selects`() throws {
    let session = try WatchSession(Self.errands)
    try session.press("jx", until: "todo  by list  3 items\n")
    try session.press("x", until: "nothing is selected")
    #expect(try session.titles() == ["Groceries", "Presentation", "Slides"])
    // The next key continues where the selection was.
    try session.press("j", selects: "Presentation  @work")
    try session.press("k", selects: "Groceries")
    // Another process takes it away.
    _ = try session.store.remove(Selection(1))
    try session.wait("it to go") { !$0.text.contains("Groceries") }
    #expect(session.terminal.lines(withStyle: "7") == [])
    try session.press("x", until: "nothing is selected")
    try session.press("e", until: "nothing is selected")
    #expect(try session.titles() == ["Presentation", "Slides"])
    try session.press("G", selects: "Slides")
    try session.press("x", until: "1 item\n")
    #expect(try session.titles() == ["Presentation"])
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
    try session.press("/nothing like it\r", until: "Nothing is like that")
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
    // A change of another process is undone too.
    _ = try session.store.add(ItemDraft(title: "from elsewhere"))
    try session.wait("the item") { $0.text.contains("from elsewhere") }
    try session.press("u", until: "undone: add \"from elsewhere\"")
  }

  @Test func `help shows the keys and is closed again`() throws {
    let session = try WatchSession(Self.errands, rows: 24)
    let before = session.terminal.text
    try session.press("?", until: "? closes the help")
    for key in ["j k, arrows", "space", "/ ", "Tab", "u U"] { #expect(session.terminal.text.contains("  " + key)) }
    try session.press("?") { $0.text == before }
    try session.press("?", until: "? closes the help")
    try session.press("\u{1B}") { $0.text == before }
    session.program.type("q")
    #expect(session.finish() == .exit(0))
  }
}
