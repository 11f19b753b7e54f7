public import DataSources
public import RowModel

/// Follows a request: runs a sectioned query, follows every commit that touches its rows, and publishes the exact
/// difference.
///
/// ```swift
/// let controller = FetchedResultsController(
///   fetchRequest: FetchRequest<Item>(where: "NOT done", sectionBy: "list", orderBy: ["title"]), database: database)
/// try await controller.performFetch()
/// for await update in controller.updates() { print(update.changes) }
/// ```
///
/// The cost of a commit depends on what it changed, not on the length of the list: the changed rows are read again, on
/// a thread that no writer waits for. A request that can't be followed like that is fetched again and compared;
/// ``statistics`` says how often and why. Commits of other connections and processes are followed too.
///
/// Every member can be used from any thread. ``snapshot`` and ``sections`` return a value that never changes. A
/// controller is a data source, so whatever shows or follows one takes it as it is.
public final class FetchedResultsController<E: Entity>: DataSourceProtocol {
  let core: ResultCore<E>

  /// Creates a controller. Nothing is fetched until `performFetch()`.
  ///
  /// ```swift
  /// let list = FetchedResultsController(fetchRequest: FetchRequest<Item>(orderBy: ["title"]), database: database)
  /// ```
  @inlinable
  public convenience init(fetchRequest: FetchRequest<E>, database: some LiveDatabase) {
    self.init(fetchRequest, database.liveEngine, EntityOperations<E>.general())
  }

  @usableFromInline
  init(_ request: FetchRequest<E>, _ engine: LiveEngine, _ operations: EntityOperations<E>) {
    core = ResultCore(request, engine.engine, operations)
    core.deliveries.controller = self
  }

  // A query that runs for this list now is no longer needed.
  deinit { core.stop() }
}

extension FetchedResultsController where E: Equatable {
  /// Creates a controller for equatable entities: a row counts as changed when `==` says so. Nothing is fetched until
  /// `performFetch()`.
  @inlinable
  public convenience init(fetchRequest: FetchRequest<E>, database: some LiveDatabase) {
    self.init(fetchRequest, database.liveEngine, EntityOperations<E>.equatable())
  }
}

extension FetchedResultsController {
  // MARK: Fetching

  /// Fetches the request, and follows it from then on.
  ///
  /// ```swift
  /// try controller.performFetch()
  /// for section in controller.sections { print(section.name, section.items.count) }
  /// ```
  ///
  /// Existing readers of ``updates()`` receive one update if the list differs. Calling it again fetches again. If it
  /// throws, the list stays as it was.
  public func performFetch() throws { try core.fetch() }

  /// Fetches the request, without blocking the calling task, and follows it from then on.
  ///
  /// ```swift
  /// let updates = controller.updates()  // the first update is what changes after the fetch
  /// try await controller.performFetch()
  /// for await update in updates { print(update.changes) }
  /// ```
  public func performFetch() async throws {
    let core = core
    try await core.engine.pool.run { try core.fetch($0) }
  }

  /// Fetches the request, as a data source.
  public func reload() async throws { try await performFetch() }

  /// The request that is followed. Setting another one returns at once; the list then changes to the result of the new
  /// request in one ordinary update.
  ///
  /// ```swift
  /// controller.fetchRequest.predicate = #Predicate { !$0.done && $0.title.contains(word) }
  /// try await controller.settled()  // the list shows these rows now
  /// ```
  ///
  /// If the new request can't be fetched, the list stays as it is and the error is reported. ``settled()`` waits for
  /// either.
  public var fetchRequest: FetchRequest<E> {
    get { core.request }
    set { core.request = newValue }
  }

  /// Stops following: the list stays as it is, until `performFetch()` starts again.
  ///
  /// ```swift
  /// controller.stop()                    // the screen is hidden
  /// try await controller.performFetch()  // it is shown again
  /// ```
  ///
  /// Readers receive nothing more, except for updates that have been published but not delivered yet. The streams of
  /// ``updates()`` stay open: they end with the controller, or when the task that reads them is cancelled.
  ///
  /// A fetch that is running is not stopped. When it ends, its list is shown and followed.
  ///
  /// A controller stops by itself when it is released.
  public func stop() { core.stop() }

  // MARK: Reading

  /// The current list.
  ///
  /// ```swift
  /// let list = controller.snapshot  // never changes
  /// for path in list.paths { print(path, list[path].title) }
  /// ```
  ///
  /// Complexity: O(1).
  public var snapshot: Snapshot<E> { core.snapshot }

  /// The current list: its sections, each with its rows.
  public var sections: Snapshot<E> { core.snapshot }

  /// All rows in order, as one flat collection.
  public var fetchedObjects: Snapshot<E>.Items { core.snapshot.items }

  /// The row at a path. Traps if there is no such row.
  public func object(at path: ItemPath) -> E { core.snapshot[path] }

  /// The path of a row with the same id; nil if it isn't in the list.
  ///
  /// ```swift
  /// if let path = controller.indexPath(forObject: order) { print(controller.object(at: path).title) }
  /// ```
  public func indexPath(forObject object: E) -> ItemPath? { core.snapshot.path(of: object.id) }

  /// The index titles of the sections, in order and each once.
  public var sectionIndexTitles: [String] {
    var seen: Set<String> = []
    return core.snapshot.compactMap(\.indexTitle).filter { seen.insert($0).inserted }
  }

  /// The first section that has an index title. Traps if no section has it.
  ///
  /// `index`, the position of the title in ``sectionIndexTitles``, is not used.
  public func section(forSectionIndexTitle title: String, at index: Int) -> Int {
    guard let section = core.snapshot.firstIndex(where: { $0.indexTitle == title }) else {
      fatalError("no section has the index title \"\(title)\"")
    }
    return section
  }

  // MARK: Following

  /// Receives changes the way a table view does. It is held weakly.
  public var delegate: (any FetchedResultsControllerDelegate<E>)? {
    get { core.deliveries.delegate }
    set {
      if newValue != nil { core.readerJoined() }
      core.deliveries.delegate = newValue
    }
  }

  /// The changes from now on, in order. See ``DataSources/DataSourceProtocol/updates()``.
  ///
  /// ```swift
  /// let updates = controller.updates()
  /// try await database.write { c in try c.insert(order) }
  /// for await update in updates { print(update.changes) }  // rows: inserted [0, 3]
  /// ```
  ///
  /// The stream ends with the controller, and when the database is closed. It can't tell an error: a list that can't be
  /// followed stays as it is, see ``throwingUpdates()``.
  public func updates() -> AsyncStream<Update<E>> {
    let (log, name) = (core.engine.log, core.name)
    return follow().updates { [weak core] in
      if core == nil { log("\(name) ended with its controller before a reader received anything; keep the controller") }
    }
  }

  /// The changes from now on, in order; the first error of following is thrown, and ends the stream.
  ///
  /// ```swift
  /// do {
  ///   for try await update in controller.throwingUpdates() { print(update.changes) }
  /// } catch {
  ///   print("the list shows its last state: \(error)")
  /// }
  /// ```
  ///
  /// A row that can't be read is such an error; it names the row and the column. The list goes on when the cause is
  /// gone, and can then be read again with another stream. If an error lasts at the call, it is thrown at once. The
  /// stream ends with the controller, and when the database is closed.
  public func throwingUpdates() -> AsyncThrowingStream<Update<E>, any Error> {
    core.readerJoined()
    return core.deliveries.throwingUpdates(after: lastError)
  }

  /// The current list together with its later changes, taken at the same instant.
  ///
  /// ```swift
  /// let following = controller.follow()
  /// print(following.snapshot.numberOfItems)
  /// for await update in following.updates { print(update.changes) }  // the first one starts from that snapshot
  /// ```
  public func follow() -> Following<E> {
    core.readerJoined()
    return core.broadcaster.follow()
  }

  /// Returns when every commit that was complete before the call has been evaluated and delivered.
  ///
  /// ```swift
  /// try await database.write { c in try c.insert(order) }
  /// try await controller.settled()
  /// print(controller.snapshot.numberOfItems)  // with the order
  /// ```
  ///
  /// Commits of other programs count too. It throws the error of following while its cause lasts; what has failed
  /// before is tried again first. It returns at once if the list is stopped, or while the first fetch runs. Before that
  /// it throws.
  public func settled() async throws { try await core.settled() }

  /// The last error of following, while its cause lasts; nil while it is stopped.
  public var lastError: (any Error)? { core.withShared { $0.state.lastError } }

  /// The errors from now on. The stream ends with the controller, and when the database is closed.
  ///
  /// ```swift
  /// for await error in controller.errors() { print("the list shows its last state: \(error)") }
  /// ```
  ///
  /// An error that nobody reads, neither here nor in ``throwingUpdates()`` nor as a delegate, is written to the
  /// database's log.
  public func errors() -> AsyncStream<any Error> { core.deliveries.errors() }

  /// The cost of following so far.
  ///
  /// ```swift
  /// let statistics = controller.statistics
  /// print("\(statistics.commits) commits, \(statistics.requeried) whole queries: \(statistics.reasons)")
  /// ```
  public var statistics: Statistics { core.statistics }

  /// The request whose list is shown, which is another one while the request that was set fails. For tests.
  package var shownRequest: FetchRequest<E>? { core.withShared { $0.shown?.request } }

  /// What the incremental evaluations so far have done.
  package var work: WorkCount { core.withShared { $0.work } }

  /// The first broken invariant of the list's structures; nil if not found. For tests: it visits every row, and waits
  /// for an evaluation that is running.
  package func firstBrokenInvariant() -> String? { core.firstBrokenInvariant() }

  /// Calls a handler with the updates, one at a time and in order: on the thread that fetches, or on a thread of the
  /// database's. If more than 64 updates wait for a slow handler, the newest of them are merged into one.
  ///
  /// ```swift
  /// let observation = controller.observeOnAnyThread { update in print(update.changes) }
  /// observation.cancel()
  /// ```
  ///
  /// On an actor, such as the main actor of an app, use
  /// ``DataSources/DataSourceProtocol/observe(initial:isolation:_:)``, whose handler is called there.
  public func observeOnAnyThread(_ handler: @escaping @Sendable (Update<E>) -> Void) -> ObservationToken {
    core.readerJoined()
    let deliveries = core.deliveries
    let id = deliveries.add(handler)
    return ObservationToken { [weak deliveries] in deliveries?.remove(id) }
  }
}
