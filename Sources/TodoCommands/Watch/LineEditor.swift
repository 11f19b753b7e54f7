import DataSources
import TerminalLists

/// A line of text that is being typed, with a cursor.
struct LineEditor {
  /// The text before the cursor.
  private(set) var before: String
  /// The text after the cursor.
  private(set) var after = ""

  /// A line with an initial text, and the cursor at its end.
  init(_ text: String = "") { before = text }

  /// All of the line.
  var text: String { before + after }

  /// The effect of a key.
  enum Outcome {
    case edited, moved, ignored
  }

  /// Handles a key.
  mutating func handle(_ key: Key) -> Outcome {
    let former = text
    switch key {
    case .text(let text): before += text
    case .paste(let text): before += String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    case .backspace, .control("h"): if !before.isEmpty { before.removeLast() }
    case .delete, .control("d"): if !after.isEmpty { after.removeFirst() }
    case .left, .control("b"): if let letter = before.popLast() { after = String(letter) + after }
    case .right, .control("f"): if !after.isEmpty { before.append(after.removeFirst()) }
    case .home, .control("a"): (before, after) = ("", text)
    case .end, .control("e"): (before, after) = (text, "")
    case .control("k"): after = ""
    case .control("u"): before = ""
    case .control("w"):
      while before.last?.isWhitespace == true { before.removeLast() }
      while let last = before.last, !last.isWhitespace { before.removeLast() }
    default: return .ignored
    }
    return text == former ? .moved : .edited
  }

  /// The line in a number of columns; the part around the cursor if not all of it fits.
  func line(width: Int) -> StyledText {
    let cursor = StyledText(after.first.map(String.init) ?? " ", style: TextStyle(.inverse))
    var shown = before
    var start = StyledText(shown)
    // From the left, letter by letter, until the cursor is visible.
    while start.width + max(cursor.width, 1) > width, !shown.isEmpty {
      shown.removeFirst(max(1, min(shown.count, (start.width + 1 - width) / 2)))
      start = StyledText("…" + shown)
    }
    return (start + cursor + StyledText(String(after.dropFirst()))).truncated(to: width)
  }
}
