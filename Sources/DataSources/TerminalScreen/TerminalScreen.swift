/// A terminal's screen as lines: set them, flush, and only those that changed are sent.
///
/// ```swift
/// let screen = TerminalScreen(size: TerminalSize(columns: 80, rows: 24)) { text in write(text) }
/// screen.begin()
/// screen[0] = StyledText("Tasks", style: TextStyle(.bold))
/// screen.flush()
/// screen.end()
/// ```
///
/// Everything goes through the closure that it was made with, at most one call for each flush. Each line is written from an absolute
/// place, so a terminal that measures a letter differently spoils at most its line; and the text of a line cannot hold
/// anything but letters (see ``StyledText``).
///
/// A screen belongs to whoever made it and is used there only.
public final class TerminalScreen {
  /// The size, in letters.
  public private(set) var size: TerminalSize

  /// What is to be seen.
  private var lines: [StyledText]
  /// What is seen; nil where that is not known.
  private var shown: [StyledText?]
  private let output: (String) -> Void

  /// Makes a screen whose contents are not known: the first flush draws all of it.
  public init(size: TerminalSize, output: @escaping (String) -> Void) {
    self.size = size
    self.output = output
    lines = Array(repeating: StyledText(), count: size.rows)
    shown = Array(repeating: nil, count: size.rows)
  }

  /// A line, from 0 at the top. What is too wide is cut when it is set. Lines outside the screen read as empty, and setting
  /// them does nothing: a terminal may have become smaller a moment ago.
  public subscript(row: Int) -> StyledText {
    get { lines.indices.contains(row) ? lines[row] : StyledText() }
    set {
      guard lines.indices.contains(row) else { return }
      lines[row] = newValue.truncated(to: size.columns)
    }
  }

  /// Sends the lines that changed since the last flush, and nothing when none did.
  ///
  /// Complexity: O(number of rows), and the text of those that changed.
  public func flush() {
    var text = ""
    for row in lines.indices where shown[row] != lines[row] {
      let line = lines[row]
      text += "\u{1B}[\(row + 1);1H"
      text += line.escaped
      // After a full line the cursor still stands on its last letter, which erasing would take away.
      if line.width < size.columns { text += "\u{1B}[K" }
      shown[row] = line
    }
    if !text.isEmpty { output(text) }
  }

  /// Takes another size. All is drawn anew with the next flush, and lines that are new are empty.
  public func resize(to size: TerminalSize) {
    self.size = size
    lines = (0..<size.rows).map { lines.indices.contains($0) ? lines[$0].truncated(to: size.columns) : StyledText() }
    invalidate()
  }

  /// Forgets what is seen, as when something else wrote to the terminal. All is drawn anew with the next flush.
  public func invalidate() { shown = Array(repeating: nil, count: size.rows) }

  /// Takes the whole terminal: another screen than the one with the user's shell, no cursor, no line that runs over.
  public func begin() {
    output("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
    invalidate()
  }

  /// Gives the terminal back as it was before ``begin()``.
  public func end() {
    output("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    invalidate()
  }
}
