import DataSources
import TerminalLists

/// A terminal, as far as the program uses one: it keeps what is seen, letter by letter, and what was switched on.
struct TerminalModel {
  /// A place on the screen. The second half of a wide letter is an empty text.
  struct Place: Equatable {
    var text = " "
    var style = ""
  }

  private(set) var places: [[Place]]
  /// The private modes that are on: "1049" for the other screen, "25" for the cursor, "7" for lines that run over.
  private(set) var modes: Set<String> = ["25", "7"]
  /// Output that must not be sent.
  private(set) var complaints: [String] = []
  /// Whether lines may run over, as they do while the program does not know yet that the terminal has become smaller.
  var allowsOverrun = false
  /// All text that was written outside of the other screen.
  private(set) var transcript = ""
  private var row = 0
  private var column = 0
  private var style = ""
  private var waiting: [UInt8] = []

  init(columns: Int, rows: Int) { places = Self.empty(columns, rows) }

  private static func empty(_ columns: Int, _ rows: Int) -> [[Place]] {
    Array(repeating: Array(repeating: Place(), count: columns), count: rows)
  }

  /// The visible text, without styles and without trailing spaces.
  var lines: [String] {
    places.map { places in
      var text = places.map(\.text).joined()
      while text.hasSuffix(" ") { text.removeLast() }
      return text
    }
  }

  /// The visible text, without trailing empty lines.
  var text: String {
    var lines = lines[...]
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  /// The lines that have a code such as "7" for inverse in the style of their first letters.
  func lines(withStyle code: String) -> [String] {
    zip(lines, places).filter { _, places in
      places.contains { $0.text != " " && $0.style.split(separator: ";").contains(Substring(code)) }
    }.map(\.0)
  }

  /// Whether the terminal is as a shell left it.
  var isRestored: Bool { modes == ["25", "7"] && style.isEmpty }

  mutating func resize(columns: Int, rows: Int) { places = Self.empty(columns, rows) }

  /// Takes what a terminal is sent, which may end within a letter or a command.
  mutating func receive(_ bytes: [UInt8]) {
    waiting += bytes
    while let first = waiting.first {
      if first == 0x1B {
        guard let count = command() else { return }
        waiting.removeFirst(count)
        continue
      }
      var end = waiting.firstIndex(of: 0x1B) ?? waiting.endIndex
      // What ends within a letter waits for the rest of it.
      if end == waiting.endIndex {
        let start = waiting.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
        let length = waiting[start] < 0xC0 ? 1 : waiting[start] < 0xE0 ? 2 : waiting[start] < 0xF0 ? 3 : 4
        if waiting.count - start < length { end = start }
        if end == 0 { return }
      }
      put(String(decoding: waiting[..<end], as: UTF8.self))
      waiting.removeFirst(end)
    }
  }

  /// Obeys the command that waits, and gives its length; nil where it is not complete.
  private mutating func command() -> Int? {
    guard waiting.count > 1 else { return nil }
    guard waiting[1] == UInt8(ascii: "[") else {
      complaints.append("an escape that is none")
      return 1
    }
    guard let end = waiting.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
    obey(waiting[end], String(decoding: waiting[2..<end], as: UTF8.self))
    return end + 1
  }

  private mutating func obey(_ command: UInt8, _ arguments: String) {
    switch Character(Unicode.Scalar(command)) {
    case "H":
      let numbers = arguments.split(separator: ";").compactMap { Int($0) }
      row = (numbers.first ?? 1) - 1
      column = (numbers.last ?? 1) - 1
      if !places.indices.contains(row), !allowsOverrun { complaints.append("row \(row)") }
    case "K":
      if places.indices.contains(row) { for place in column..<places[row].count { places[row][place] = Place() } }
    case "J": places = Self.empty(places.first?.count ?? 0, places.count)
    case "m": style = arguments == "0" ? "" : arguments
    case "h": modes.insert(String(arguments.drop { $0 == "?" }))
    case "l": modes.remove(String(arguments.drop { $0 == "?" }))
    default: complaints.append("an unknown command \(command)")
    }
  }

  private mutating func put(_ text: String) {
    guard modes.contains("1049") else {
      transcript += text
      return
    }
    for character in text {
      for scalar in character.unicodeScalars {
        if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.properties.isBidiControl {
          complaints.append("U+\(String(scalar.value, radix: 16)) reached the terminal")
        }
      }
      let width = DisplayWidth.of(character)
      guard places.indices.contains(row), column + width <= places[row].count else {
        if !allowsOverrun { complaints.append("row \(row) runs over") }
        return
      }
      guard width > 0 else { continue }
      places[row][column] = Place(text: String(character), style: style)
      if width == 2 { places[row][column + 1] = Place(text: "", style: style) }
      column += width
    }
  }
}
