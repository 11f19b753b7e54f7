/// A terminal's screen as lines: set them, flush, and only changed lines are sent.
///
/// ```swift
/// let screen = TerminalScreen(size: TerminalSize(columns: 80, rows: 24)) { text in print(text, terminator: "") }
/// screen.begin()
/// screen[0] = StyledText("Tasks", style: TextStyle(.bold))
/// screen.flush()
/// screen.end()
/// ```
///
/// All output goes through the closure passed to the initializer, with at most one call for each flush. Each line
/// starts at an absolute position, so if a terminal measures a letter differently, at most that line is wrong. The text
/// of a line can't contain control characters (see ``StyledText``).
///
/// A screen is not thread-safe: use it only where it was created.
public final class TerminalScreen {
  /// The size, in columns and rows.
  public private(set) var size: TerminalSize

  /// The lines to show.
  private var lines: [StyledText]
  /// The lines on the terminal; nil if not known.
  private var shown: [StyledText?]
  private let output: (String) -> Void

  /// Creates a screen whose contents are not known: the first flush draws all of it.
  public init(size: TerminalSize, output: @escaping (String) -> Void) {
    self.size = size
    self.output = output
    lines = Array(repeating: StyledText(), count: size.rows)
    shown = Array(repeating: nil, count: size.rows)
  }

  /// A line, from 0 at the top. A line that is too wide is cut when it is set. Lines outside the screen are empty, and
  /// setting them does nothing: a terminal may just have become smaller.
  public subscript(row: Int) -> StyledText {
    get { lines.indices.contains(row) ? lines[row] : StyledText() }
    set {
      guard lines.indices.contains(row) else { return }
      lines[row] = newValue.truncated(to: size.columns)
    }
  }

  /// Sends the lines that changed since the last flush; nothing if none did.
  ///
  /// Complexity: O(number of rows), and the text of those that changed.
  public func flush() {
    var text = ""
    for row in lines.indices where shown[row] != lines[row] {
      let line = lines[row]
      text += "\u{1B}[\(row + 1);1H"
      text += line.escaped
      // After a full line the cursor is still on its last letter, which erasing would remove.
      if line.width < size.columns { text += "\u{1B}[K" }
      shown[row] = line
    }
    if !text.isEmpty { output(text) }
  }

  /// Changes the size. The next flush draws everything again, and new lines are empty.
  ///
  /// ```swift
  /// table.screen.resize(to: TerminalSize(columns: 120, rows: 40))
  /// table.display()
  /// ```
  public func resize(to size: TerminalSize) {
    self.size = size
    lines = (0..<size.rows).map { lines.indices.contains($0) ? lines[$0].truncated(to: size.columns) : StyledText() }
    invalidate()
  }

  /// Forgets what is on the terminal, for example after something else wrote to it. The next flush draws everything
  /// again.
  ///
  /// ```swift
  /// table.screen.invalidate()
  /// table.screen.flush()
  /// ```
  public func invalidate() { shown = Array(repeating: nil, count: size.rows) }

  /// Takes over the terminal: switches to the alternate screen, hides the cursor, and turns line wrapping off.
  public func begin() {
    output("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
    invalidate()
  }

  /// Restores the terminal to its state before ``begin()``.
  public func end() {
    output("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    invalidate()
  }
}

/// The size of a terminal in columns and rows.
///
/// ```swift
/// let size = TerminalSize(columns: 80, rows: 24)
/// ```
public struct TerminalSize: Hashable, Sendable {
  /// The number of columns.
  public var columns: Int
  /// The number of rows.
  public var rows: Int

  /// Creates a size. Negative numbers become 0.
  public init(columns: Int, rows: Int) {
    self.columns = max(columns, 0)
    self.rows = max(rows, 0)
  }
}
