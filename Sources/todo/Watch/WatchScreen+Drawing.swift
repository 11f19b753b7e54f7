import DataSources
import TerminalLists
import TodoCore

extension WatchScreen {
  private static let hint =
    "j/k move  x done  a add  e edit  / filter  v view  u undo  ? help  q quit"

  /// The keys, as in the help.
  private static let help: [(keys: String, text: String)] = [
    ("j k, arrows", "to the next item, to the one before"),
    ("g G", "to the first item, to the last"),
    ("PgUp PgDn", "a page up, a page down"),
    ("space", "mark the item, or take the mark away"),
    ("x", "done: the marked items, or the selected one"),
    ("a", "add an item, with +list @tag pri:high due:fri every:month"),
    ("e", "edit the item"),
    ("J K", "move the item down or up in its list"),
    ("/", "filter: words, +list @tag pri:high due:before:fri; Escape leaves it"),
    ("Tab", "fold the section, or unfold it"),
    ("v", "the next view: by list, due day, priority, tag"),
    ("u U", "undo the last change, redo it"),
    ("?", "this help; again closes it"),
    ("q", "quit"),
  ]

  /// Changes the size, and draws everything again.
  func resize(to size: TerminalSize) {
    screen.resize(to: size)
    layOut()
  }

  /// The lines of the table: all but a title, a line for messages and one for hints, if there is room for those.
  func layOut() {
    let rows = screen.size.rows
    table.area = rows < 4 ? 0..<max(rows, 0) : 1..<rows - 2
  }

  /// Milliseconds until something changes on the screen by itself; nil if nothing will.
  var millisecondsToNextDrawing: Int32? {
    if isFilterStale { return 0 }
    guard let end = table.nextHighlightEnd else { return nil }
    let left = table.now().duration(to: end)
    return Int32(
      clamping: max(0, left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1))
  }

  /// Draws the screen.
  func draw() {
    filterWhileTyping()
    let rows = screen.size.rows
    if rows >= 4 {
      screen[0] = title
      screen[rows - 2] = messageLine
      screen[rows - 1] = StyledText(hint, style: TextStyle(.dim))
    }
    if case .help = mode { return drawHelp() }
    table.display()
    // If there is no room for separate lines, the prompt is still visible.
    if rows > 0, rows < 4, case .prompt = mode {
      screen[rows - 1] = messageLine
      screen.flush()
    }
  }

  private func drawHelp() {
    for (offset, row) in table.area.enumerated() {
      guard offset < Self.help.count else {
        screen[row] = ""
        continue
      }
      let (keys, text) = Self.help[offset]
      screen[row] = StyledText("  \(keys)", style: TextStyle(.bold)).fitted(to: 16) + StyledText(text)
    }
    screen.flush()
  }

  private var hint: String {
    switch mode {
    case .list: Self.hint
    case .help: "? closes the help"
    case .prompt(let prompt): prompt.hint
    }
  }

  private var title: StyledText {
    let count = list.numberOfItems
    var title = StyledText("todo", style: TextStyle(.bold))
    title.append("  \(query.view.title)  \(count == 1 ? "1 item" : "\(count) items")", style: TextStyle(.dim))
    if !marks.items.isEmpty { title.append("  \(marks.items.count) marked") }
    if !filterText.isEmpty { title.append("  filter: \(filterText.visible)") }
    return title
  }

  private var messageLine: StyledText {
    guard case .prompt(let prompt) = mode else { return message }
    var line = StyledText(prompt.label, style: TextStyle(.bold))
    let width = screen.size.columns
    if message.isEmpty { return line + prompt.editor.line(width: max(width - line.width, 1)) }
    // The error about the answer follows it.
    let editor = prompt.editor.line(width: max(min(width - line.width, width / 2), 1))
    line.append(editor)
    return line + "  " + message
  }

  /// The table's style in the current view.
  var style: TerminalTableStyle {
    var style = TerminalTableStyle()
    style.indent = ""
    style.placeholder =
      filterText.isEmpty ? "Nothing to do. a adds an item." : "Nothing is like that. Escape leaves the filter."
    let view = query.view
    style.header = { [store] header in
      let name = SectionHeading.text(header.title.visible, view, today: store.moment.today)
      var title = StyledText(name, style: TextStyle(.bold))
      title.append(" (\(header.numberOfItems)\(header.isFolded ? ", folded" : ""))", style: TextStyle(.dim))
      return title
    }
    return style
  }
}
