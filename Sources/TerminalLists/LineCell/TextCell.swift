public import DataSources

/// A line cell that shows a text.
///
/// ```swift
/// CellPresenter<Task, any LineCell>.configuring(TextCell.self) { cell, task in cell.text = StyledText(task.title) }
/// CellPresenter<String, any LineCell>.settingData(TextCell.self)
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
