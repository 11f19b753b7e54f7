public import DataSources
public import SQLiteStore

/// Placeholder until the delegate's own file lands.
public protocol FetchedResultsControllerDelegate<E>: AnyObject, Sendable {
  associatedtype E: Entity
  func controllerWillChangeContent(_ controller: FetchedResultsController<E>)
  func controllerDidChangeContent(_ controller: FetchedResultsController<E>)
  func controller(_ controller: FetchedResultsController<E>, didChangeContentWith update: Update<E>)
  func controller(_ controller: FetchedResultsController<E>, didFailWith error: any Error)
}
