/// A view that shows a sectioned list in reusable cells: a table, a collection, a terminal.
///
/// A ``ListAdapter`` connects a host with a data source. The host asks its ``content`` what to show, and receives
/// changes stage by stage. Inside each stage the content switches from one list to the next.
///
/// The hosts of this package are `TerminalTable`, `PlainTextRenderer` and, in the module AppleLists, those around a
/// `UITableView`, a `UICollectionView` and an `NSTableView`. A host of your own needs a few lines:
///
/// ```swift
/// final class TextHost: ListHost {
///   weak var content: (any ListContent<TextCell>)?
///   private var kinds: [String: CellRegistration<TextCell>] = [:]
///
///   func register(_ registration: CellRegistration<TextCell>) { kinds[registration.identifier] = registration }
///   func dequeue(_ identifier: String, for path: ItemPath) -> TextCell { kinds[identifier]!.makeCell() }
///   func reloadData() {
///     guard let content else { return }
///     for section in 0..<content.numberOfSections {
///       for item in 0..<content.numberOfItems(inSection: section) {
///         print(content.cell(at: ItemPath(section: section, item: item)).text)
///       }
///     }
///   }
///   func performBatch(_ stage: Changes, switchingContent: () -> Void) {
///     switchingContent()
///     reloadData()
///   }
/// }
/// ```
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
  ///     batch: before the call the content answers as before the stage, and afterwards as after it. It escapes only
  ///     so that a view's own batch can take it.
  func performBatch(_ stage: Changes, switchingContent: @escaping () -> Void)

  /// A change of one or more stages begins. The content is still the old one. The default does nothing.
  ///
  /// ```swift
  /// final class Log<Base: ListHost>: ListHost {
  ///   let base: Base
  ///   init(_ base: Base) { self.base = base }
  ///   var content: (any ListContent<Base.Cell>)? { get { base.content } set { base.content = newValue } }
  ///   func register(_ registration: CellRegistration<Base.Cell>) { base.register(registration) }
  ///   func dequeue(_ identifier: String, for path: ItemPath) -> Base.Cell { base.dequeue(identifier, for: path) }
  ///   func reloadData() { base.reloadData() }
  ///   func performBatch(_ stage: Changes, switchingContent: @escaping () -> Void) {
  ///     base.performBatch(stage, switchingContent: switchingContent)
  ///   }
  ///   func updateWillBegin() { print("begins") }
  ///   func updateDidEnd(_ changes: Changes) { print("ended: \(changes)") }
  /// }
  /// ```
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
  public func apply<Item>(_ update: Update<Item>, showing show: @escaping (Snapshot<Item>) -> Void) {
    updateWillBegin()
    for stage in update.batches() {
      performBatch(stage.changes) { show(stage.new) }
    }
    updateDidEnd(update.changes)
  }
}
