import DataSources
import TerminalLists
import TodoCore

/// An item as one line: its mark, its number, a checkbox, its title, and its other fields.
final class ItemCell: LineCell {
  /// What the cells of a list share.
  struct Look {
    /// The view: the field that the section shows already is left out.
    var view = ItemView.list
    var showsColors = true
    /// Determines "today".
    var moment: @Sendable () -> Moment = { .now }
  }

  var item: ItemLine?
  var isMarked = false
  var look = Look()

  init() {}

  func prepareForReuse() {
    item = nil
    isMarked = false
  }

  func line(in context: LineContext) -> StyledText {
    guard let item else { return "" }
    let number = String(item.id)
    var start = StyledText(isMarked ? "* " : "  ", style: TextStyle(.bold))
    start.append(String(repeating: " ", count: max(0, 3 - number.count)) + number + " ", style: TextStyle(.dim))
    start.append(item.done ? "[x] " : "[ ] ")
    let title = StyledText(item.title.visible, style: item.done ? TextStyle(.dim) : .plain)
    let isNarrow = context.width.map(Screen.isNarrow) ?? false
    let details = details(of: item, isNarrow)
    if details.isEmpty { return start + title }
    guard let width = context.width else { return start + title + "  " + details }
    // A long title is cut, but keeps some width; then the details are cut.
    let room = max(width - start.width - details.width - 2, min(title.width, isNarrow ? width / 3 : width / 2))
    return start + title.truncated(to: room) + "  " + details
  }

  private func details(of item: ItemLine, _ isNarrow: Bool) -> StyledText {
    var parts: [StyledText] = []
    if item.isStarted, !item.done { parts.append(StyledText("started", style: color(.green))) }
    if isNarrow, item.priority == .high { parts.append(StyledText("!", style: color(.red))) }
    if let due = item.due { parts.append(self.due(due, of: item, isNarrow)) }
    if let every = item.every { parts.append(StyledText("every \(every.words)", style: TextStyle(.dim))) }
    if let priority = item.priority, look.view != .priority, !isNarrow {
      parts.append(StyledText("!\(priority.name)", style: priority == .high ? color(.red) : color(.yellow)))
    }
    for tag in item.tags { parts.append(StyledText("@\(tag.visible)", style: color(.cyan))) }
    if look.view != .list { parts.append(StyledText("+\(item.list.visible)", style: TextStyle(.dim))) }
    var line = StyledText()
    for part in parts {
      if !line.isEmpty { line.append(" ") }
      line.append(part)
    }
    return line
  }

  private func due(_ due: Due, of item: ItemLine, _ isNarrow: Bool) -> StyledText {
    let words = DueWords(due, isDone: item.done, at: look.moment())
    let style = words.isOverdue ? color(.red) : words.isToday ? color(.yellow) : TextStyle(.dim)
    return StyledText(isNarrow ? words.short : words.text, style: style)
  }

  private func color(_ color: TextColor) -> TextStyle { TextStyle(foreground: look.showsColors ? color : nil) }
}
