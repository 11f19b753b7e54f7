import DataSources

/// Selectable lines: rows, and the headers of folded sections.
extension TableLayout {
  func isSelectable(_ line: TableLine) -> Bool {
    switch line {
    case .row(let path): !isFolded(path.section)
    case .header(let section): isFolded(section)
    case .footer: false
    }
  }

  /// The first selectable line at this one or after it. It skips any number of sections in between without visiting
  /// them, except neighbours that are all folded.
  func selectable(from line: TableLine?) -> TableLine? {
    guard let line else { return nil }
    if isSelectable(line) { return line }
    if case .header(let section) = line, content.numberOfItems(inSection: section) > 0 {
      return .row(ItemPath(section: section, item: 0))
    }
    return selectable(fromSection: line.section + 1)
  }

  /// The last selectable line at this one or before it.
  func selectable(upTo line: TableLine?) -> TableLine? {
    guard let line else { return nil }
    if isSelectable(line) { return line }
    if case .footer(let section) = line, content.numberOfItems(inSection: section) > 0 {
      return .row(ItemPath(section: section, item: content.numberOfItems(inSection: section) - 1))
    }
    return selectable(upToSection: line.section - 1)
  }

  /// The selectable line that is some steps away, or the last one in that direction.
  func selectable(_ start: TableLine, offsetBy steps: Int) -> TableLine {
    var line = start
    var left = steps.magnitude
    while left > 0 {
      let (next, taken) = steps < 0 ? jump(before: line, atMost: left) : jump(after: line, atMost: left)
      guard let next else { break }
      line = next
      left -= taken
    }
    return line
  }

  /// Moves on as far as no folded section begins: the content counts the rows.
  private func jump(after line: TableLine, atMost steps: UInt) -> (TableLine?, UInt) {
    guard case .row(let path) = line else { return (selectable(fromSection: line.section + 1), 1) }
    let offset = content.offset(ofSection: path.section) + path.item
    let end = content.offset(ofSection: folded.first(from: path.section) ?? content.numberOfSections)
    let room = end - 1 - offset
    if room == 0 { return (folded.first(from: path.section).map { .header($0) }, 1) }
    let taken = UInt(exactly: room).map { min($0, steps) } ?? 0
    return (content.path(atOffset: offset + Int(taken)).map { .row($0) }, max(taken, 1))
  }

  private func jump(before line: TableLine, atMost steps: UInt) -> (TableLine?, UInt) {
    guard case .row(let path) = line else { return (selectable(upToSection: line.section - 1), 1) }
    let offset = content.offset(ofSection: path.section) + path.item
    let fold = folded.last(upTo: path.section)
    let room = offset - (fold.map { content.offset(ofSection: $0 + 1) } ?? 0)
    if room == 0 { return (fold.map { .header($0) }, 1) }
    let taken = UInt(exactly: room).map { min($0, steps) } ?? 0
    return (content.path(atOffset: offset - Int(taken)).map { .row($0) }, max(taken, 1))
  }

  /// The first row, or folded section, from a section on.
  func selectable(fromSection section: Int) -> TableLine? {
    guard section < content.numberOfSections else { return nil }
    let path = content.path(atOffset: content.offset(ofSection: section))
    let fold = folded.first(from: section)
    guard let path else { return fold.map { .header($0) } }
    if let fold, fold <= path.section { return .header(fold) }
    return .row(path)
  }

  /// The last row, or folded section, up to a section.
  func selectable(upToSection section: Int) -> TableLine? {
    guard section >= 0 else { return nil }
    let path = content.path(atOffset: content.offset(ofSection: section + 1) - 1)
    let fold = folded.last(upTo: section)
    guard let path else { return fold.map { .header($0) } }
    if let fold, fold >= path.section { return .header(fold) }
    return .row(path)
  }
}
