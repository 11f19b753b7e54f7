public import DataSources

/// A list as plain text: for pipes, files and tests.
///
/// It shows the same cells as a ``TerminalTable``, without styles, and the whole list. It draws nothing by itself: read
/// ``text``, or call ``write(to:)``.
///
/// ```swift
/// let list = SectionController<String>()
/// list.createSection(name: "Errands", items: ["Milk", "Bread"])
/// let renderer = PlainTextRenderer()
/// let adapter = ListAdapter(source: list, presenter: .settingData(TextCell.self), host: renderer)
/// print(renderer.text)
/// // Errands
/// //   Milk
/// //   Bread
/// ```
///
/// Whatever items contain, each takes one line, and no control characters are written (see
/// ``Swift/String/displayable``).
public final class PlainTextRenderer: ListHost {
  /// The renderer's cells: line cells.
  public typealias Cell = any LineCell

  /// The content to show.
  public weak var content: (any ListContent<any LineCell>)?

  /// The number of columns to which lines are cut; nil for no limit.
  public var width: Int?

  /// The text before each row of a section with a header.
  public var indent = "  "

  private var pool = ReusePool<any LineCell>()

  /// Creates a renderer.
  ///
  /// - Parameter width: The number of columns to which lines are cut; by default, there is no limit.
  public init(width: Int? = nil) { self.width = width }

  /// The number of cells created so far: one of each kind, however long the list.
  public var numberOfCellsMade: Int { pool.made }

  /// Registers a kind of cell.
  public func register(_ registration: CellRegistration<any LineCell>) { pool.register(registration) }

  /// A cell of a kind, new or reused. An identifier that was never registered stops the program.
  public func dequeue(_ identifier: String, for path: ItemPath) -> any LineCell { pool.dequeue(identifier) }

  /// Does nothing: the list is read on demand.
  public func reloadData() {}

  /// Switches the content to the next stage.
  public func performBatch(_ stage: Changes, switchingContent: () -> Void) { switchingContent() }

  /// The list as lines, each with its line end.
  ///
  /// Complexity: O(n).
  public var text: String {
    var text = ""
    write { text += $0 }
    return text
  }

  /// Writes the list line by line, each with its line end. There is an empty line between sections.
  ///
  /// Complexity: O(n), and the memory of one line.
  public func write(to output: (String) -> Void) {
    guard let content else { return }
    var isFirst = true
    for section in 0..<content.numberOfSections {
      let header = content.header(ofSection: section)
      let rows = content.numberOfItems(inSection: section)
      let footer = content.footer(ofSection: section)
      guard header != nil || rows > 0 || footer != nil else { continue }
      if !isFirst { output("\n") }
      isFirst = false
      let indent = header == nil ? "" : indent
      if let header { write(StyledText(header), to: output) }
      for item in 0..<rows {
        pool.recycle()
        let context = LineContext(width: width.map { max($0 - DisplayWidth.of(indent), 0) })
        let cell = content.cell(at: ItemPath(section: section, item: item))
        write(StyledText(indent) + cell.line(in: context), to: output)
      }
      if let footer { write(StyledText(indent + footer), to: output) }
    }
    pool.recycle()
  }

  private func write(_ line: StyledText, to output: (String) -> Void) {
    output((width.map { line.truncated(to: $0) } ?? line).text + "\n")
  }
}
