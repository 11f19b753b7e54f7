import DataSources
import FetchedResults
import FetchedResultsSupport
import TerminalLists
import TodoCore

/// The list on the screen: of items, or of items under their tags.
protocol ShownList: AnyObject {
  /// The number of rows.
  var numberOfItems: Int { get }
  /// The item in a row; nil if there is no such row.
  func item(at path: ItemPath) -> ItemLine?
  /// The id of the first row of an item; nil if it has none.
  func rowID(of item: Int64) -> AnyHashable?
  /// Which of these items have a row.
  func present(among items: Set<Int64>) -> Set<Int64>
  /// These items, in the order of the list.
  func inOrder(_ items: Set<Int64>) -> [Int64]
  /// Shows an update of the list; returns false if there was none.
  func takeUpdate() -> Bool
  /// The last error of following that nobody has taken yet.
  func takeError() -> (any Error)?
}

/// A row of the list: an item, or an item under one of its tags.
protocol LineRow: Identifiable, Equatable, Sendable where ID == Int64 {
  var item: ItemLine { get }
  /// Whether the id is the item's.
  static var hasOneRowPerItem: Bool { get }
}

extension ListLine: LineRow {
  static var hasOneRowPerItem: Bool { Row.self == Item.self }
}

/// A list in a table, which follows its source. It is used on one thread; only updates come from others.
final class ShownRows<Row: LineRow>: ShownList {
  private let adapter: ListAdapter<AnyDataSource<Row>, TerminalTable>
  /// The newest list, until the thread that shows it takes it.
  private let newest = Locked<Snapshot<Row>?>(nil)
  private let following: Task<Void, Never>
  private let failing: Task<Void, Never>
  private let lastError = Locked<(any Error)?>(nil)

  /// Shows a source in a table, and calls `wake` on any thread when there is an update or an error.
  init(
    _ source: AnyDataSource<Row>, _ errors: AsyncStream<any Error>, in table: TerminalTable, marks: Marks,
    cells: ItemCell.Look, wake: @escaping @Sendable () -> Void
  ) {
    adapter = ListAdapter(
      source: source,
      presenter: .configuring(ItemCell.self) { cell, row in
        cell.item = row.item
        cell.isMarked = marks.items.contains(row.item.id)
        cell.look = cells
      }, host: table)
    let following = source.follow()
    adapter.show(following.snapshot)
    self.following = Task { [newest] in
      for await update in following.updates {
        newest.withLock { $0 = update.new }
        wake()
      }
    }
    failing = Task { [lastError] in
      for await error in errors {
        lastError.withLock { $0 = error }
        wake()
      }
    }
  }

  deinit {
    following.cancel()
    failing.cancel()
  }

  var numberOfItems: Int { adapter.snapshot.numberOfItems }

  func item(at path: ItemPath) -> ItemLine? { adapter.snapshot.item(at: path)?.item }

  func rowID(of item: Int64) -> AnyHashable? {
    if Row.hasOneRowPerItem { return adapter.snapshot.path(of: item).map { _ in AnyHashable(item) } }
    return adapter.snapshot.items.first { $0.item.id == item }.map { AnyHashable($0.id) }
  }

  func present(among items: Set<Int64>) -> Set<Int64> {
    if items.isEmpty { return items }
    if Row.hasOneRowPerItem { return items.filter { adapter.snapshot.path(of: $0) != nil } }
    return Set(inOrder(items))
  }

  func inOrder(_ items: Set<Int64>) -> [Int64] {
    var left = items
    return adapter.snapshot.items.compactMap { left.remove($0.item.id) }
  }

  func takeError() -> (any Error)? { lastError.withLock { $0.take() } }

  func takeUpdate() -> Bool {
    guard let new = newest.withLock({ $0.take() }) else { return false }
    let old = adapter.snapshot
    adapter.apply(Update(old: old, new: new, changes: new.changes(from: old)))
    return true
  }
}

/// No list, while another one is loaded.
final class NoRows: ShownList {
  let numberOfItems = 0
  func item(at path: ItemPath) -> ItemLine? { nil }
  func rowID(of item: Int64) -> AnyHashable? { nil }
  func present(among items: Set<Int64>) -> Set<Int64> { [] }
  func inOrder(_ items: Set<Int64>) -> [Int64] { [] }
  func takeUpdate() -> Bool { false }
  func takeError() -> (any Error)? { nil }
}

/// The items that are marked.
final class Marks {
  var items: Set<Int64> = []
}
