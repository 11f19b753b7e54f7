/// A table on a terminal: sections with titles, rows in reusable cells, and only the lines that changed are drawn.
///
/// ```swift
/// let screen = TerminalScreen(size: TerminalSize(columns: 80, rows: 24)) { text in write(text) }
/// let table = TerminalTable(screen: screen)
/// let adapter = ListAdapter(source: tasks, presenter: .settingData(TextCell.self), host: table)
/// adapter.follow()
/// ```
///
/// The table takes some lines of a ``TerminalScreen``, the rest is free for a title or a status line. It shows the part of the list
/// around where the user is, and asks for the cells of that part only. While the list changes, the selected row stays selected
/// by its id, and what is on the screen stays there as far as it can.
///
/// A table belongs to whoever made it and is used there only.
public final class TerminalTable: ListHost {
  /// What the table shows: cells that are lines.
  public typealias Cell = any LineCell

  /// Whom to ask what to show.
  public weak var content: (any ListContent<any LineCell>)? {
    didSet { folded = content.map { FoldedSections(foldedSections, in: $0) } ?? FoldedSections() }
  }

  /// The screen.
  public let screen: TerminalScreen

  /// The lines of the screen that the table takes.
  public var area: Range<Int> {
    didSet {
      // Rows that the table gives up are not its own to clear.
      guard area != oldValue else { return }
      isRevealing = true
      displayIfAutomatic()
    }
  }

  /// How the table looks.
  public var style = TerminalTableStyle() { didSet { displayIfAutomatic() } }

  /// Whether every change is drawn at once. Otherwise call ``display()``, as a program does that draws other things too.
  public var displaysAutomatically = true

  /// The sections whose rows are folded away. A folded section is one line, its header, which may be selected.
  public var foldedSections: Set<SectionID> = [] { didSet { foldingDidChange(from: oldValue) } }

  /// How long a row that came, moved or changed is highlighted; nil for not at all. Rows are known by their ids, so where items
  /// have none, nothing is.
  public var highlightDuration: Duration?

  /// What time it is.
  public var now: () -> ContinuousClock.Instant = { .now }

  var pool = ReusePool<any LineCell>()
  /// The first line on the screen.
  var top: TableLine?
  /// The selected line, and what it is in any list.
  var selection: (line: TableLine, identity: TableLineIdentity?)?
  /// Whether the selected line is to be brought into sight with the next drawing.
  var isRevealing = false
  /// What is highlighted, and until when.
  var highlights = TableHighlights()
  /// Where the folded sections are.
  var folded = FoldedSections()
  /// The only section that is folded or unfolded at the moment.
  var toggledSection: Int?
  /// What was on the screen when a change began.
  var memory: TableMemory?

  /// Makes a table on a screen.
  ///
  /// - Parameters:
  ///   - screen: The screen.
  ///   - area: The lines of the screen that the table takes; unless given, all of them.
  public init(screen: TerminalScreen, area: Range<Int>? = nil) {
    self.screen = screen
    self.area = area ?? 0..<screen.size.rows
  }

  var layout: TableLayout? { content.map { TableLayout(content: $0, folded: folded) } }

  /// The number of cells that were made so far: no more of a kind than were ever on the screen at once.
  public var numberOfCellsMade: Int { pool.made }

  /// Learns to make a kind of cell.
  public func register(_ registration: CellRegistration<any LineCell>) { pool.register(registration) }

  /// A cell of a kind, fresh or used before. An identifier that was never registered is refused.
  public func dequeue(_ identifier: String, for path: ItemPath) -> any LineCell { pool.dequeue(identifier) }

  /// Shows the content anew, from its beginning, with nothing selected.
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
