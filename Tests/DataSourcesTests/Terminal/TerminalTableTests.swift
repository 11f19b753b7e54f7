import DataSources
import DataSourcesTestSupport
import TerminalLists
import TestSupport
import Testing

/// A table with its list, its adapter and its terminal.
final class Bench {
  let list: Ledger<Row>
  let terminal: Terminal
  let table: TerminalTable
  let adapter: ListAdapter<Ledger<Row>, TerminalTable>
  private var shown = 0

  init(_ snapshot: Snapshot<Row>, columns: Int = 12, rows: Int = 6) {
    list = Ledger(snapshot)
    terminal = Terminal(columns: columns, rows: rows)
    table = TerminalTable(screen: terminal.screen)
    adapter = ListAdapter(source: list, presenter: .rows, host: table)
    terminal.forget()
  }

  var lines: [String] { terminal.lines }

  /// The visible selection: the inverse text.
  var selectedText: String? {
    let texts = terminal.model.rows.indices.map { terminal.model.text(inRow: $0, withStyle: "7") }
    return texts.first { !$0.isEmpty }.map { String($0.split(separator: " ").joined(separator: " ")) }
  }

  /// Edits the list and shows the change.
  func edit(_ body: (inout Draft<Row>) -> Void) {
    terminal.forget()
    list.edit(body)
    let told = list.told
    for update in told[shown...] { adapter.apply(update) }
    shown = told.count
  }
}

@Suite struct TerminalTableTests {
  let path = { ItemPath(section: $0, item: $1) }

  @Test func `it shows sections with titles and footers`() {
    let bench = Bench(
      Snapshot([
        Section(id: 1, name: "One", footer: "end", items: [Row(1), Row(2)]), Section("B", []),
        Section(id: 3, name: "", items: [Row(3)]),
      ]))
    #expect(bench.lines == ["One", "  1", "  2", "  end", "B", "  3"])
    #expect(bench.terminal.model.text(inRow: 0, withStyle: "1") == "One")
    #expect(bench.terminal.model.text(inRow: 3, withStyle: "2") == "end")
  }

  @Test func `only the lines that changed are drawn`() {
    let bench = Bench(Snapshot([Section("A", [1, 2, 3]), Section("B", [4])]))
    bench.edit { $0.update(Row(2, 1)) }
    #expect(bench.terminal.rowsDrawn == [2])
    #expect(bench.lines == ["A", "  1", "  2v1", "  3", "B", "  4"])
    bench.edit { $0.remove(id: 4) }
    #expect(bench.terminal.rowsDrawn == [5])
    bench.edit { draft in
      draft.append(Row(9), toSection: 1)
      draft.remove(id: 9)
    }
    #expect(bench.terminal.rowsDrawn == [])
  }

  @Test func `the table uses only its part of the screen`() {
    let bench = Bench(Snapshot([Section("A", [1, 2, 3])]))
    bench.terminal.screen[0] = "Title"
    bench.terminal.screen[5] = "Status"
    bench.table.area = 1..<5
    #expect(bench.lines == ["Title", "A", "  1", "  2", "  3", "Status"])
    #expect(bench.table.path(atScreenRow: 2) == path(0, 0))
    #expect(bench.table.path(atScreenRow: 1) == nil)
    #expect(bench.table.path(atScreenRow: 0) == nil)
    #expect(bench.table.path(atScreenRow: 5) == nil)
  }

  @Test func `an empty list shows a placeholder`() {
    let bench = Bench(Snapshot())
    bench.table.style.placeholder = "Nothing."
    #expect(bench.lines[0] == "Nothing.")
    bench.edit { $0.createSection(name: "A", items: [Row(1)]) }
    #expect(bench.lines == ["A", "  1", "", "", "", ""])
    bench.edit { $0.clear() }
    #expect(bench.lines[0] == "Nothing.")
    #expect(bench.table.visiblePaths.isEmpty)
  }

  @Test func `the list scrolls to its ends`() {
    let bench = Bench(Snapshot([Section("A", Array(1...10)), Section("B", [11, 12])]))
    bench.table.scroll(by: 4)
    #expect(bench.lines == ["  4", "  5", "  6", "  7", "  8", "  9"])
    bench.table.scroll(by: 1_000)
    #expect(bench.lines == ["  8", "  9", "  10", "B", "  11", "  12"])
    bench.table.scroll(by: -2)
    #expect(bench.lines == ["  6", "  7", "  8", "  9", "  10", "B"])
    bench.table.scroll(by: -1_000)
    #expect(bench.lines[0] == "A")
    #expect(bench.table.visiblePaths == (0..<5).map { path(0, $0) })
  }

  @Test func `the selection moves and is brought into sight`() {
    let bench = Bench(Snapshot([Section("A", Array(1...10)), Section("B", [11, 12])]))
    #expect(bench.table.selectedPath == nil)
    bench.table.moveSelection(by: 1)
    #expect(bench.selectedText == "1")
    bench.table.moveSelection(by: 5)
    #expect(bench.selectedText == "6")
    #expect(bench.lines == ["  1", "  2", "  3", "  4", "  5", "  6"])
    bench.table.moveSelection(byPages: 1)
    #expect(bench.selectedText == "11")
    #expect(bench.lines == ["  7", "  8", "  9", "  10", "B", "  11"])
    bench.table.moveSelection(by: 100)
    #expect(bench.table.selectedPath == path(1, 1))
    bench.table.moveSelection(by: -100)
    #expect(bench.table.selectedPath == path(0, 0))
    #expect(bench.lines[0] == "A", "the first row of a section is seen with its title")
    bench.table.selectLast()
    #expect(bench.table.selectedID == AnyHashable(12))
    bench.table.selectFirst()
    #expect(bench.selectedText == "1")
    bench.table.select(nil)
    #expect(bench.selectedText == nil)
    #expect(bench.table.select(id: 12))
    #expect(bench.selectedText == "12")
    #expect(!bench.table.select(id: 99))
    bench.table.select(path(7, 7))
    #expect(bench.table.selectedPath == nil)
  }

  @Test func `the visible lines stay while rows are inserted above`() {
    let bench = Bench(Snapshot([Section("A", Array(1...20))]))
    bench.table.scroll(by: 5)
    let before = bench.lines
    bench.edit { $0.insert(contentsOf: (100..<110).map { Row($0) }, at: path(0, 0)) }
    #expect(bench.lines == before)
    #expect(bench.terminal.rowsDrawn == [])
    bench.edit { $0.remove(id: 5) }
    #expect(bench.lines == ["  4", "  6", "  7", "  8", "  9", "  10"])
    #expect(bench.terminal.rowsDrawn == [0])
  }

  @Test func `rows inserted at the beginning are visible there`() {
    let bench = Bench(Snapshot([Section("A", Array(1...20))]))
    bench.edit { $0.insert(Row(100), at: path(0, 0)) }
    #expect(bench.lines == ["A", "  100", "  1", "  2", "  3", "  4"])

    let untitled = Bench(Snapshot([Section(id: .none, name: "", items: (1...20).map { Row($0) })]))
    untitled.edit { $0.insert(Row(100), at: path(0, 0)) }
    #expect(untitled.lines == ["  100", "  1", "  2", "  3", "  4", "  5"])
  }

  @Test func `a section is folded and unfolded`() {
    let bench = Bench(Snapshot([Section("A", [1, 2]), Section("B", [3])]))
    bench.table.select(id: 2)
    bench.table.toggleFold(section: 0)
    #expect(bench.lines == ["A (2)", "B", "  3", "", "", ""])
    #expect(bench.table.selectedPath == nil)
    #expect(bench.table.selectedSection == 0)
    bench.table.moveSelection(by: 1)
    #expect(bench.selectedText == "3")
    bench.table.moveSelection(by: -1)
    #expect(bench.selectedText?.hasPrefix("(2)") == true || bench.table.selectedSection == 0)
    bench.edit { $0.append(Row(9), toSection: 0) }
    #expect(bench.lines[0] == "A (3)")
    bench.table.toggleFold(section: 0)
    #expect(bench.selectedText == "1")
    #expect(bench.lines == ["A", "  1", "  2", "  9", "B", "  3"])
    bench.table.toggleFold(section: -1)
    bench.table.toggleFold(section: 2)
    #expect(bench.table.foldedSections.isEmpty)
  }

  @Test func `a folded section stays folded wherever it moves`() {
    let bench = Bench(Snapshot([Section("A", [1, 2]), Section("B", [3])]))
    bench.table.foldedSections = ["A"]
    bench.edit { $0.moveSection(from: 0, to: 1) }
    #expect(bench.lines == ["B", "  3", "A (2)", "", "", ""])
    bench.table.selectLast()
    #expect(bench.table.selectedSection == 1)
    bench.edit { $0.insertSection(Section("0", []), at: 0) }
    #expect(bench.table.selectedSection == 2)
    bench.edit { $0.removeSection(at: 2) }
    #expect(bench.selectedText == "3")
  }

  @Test func `what changed is highlighted for a while`() {
    let bench = Bench(Snapshot([Section("A", [1, 2, 3])]))
    var now = ContinuousClock.now
    bench.table.now = { now }
    bench.table.highlightDuration = .seconds(1)
    #expect(bench.table.nextHighlightEnd == nil)
    bench.edit { draft in
      draft.update(Row(2, 1))
      draft.append(Row(4), toSection: 0)
      draft.move(from: path(0, 2), to: path(0, 0))
    }
    let highlighted = (1..<5).filter { !bench.terminal.model.text(inRow: $0, withStyle: "1").isEmpty }
    #expect(highlighted == [1, 3, 4])
    #expect(bench.table.nextHighlightEnd == now.advanced(by: .seconds(1)))
    now = now.advanced(by: .seconds(2))
    bench.terminal.forget()
    bench.table.display()
    #expect(bench.terminal.rowsDrawn == [1, 3, 4])
    #expect(bench.table.nextHighlightEnd == nil)
  }

  @Test func `a program may draw when it wants`() {
    let bench = Bench(Snapshot([Section("A", [1])]))
    bench.table.displaysAutomatically = false
    bench.edit { $0.append(Row(2), toSection: 0) }
    #expect(bench.lines[2] == "")
    bench.table.display()
    #expect(bench.lines[2] == "  2")
  }

  @Test func `rows without ids keep their place`() {
    let terminal = Terminal(columns: 10, rows: 4)
    let table = TerminalTable(screen: terminal.screen)
    let list = Ledger(Snapshot([Section(id: 1, name: "", items: ["a", "b", "c"])]))
    let adapter = ListAdapter(source: list, presenter: .settingData(TextCell.self), host: table)
    table.select(path(0, 1))
    list.remove(at: path(0, 1))
    list.told.forEach(adapter.apply)
    #expect(table.selectedPath == path(0, 1))
    #expect(terminal.lines == ["  a", "  c", "", ""])
  }

  /// In every case the screen shows what drawing everything again would show; the selection is visible where it should
  /// be; and no control characters are sent.
  @Test(arguments: [(0, 0), (1, 1), (0, 3), (3, 0), (1, 2), (2, 1)])
  func `a terminal of no size does no harm`(columns: Int, rows: Int) {
    let odd = ["👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "e\u{301}\u{301}", "\u{200B}\u{200D}", "a\tb", "a\r\nb", "\u{1B}[31mred", "\u{202E}abc"]
    let list = Ledger(
      Snapshot([
        Section(id: 1, name: odd[0], footer: odd[5], items: odd), Section(id: 2, name: "", items: odd),
        Section(id: 3, name: odd[6], items: []),
      ]))
    let terminal = Terminal(columns: columns, rows: rows)
    let table = TerminalTable(screen: terminal.screen)
    let adapter = ListAdapter(source: list, presenter: .settingData(TextCell.self), host: table)
    for steps in [0, 1, -1, 7, .max, .min] {
      table.scroll(by: steps)
      table.moveSelection(by: steps)
      table.moveSelection(byPages: steps)
      table.select(ItemPath(section: steps, item: steps))
      table.toggleFold(section: steps)
      table.selectLast()
      _ = table.path(atScreenRow: steps)
      #expect(terminal.model.complaints == [])
    }
    terminal.resize(columns: rows, rows: columns)
    table.area = 0..<columns
    table.display()
    adapter.show(Snapshot())
    #expect(terminal.model.complaints == [] && table.selectedPath == nil)
  }

  @Test(arguments: Seeds.range(120)) func `random use equals drawing everything again`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bench = Bench(random.list(sections: 6, rows: 20), columns: 6 + random.below(20), rows: 1 + random.below(9))
    bench.table.highlightDuration = random.once(in: 2) ? .seconds(60) : nil
    var nextID = 100
    for _ in 0..<40 {
      let selected = bench.table.selectedID as? Int
      switch random.below(12) {
      case 0: bench.table.scroll(by: random.below(9) - 4)
      case 1: bench.table.moveSelection(by: random.below(9) - 4)
      case 2: bench.table.moveSelection(byPages: random.below(3) - 1)
      case 3:
        if bench.adapter.numberOfSections > 0 {
          bench.table.toggleFold(section: random.below(bench.adapter.numberOfSections))
        }
      case 4: if random.once(in: 2) { bench.table.selectLast() } else { bench.table.selectFirst() }
      case 5:
        bench.terminal.resize(columns: 3 + random.below(20), rows: 1 + random.below(9))
        bench.table.area = 0..<bench.terminal.screen.size.rows
        bench.table.display()
      case 6: bench.edit { $0.replace(with: random.list(sections: 6, rows: 20)) }
      default:
        bench.edit { draft in for _ in 0...random.below(5) { draft.edit(random: &random, nextID: &nextID) } }
        if let selected, bench.adapter.snapshot.path(of: selected) != nil,
          let path = bench.adapter.snapshot.path(of: selected),
          !bench.table.foldedSections.contains(bench.adapter.sectionID(at: path.section))
        {
          #expect(bench.table.selectedID as? Int == selected, "\(Seeds.hint(seed))")
        }
      }
      let hint = Comment(rawValue: Seeds.hint(seed))
      #expect(bench.terminal.model == bench.terminal.redrawn(), hint)
      #expect(bench.terminal.model.complaints == [], hint)
      // A new table at the same position shows the same.
      let height = bench.table.area.count
      let all = bench.expectedLines()
      let seen = bench.lines.prefix(height)
      let start = (0...max(all.count - height, 0)).contains { offset in
        Array(all.dropFirst(offset).prefix(height)) + Array(repeating: "", count: max(height - all.count, 0))
          == Array(seen)
      }
      #expect(start, hint)
      if let path = bench.table.selectedPath { #expect(bench.adapter.snapshot.item(at: path) != nil, hint) }
      #expect(bench.table.numberOfCellsMade <= 9, hint)
    }
  }
}

extension Bench {
  /// All lines of the list, cut as they are on the screen.
  func expectedLines() -> [String] {
    var lines: [StyledText] = []
    for section in adapter.snapshot {
      let isFolded = table.foldedSections.contains(section.id)
      lines.append(isFolded ? "\(section.name) (\(section.items.count))" : StyledText(section.name))
      if !isFolded { lines += section.items.map { "  \($0)" } }
    }
    return lines.map { line in
      var text = line.truncated(to: terminal.screen.size.columns).text
      while text.hasSuffix(" ") { text.removeLast() }
      return text
    }
  }
}
