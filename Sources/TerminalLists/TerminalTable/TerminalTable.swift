public import DataSources

/// A table on a terminal: sections with titles, and rows in reusable cells. Only changed lines are drawn.
///
/// ```swift
/// let screen = TerminalScreen(size: TerminalSize(columns: 80, rows: 24)) { text in print(text, terminator: "") }
/// let table = TerminalTable(screen: screen)
/// let list = SectionController(["Milk", "Bread"])
/// let adapter = ListAdapter(source: list, presenter: .settingData(TextCell.self), host: table)
/// adapter.follow()
/// ```
///
/// The table uses some lines of a ``TerminalScreen``; the rest is free for a title or a status line. It shows the part
/// of the list around the current position, and requests cells for that part only. While the list changes, the selected
/// row stays selected by its id, and the visible lines stay visible if possible.
///
/// A table is not thread-safe: use it only where it was created.
public final class TerminalTable: ListHost {
  /// The table's cells: line cells.
  public typealias Cell = any LineCell

  /// The content to show.
  public weak var content: (any ListContent<any LineCell>)? {
    didSet { folded = content.map { FoldedSections(foldedSections, in: $0) } ?? FoldedSections() }
  }

  /// The screen.
  public let screen: TerminalScreen

  /// The lines of the screen that the table uses.
  public var area: Range<Int> {
    didSet {
      // The table must not clear rows that it has given up.
      guard area != oldValue else { return }
      isRevealing = true
      displayIfAutomatic()
    }
  }

  /// The style of the table.
  public var style = TerminalTableStyle() { didSet { displayIfAutomatic() } }

  /// Whether every change is drawn at once. Otherwise call ``display()``, for example in a program that draws other
  /// things too.
  public var displaysAutomatically = true

  /// The sections whose rows are folded. A folded section is one line, its header, which can be selected.
  public var foldedSections: Set<SectionID> = [] { didSet { foldingDidChange(from: oldValue) } }

  /// How long a row that was inserted, moved or updated is highlighted; nil for no highlight. Rows are identified by
  /// their ids, so without ids nothing is highlighted.
  public var highlightDuration: Duration?

  /// Returns the current time.
  public var now: () -> ContinuousClock.Instant = { .now }

  var pool = ReusePool<any LineCell>()
  /// The first line on the screen.
  var top: TableLine?
  /// The selected line, and its identity in any list.
  var selection: (line: TableLine, identity: TableLineIdentity?)?
  /// Whether the next drawing must make the selected line visible.
  var isRevealing = false
  /// The highlighted rows, and until when.
  var highlights = TableHighlights()
  /// The indices of the folded sections.
  var folded = FoldedSections()
  /// The only section that is being folded or unfolded.
  var toggledSection: Int?
  /// What was on the screen when a change began.
  var memory: TableMemory?

  /// Creates a table on a screen.
  ///
  /// - Parameters:
  ///   - screen: The screen.
  ///   - area: The lines of the screen that the table uses; by default, all of them.
  public init(screen: TerminalScreen, area: Range<Int>? = nil) {
    self.screen = screen
    self.area = area ?? 0..<screen.size.rows
  }

  var layout: TableLayout? { content.map { TableLayout(content: $0, folded: folded) } }

  /// The number of cells created so far: of each kind, at most as many as were on the screen at once.
  public var numberOfCellsMade: Int { pool.made }

  /// Registers a kind of cell.
  public func register(_ registration: CellRegistration<any LineCell>) { pool.register(registration) }

  /// A cell of a kind, new or reused. An identifier that was never registered stops the program.
  public func dequeue(_ identifier: String, for path: ItemPath) -> any LineCell { pool.dequeue(identifier) }

  /// Shows the whole content again, from its beginning, with nothing selected.
  public func reloadData() {
    top = nil
    selection = nil
    highlights = TableHighlights()
    folded = content.map { FoldedSections(foldedSections, in: $0) } ?? FoldedSections()
    displayIfAutomatic()
  }

  func displayIfAutomatic() {
    if displaysAutomatically { display() }
  }
}
