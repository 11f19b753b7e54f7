public import DataSources

extension TerminalTable {
  /// Draws the visible part. The screen sends only the lines that changed.
  ///
  /// ```swift
  /// table.displaysAutomatically = false
  /// table.screen[0] = "What to do"
  /// table.display()
  /// ```
  ///
  /// Complexity: O(number of lines of the table), however long the list.
  public func display() {
    let lines = visibleLines()
    dropOldHighlights()
    pool.recycle()
    for (offset, row) in area.enumerated() {
      if offset < lines.count {
        screen[row] = text(of: lines[offset])
      } else {
        screen[row] = offset == 0 ? style.placeholder : StyledText()
      }
    }
    screen.flush()
  }

  /// The paths of the rows on the screen, in order.
  public var visiblePaths: [ItemPath] {
    visibleLines().compactMap { line in
      if case .row(let path) = line { path } else { nil }
    }
  }

  /// The row at a line of the screen, for example for a mouse click; nil if the line is of another kind or doesn't
  /// exist.
  public func path(atScreenRow row: Int) -> ItemPath? {
    let lines = visibleLines()
    guard area.contains(row), row - area.lowerBound < lines.count else { return nil }
    guard case .row(let path) = lines[row - area.lowerBound] else { return nil }
    return path
  }

  /// Scrolls the visible part by a number of lines, down or, if negative, up. The selection doesn't change, even if it
  /// is no longer visible.
  ///
  /// ```swift
  /// table.scroll(by: 3)  // the wheel of a mouse
  /// ```
  public func scroll(by lines: Int) {
    guard let layout, let top else { return }
    isRevealing = false
    self.top = layout.line(top, offsetBy: lines)
    displayIfAutomatic()
  }

  /// When the next highlight ends, so that a program knows when to draw again; nil if nothing is highlighted.
  public var nextHighlightEnd: ContinuousClock.Instant? { highlights.firstEnd }

  /// The lines on the screen. Corrects the first of them: to an existing line near the previous one, with the selection
  /// visible if requested, and without empty space at the end that earlier lines could fill.
  func visibleLines() -> [TableLine] {
    guard let layout, !area.isEmpty, var first = top.flatMap(layout.nearest) ?? layout.first else {
      top = nil
      return []
    }
    if isRevealing, let selected = selection?.line {
      first = layout.revealing(selected, from: first, height: area.count)
    }
    isRevealing = false
    var lines = layout.lines(from: first, limit: area.count)
    while lines.count < area.count, let before = layout.line(before: lines[0]) { lines.insert(before, at: 0) }
    top = lines[0]
    return lines
  }

  private func text(of line: TableLine) -> StyledText {
    guard let layout else { return StyledText() }
    let width = screen.size.columns
    let isSelected = selection?.line == line
    var text: StyledText
    switch line {
    case .header(let section):
      text = style.header(
        TerminalTableStyle.Header(
          title: layout.content.header(ofSection: section) ?? "",
          numberOfItems: layout.content.numberOfItems(inSection: section), isFolded: layout.isFolded(section)))
    case .footer(let section):
      text = style.indent + StyledText(layout.content.footer(ofSection: section) ?? "", style: style.footer)
    case .row(let path):
      let isHighlighted = !highlights.isEmpty && layout.content.itemID(at: path).map(highlights.contains) ?? false
      let context = LineContext(
        width: max(width - style.indent.width, 0), isSelected: isSelected, isHighlighted: isHighlighted)
      text = style.indent + layout.content.cell(at: path).line(in: context)
      if isHighlighted { text = text.styled(style.highlighted) }
    }
    return isSelected ? text.fitted(to: width).styled(style.selected) : text
  }

  private func dropOldHighlights() {
    if !highlights.isEmpty { highlights.removeAll(before: now()) }
  }
}

extension TableLayout {
  /// The first line of a screen of a given height that shows a line, as near as possible to another first line.
  func revealing(_ line: TableLine, from first: TableLine, height: Int) -> TableLine {
    if line < first {
      // The first row of a section is shown with its header, if there is room for both.
      if height > 1, let before = self.line(before: line), case .header(line.section) = before { return before }
      return line
    }
    if lines(from: first, limit: height).contains(line) { return first }
    return self.line(line, offsetBy: 1 - height)
  }
}
