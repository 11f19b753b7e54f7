import DataSources

/// The lines of a table in order, without ever counting all of them. A list can be much longer than a screen, so the
/// table walks from its current line. It jumps if there may be many sections between two relevant lines.
struct TableLayout {
  let content: any ListContent<any LineCell>
  let folded: FoldedSections

  func isFolded(_ section: Int) -> Bool { folded.contains(section) }

  /// Sections without a header have no line for it, unless they are folded: then the header is their only line.
  private func hasHeader(_ section: Int) -> Bool { content.header(ofSection: section) != nil || isFolded(section) }

  private func hasFooter(_ section: Int) -> Bool { !isFolded(section) && content.footer(ofSection: section) != nil }

  private func rows(_ section: Int) -> Int { isFolded(section) ? 0 : content.numberOfItems(inSection: section) }

  var first: TableLine? { firstLine(from: 0) }

  var last: TableLine? { lastLine(upTo: content.numberOfSections - 1) }

  func line(after line: TableLine) -> TableLine? {
    let section = line.section
    switch line {
    case .header:
      if rows(section) > 0 { return .row(ItemPath(section: section, item: 0)) }
    case .row(let path):
      if path.item + 1 < rows(section) { return .row(ItemPath(section: section, item: path.item + 1)) }
    case .footer:
      return firstLine(from: section + 1)
    }
    return hasFooter(section) ? .footer(section) : firstLine(from: section + 1)
  }

  func line(before line: TableLine) -> TableLine? {
    let section = line.section
    switch line {
    case .footer:
      if rows(section) > 0 { return .row(ItemPath(section: section, item: rows(section) - 1)) }
    case .row(let path):
      if path.item > 0 { return .row(ItemPath(section: section, item: path.item - 1)) }
    case .header:
      return lastLine(upTo: section - 1)
    }
    return hasHeader(section) ? .header(section) : lastLine(upTo: section - 1)
  }

  func contains(_ line: TableLine) -> Bool {
    guard line.section >= 0, line.section < content.numberOfSections else { return false }
    return switch line {
    case .header(let section): hasHeader(section)
    case .row(let path): path.item >= 0 && path.item < rows(path.section)
    case .footer(let section): hasFooter(section)
    }
  }

  /// The line itself if it exists, else the next one that does, else the last.
  func nearest(_ line: TableLine) -> TableLine? {
    if contains(line) { return line }
    guard line.section < content.numberOfSections else { return last }
    if case .row(let path) = line, rows(path.section) > 0 {
      let item = min(max(path.item, 0), rows(path.section) - 1)
      return .row(ItemPath(section: path.section, item: item))
    }
    return firstLine(from: line.section) ?? last
  }

  /// The lines from one on, up to a maximum number.
  func lines(from start: TableLine, limit: Int) -> [TableLine] {
    var lines: [TableLine] = []
    var next: TableLine? = start
    while let line = next, lines.count < limit {
      lines.append(line)
      next = self.line(after: line)
    }
    return lines
  }

  /// The line a number of steps before or after one, or the last one in that direction.
  func line(_ line: TableLine, offsetBy distance: Int) -> TableLine {
    var line = line
    var left = distance.magnitude
    while left > 0, let next = distance < 0 ? self.line(before: line) : self.line(after: line) {
      line = next
      left -= 1
    }
    return line
  }

  func identity(of line: TableLine) -> TableLineIdentity? {
    switch line {
    case .header(let section): .header(content.sectionID(at: section))
    case .row(let path): content.itemID(at: path).map { .row($0) }
    case .footer(let section): .footer(content.sectionID(at: section))
    }
  }

  private func firstLine(from section: Int) -> TableLine? {
    var section = section
    while section < content.numberOfSections {
      if hasHeader(section) { return .header(section) }
      if rows(section) > 0 { return .row(ItemPath(section: section, item: 0)) }
      if hasFooter(section) { return .footer(section) }
      section += 1
    }
    return nil
  }

  private func lastLine(upTo section: Int) -> TableLine? {
    var section = section
    while section >= 0 {
      if hasFooter(section) { return .footer(section) }
      if rows(section) > 0 { return .row(ItemPath(section: section, item: rows(section) - 1)) }
      if hasHeader(section) { return .header(section) }
      section -= 1
    }
    return nil
  }
}
