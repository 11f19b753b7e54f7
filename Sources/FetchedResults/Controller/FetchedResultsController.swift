public import DataSources
public import SQLiteStore

/// Follows a request: holds its rows in sections, looks after every commit that touches them, and tells exactly what became
/// of the list.
///
/// ```swift
/// let controller = FetchedResultsController(
///   fetchRequest: FetchRequest<Item>(where: "NOT done", sectionBy: "list", orderBy: ["title"]), database: database)
/// try controller.performFetch()
/// for await update in controller.updates() { print(update.changes) }
/// ```
///
/// A commit costs what it changed: its rows are read again, whatever the length of the list, on a thread that no writer waits
/// for. What can't be followed like that is fetched anew and compared; ``statistics`` says how often and why. Commits of other
/// connections and processes are followed as well.
///
/// All of it can be used from any thread. What is read (`snapshot`, `sections`) is a value of one moment.
public final class FetchedResultsController<E: Entity>: Sendable {
  let core: ResultCore<E>

  /// Makes a controller; nothing is fetched until ``performFetch()``.
  @inlinable
  public convenience init(fetchRequest: FetchRequest<E>, database: Database) {
    self.init(fetchRequest, database, EntityOperations<E>.general())
  }

  @usableFromInline
  init(_ request: FetchRequest<E>, _ database: Database, _ operations: EntityOperations<E>) {
    core = ResultCore(request, SQLiteEngine(database), operations)
    core.deliveries.controller = self
  }

  // What is run for it now is run for nobody.
  deinit { core.stop() }
}

extension FetchedResultsController where E: Equatable {
  /// Makes a controller; nothing is fetched until ``performFetch()``. Rows differ where `==` says so.
  @inlinable
  public convenience init(fetchRequest: FetchRequest<E>, database: Database) {
    self.init(fetchRequest, database, EntityOperations<E>.equatable())
  }
}

extension FetchedResultsController {
  // MARK: Fetching

  /// Fetches the request and follows it from then on.
  ///
  /// Who reads ``updates()`` already gets one update, when the list differs. Called again, it fetches again. An error leaves the
  /// list as it was.
  public func performFetch() throws { try core.fetch() }

  /// Fetches the request, without blocking the calling task, and follows it from then on.
  public func performFetch() async throws {
    let core = core
    try await core.engine.evaluators.run { try core.fetch($0) }
  }

  /// What is followed. Setting another one returns at once; the list becomes that of the new request in one ordinary update.
  ///
  /// A request that can't be fetched leaves the list as it is and is reported as an error; ``settled()`` waits for either.
  public var fetchRequest: FetchRequest<E> {
    get { core.request }
    set { core.request = newValue }
  }

  /// Stops following: the list stays as it is, and readers are told nothing more, but for an update that is being handed over at
  /// this moment. ``performFetch()`` begins again.
  ///
  /// A controller that nobody holds any more stops by itself.
  public func stop() { core.stop() }

  // MARK: Reading

  /// The list as it is now.
  ///
  /// Complexity: O(1).
  public var snapshot: Snapshot<E> { core.snapshot }

  /// The list as it is now: its sections, each with its rows.
  public var sections: Snapshot<E> { core.snapshot }

  /// All rows in order, as one flat collection.
  public var fetchedObjects: Snapshot<E>.Items { core.snapshot.items }

  /// The row at a path, which must be there.
  public func object(at path: ItemPath) -> E { core.snapshot[path] }

  /// Where a row is, by its id; nil when it isn't in the list.
  public func indexPath(forObject object: E) -> ItemPath? { core.snapshot.path(of: object.id) }

  /// The index titles of the sections, in order and each once.
  public var sectionIndexTitles: [String] {
    var seen: Set<String> = []
    return core.snapshot.compactMap(\.indexTitle).filter { seen.insert($0).inserted }
  }

  /// The first section that has an index title. `index`, the title's place among ``sectionIndexTitles``, is not needed to find
  /// it and only has to be right.
  public func section(forSectionIndexTitle title: String, at index: Int) -> Int {
    guard let section = core.snapshot.firstIndex(where: { $0.indexTitle == title }) else {
      fatalError("no section has the index title \"\(title)\"")
    }
    return section
  }

  // MARK: Following

  /// Who is told of changes in the manner of a table view. It is held weakly.
  public var delegate: (any FetchedResultsControllerDelegate<E>)? {
    get { core.deliveries.delegate }
    set { core.deliveries.delegate = newValue }
  }

  /// The changes from here on, as they come. See ``DataSources/DataSourceProtocol/updates()``.
  public func updates() -> AsyncStream<Update<E>> { core.broadcaster.updates() }

  /// The list as it is now together with what becomes of it, taken in the same instant.
  public func follow() -> Following<E> { core.broadcaster.follow() }

  /// Returns when every commit that returned before the call, foreign ones included, has been evaluated and handed over; throws
  /// the error of following, while it lasts.
  public func settled() async throws { try await core.settled() }

  /// What went wrong last, while it lasts.
  public var lastError: (any Error)? { core.withState { $0.lastError } }

  /// What goes wrong from here on.
  public func errors() -> AsyncStream<any Error> { core.deliveries.errors() }

  /// What following has cost.
  public var statistics: Statistics {
    core.catchUp()
    // What has been brought by that nobody else is woken for.
    core.schedule()
    return core.withState { $0.statistics }
  }

  /// Calls back with every update, on the thread that found it.
  public func observe(_ handler: @escaping @Sendable (Update<E>) -> Void) -> ResultsObservation {
    let deliveries = core.deliveries
    let id = deliveries.add(handler)
    return ResultsObservation { [weak deliveries] in deliveries?.remove(id) }
  }
}
