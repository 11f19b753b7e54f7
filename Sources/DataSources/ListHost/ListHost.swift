/// A view that shows a sectioned list in reusable cells: a table, a collection, a terminal.
///
/// A ``ListAdapter`` stands between a host and a data source. The host asks its ``content`` what to show, and is told of
/// changes stage by stage, inside each of which the content switches from one list to the next.
///
/// The two hosts of this package are ``TerminalTable`` and ``PlainTextRenderer``. On Apple's systems a table view becomes one in a
/// few lines, on the main actor:
///
/// ```swift
/// final class TaskTable: UITableView, @MainActor ListHost, UITableViewDataSource {
///   weak var content: (any ListContent<UITableViewCell>)?
///
///   func register(_ registration: CellRegistration<UITableViewCell>) {
///     register(registration.type, forCellReuseIdentifier: registration.identifier)
///   }
///   func dequeue(_ identifier: String, for path: ItemPath) -> UITableViewCell {
///     dequeueReusableCell(withIdentifier: identifier, for: IndexPath(row: path.item, section: path.section))
///   }
///   func performBatch(_ stage: Changes, switchingContent: () -> Void) {
///     performBatchUpdates {
///       switchingContent()
///       deleteSections(IndexSet(stage.deletedSections), with: .automatic)
///       insertSections(IndexSet(stage.insertedSections), with: .automatic)
///       for move in stage.movedSections { moveSection(move.from, toSection: move.to) }
///       reloadSections(IndexSet(stage.updatedSections.map(\.from)), with: .automatic)
///       deleteRows(at: stage.deletedItems.map(IndexPath.init), with: .automatic)
///       insertRows(at: stage.insertedItems.map(IndexPath.init), with: .automatic)
///       for move in stage.movedItems { moveRow(at: IndexPath(move.from), to: IndexPath(move.to)) }
///       reconfigureRows(at: stage.updatedItems.map { IndexPath($0.from) })
///     }
///   }
///   // UITableViewDataSource forwards to `content`; `reloadData()` is there already.
/// }
/// ```
///
/// `NSTableView` and `UICollectionView` take the same steps under other names.
public protocol ListHost<Cell>: AnyObject {
  /// What the host shows: the common type of its cells.
  associatedtype Cell

  /// Whom to ask what to show. Hosts hold it weakly: the adapter holds the host. An adapter that finds another content here has
  /// lost the host to it, and leaves the host alone.
  var content: (any ListContent<Cell>)? { get set }

  /// Learns to make a kind of cell.
  func register(_ registration: CellRegistration<Cell>)

  /// A cell of a kind, fresh or used before.
  ///
  /// An identifier that was never registered is a mistake of the caller's: the program stops, with a message that names it.
  func dequeue(_ identifier: String, for path: ItemPath) -> Cell

  /// Shows the content anew, whatever was there before.
  func reloadData()

  /// Shows a stage of a change. The stage keeps the rules of ``Changes/batches()``.
  ///
  /// - Parameters:
  ///   - stage: What changes. Deletions, updates and sources of moves are places before it, the rest are places after it.
  ///   - switchingContent: What makes the content the one after the stage. The host calls it once, in the midst of its batch:
  ///     before the call the content answers as before the stage, and afterwards as after it.
  func performBatch(_ stage: Changes, switchingContent: () -> Void)

  /// A change begins, of one stage or more. The content is still the old one. Unless written, it does nothing.
  func updateWillBegin()

  /// A change is complete. Unless written, it does nothing.
  ///
  /// - Parameter changes: All of the change, as one difference.
  func updateDidEnd(_ changes: Changes)
}

extension ListHost {
  /// Does nothing.
  public func updateWillBegin() {}

  /// Does nothing.
  public func updateDidEnd(_ changes: Changes) {}

  /// Shows a change in stages.
  ///
  /// - Parameters:
  ///   - update: The change. Its `old` is what the host shows.
  ///   - show: What makes a list the content. It is called inside each stage's batch with the list after the stage.
  public func apply<Item>(_ update: Update<Item>, showing show: (Snapshot<Item>) -> Void) {
    updateWillBegin()
    for stage in update.batches() {
      performBatch(stage.changes) { show(stage.new) }
    }
    updateDidEnd(update.changes)
  }
}
