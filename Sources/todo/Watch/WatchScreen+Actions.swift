import DataSources
import TodoCore

extension WatchScreen {
  /// Marks the selected item, or takes its mark away.
  func mark() {
    guard let item = selectedItem else { return say("nothing is selected; j selects") }
    if marks.items.remove(item.id) == nil { marks.items.insert(item.id) }
  }

  /// Completes the marked items, or the selected one; opens them again when all of them are done.
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

  /// Asks for another title of the selected item.
  func edit() {
    guard let item = selectedItem else { return say("nothing is selected; j selects") }
    mode = .prompt(Prompt(.edit(item)))
  }

  /// Takes the last change back.
  func undo() {
    attempt {
      let result = try store.undo()
      say("undone: \(result.label ?? "") (U is redo)")
    }
  }

  /// Does again what was undone last.
  func redo() {
    attempt {
      let result = try store.redo()
      say("redone: \(result.label ?? "") (u is undo)")
    }
  }

  /// Says what was done, and how to undo it.
  func tell(_ result: ChangeResult) {
    guard let label = result.label else { return say("it is so already") }
    let next = result.next.first.flatMap(\.due).map { "; next on \($0)" } ?? ""
    say("\(label)\(next) (u is undo)")
  }

  // MARK: Prompts

  /// Does what a key says while something is asked for.
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

  /// Applies the filter as far as it was typed; what is no filter yet waits for the rest.
  func filterWhileTyping() {
    guard isFilterStale, case .prompt(let prompt) = mode, case .filter = prompt.purpose else { return }
    isFilterStale = false
    do {
      try applyFilter(prompt.editor.text)
    } catch {
      return
    }
  }

  /// Takes what was typed; false where the prompt stays.
  private func answer(_ prompt: Prompt) throws -> Bool {
    let text = prompt.editor.text
    switch prompt.purpose {
    case .filter:
      isFilterStale = false
      try applyFilter(text)
      say(filterText.isEmpty ? "" : "\(list.numberOfItems) found (Escape leaves the filter)")
    case .add:
      if text.allSatisfy(\.isWhitespace) { return true }
      var draft = ItemDraft(try Words.attributes(of: text, at: store.moment))
      // What is added while one list is looked at is for that list.
      if draft.list == nil, query.filter.lists.count == 1 { draft.list = query.filter.lists[0] }
      tell(try store.add(draft))
    case .edit(let item):
      if text == Prompt.text(of: item) { return true }
      let edit = ItemEdit(try Words.attributes(of: text, at: store.moment))
      if edit.isEmpty { throw TodoError.usage("an item wants a title; Escape leaves it as it is") }
      tell(try store.edit(Selection(item.id), edit))
    }
    return true
  }
}
