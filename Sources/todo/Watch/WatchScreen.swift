import DataSources
import FetchedResults
import SQLiteStore
import TerminalLists
import TodoCore

/// The state and actions of the live list, key by key. It does not depend on a terminal, only on the lines it draws on.
final class WatchScreen {
  /// What handles keys.
  enum Mode {
    case list
    case help
    case prompt(Prompt)
  }

  let store: TodoStore
  let screen: TerminalScreen
  let table: TerminalTable
  let marks = Marks()
  var mode = Mode.list
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
  private var folded: [ItemView: Set<SectionID>] = [:]
  private let showsColors: Bool

  /// Shows a list of a store on a screen.
  init(
    _ store: TodoStore, _ asked: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery, _ screen: TerminalScreen,
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
    list = try Self.list(store, query, in: table, marks, showsColors)
    table.style = style
    layOut()
    table.selectFirst()
  }

  // MARK: The list

  private static func list(
    _ store: TodoStore, _ query: ListQuery, in table: TerminalTable, _ marks: Marks, _ showsColors: Bool
  ) throws -> any ShownList {
    let look = ItemCell.Look(view: query.view, showsColors: showsColors, moment: { store.moment })
    if query.view == .tag {
      let controller = try store.taggedController(query)
      try controller.performFetch()
      let source = AnyDataSource(FRCDataSource(fetchedResultsController: controller))
      return ShownRows(source, controller.errors(), in: table, marks: marks, cells: look, wake: SignalPipe.wake)
    }
    let viewModel = AddToDoViewModel(store: store, query: query)
    try viewModel.reloadData()
    return ShownRows(
      viewModel.dataSource, viewModel.errors(), in: table, marks: marks, cells: look, wake: SignalPipe.wake)
  }

  /// Shows another view or another filter of the same items; the selection stays.
  func show(_ query: ListQuery) throws {
    let selected = selectedItem?.id
    let list = try Self.list(store, query, in: table, marks, showsColors)
    if query.view != self.query.view {
      folded[self.query.view] = table.foldedSections
      table.foldedSections = folded[query.view] ?? []
    }
    self.list = list
    self.query = query
    table.style = style
    heir = nil
    marks.items = list.present(among: marks.items)
    if let selected, list.rowID(of: selected).map({ table.select(id: $0) }) != true { table.selectFirst() }
  }

  /// Shows the updates of the list.
  ///
  /// The selection stays on its item. When the item is removed nothing is selected, until a key selects something: a
  /// key must never affect another item than the one that was seen.
  ///
  /// Throws if the database file is gone: what is shown would never change again. Other errors are shown.
  func takeUpdates() throws(TodoError) {
    let selected = table.selectedID
    let isSectionSelected = selected == nil && table.selectedSection != nil
    let section = isSectionSelected ? table.selectedSection.flatMap { table.content?.sectionID(at: $0) } : nil
    if let error = list.takeError() {
      if (error as? DatabaseError)?.extendedCode == .readOnlyFileMoved { throw TodoError(error) }
      say(TodoError(error).message)
    }
    guard list.takeUpdate() else { return }
    marks.items = list.present(among: marks.items)
    let stays =
      isSectionSelected
      ? table.selectedID == nil && table.selectedSection.map { table.content?.sectionID(at: $0) } == section
      : table.selectedID == selected
    if !stays {
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
  var selectedItem: Item? { table.selectedPath.flatMap(list.item) }

  // MARK: Keys

  /// Handles a key; returns false if the program must end.
  func handle(_ key: Key) throws(TodoError) -> Bool {
    // Show commits that came before the key before handling it.
    try takeUpdates()
    switch mode {
    case .help:
      if [.text("?"), .text("q"), .escape, .enter, .text(" ")].contains(key) { mode = .list }
    case .prompt(let prompt):
      handle(key, in: prompt)
    case .list:
      if key == .text("q") { return false }
      message = StyledText()
      handleInList(key)
    }
    return true
  }

  private func handleInList(_ key: Key) {
    switch key {
    case .text("j"), .down, .control("n"): select { $0.moveSelection(by: 1) }
    case .text("k"), .up, .control("p"): select(isUpwards: true) { $0.moveSelection(by: -1) }
    case .text("g"), .home: table.selectFirst()
    case .text("G"), .end: table.selectLast()
    case .pageDown, .control("f"): select { $0.moveSelection(byPages: 1) }
    case .pageUp, .control("b"): select(isUpwards: true) { $0.moveSelection(byPages: -1) }
    case .text(" "): mark()
    case .text("x"): complete()
    case .text("a"): mode = .prompt(Prompt(.add))
    case .text("e"): edit()
    case .text("J"): reorder(by: 1)
    case .text("K"): reorder(by: -1)
    case .text("/"): mode = .prompt(Prompt(.filter(former: filterText)))
    case .tab: fold()
    case .text("v"): attempt { try showNextView() }
    case .text("u"): undo()
    case .text("U"): redo()
    case .text("?"): mode = .help
    case .escape: if !filterText.isEmpty { attempt { try leaveFilter() } }
    default: break
    }
  }

  /// Moves the selection. If the selected item was removed, the row that took its place counts as the one before the
  /// key.
  private func select(isUpwards: Bool = false, _ move: (TerminalTable) -> Void) {
    defer { heir = nil }
    guard table.selectedSection == nil, let heir, table.select(id: heir) else { return move(table) }
    if isUpwards { move(table) }
  }

  private func fold() {
    guard let section = table.selectedSection else { return say("nothing is selected that could be folded; j selects") }
    table.toggleFold(section: section)
  }

  private func showNextView() throws {
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

  func leaveFilter() throws { try applyFilter("") }

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
