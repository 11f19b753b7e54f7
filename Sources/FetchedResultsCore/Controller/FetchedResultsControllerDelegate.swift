public import DataSources
public import RowModel

/// Receives the changes of a controller's list, in the manner of a table view.
///
/// For each change the calls are: will change, then sections, then rows, then did change. What comes in between can be
/// passed to a list view as one batch; ``FetchedResultsChangeType`` says which calls there are, with which paths, and
/// in which order.
///
/// ``controller(_:didChangeContentWith:)`` comes last, and is all that most delegates need. The update has both lists
/// and the exact difference. So there is no need to ask the controller, whose list may have changed again.
///
/// ```swift
/// final class Screen: FetchedResultsControllerDelegate {
///   func controller(_: FetchedResultsController<Item>, didChangeContentWith update: Update<Item>) {
///     print(update.changes)
///   }
/// }
/// ```
///
/// Methods as they are written for Core Data, with `anObject: Any` or `IndexPath`, compile beside these, and are never
/// called: write the entity's own type, and `ItemPath`.
///
/// The calls come one at a time and in order, on a thread of the controller's and under no lock. A delegate may write,
/// set another request, or release the controller. A class on the main actor, and any actor, observes instead, and is
/// called where it is:
///
/// ```swift
/// @MainActor final class ItemScreen {
///   private var observation: ObservationToken?
///   func start(_ controller: FetchedResultsController<Item>) {
///     observation = controller.observe { [weak self] update in self?.show(update) }
///   }
///   private func show(_ update: Update<Item>) { print(update.changes) }
/// }
/// ```
public protocol FetchedResultsControllerDelegate<E>: AnyObject, Sendable {
  /// The type of the rows.
  associatedtype E: Entity

  /// A change is about to be reported.
  ///
  /// ```swift
  /// final class Table: FetchedResultsControllerDelegate {
  ///   func controllerWillChangeContent(_: FetchedResultsController<Item>) { print("begin updates") }
  ///   func controllerDidChangeContent(_: FetchedResultsController<Item>) { print("end updates") }
  /// }
  /// ```
  func controllerWillChangeContent(_ controller: FetchedResultsController<E>)

  /// A section was inserted or deleted, or has other titles.
  func controller(
    _ controller: FetchedResultsController<E>, didChange section: Section<E>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType)

  /// A row was inserted, deleted or moved, or its content differs.
  func controller(
    _ controller: FetchedResultsController<E>, didChange object: E, at path: ItemPath?,
    for type: FetchedResultsChangeType, newIndexPath: ItemPath?)

  /// The change has been reported.
  func controllerDidChangeContent(_ controller: FetchedResultsController<E>)

  /// The whole change as a value, after all other calls. This is the recommended method.
  func controller(_ controller: FetchedResultsController<E>, didChangeContentWith update: Update<E>)

  /// The list can't be followed, or a request can't be fetched; the list stays as it was.
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

  /// Writes the error to the database's log, if nobody else reads it.
  public func controller(_ controller: FetchedResultsController<E>, didFailWith error: any Error) {
    controller.core.reportUnheard(error)
  }
}

extension FetchedResultsControllerDelegate {
  /// Makes the delegate's calls for an update.
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
