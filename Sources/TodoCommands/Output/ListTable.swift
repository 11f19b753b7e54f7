import DataSources
import TerminalLists
import TodoCore

/// Shows a list to people: headings with counts, and rows in aligned columns.
///
/// It keeps rows, as bytes, until a section ends and there are a few thousand of them, to find out how wide the columns
/// are. So its memory depends on the longest section. On a terminal no line is wider than it; elsewhere nothing is cut.
struct ListTable: ListVisitor {
  private let screen: Screen
  private let output: Output
  private let moment: Moment
  private let view: ItemView
  private var rows: TableRows
  /// The widths of the columns printed so far: later rows take no less.
  private var widths = [Int](repeating: 0, count: TableColumn.allCases.count)
  private var sections: [(name: String, firstRow: Int)] = []
  private var isFirstSection = true
  /// The number of rows shown.
  private(set) var count = 0

  /// From how many rows on the end of a section prints them. They determine the widths of the columns together.
  private static let pageSize = 4096

  init(_ view: ItemView, moment: Moment, on screen: Screen = .standard, to output: Output) {
    self.view = view
    self.moment = moment
    self.screen = screen
    self.output = output
    rows = TableRows()
  }

  mutating func begin(revision: Int64) throws {}

  mutating func beginSection(name: String) throws { sections.append((name, rows.count)) }

  mutating func row(_ item: Item) throws {
    rows.append(item, view: view, isNarrow: screen.isNarrow, at: moment)
    count += 1
  }

  mutating func endSection() throws {
    if rows.count >= Self.pageSize { try printPage() }
  }

  mutating func end() throws { try printPage() }

  // MARK: Printing

  private mutating func printPage() throws {
    for column in TableColumn.allCases {
      widths[column.rawValue] = max(widths[column.rawValue], rows.widest[column.rawValue])
    }
    let layout = TableLayout(widths, width: screen.width)
    for (index, section) in sections.enumerated() {
      let end = index + 1 < sections.count ? sections[index + 1].firstRow : rows.count
      try printHeading(section.name, end - section.firstRow)
      for row in section.firstRow..<end { try printRow(row, layout) }
    }
    sections.removeAll(keepingCapacity: true)
    rows.removeAll()
  }

  private mutating func printHeading(_ name: String, _ count: Int) throws {
    // The section of an undivided list has no name, and those of `todo next` are the reasons in its rows.
    if name.isEmpty || view == .next { return }
    if !isFirstSection { try output.line("") }
    isFirstSection = false
    let heading =
      StyledText(SectionHeading.text(name.visible, view, today: moment.today), style: TextStyle(.bold))
      + StyledText(" (\(count))", style: TextStyle(.dim))
    try output.line(screen.rendered(heading))
  }

  private func printRow(_ row: Int, _ layout: TableLayout) throws {
    guard screen.width != nil else { return try rows.write(row, layout, to: output) }
    try output.line(screen.rendered(rows.styled(row, layout)))
  }
}

/// The columns of a list, from left to right.
enum TableColumn: Int, CaseIterable {
  case id, mark, title, priority, due, every, tags, list, notes
}

/// The widths of the columns, and which of them exist.
struct TableLayout {
  /// The columns to show with their widths; the last one is not padded.
  private(set) var columns: [(column: TableColumn, width: Int)]

  /// If lines are not limited, a title that is longer moves the text after it to the right.
  private static let widestTitle = 60
  /// The width that a title should have before other columns are shrunk for it.
  private static let leastTitle = 16
  static let indent = 2
  static let gap = 2

  init(_ widths: [Int], width: Int?) {
    columns = TableColumn.allCases.compactMap { widths[$0.rawValue] > 0 ? ($0, widths[$0.rawValue]) : nil }
    guard let width else {
      cap(.title, at: Self.widestTitle)
      return
    }
    // The least important ones are dropped first, until the title has room.
    let wanted = min(widths[TableColumn.title.rawValue], Self.leastTitle)
    cap(.tags, at: max(10, width / 4))
    cap(.list, at: max(10, width / 4))
    for column in [TableColumn.notes, .list, .every, .tags, .priority, .due, .mark] {
      if room(in: width) >= wanted { break }
      columns.removeAll { $0.column == column }
    }
    cap(.title, at: max(room(in: width), 1))
  }

  private mutating func cap(_ column: TableColumn, at width: Int) {
    guard let index = columns.firstIndex(where: { $0.column == column }) else { return }
    columns[index].width = min(columns[index].width, width)
  }

  /// The width that the other columns leave for the title.
  private func room(in width: Int) -> Int {
    let others = columns.reduce(0) { $0 + ($1.column == .title ? 0 : $1.width) }
    return width - Self.indent - others - Self.gap * max(0, columns.count - 1)
  }
}
