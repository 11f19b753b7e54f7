public import DataSources
public import SQLiteStore

/// A controller as a data source, for everything that shows lists without knowing where they come from.
public struct FRCDataSource<E: Entity>: DataSourceProtocol {
  /// The controller.
  public let fetchedResultsController: FetchedResultsController<E>

  /// Wraps a controller, which may have fetched or not.
  public init(fetchedResultsController: FetchedResultsController<E>) {
    self.fetchedResultsController = fetchedResultsController
  }

  /// The list as it is now.
  public var snapshot: Snapshot<E> { fetchedResultsController.snapshot }

  /// The changes from here on, as they come.
  public func updates() -> AsyncStream<Update<E>> { fetchedResultsController.updates() }

  /// The list as it is now together with what becomes of it.
  public func follow() -> Following<E> { fetchedResultsController.follow() }

  /// Fetches the controller's request.
  public func reload() async throws { try await fetchedResultsController.performFetch() }
}
