import DataSources
import SQLiteStore
import TerminalLists
import TodoCore

/// The state and actions of the live list, key by key. It does not depend on a terminal, only on the lines it draws on.
final class WatchScreen {
  /// What the next key is for, if it is no command.
  enum Input {
    case prompt(Prompt)
    case question(WatchQuestion)
  }

  /// An item that is shown instead of the list.
  struct Details {
    let id: Int64
    /// The title of the item when the details were opened.
    var title: String
    var pager = Pager()
  }

  let store: any WatchedItems
  let screen: TerminalScreen
  let table: TerminalTable
  let marks = Marks()
  /// How many marked items the typed filter hides.
  private(set) var hiddenMarks = 0
  /// What is shown instead of the list: the help, or else an item.
  var help: Pager?
  var details: Details?
  var input: Input?
  private var asked: AskedQuery
  /// The current query; the typed filter is added to it.
  private(set) var base: ListQuery
  /// The shown query.
  var query: ListQuery
  /// The typed filter; empty for none.
  var filterText = ""
  /// Whether the filter was typed further since it was last applied.
  var isFilterStale = false
  /// The effect of the last key, until the next one.
  var message = StyledText()
  var list: any ShownList
  /// The row now at the place of a selected item that was removed: the next key starts from there.
  var heir: AnyHashable?
  /// The items that the last key changed: when they leave the list, the selection goes on to the next row.
  var changed: Set<Int64> = []
  /// The changes that were made here, by their numbers.
  var ownChanges: Set<Int64> = []
  private var folded: [ItemView: Set<SectionID>] = [:]
  let showsColors: Bool

  /// Shows a list of a store on a screen.
  init(
    _ store: any WatchedItems, _ asked: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery,
    _ screen: TerminalScreen,
    showsColors: Bool = TerminalDevice.showsColors
  ) throws {
    let moment = store.moment
    let query = try asked(moment)
    self.asked = try AskedQuery(asked, of: store, at: moment)
    self.store = store
    self.screen = screen
    self.showsColors = showsColors
    base = query
    self.query = query
    table = TerminalTable(screen: screen)
    table.displaysAutomatically = false
    table.highlightDuration = .seconds(1)
    list = NoRows()
    list = try rows(query)
    table.style = style
    layOut()
    table.selectFirst()
  }

  // MARK: The list

  private func rows(_ query: ListQuery) throws -> any ShownList {
    let look = ItemCell.Look(view: query.view, showsColors: showsColors, moment: { [store] in store.moment })
    return try store.rows(query, typed: filterText, in: table, marks, look)
  }

  /// Shows another view or another filter of the same items; the selection stays.
  func show(_ query: ListQuery) throws {
    let selected = selectedItem?.id
    // The former list goes first: two long lists at once would take twice the memory.
    list = NoRows()
    do {
      list = try rows(query)
    } catch {
      list = try rows(self.query)
      throw error
    }
    if query.view != self.query.view {
      folded[self.query.view] = table.foldedSections
      table.foldedSections = folded[query.view] ?? []
    }
    self.query = query
    table.style = style
    heir = nil
    dropLostMarks()
    if let selected, list.rowID(of: selected).map({ table.select(id: $0) }) != true { table.selectFirst() }
  }

  /// Shows the updates of the list.
  ///
  /// The selection stays on its item. When another program removes the item nothing is selected, until a key selects
  /// something: a key must never affect another item than the one that was seen.
  ///
  /// Throws if the database file is gone: what is shown would never change again. Other errors are shown.
  func takeUpdates() throws(TodoError) {
    let selected = table.selectedID
    let isOwnChange = selectedItem.map { changed.contains($0.id) } ?? false
    let isSectionSelected = selected == nil && table.selectedSection != nil
    let section = isSectionSelected ? table.selectedSection.flatMap { table.content?.sectionID(at: $0) } : nil
    if let error = list.takeError() {
      if (error as? DatabaseError)?.extendedCode == .readOnlyFileMoved { throw TodoError(error) }
      say(TodoError(error).message)
    }
    guard list.takeUpdate() else { return }
    dropLostMarks()
    let stays =
      isSectionSelected
      ? table.selectedID == nil && table.selectedSection.map { table.content?.sectionID(at: $0) } == section
      : table.selectedID == selected
    if !stays, !isOwnChange {
      heir = table.selectedID
      table.select(nil)
    }
  }

  /// Updates the list for the current time: once an hour, and so also when a day begins.
  func takeClock() {
    attempt {
      guard let query = try asked.next(at: store.moment) else { return }
      base = query
      try applyFilter(filterText)
      // Other items may be overdue now.
      resize(to: screen.size)
    }
  }

  /// The selected item; nil if none or a folded section is selected.
  var selectedItem: ItemLine? { table.selectedPath.flatMap(list.item) }

  // MARK: Marks

  /// Removes the marks of items that are not in the list any more. Those that only the typed filter hides keep theirs.
  private func dropLostMarks() {
    let shown = list.present(among: marks.items)
    let hidden = store.matching(marks.items.subtracting(shown), base.filter)
    hiddenMarks = hidden.count
    marks.items = shown.union(hidden)
  }

  // MARK: Keys

  /// Handles a key; returns false if the program must end.
  func handle(_ key: Key) throws(TodoError) -> Bool {
    // Show commits that came before the key before handling it.
    try takeUpdates()
    switch input {
    case .prompt(let prompt)?: handle(key, in: prompt)
    case .question(let question)?:
      input = nil
      if key == .text("y") { attempt(question.action) } else { say("nothing was changed") }
    case nil: return handleCommand(key)
    }
    return true
  }

  private func handleCommand(_ key: Key) -> Bool {
    let isClosing = [.text("q"), .control("d"), .escape, .enter].contains(key)
    if help != nil {
      if isClosing || key == .text("?") { help = nil } else { help?.scroll(key, height: table.area.count) }
      return true
    }
    message = StyledText()
    changed = []
    if details != nil, isClosing {
      closeDetails()
    } else if key == .text("q") || key == .control("d") {
      return false
    } else if let command = Self.commands.first(where: { $0.keys.contains(key) }), details == nil || command.isForItems
    {
      command.action(self)
    } else {
      details?.pager.scroll(key, height: table.area.count)
    }
    return true
  }

  /// Moves the selection. If the selected item was removed, the row that took its place counts as the one before the
  /// key.
  func select(isUpwards: Bool = false, _ move: (TerminalTable) -> Void) {
    defer { heir = nil }
    guard table.selectedSection == nil, let heir, table.select(id: heir) else { return move(table) }
    if isUpwards { move(table) }
  }

  func fold() {
    guard let section = table.selectedSection else { return say("nothing is selected that could be folded; j selects") }
    table.toggleFold(section: section)
  }

  func showNextView() throws {
    var query = query
    query.view = query.view.following(from: base.view)
    try show(query)
    say(query.view.title)
  }

  // MARK: The filter

  /// Applies the typed filter.
  func applyFilter(_ text: String) throws {
    var query = base
    query.view = self.query.view
    try query.filter.add(
      TypedLine.split(text).map { FilterWord($0.text, $0.isQuoted ? .text : .filterOrText) }, at: store.moment,
      saved: { [store] name throws(TodoError) in try store.savedFilter(name) })
    let former = filterText
    filterText = text
    guard query != self.query else { return }
    do {
      try show(query)
    } catch {
      filterText = former
      throw error
    }
  }

  /// Leaves the typed filter or, without one, removes the marks.
  func leave() throws {
    if filterText.isEmpty {
      marks.items = []
      hiddenMarks = 0
    } else {
      try applyFilter("")
    }
  }

  // MARK: Messages

  /// Shows a message in the line above the hints.
  func say(_ text: String) { message = StyledText(text.visible) }

  /// Runs an action, and shows its error if it fails.
  func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      message = StyledText(TodoError(error).message.visible, style: TextStyle(.bold))
    }
  }
}
