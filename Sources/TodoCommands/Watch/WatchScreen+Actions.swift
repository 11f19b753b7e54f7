import DataSources
import TerminalLists
import TodoCore

extension WatchScreen {
  /// Marks the selected item, or removes its mark.
  func mark() {
    guard let item = selectedItem else { return say("nothing is selected; j selects") }
    if marks.items.remove(item.id) == nil { marks.items.insert(item.id) }
  }

  // MARK: Changes of items

  /// Runs an action on the shown item, or the marked items in their order, or the selected one.
  func withItems(_ body: ([Int64]) throws -> Void) {
    var ids = [details?.id ?? selectedItem?.id].compactMap { $0 }
    if details == nil, !marks.items.isEmpty {
      let shown = list.inOrder(marks.items)
      ids = shown + marks.items.subtracting(shown).sorted()
    }
    if ids.isEmpty { return say("nothing is selected; j selects") }
    attempt { try body(ids) }
  }

  /// Changes items as one change, and reports it.
  ///
  /// - Parameter isEnd: Whether they are dealt with: the selection goes on to the next item, and the marks go.
  func change(_ change: WatchChange) { withItems { try self.change($0, change) } }

  private func change(_ ids: [Int64], _ change: WatchChange, isEnd: Bool = false) throws {
    let result = try store.change(Selection(ids), change)
    if isEnd {
      if details == nil { marks.items = [] } else { selectShownItem() }
      movePast(Set(ids))
    }
    tell(result)
  }

  /// Makes a change or, if all items are in its state already, the reverse.
  func toggle(_ state: ItemState, isEnd: Bool = false) {
    withItems { try change($0, .state(state, try !store.areAll(Selection($0), state)), isEnd: isEnd) }
  }

  /// Removes items; asks first if there are several.
  func remove() {
    withItems { ids in
      let removal = { [self] in
        try change(ids, .remove, isEnd: true)
        details = nil
      }
      if ids.count == 1 { return try removal() }
      let hidden = hiddenMarks > 0 ? ", \(hiddenMarks) of them not shown" : ""
      input = .question(WatchQuestion(text: "remove \(ids.count) items\(hidden)? y/n", action: removal))
    }
  }

  func setPriority(_ priority: Priority?) { change(.priority(priority)) }

  /// Prompts for a property.
  func ask(_ property: ItemProperty) {
    withItems { ids in
      let subject = ids.count == 1 ? "\(ids[0])" : "\(ids.count) items"
      let isTitle = property == .words && ids.count == 1
      input = .prompt(
        Prompt(
          .change(property, ids), label: property.label(subject), examples: try property.examples(in: store),
          initial: isTitle ? TypedLine.quoted(try store.title(of: ids[0])) : ""))
    }
  }

  /// Closes the details, with their item selected.
  func closeDetails() {
    selectShownItem()
    details = nil
  }

  private func selectShownItem() {
    if let row = (details?.id).flatMap(list.rowID), selectedItem?.id != details?.id { table.select(id: row) }
  }

  /// Selects the next row of another item, or else the one before, because the rows of these items may go.
  private func movePast(_ ids: Set<Int64>) {
    for step in [1, -1] {
      while let item = selectedItem, ids.contains(item.id) {
        let former = table.selectedID
        table.moveSelection(by: step)
        if table.selectedID == former { break }
      }
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
    attempt { tell(try store.change(Selection(item.id), .move(step < 0 ? .before(other.id) : .after(other.id)))) }
  }

  // MARK: Undo

  /// Undoes the last change, or redoes what was undone last; asks first if that was not done here.
  func takeBack(isUndo: Bool) {
    attempt {
      let record = try store.nextChange(isUndo: isUndo)
      let isOwn = record.map { ownChanges.contains($0.revision) } ?? true
      let what = record.map { $0.label + (isOwn ? "" : whose($0)) } ?? ""
      let action = { [self] in
        let revision = record?.revision ?? 0
        remember(try store.takeBack(isUndo: isUndo, revision))
        say("\(isUndo ? "undone" : "redone"): \(what) (\(isUndo ? "U is redo" : "u is undo"))")
      }
      if isOwn { return try action() }
      input = .question(WatchQuestion(text: "\(isUndo ? "undo" : "redo") \(what)? y/n", action: action))
    }
  }

  /// Who made a change, and how long ago: " of another program, 2 minutes ago".
  private func whose(_ record: ChangeRecord) -> String {
    let seconds = store.moment.instant.seconds - record.made.seconds
    let unit = [("day", 86_400), ("hour", 3600), ("minute", 60)].first { seconds >= $0.1 }
    let age = unit.map { (name, size) in "\(seconds / size) \(name)\(seconds / size == 1 ? "" : "s") ago" }
    // The journal has no better name for a change by another program than todo.
    let isNamed = record.label != "a change by another program"
    return (isNamed ? " of another program, " : ", ") + (age ?? "just now")
  }

  /// Remembers a change that was made here.
  private func remember(_ result: WatchResult) {
    if result.label != nil { ownChanges.insert(result.revision) }
    changed = result.ids
  }

  /// Reports a change, and how to undo it.
  func tell(_ result: WatchResult) {
    remember(result)
    guard let label = result.label else { return say("it is so already") }
    let next = result.next.map { "; next on \($0)" } ?? ""
    say("\(label)\(next) (u is undo)")
  }

  /// Adds an item, and says where it is if the list doesn't show it.
  private func add(_ line: String, to list: String?) throws {
    let result = try store.add(line, to: list)
    remember(result)
    guard let item = result.first else { return }
    let place = "\(item.id) \"\(item.title)\" to \(item.list)"
    say(
      "added \(place)"
        + (store.matching([item.id], query.filter) == [item.id] ? " (u is undo)" : ", which is not shown here"))
  }

  // MARK: Prompts

  /// Handles a key during a prompt.
  func handle(_ key: Key, in prompt: Prompt) {
    var prompt = prompt
    switch key {
    case .enter:
      attempt {
        message = ""
        try answer(prompt)
        input = nil
      }
    case .escape:
      message = ""
      input = nil
      isFilterStale = false
      if case .filter(let former) = prompt.purpose { attempt { try applyFilter(former) } }
    default:
      if case .edited = prompt.editor.handle(key) {
        message = ""
        if case .filter = prompt.purpose { isFilterStale = true }
      }
      input = .prompt(prompt)
    }
  }

  /// Applies the filter as typed so far; an incomplete one waits for the rest.
  func filterWhileTyping() {
    guard isFilterStale, case .prompt(let prompt)? = input, case .filter = prompt.purpose else { return }
    isFilterStale = false
    do {
      try applyFilter(prompt.editor.text)
    } catch {
      return
    }
  }

  private func answer(_ prompt: Prompt) throws {
    let text = prompt.editor.text
    switch prompt.purpose {
    case .filter:
      isFilterStale = false
      try applyFilter(text)
      say(filterText.isEmpty ? "" : "\(list.numberOfItems) found (Escape leaves the filter)")
    case .add:
      if text.allSatisfy(\.isWhitespace) { return }
      // An item that is added while one list is shown is for that list.
      try add(text, to: try query.filter.onlyList ?? Settings.current.get().list)
    case .change(let property, let ids):
      if text == prompt.initial { return }
      try change(ids, .property(property, text))
    }
  }
}
