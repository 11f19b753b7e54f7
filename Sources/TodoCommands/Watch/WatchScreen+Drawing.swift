import DataSources
import TerminalLists
import TodoCore

extension WatchScreen {
  /// Changes the size, and draws everything again.
  func resize(to size: TerminalSize) {
    screen.resize(to: size)
    layOut()
  }

  /// Divides the screen: a title, the table, messages and what is typed, and hints. Without room for those, there is
  /// only the table.
  func layOut() {
    let rows = screen.size.rows
    table.area = rows < 4 ? 0..<max(rows, 0) : 1..<rows - 1 - footer.count
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
    layOut()
    let rows = screen.size.rows
    let footer = footer
    let page = page
    if rows >= 4 {
      screen[0] = title(page?.title)
      for (offset, line) in footer.enumerated() { screen[rows - 1 - footer.count + offset] = line }
      screen[rows - 1] = StyledText(hint, style: TextStyle(.dim))
    }
    if let page {
      for (offset, row) in table.area.enumerated() {
        screen[row] = offset < page.lines.count ? page.lines[offset] : ""
      }
    } else {
      table.display()
    }
    // If there is no room for separate lines, what is typed is still visible.
    if rows > 0, rows < 4, input != nil { screen[rows - 1] = footer.last ?? "" }
    screen.flush()
  }

  // MARK: Pages

  /// What is shown instead of the table: its title, and its visible lines.
  private var page: (title: String, lines: [StyledText])? {
    let height = table.area.count
    if help != nil, let (lines, place) = help?.page(of: helpLines, height: height) {
      return ("the keys" + (place.map { "  \($0)" } ?? ""), lines)
    }
    guard let id = details?.id else { return nil }
    let all = detailLines(id)
    guard let (lines, place) = details?.pager.page(of: all, height: height) else { return nil }
    return ("item \(id)" + (place.map { "  \($0)" } ?? ""), lines)
  }

  private var helpLines: [StyledText] {
    let page = Screen(width: screen.size.columns, isColoured: showsColors)
    // Beside the keys if there is room for a few words, otherwise below them.
    let indent = screen.size.columns < 32 ? 4 : 15
    return Self.keys.flatMap { keys, text in
      let label = StyledText("  \(keys)", style: TextStyle(.bold))
      let lines = page.wrapped(text, indent: indent).map { StyledText(String(repeating: " ", count: indent) + $0) }
      if indent < 15 { return [label] + lines }
      let first = label.fitted(to: indent) + StyledText(String(lines[0].text.dropFirst(indent)))
      return [first] + lines.dropFirst()
    }
  }

  /// The details of an item as it is now, or what became of it.
  private func detailLines(_ id: Int64) -> [StyledText] {
    let page = Screen(width: screen.size.columns, isColoured: showsColors)
    do {
      return try store.details(of: id, on: page)
    } catch TodoError.noSuchItem {
      let title = details.map { " \"\($0.title.visible)\"" } ?? ""
      return page.wrapped("\(id)\(title) was removed. Escape goes back to the list.").map { StyledText($0) }
    } catch {
      return page.wrapped(TodoError(error).message.visible).map { StyledText($0, style: TextStyle(.bold)) }
    }
  }

  // MARK: Lines

  /// As many hints as fit, but always the last ones.
  private func hints(_ hints: [String], last: [String] = []) -> String {
    var shown = hints
    while true {
      let line = (shown + last).joined(separator: "  ")
      if DisplayWidth.of(line) <= screen.size.columns || shown.isEmpty { return line }
      shown.removeLast()
    }
  }

  private var hint: String {
    switch input {
    case .prompt(let prompt)?: return hints(["Enter keeps it", "Escape leaves"] + prompt.examples)
    case .question?: return hints(["y does it", "any other key does not"])
    case nil: break
    }
    if help != nil { return hints(["j/k scroll", "space pages"], last: ["? closes the help"]) }
    if details != nil {
      return hints(
        ["x done", "e edit", "n note", "d due", "t tags", "m move", "s start", "j/k scroll"],
        last: ["? help", "q back"])
    }
    return hints(
      [
        "j/k move", "x done", "a add", "e edit", "/ filter", "v view", "u undo", "Enter details", "d due", "n note",
        "t tags", "m move", "s start", "D remove",
      ], last: ["? help", "q quit"])
  }

  /// The line at the top. Where there is little room, what is known anyway is left out.
  private func title(_ page: String?) -> StyledText {
    let count = list.numberOfItems
    var parts = ["todo", page ?? query.view.title]
    if page == nil { parts.append(count == 1 ? "1 item" : "\(count) items") }
    if page == nil, !marks.items.isEmpty {
      parts.append("\(marks.items.count) marked" + (hiddenMarks > 0 ? ", \(hiddenMarks) not shown" : ""))
    }
    if page == nil, !filterText.isEmpty { parts.append("filter: \(filterText.visible)") }
    while parts.count > 1, DisplayWidth.of(parts.joined(separator: "  ")) > screen.size.columns { parts.removeFirst() }
    return StyledText(parts[0], style: TextStyle(.bold))
      + StyledText(parts.dropFirst().map { "  \($0)" }.joined(), style: TextStyle(.dim))
  }

  /// The lines between the table and the hints: a message in as many lines as it needs, and what is typed.
  private var footer: [StyledText] {
    let width = screen.size.columns
    let bold = TextStyle(.bold)
    var lines: [StyledText] = []
    func wrap(_ text: StyledText) {
      let parts = Screen(width: width, isColoured: true).wrapped(text.text)
      lines += parts.map { StyledText($0, style: text.spans.first?.style ?? .plain) }
    }
    if case .question(let question)? = input {
      wrap(StyledText(question.text.visible, style: bold))
    } else if input == nil || !message.isEmpty {
      wrap(message)
    }
    let most = max(1, min(3, screen.size.rows - 6))
    if lines.count > most {
      lines = Array(lines[..<most])
      lines[most - 1] = (lines[most - 1] + "…").truncated(to: width)
    }
    if case .prompt(let prompt)? = input {
      // Where only one line has room, a message covers what is typed until the next key.
      if !lines.isEmpty, screen.size.rows < 6 { return lines }
      let label = StyledText(prompt.label, style: bold)
      lines.append(label + prompt.editor.line(width: max(width - label.width, 1)))
    }
    return lines
  }

  /// The table's style in the current view.
  var style: TerminalTableStyle {
    var style = TerminalTableStyle()
    style.indent = ""
    style.placeholder =
      filterText.isEmpty ? "Nothing to do. a adds an item." : "Nothing matches. Esc leaves the filter."
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
