import DataSourcesTestSupport
import FetchedResults
import Foundation
import SQLiteStore
import TodoCore

/// A controller in a trial, with its updates and errors.
final class Follow<E: Entity & Equatable>: Follows {
  private let controller: FetchedResultsController<E>
  private let log: Log<E>
  private var start = Snapshot<E>()

  /// - Parameter keepsUpdates: Whether all updates are kept until they are checked, or only the last list, for a trial
  ///   that is long.
  init(_ controller: FetchedResultsController<E>, keepsUpdates: Bool = true) {
    self.controller = controller
    log = Log(keepsUpdates: keepsUpdates)
  }

  func fetch() throws {
    try controller.performFetch()
    start = controller.snapshot
    controller.delegate = log
  }

  var errors: [any Error] { log.errors }
  var updateCount: Int { log.updates.count }
  var lastError: (any Error)? { controller.lastError }
  var itemCount: Int { controller.snapshot.numberOfItems }

  func settle() async throws { try await controller.settled() }

  func check(against database: Database) throws {
    var last = log.dropped ?? start
    for update in log.updates {
      try demand(update.old == last, "an update does not begin where the one before it ended")
      let violations = Laws.violations(of: update)
      try demand(violations.isEmpty, "\(violations)")
      last = update.new
    }
    try demand(last == controller.snapshot, "the list is not what the updates made of it")
    try demand(controller.lastError == nil, "the error has not gone: \(String(describing: controller.lastError))")
    let fresh = FetchedResultsController(fetchRequest: controller.fetchRequest, database: database)
    try fresh.performFetch()
    try demand(fresh.snapshot == last, "the list is not what a fresh query gives")
  }
}

/// A controller of any entity.
protocol Follows: AnyObject {
  func fetch() throws
  func settle() async throws
  /// Whether the updates follow from each other and lead to what a fresh query gives.
  func check(against database: Database) throws
  var errors: [any Error] { get }
  var updateCount: Int { get }
  var lastError: (any Error)? { get }
  var itemCount: Int { get }
}

/// The calls of a controller's delegate.
private final class Log<E: Entity>: FetchedResultsControllerDelegate {
  private let lock = NSLock()
  private let keepsUpdates: Bool
  // because every access is under `lock`
  nonisolated(unsafe) private var told: (updates: [Update<E>], errors: [any Error]) = ([], [])
  // because every access is under `lock`
  nonisolated(unsafe) private var lastDropped: Snapshot<E>?

  init(keepsUpdates: Bool) { self.keepsUpdates = keepsUpdates }

  /// The list that the first of the updates that were kept begins with, if some were dropped.
  var dropped: Snapshot<E>? { lock.withLock { lastDropped } }

  var updates: [Update<E>] { lock.withLock { told.updates } }
  var errors: [any Error] { lock.withLock { told.errors } }

  func controller(_: FetchedResultsController<E>, didChangeContentWith update: Update<E>) {
    lock.withLock {
      if !keepsUpdates, let last = told.updates.last {
        lastDropped = last.new
        told.updates = []
      }
      told.updates.append(update)
    }
  }

  func controller(_: FetchedResultsController<E>, didFailWith error: any Error) {
    lock.withLock { told.errors.append(error) }
  }
}
