public import DataSources

/// A cell that shows a row as one line of text: on a terminal, in a pipe, in a test.
///
/// ```swift
/// final class ErrandCell: LineCell {
///   var errand: Errand?
///   func line(in context: LineContext) -> StyledText {
///     guard let errand else { return "" }
///     let style = errand.isDone ? TextStyle(.dim) : .plain
///     return StyledText(errand.isDone ? "[x] " : "[ ] ") + StyledText(errand.title, style: style)
///   }
/// }
/// ```
///
/// ``TerminalTable`` and ``PlainTextRenderer`` both show these, so one presenter serves both. For a row that is only a
/// text, use ``TextCell``.
public protocol LineCell: ReusableCell {
  /// The row as a line. The host cuts it if it is too wide.
  func line(in context: LineContext) -> StyledText
}

/// Information for a line cell about where it is shown.
///
/// ```swift
/// let line = TextCell().line(in: LineContext(width: 40, isSelected: true))
/// ```
public struct LineContext: Hashable, Sendable {
  /// The number of columns; nil if there is no limit.
  public var width: Int?
  /// Whether the row is the selected one.
  public var isSelected: Bool
  /// Whether the row changed a short while ago.
  public var isHighlighted: Bool

  /// Creates a context.
  public init(width: Int? = nil, isSelected: Bool = false, isHighlighted: Bool = false) {
    self.width = width
    self.isSelected = isSelected
    self.isHighlighted = isHighlighted
  }
}

/// A line cell that shows a text.
///
/// ```swift
/// let titles = CellPresenter<Errand, any LineCell>.configuring(TextCell.self) { cell, errand in
///   cell.text = StyledText(errand.title)
/// }
/// let texts = CellPresenter<String, any LineCell>.settingData(TextCell.self)
/// ```
public final class TextCell: LineCell, ItemCell {
  /// The text to show.
  public var text = StyledText()

  /// Creates an empty cell.
  public init() {}

  /// Shows a plain text.
  public func setData(_ item: String) { text = StyledText(item) }

  /// Clears the text.
  public func prepareForReuse() { text = StyledText() }

  /// The text.
  public func line(in context: LineContext) -> StyledText { text }
}
