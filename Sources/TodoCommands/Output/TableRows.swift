import DataSources
import TerminalLists
import TodoCore

/// Rows of a list as bytes, with the width of each cell in terminal columns.
struct TableRows {
  private struct Cell {
    var end: Int32
    var width: Int32
  }

  /// The look of rows besides their cells.
  private struct Look: OptionSet {
    let rawValue: UInt8
    static let done = Look(rawValue: 1)
    static let overdue = Look(rawValue: 2)
    static let today = Look(rawValue: 4)
    static let high = Look(rawValue: 8)
  }

  private static let columnCount = TableColumn.allCases.count

  private var bytes: [UInt8] = []
  private var cells: [Cell] = []
  private var looks: [Look] = []
  /// The greatest width in each column.
  private(set) var widest = [Int](repeating: 0, count: columnCount)

  var count: Int { looks.count }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    looks.removeAll(keepingCapacity: true)
    for column in widest.indices { widest[column] = 0 }
  }

  // MARK: Filling

  /// - Parameter isNarrow: Whether the screen has room only for short words.
  mutating func append(_ item: Item, view: ItemView, isNarrow: Bool, at moment: Moment) {
    var look: Look = item.done ? .done : []
    if item.priority == .high { look.insert(.high) }
    add(.id, ascii: String(item.id))
    add(.mark, ascii: item.done ? "x" : item.started != nil ? ">" : "")
    add(.title, item.title)
    let showsReasons = view == .next && !isNarrow
    let high = look.contains(.high) ? "!" : ""
    add(.priority, ascii: showsReasons ? "" : isNarrow ? high : item.priority.map { "!" + $0.name } ?? "")
    if let due = item.due {
      let words = DueWords(due, isDone: item.done, at: moment)
      if words.isOverdue { look.insert(.overdue) }
      if words.isToday { look.insert(.today) }
      add(.due, ascii: showsReasons ? DueWords.reasons(for: item, at: moment) : isNarrow ? words.short : words.text)
    } else {
      add(.due, ascii: showsReasons ? DueWords.reasons(for: item, at: moment) : "")
    }
    add(.every, ascii: item.every.map { "every \($0.words)" } ?? "")
    if item.tags.isEmpty {
      add(.tags, ascii: "")
    } else {
      add(.tags, item.tags.map { "@" + $0 }.joined(separator: " "))
    }
    if view == .list { add(.list, ascii: "") } else { add(.list, "+" + item.list) }
    switch item.notes.count {
    case 0: add(.notes, ascii: "")
    case 1: add(.notes, ascii: "1 note")
    case let count: add(.notes, ascii: "\(count) notes")
    }
    looks.append(look)
  }

  private mutating func add(_ column: TableColumn, ascii text: String) {
    if text.isEmpty { return add(column, width: 0) }
    bytes.append(contentsOf: text.utf8)
    add(column, width: text.utf8.count)
  }

  private mutating func add(_ column: TableColumn, _ text: String) {
    var text = text
    let isPlain = text.withUTF8 { utf8 in
      guard utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return false }
      bytes.append(contentsOf: utf8)
      return true
    }
    if isPlain { return add(column, width: text.utf8.count) }
    let visible = text.visible
    bytes.append(contentsOf: visible.utf8)
    add(column, width: DisplayWidth.of(visible))
  }

  private mutating func add(_ column: TableColumn, width: Int) {
    cells.append(Cell(end: Int32(clamping: bytes.count), width: Int32(clamping: width)))
    widest[column.rawValue] = max(widest[column.rawValue], width)
  }

  // MARK: Showing

  private func cell(_ row: Int, _ column: TableColumn) -> (bytes: ArraySlice<UInt8>, width: Int) {
    let index = row * Self.columnCount + column.rawValue
    let start = index == 0 ? 0 : Int(cells[index - 1].end)
    return (bytes[start..<Int(cells[index].end)], Int(cells[index].width))
  }

  /// Writes a row without styles, all of it.
  func write(_ row: Int, _ layout: TableLayout, to output: Output) throws {
    var missing = TableLayout.indent
    try output.printLine { line in
      for (column, width) in layout.columns {
        let (text, own) = cell(row, column)
        if column == .id { missing += width - own }
        if !text.isEmpty {
          for _ in 0..<missing { line.append(0x20) }
          line.append(contentsOf: text)
          missing = 0
        }
        // Spaces are only written if something follows them.
        if column != .id { missing += max(0, width - own) }
        missing += TableLayout.gap
      }
    }
  }

  /// A row with its styles, each cell as wide as its column.
  func styled(_ row: Int, _ layout: TableLayout) -> StyledText {
    let look = looks[row]
    var line = StyledText()
    var missing = TableLayout.indent
    for (index, (column, width)) in layout.columns.enumerated() {
      let (bytes, own) = cell(row, column)
      if column == .id { missing += width - own }
      if !bytes.isEmpty {
        line.append(String(repeating: " ", count: missing))
        var room = width
        if column == .title {
          // A title may go on where the columns after it are empty.
          for next in layout.columns[(index + 1)...] {
            if !cell(row, next.column).bytes.isEmpty { break }
            room += TableLayout.gap + next.width
          }
        }
        let text = StyledText(String(decoding: bytes, as: UTF8.self), style: style(column, look)).truncated(to: room)
        line.append(text)
        missing = column == .id ? 0 : width - text.width
      } else {
        missing += width
      }
      missing += TableLayout.gap
    }
    return line
  }

  private func style(_ column: TableColumn, _ look: Look) -> TextStyle {
    if look.contains(.done) { return TextStyle(.dim) }
    switch column {
    case .id: return TextStyle(.dim)
    case .mark: return TextStyle(foreground: .green)
    case .title: return .plain
    case .priority: return look.contains(.high) ? TextStyle(.bold, foreground: .red) : TextStyle(foreground: .yellow)
    case .due:
      if look.contains(.overdue) { return TextStyle(foreground: .red) }
      return look.contains(.today) ? TextStyle(foreground: .yellow) : .plain
    case .every, .notes: return TextStyle(.dim)
    case .tags: return TextStyle(foreground: .cyan)
    case .list: return TextStyle(foreground: .blue)
    }
  }
}
