public import DataSources
public import SQLiteStore

/// Who is told by a controller what became of its list, in the manner of a table view.
///
/// For each change there is one bracket: will, then sections, then rows, then did. What stands between can be handed to a
/// list view as one batch; ``FetchedResultsChangeType`` says what is told, with which paths, and in which order.
///
/// ``controller(_:didChangeContentWith:)`` comes last and is all that most need: the update has both lists and the exact
/// difference, so nothing has to be asked of the controller, which may have gone on meanwhile.
///
/// ```swift
/// final class Screen: FetchedResultsControllerDelegate {
///   func controller(_: FetchedResultsController<Item>, didChangeContentWith update: Update<Item>) {
///     show(update)
///   }
/// }
/// ```
///
/// The calls come one at a time and in order, on a thread of the controller's and under no lock: a delegate may write, set
/// another request, or let go of the controller. Whoever lives on an actor reads
/// ``FetchedResultsController/updates()`` there, or observes.
public protocol FetchedResultsControllerDelegate<E>: AnyObject, Sendable {
  /// The rows.
  associatedtype E: Entity

  /// A change is about to be told.
  func controllerWillChangeContent(_ controller: FetchedResultsController<E>)

  /// A section came, went, or has other titles.
  func controller(
    _ controller: FetchedResultsController<E>, didChange section: Section<E>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType)

  /// A row came, went, moved, or has another content.
  func controller(
    _ controller: FetchedResultsController<E>, didChange object: E, at path: ItemPath?,
    for type: FetchedResultsChangeType, newIndexPath: ItemPath?)

  /// The change has been told.
  func controllerDidChangeContent(_ controller: FetchedResultsController<E>)

  /// The change as a value, after all else: the way to be told.
  func controller(_ controller: FetchedResultsController<E>, didChangeContentWith update: Update<E>)

  /// The list can't be followed, or a request not be fetched; the list stays as it was.
  func controller(_ controller: FetchedResultsController<E>, didFailWith error: any Error)
}

extension FetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<E>) {}

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<E>, didChange section: Section<E>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {}

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<E>, didChange object: E, at path: ItemPath?,
    for type: FetchedResultsChangeType, newIndexPath: ItemPath?
  ) {}

  /// Does nothing.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<E>) {}

  /// Does nothing.
  public func controller(_ controller: FetchedResultsController<E>, didChangeContentWith update: Update<E>) {}

  /// Does nothing.
  public func controller(_ controller: FetchedResultsController<E>, didFailWith error: any Error) {}
}

extension FetchedResultsControllerDelegate {
  /// Tells of an update.
  func tell(_ update: Update<E>, of controller: FetchedResultsController<E>) {
    controllerWillChangeContent(controller)
    for event in update.delegateEvents() {
      switch event {
      case .section(let section, let index, let type):
        self.controller(controller, didChange: section, atSectionIndex: index, for: type)
      case .object(let object, let path, let type, let newPath):
        self.controller(controller, didChange: object, at: path, for: type, newIndexPath: newPath)
      }
    }
    controllerDidChangeContent(controller)
    self.controller(controller, didChangeContentWith: update)
  }
}
