import DataSources
import TerminalLists
import TodoCore

extension WatchScreen {
  /// Marks the selected item, or removes its mark.
  func mark() {
    guard let item = selectedItem else { return say("nothing is selected; j selects") }
    if marks.items.remove(item.id) == nil { marks.items.insert(item.id) }
  }

  /// Completes the marked items, or the selected one; reopens them if all of them are done.
  func complete() {
    let ids = marks.items.isEmpty ? [selectedItem?.id].compactMap { $0 } : list.inOrder(marks.items)
    if ids.isEmpty { return say("nothing is selected; j selects") }
    attempt {
      let areDone = try store.items(Selection(ids)).allSatisfy(\.done)
      let result = try areDone ? store.undone(Selection(ids)) : store.done(Selection(ids))
      marks.items = []
      tell(result)
    }
  }

  /// Moves the selected item past its neighbour in its list.
  func reorder(by step: Int) {
    guard let path = table.selectedPath, let item = selectedItem else { return say("nothing is selected; j selects") }
    guard query.view == .list else { return say("items are put in order in the view by list; v goes there") }
    var neighbour = path
    neighbour.item += step
    guard neighbour.item >= 0, let other = list.item(at: neighbour) else {
      return say(step < 0 ? "it is the first of its list" : "it is the last of its list")
    }
    attempt { tell(try store.move(Selection(item.id), step < 0 ? .before(other.id) : .after(other.id))) }
  }

  /// Prompts for another title of the selected item.
  func edit() {
    guard let item = selectedItem else { return say("nothing is selected; j selects") }
    mode = .prompt(Prompt(.edit(item)))
  }

  /// Undoes the last change.
  func undo() {
    attempt {
      let result = try store.undo()
      say("undone: \(result.label ?? "") (U is redo)")
    }
  }

  /// Redoes the change that was undone last.
  func redo() {
    attempt {
      let result = try store.redo()
      say("redone: \(result.label ?? "") (u is undo)")
    }
  }

  /// Reports a change, and how to undo it.
  func tell(_ result: ChangeResult) {
    guard let label = result.label else { return say("it is so already") }
    let next = result.next.first.flatMap(\.due).map { "; next on \($0)" } ?? ""
    say("\(label)\(next) (u is undo)")
  }

  // MARK: Prompts

  /// Handles a key during a prompt.
  func handle(_ key: Key, in prompt: Prompt) {
    var prompt = prompt
    switch key {
    case .enter:
      attempt {
        message = ""
        if try answer(prompt) { mode = .list }
      }
    case .escape:
      message = ""
      mode = .list
      isFilterStale = false
      if case .filter(let former) = prompt.purpose { attempt { try applyFilter(former) } }
    default:
      if case .edited = prompt.editor.handle(key) {
        message = ""
        if case .filter = prompt.purpose { isFilterStale = true }
      }
      mode = .prompt(prompt)
    }
  }

  /// Applies the filter as typed so far; an incomplete one waits for the rest.
  func filterWhileTyping() {
    guard isFilterStale, case .prompt(let prompt) = mode, case .filter = prompt.purpose else { return }
    isFilterStale = false
    do {
      try applyFilter(prompt.editor.text)
    } catch {
      return
    }
  }

  /// Handles the answer; returns false if the prompt stays.
  private func answer(_ prompt: Prompt) throws -> Bool {
    let text = prompt.editor.text
    switch prompt.purpose {
    case .filter:
      isFilterStale = false
      try applyFilter(text)
      say(filterText.isEmpty ? "" : "\(list.numberOfItems) found (Escape leaves the filter)")
    case .add:
      if text.allSatisfy(\.isWhitespace) { return true }
      var draft = ItemDraft(try Attributes(line: text, at: store.moment))
      // An item that is added while one list is shown is for that list.
      if draft.list == nil { draft.list = query.filter.onlyList }
      tell(try store.add(draft))
    case .edit(let item):
      if text == Prompt.text(of: item) { return true }
      let edit = ItemEdit(try Attributes(line: text, at: store.moment))
      if edit.isEmpty { throw TodoError.usage("an item needs a title; Escape leaves it as it is") }
      tell(try store.edit(Selection(item.id), edit))
    }
    return true
  }
}
