import TerminalLists

/// Text that can be longer than the screen: the help, and the details of an item.
struct Pager {
  /// The first visible line.
  private(set) var top = 0

  /// The visible lines, and which ones they are if not all are visible: "1-9 of 24".
  mutating func page(of lines: [StyledText], height: Int) -> (lines: [StyledText], place: String?) {
    top = max(0, min(top, lines.count - height))
    let end = min(top + height, lines.count)
    return (Array(lines[top..<end]), lines.count > height ? "\(top + 1)-\(end) of \(lines.count)" : nil)
  }

  /// Scrolls by a key, if that is what it does.
  mutating func scroll(_ key: Key, height: Int) {
    switch key {
    case .text("j"), .down, .control("n"): top += 1
    case .text("k"), .up, .control("p"): top -= 1
    case .text(" "), .pageDown, .control("f"): top += max(height - 1, 1)
    case .pageUp, .control("b"): top -= max(height - 1, 1)
    case .text("g"), .home: top = 0
    case .text("G"), .end: top = Int.max / 2
    default: break
    }
  }
}
