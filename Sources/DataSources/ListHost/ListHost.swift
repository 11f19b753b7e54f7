/// A view that shows a sectioned list in reusable cells: a table, a collection, a terminal.
///
/// A ``ListAdapter`` connects a host with a data source. The host asks its ``content`` what to show, and receives
/// changes stage by stage. Inside each stage the content switches from one list to the next.
///
/// The two hosts of this package are ``TerminalTable`` and ``PlainTextRenderer``. On Apple's systems a table view
/// becomes a host in a few lines, on the main actor:
///
/// ```swift
/// import DataSources
/// import UIKit
///
/// final class ErrandTable: UITableView, @MainActor ListHost, UITableViewDataSource {
///   weak var content: (any ListContent<UITableViewCell>)?
///
///   func register(_ registration: CellRegistration<UITableViewCell>) {
///     register(registration.type, forCellReuseIdentifier: registration.identifier)
///   }
///   func dequeue(_ identifier: String, for path: ItemPath) -> UITableViewCell {
///     dequeueReusableCell(withIdentifier: identifier, for: IndexPath(row: path.item, section: path.section))
///   }
///   func performBatch(_ stage: Changes, switchingContent: () -> Void) {
///     withoutActuallyEscaping(switchingContent) { switchingContent in
///       performBatchUpdates { [self] in
///         switchingContent()
///         deleteSections(IndexSet(stage.deletedSections), with: .automatic)
///         insertSections(IndexSet(stage.insertedSections), with: .automatic)
///         for move in stage.movedSections { moveSection(move.from, toSection: move.to) }
///         reloadSections(IndexSet(stage.updatedSections.map(\.from)), with: .automatic)
///         deleteRows(at: stage.deletedItems.map { IndexPath($0) }, with: .automatic)
///         insertRows(at: stage.insertedItems.map { IndexPath($0) }, with: .automatic)
///         for move in stage.movedItems { moveRow(at: IndexPath(move.from), to: IndexPath(move.to)) }
///         reconfigureRows(at: stage.updatedItems.map { IndexPath($0.from) })
///       }
///     }
///   }
///
///   // The table asks itself: set its `dataSource` to itself.
///   func numberOfSections(in _: UITableView) -> Int { content?.numberOfSections ?? 0 }
///   func tableView(_: UITableView, numberOfRowsInSection section: Int) -> Int {
///     content?.numberOfItems(inSection: section) ?? 0
///   }
///   func tableView(_: UITableView, cellForRowAt index: IndexPath) -> UITableViewCell {
///     content?.cell(at: ItemPath(section: index.section, item: index.row)) ?? UITableViewCell()
///   }
///   func tableView(_: UITableView, titleForHeaderInSection section: Int) -> String? {
///     content?.header(ofSection: section)
///   }
/// }
///
/// extension IndexPath {
///   init(_ path: ItemPath) { self.init(row: path.item, section: path.section) }
/// }
/// ```
///
/// `NSTableView` and `UICollectionView` take the same steps under other names.
public protocol ListHost<Cell>: AnyObject {
  /// The common type of the host's cells.
  associatedtype Cell

  /// The content to show. Hosts hold it weakly: the adapter holds the host. An adapter that finds another content here
  /// has lost the host to it, and leaves the host alone.
  var content: (any ListContent<Cell>)? { get set }

  /// Registers a kind of cell.
  func register(_ registration: CellRegistration<Cell>)

  /// A cell of a kind, new or reused.
  ///
  /// An identifier that was never registered is a caller's mistake: the program stops, with a message that names it.
  func dequeue(_ identifier: String, for path: ItemPath) -> Cell

  /// Shows the whole content again, whatever was shown before.
  func reloadData()

  /// Shows a stage of a change. The stage keeps the rules of ``Changes/batches()``.
  ///
  /// - Parameters:
  ///   - stage: The changes. Deletions, updates and sources of moves are places before the stage, the rest are places
  ///     after it.
  ///   - switchingContent: Switches the content to the list after the stage. The host must call it once, inside its
  ///     batch: before the call the content answers as before the stage, and afterwards as after it.
  func performBatch(_ stage: Changes, switchingContent: () -> Void)

  /// A change of one or more stages begins. The content is still the old one. The default does nothing.
  func updateWillBegin()

  /// A change is complete. The default does nothing.
  ///
  /// - Parameter changes: The whole change, as one difference.
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
  ///   - update: The change. Its `old` is the list that the host shows.
  ///   - show: Makes a list the content. It is called inside each stage's batch with the list after the stage.
  public func apply<Item>(_ update: Update<Item>, showing show: (Snapshot<Item>) -> Void) {
    updateWillBegin()
    for stage in update.batches() {
      performBatch(stage.changes) { show(stage.new) }
    }
    updateDidEnd(update.changes)
  }
}
