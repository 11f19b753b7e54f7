public import DataSources
public import RowModel

/// A controller as a data source, for code that shows lists without knowing where they come from. A controller is one
/// itself; this wrapper has the name under which the articles about such lists know it.
///
/// ```swift
/// let source = AnyDataSource(FRCDataSource(fetchedResultsController: controller))
/// ```
public struct FRCDataSource<E: Entity>: DataSourceProtocol {
  /// The controller.
  public let fetchedResultsController: FetchedResultsController<E>

  /// Wraps a controller, whether it has fetched or not.
  public init(fetchedResultsController: FetchedResultsController<E>) {
    self.fetchedResultsController = fetchedResultsController
  }

  /// The current list.
  public var snapshot: Snapshot<E> { fetchedResultsController.snapshot }

  /// The changes from now on, in order.
  public func updates() -> AsyncStream<Update<E>> { fetchedResultsController.updates() }

  /// The current list together with its later changes.
  public func follow() -> Following<E> { fetchedResultsController.follow() }

  /// Fetches the controller's request.
  public func reload() async throws { try await fetchedResultsController.performFetch() }
}
