import DataSources
import TerminalLists

/// A terminal, as far as a screen uses one: it keeps what is seen, letter by letter.
struct ScreenModel: Equatable {
  /// A place on the screen. The second half of a wide letter is an empty text.
  struct Place: Equatable {
    var text = " "
    var style = "0"
  }

  private(set) var rows: [[Place]]
  private var row = 0
  private var column = 0
  private var style = "0"
  /// Output that a screen should not send.
  private(set) var complaints: [String] = []

  init(columns: Int, rows: Int) {
    self.rows = Array(repeating: Array(repeating: Place(), count: columns), count: rows)
  }

  /// The visible text, without styles and without trailing spaces.
  var lines: [String] {
    rows.map { places in
      var text = places.map(\.text).joined()
      while text.hasSuffix(" ") { text.removeLast() }
      return text
    }
  }

  /// The letters of a row in a style, such as "7" for inverse.
  func text(inRow row: Int, withStyle style: String) -> String {
    rows[row].filter { $0.style == style }.map(\.text).joined()
  }

  static func == (lhs: ScreenModel, rhs: ScreenModel) -> Bool { lhs.rows == rhs.rows }

  /// Takes what a terminal is sent.
  mutating func receive(_ output: String) {
    // By scalars, as a terminal does: what follows a command never joins its last letter.
    var rest = Substring(output).unicodeScalars
    while !rest.isEmpty {
      guard rest.first == "\u{1B}" else {
        let end = rest.firstIndex(of: "\u{1B}") ?? rest.endIndex
        for character in Substring(rest[..<end]) { put(character) }
        rest = rest[end...]
        continue
      }
      guard rest.dropFirst().first == "[", let end = rest.dropFirst(2).firstIndex(where: { $0.properties.isAlphabetic })
      else {
        complaints.append("an escape that is none: \(String(rest).debugDescription)")
        return
      }
      obey(Character(rest[end]), String(rest[rest.index(rest.startIndex, offsetBy: 2)..<end]))
      rest = rest[rest.index(after: end)...]
    }
  }

  private mutating func obey(_ command: Character, _ arguments: String) {
    switch command {
    case "H":
      let numbers = arguments.split(separator: ";").compactMap { Int($0) }
      row = numbers[0] - 1
      column = numbers[1] - 1
      if !rows.indices.contains(row) { complaints.append("row \(row)") }
    case "K": for place in column..<rows[row].count { rows[row][place] = Place(style: style) }
    case "m": style = arguments == "0" || arguments.isEmpty ? "0" : arguments
    case "J": for row in rows.indices { rows[row] = rows[row].map { _ in Place() } }
    case "h", "l": break
    default: complaints.append("an unknown command \(command)")
    }
  }

  private mutating func put(_ character: Character) {
    let width = DisplayWidth.of(character)
    for scalar in character.unicodeScalars {
      if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.properties.isBidiControl {
        complaints.append("U+\(String(scalar.value, radix: 16)) reached the terminal")
      }
    }
    guard width > 0 else { return complaints.append("a letter of no width: \(character.debugDescription)") }
    guard column + width <= rows[row].count else { return complaints.append("row \(row) runs over") }
    rows[row][column] = Place(text: String(character), style: style)
    if width == 2 { rows[row][column + 1] = Place(text: "", style: style) }
    column += width
  }
}

/// A screen together with the terminal that it draws on.
final class Terminal {
  private(set) var model: ScreenModel
  private(set) var sent = 0
  private(set) var rowsDrawn: [Int] = []
  private var screenBehind: TerminalScreen?

  init(columns: Int, rows: Int) {
    model = ScreenModel(columns: columns, rows: rows)
    screenBehind = TerminalScreen(size: TerminalSize(columns: columns, rows: rows)) { [weak self] in self?.receive($0) }
  }

  var screen: TerminalScreen { screenBehind ?? TerminalScreen(size: TerminalSize(columns: 0, rows: 0)) { _ in } }

  var lines: [String] { model.lines }

  /// Changes the window's size. What a terminal shows then is undefined.
  func resize(columns: Int, rows: Int) {
    model = ScreenModel(columns: columns, rows: rows)
    screen.resize(to: TerminalSize(columns: columns, rows: rows))
  }

  /// Forgets what was drawn up to now.
  func forget() { rowsDrawn = [] }

  /// The screen after everything is drawn again.
  func redrawn() -> ScreenModel {
    let before = model
    model = ScreenModel(columns: screen.size.columns, rows: screen.size.rows)
    screen.invalidate()
    screen.flush()
    defer { model = before }
    return model
  }

  private func receive(_ output: String) {
    sent += 1
    rowsDrawn += output.split(separator: "\u{1B}[").compactMap { part in
      part.contains(";1H") ? Int(part.prefix { $0 != ";" }).map { $0 - 1 } : nil
    }
    model.receive(output)
  }
}
