public import DataSources
public import FetchedResultsCore
public import Observation
public import RowModel

/// The rows of a request as a SwiftUI view reads them: what a `@Fetched` property holds.
///
/// ```swift
/// import AppleLists
/// import FetchedResults
/// import SwiftUI
///
/// struct Number: View {
///   let items: FetchedList<Item>
///   var body: some View { Text("\(items.results.count) to do") }
/// }
/// ```
///
/// It changes on the main actor, one step for each update of the database. A view that reads it is drawn again.
@MainActor @Observable public final class FetchedList<E: Entity> {
  /// The request that is shown. Set it, or one of its parts, to show other rows: `items.request.predicate = …`. It
  /// stays until the view declares another one.
  public var request: FetchRequest<E> {
    didSet {
      guard request != oldValue, let controller else { return }
      controller.fetchRequest = request
      if fetchError != nil { fetch() }
    }
  }

  private var model: ResultsModel<E>?
  private var fetchError: (any Error)?
  /// Counts errors, so that views are drawn again when one comes.
  private var numberOfErrors = 0
  @ObservationIgnored private var controller: FetchedResultsController<E>?
  @ObservationIgnored private var declared: FetchRequest<E>
  @ObservationIgnored private var pool: ObjectIdentifier?
  @ObservationIgnored private var log: @Sendable (String) -> Void = { _ in }
  @ObservationIgnored private let changing: (_ change: () -> Void) -> Void

  /// Creates an empty list of a request.
  ///
  /// - Parameters:
  ///   - request: What to show, once a database is known.
  ///   - changing: Performs each change, such as in an animation.
  package init(_ request: FetchRequest<E>, changing: @escaping (_ change: () -> Void) -> Void = { $0() }) {
    self.request = request
    self.changing = changing
    declared = request
  }

  /// All rows in order.
  public var results: Snapshot<E>.Items { sections.items }

  /// The rows in their sections; one section if the request has none.
  public var sections: Snapshot<E> { model?.sections ?? Snapshot() }

  /// What the last update changed; empty if there was none yet.
  public var changes: Changes { model?.lastUpdate?.changes ?? Changes() }

  /// Why the rows can't be read or followed, while the cause lasts. They stay what they were. Each error is also
  /// written to the database's log.
  public var error: (any Error)? {
    _ = (model?.snapshot, numberOfErrors)
    return fetchError ?? controller?.lastError
  }

  /// Fetches again, such as after an error.
  public func reload() async throws {
    try await controller?.performFetch()
    fetchError = nil
  }

  /// Shows the declared request of a database, if either is another one than before. The first fetch happens here.
  package func show(_ declared: FetchRequest<E>, of database: any LiveDatabase) {
    if declared != self.declared {
      self.declared = declared
      request = declared
    }
    let engine = database.liveEngine.engine
    // Each database has a pool of its own.
    guard ObjectIdentifier(engine.pool) != pool else { return }
    (pool, log) = (ObjectIdentifier(engine.pool), engine.log)
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    self.controller = controller
    let errors = controller.errors()
    fetch()
    let model = ResultsModel(controller)
    model.changing = changing
    self.model = model
    Task { [weak self] in
      for await error in errors { self?.report(error) }
    }
  }

  private func fetch() {
    do {
      try controller?.performFetch()
      fetchError = nil
    } catch {
      fetchError = error
      log("a list could not be fetched: \(error)")
    }
  }

  private func report(_ error: any Error) {
    numberOfErrors += 1
    log("a list could not be followed: \(error)")
  }
}
