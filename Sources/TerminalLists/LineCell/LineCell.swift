public import DataSources

/// A cell that shows a row as one line of text: on a terminal, in a pipe, in a test.
///
/// ```swift
/// final class TaskCell: LineCell {
///   var task: Task?
///   func line(in context: LineContext) -> StyledText {
///     guard let task else { return "" }
///     return StyledText(task.isDone ? "[x] " : "[ ] ") + StyledText(task.title, style: task.isDone ? TextStyle(.dim) : .plain)
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
