import DataSources
import TerminalLists

/// The destination of the output: a terminal with its width and colours, or a file or pipe that gets the whole text.
struct Screen: Sendable {
  /// The number of columns of a line; nil if there is no limit.
  let width: Int?
  /// Whether colours and other styles may be used.
  let isColoured: Bool

  /// Whether dates and priorities must be short to leave room for titles.
  var isNarrow: Bool { width.map(Self.isNarrow) ?? false }

  static func isNarrow(_ width: Int) -> Bool { width < 60 }

  /// The standard output.
  static let standard = Screen(descriptor: 1)

  /// The standard error.
  static let errors = Screen(descriptor: 2)

  init(width: Int?, isColoured: Bool) {
    self.width = width
    self.isColoured = isColoured
  }

  private init(descriptor: Int32) {
    width = System.columns(of: descriptor)
    let terminal = System.environment("TERM")
    // A wrong config file is an error of the command; its message has no colours.
    isColoured =
      (try? Settings.current.get().color)
      ?? (width != nil && terminal != nil && terminal != "dumb" && System.environment("NO_COLOR") == nil)
  }

  /// A line as it is sent: cut to the terminal's width, and with its styles if they may be used.
  func rendered(_ line: StyledText) -> String {
    let line = width.map { line.truncated(to: $0) } ?? line
    return isColoured ? line.escaped : line.text
  }

  /// A text as lines that are no wider than the screen, broken between words if possible.
  func wrapped(_ text: String, indent: Int = 0) -> [String] {
    guard let width, DisplayWidth.of(text) + indent > width else { return [text] }
    let room = max(width - indent, 1)
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let wordWidth = DisplayWidth.of(String(word))
      if !lines.isEmpty || !line.isEmpty || used > 0 {
        if used + 1 + wordWidth <= room {
          line += " " + word
          used += 1 + wordWidth
          continue
        }
        // A word that fits on no line starts here, where its sentence does.
        if wordWidth > room, used + 2 <= room {
          line += " "
          used += 1
        } else {
          lines.append(line)
          (line, used) = ("", 0)
        }
      }
      for character in word {
        let size = DisplayWidth.of(character)
        if used + size > room, used > 0 {
          lines.append(line)
          (line, used) = ("", 0)
        }
        line.append(character)
        used += size
      }
    }
    lines.append(line)
    return lines
  }
}

extension Output {
  /// Prints a sentence, in as many lines as the screen needs.
  func sentence(_ text: String, on screen: Screen = .standard) throws {
    for part in screen.wrapped(text) { try line(part) }
  }
}
