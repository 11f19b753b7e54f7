/// A line cell that shows a text.
///
/// ```swift
/// CellPresenter<Task, any LineCell>.configuring(TextCell.self) { cell, task in cell.text = StyledText(task.title) }
/// CellPresenter<String, any LineCell>.settingData(TextCell.self)
/// ```
public final class TextCell: LineCell, ItemCell {
  /// What the cell shows.
  public var text = StyledText()

  /// Makes an empty cell.
  public init() {}

  /// Shows a plain text.
  public func setData(_ item: String) { text = StyledText(item) }

  /// Shows nothing again.
  public func prepareForReuse() { text = StyledText() }

  /// The text.
  public func line(in context: LineContext) -> StyledText { text }
}
