import DataSources
import TerminalLists
import TodoCore

/// A small table of texts: aligned columns, as wide as needed.
struct TextTable {
  private var rows: [[String]] = []
  /// Right-aligned columns, for numbers.
  private let rightAligned: Set<Int>

  init(rightAligned: Set<Int> = []) { self.rightAligned = rightAligned }

  mutating func add(_ cells: String...) { rows.append(cells.map(\.visible)) }

  /// The lists, with the numbers of their items.
  static func lists(_ lists: [ItemList]) -> TextTable {
    var table = TextTable(rightAligned: [1, 2])
    for list in lists { table.add(list.name, "\(list.open) open", "\(list.total) in all") }
    return table
  }

  /// Prints the rows, or a sentence if it is empty.
  func print(indent: Int = 0, to output: Output, on screen: Screen = .standard, nothing: String = "") throws {
    if rows.isEmpty, !nothing.isEmpty { return try output.line(nothing) }
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? DisplayWidth.of($0[column]) : 0 }.max() ?? 0
    }
    for row in rows {
      var line = String(repeating: " ", count: indent)
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - DisplayWidth.of(cell))
        if column > 0 { line += "  " }
        let isLast = column == row.count - 1
        line += rightAligned.contains(column) ? padding + cell : isLast ? cell : cell + padding
      }
      try output.line(screen.rendered(StyledText(line)))
    }
  }
}
