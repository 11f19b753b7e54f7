import DataSources
import DataSourcesTestSupport
import TerminalLists
import TestSupport
import Testing

@Suite struct TerminalScreenTests {
  @Test func `only the lines that changed are sent`() {
    let terminal = Terminal(columns: 10, rows: 3)
    let screen = terminal.screen
    screen[0] = "one"
    screen[1] = "two"
    screen.flush()
    #expect(terminal.lines == ["one", "two", ""])
    terminal.forget()
    screen[1] = "second"
    screen[0] = "one"
    screen.flush()
    #expect(terminal.rowsDrawn == [1])
    #expect(terminal.lines == ["one", "second", ""])
  }

  @Test func `nothing is sent when nothing changed`() {
    let terminal = Terminal(columns: 10, rows: 3)
    terminal.screen[0] = "one"
    terminal.screen.flush()
    let sent = terminal.sent
    terminal.screen[0] = "two"
    terminal.screen[0] = "one"
    terminal.screen.flush()
    #expect(terminal.sent == sent)
  }

  @Test func `one flush is one call`() {
    let terminal = Terminal(columns: 10, rows: 3)
    for row in 0..<3 { terminal.screen[row] = "x" }
    terminal.screen.flush()
    #expect(terminal.sent == 1)
  }

  @Test func `a shorter line leaves nothing behind`() {
    let terminal = Terminal(columns: 10, rows: 1)
    for text: StyledText in ["0123456789", "abc", "", "牛乳牛乳牛", "x"] {
      terminal.screen[0] = text
      terminal.screen.flush()
      #expect(terminal.lines == [text.text])
    }
    #expect(terminal.model.complaints == [])
  }

  @Test func `styles end with their text`() {
    let terminal = Terminal(columns: 20, rows: 1)
    terminal.screen[0] =
      "a" + StyledText("b", style: TextStyle([.bold, .inverse], foreground: .red, background: .palette(200))) + "c"
    terminal.screen.flush()
    #expect(terminal.model.text(inRow: 0, withStyle: "1;7;31;48;5;200") == "b")
    #expect(terminal.model.rows[0][2] == ScreenModel.Place(text: "c", style: "0"))
    #expect(terminal.model.rows[0][3].style == "0")
  }

  @Test func `a screen is drawn again after a change of size`() {
    let terminal = Terminal(columns: 10, rows: 2)
    terminal.screen[0] = "0123456789"
    terminal.screen[1] = "second"
    terminal.screen.flush()
    terminal.resize(columns: 5, rows: 3)
    terminal.screen[2] = "third"
    terminal.screen.flush()
    #expect(terminal.lines == ["0123…", "seco…", "third"])
    terminal.resize(columns: 8, rows: 1)
    terminal.screen.flush()
    #expect(terminal.lines == ["0123…"])
  }

  @Test func `lines outside are ignored`() {
    let terminal = Terminal(columns: 5, rows: 1)
    terminal.screen[-1] = "x"
    terminal.screen[1] = "x"
    terminal.screen.flush()
    #expect(terminal.lines == [""])
    #expect(terminal.screen[7].isEmpty)
    #expect(terminal.model.complaints == [])
  }

  @Test func `the terminal is taken over and restored`() {
    var sent = ""
    let screen = TerminalScreen(size: TerminalSize(columns: 4, rows: 1)) { sent += $0 }
    screen.begin()
    screen[0] = "x"
    screen.flush()
    screen.end()
    #expect(sent == "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J\u{1B}[1;1Hx\u{1B}[K\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
  }

  @Test(arguments: Seeds.range(100)) func `incremental drawing equals drawing everything again`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let terminal = Terminal(columns: 12, rows: 5)
    let words = ["Milk", "牛乳", "👩‍👩‍👧‍👦", "e\u{301}", "\u{1B}[2J", "long long text", "", "🇩🇪", "\u{202E}abc"]
    let styles = [TextStyle.plain, TextStyle(.inverse), TextStyle(.bold, foreground: .cyan)]
    for _ in 0..<60 {
      for _ in 0..<random.below(4) {
        var line = StyledText()
        for _ in 0..<random.below(4) {
          line.append(words[random.below(words.count)], style: styles[random.below(styles.count)])
        }
        terminal.screen[random.below(5)] = line
      }
      if random.once(in: 15) { terminal.resize(columns: 3 + random.below(14), rows: 1 + random.below(6)) }
      terminal.screen.flush()
      #expect(terminal.model == terminal.redrawn(), "\(Seeds.hint(seed))")
      #expect(terminal.model.complaints == [], "\(Seeds.hint(seed))")
    }
  }
}
