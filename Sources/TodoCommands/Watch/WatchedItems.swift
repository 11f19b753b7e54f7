import DataSources
import FetchedResults
import TerminalLists
import TodoCore

/// What the live list shows and changes: the items of a database, or those of a service.
protocol WatchedItems: Sendable {
  var moment: Moment { get }
  /// What tells when hidden items appear; nil if the list does so by itself.
  func waiting() throws(TodoError) -> WaitingItems?
  /// The rows of a query, in a table.
  ///
  /// - Parameter typed: The part of its filter that was typed on the screen.
  func rows(
    _ query: ListQuery, typed: String, in table: TerminalTable, _ marks: Marks, _ look: ItemCell.Look
  ) throws -> any ShownList
  func savedFilter(_ name: String) throws(TodoError) -> [String]
  func listNames() throws(TodoError) -> [String]
  /// Which of these items a filter finds.
  func matching(_ ids: Set<Int64>, _ filter: Filter) -> Set<Int64>
  func title(of id: Int64) throws(TodoError) -> String
  /// All that is known about an item, as lines for a screen.
  func details(of id: Int64, on page: Screen) throws -> [StyledText]
  func areAll(_ items: Selection, _ state: ItemState) throws(TodoError) -> Bool
  func change(_ items: Selection, _ change: WatchChange) throws(TodoError) -> WatchResult
  /// Adds an item as it was typed.
  ///
  /// - Parameter list: Its list, if the line names none.
  func add(_ line: String, to list: String?) throws(TodoError) -> WatchResult
  /// What undo would undo, or redo.
  func nextChange(isUndo: Bool) throws(TodoError) -> ChangeRecord?
  /// Undoes the change with a number, or redoes it.
  func takeBack(isUndo: Bool, _ revision: Int64) throws(TodoError) -> WatchResult
}

/// A state of an item that a key turns on and off.
enum ItemState: String {
  case done, started, archived
}

/// A change of items by a key.
enum WatchChange {
  case state(ItemState, Bool)
  case remove
  case priority(Priority?)
  case property(ItemProperty, String)
  case move(MoveTarget)
}

/// What a change did.
struct WatchResult {
  /// The number of the change.
  var revision: Int64
  /// What was done, with the item's title; nil if nothing changed.
  var label: String?
  /// The items that it changed or removed.
  var ids: Set<Int64>
  /// The first of them, and its list.
  var first: (id: Int64, title: String, list: String)?
  /// When the next instance of a recurring item is due.
  var next: Due?
}

extension TodoStore: WatchedItems {
  func waiting() throws(TodoError) -> WaitingItems? { try WaitingItems(self) }

  func rows(
    _ query: ListQuery, typed: String, in table: TerminalTable, _ marks: Marks, _ look: ItemCell.Look
  ) throws -> any ShownList {
    func rows<Row: ListedItem>(_ controller: FetchedResultsController<ListLine<Row>>) throws -> any ShownList {
      try controller.performFetch()
      let source = AnyDataSource(FRCDataSource(fetchedResultsController: controller))
      return ShownRows(source, controller.errors(), in: table, marks: marks, cells: look, wake: SignalPipe.wake)
    }
    return query.view == .tag ? try rows(taggedLines(query)) : try rows(lines(query))
  }

  func listNames() throws(TodoError) -> [String] { try lists().map(\.name) }

  func matching(_ ids: Set<Int64>, _ filter: Filter) -> Set<Int64> {
    var filter = filter
    filter.status = filter.status ?? .open
    // A number without an item is an error.
    return ids.filter { (try? items(Selection(ids: [$0...$0], filter: filter)))?.isEmpty == false }
  }

  func title(of id: Int64) throws(TodoError) -> String { try item(id).title }

  func details(of id: Int64, on page: Screen) throws -> [StyledText] {
    try ShowCommand.lines(try item(id), at: moment, on: page)
  }

  func areAll(_ items: Selection, _ state: ItemState) throws(TodoError) -> Bool {
    try self.items(items).allSatisfy { item in
      switch state {
      case .done: item.done
      case .started: item.started != nil
      case .archived: item.archived
      }
    }
  }

  func change(_ items: Selection, _ change: WatchChange) throws(TodoError) -> WatchResult {
    switch change {
    case .state(.done, let isSo): return WatchResult(isSo ? try done(items) : try undone(items))
    case .state(.started, let isSo): return WatchResult(isSo ? try start(items) : try stop(items))
    case .state(.archived, let isSo): return WatchResult(isSo ? try archive(items) : try unarchive(items))
    case .remove: return WatchResult(try remove(items))
    case .priority(let priority):
      var edit = ItemEdit()
      edit.priority = .set(priority)
      return WatchResult(try self.edit(items, edit))
    case .property(let property, let text): return WatchResult(try property.change(items, to: text, in: self))
    case .move(let target): return WatchResult(try move(items, target))
    }
  }

  func add(_ line: String, to list: String?) throws(TodoError) -> WatchResult {
    var draft = ItemDraft(try Attributes(line: line, at: moment))
    draft.list = draft.list ?? list
    return WatchResult(try add(draft))
  }

  func nextChange(isUndo: Bool) throws(TodoError) -> ChangeRecord? { isUndo ? try nextUndo() : try nextRedo() }

  func takeBack(isUndo: Bool, _ revision: Int64) throws(TodoError) -> WatchResult {
    WatchResult(isUndo ? try undo(only: revision) : try redo(only: revision))
  }
}

extension WatchResult {
  fileprivate init(_ result: ChangeResult) {
    (revision, label) = (result.revision, result.label)
    ids = Set((result.items + result.removed).map(\.id))
    first = result.items.first.map { ($0.id, $0.title, $0.list) }
    next = result.next.first.flatMap(\.due)
  }
}
