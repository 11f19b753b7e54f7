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
  func item(at path: ItemPath) -> Item?
  /// The number of rows in a section.
  func numberOfItems(inSection section: Int) -> Int
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

/// A list in a table, which follows its source. It is used on one thread; only updates come from others.
final class ShownRows<Row: ListedItem>: ShownList {
  private let adapter: ListAdapter<AnyDataSource<Row>, TerminalTable>
  private let waiting: WaitingUpdate<Row>
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
    let waiting = WaitingUpdate<Row>()
    self.waiting = waiting
    let following = source.follow()
    adapter.show(following.snapshot)
    self.following = Task {
      for await update in following.updates {
        guard await waiting.put(update, wake) else { return }
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
    waiting.close()
  }

  var numberOfItems: Int { adapter.snapshot.numberOfItems }

  func item(at path: ItemPath) -> Item? { adapter.snapshot.item(at: path)?.item }

  func numberOfItems(inSection section: Int) -> Int { adapter.snapshot[section].items.count }

  func rowID(of item: Int64) -> AnyHashable? {
    if Row.self == Item.self { return adapter.snapshot.path(of: item).map { _ in AnyHashable(item) } }
    return adapter.snapshot.items.first { $0.item.id == item }.map { AnyHashable($0.id) }
  }

  func present(among items: Set<Int64>) -> Set<Int64> {
    if items.isEmpty { return items }
    if Row.self == Item.self { return items.filter { adapter.snapshot.path(of: $0) != nil } }
    return Set(inOrder(items))
  }

  func inOrder(_ items: Set<Int64>) -> [Int64] {
    var left = items
    return adapter.snapshot.items.compactMap { left.remove($0.item.id) }
  }

  func takeError() -> (any Error)? { lastError.withLock { $0.take() } }

  func takeUpdate() -> Bool {
    guard let update = waiting.take() else { return false }
    adapter.apply(update)
    return true
  }
}

/// The items that are marked.
final class Marks {
  var items: Set<Int64> = []
}

/// At most one update, passed from the task that reads them to the thread that shows them. While it waits no other is
/// requested, so that the source merges later changes.
private final class WaitingUpdate<Row: ListedItem>: Sendable {
  private struct State {
    var update: Update<Row>?
    var reader: CheckedContinuation<Void, Never>?
    var isClosed = false
  }

  private let state = Locked(State())

  /// Waits until an update is taken; returns false after the end.
  func put(_ update: Update<Row>, _ wake: @Sendable () -> Void) async -> Bool {
    let isOpen = state.withLock { state in
      state.update = update
      return !state.isClosed
    }
    guard isOpen else { return false }
    wake()
    await withCheckedContinuation { continuation in
      let isTaken = state.withLock { state in
        if state.update == nil || state.isClosed { return true }
        state.reader = continuation
        return false
      }
      if isTaken { continuation.resume() }
    }
    return state.withLock { !$0.isClosed }
  }

  func take() -> Update<Row>? {
    let (update, reader) = state.withLock { state in
      defer { (state.update, state.reader) = (nil, nil) }
      return (state.update, state.reader)
    }
    reader?.resume()
    return update
  }

  func close() {
    let reader = state.withLock { state in
      state.isClosed = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }
}
