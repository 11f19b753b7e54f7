import FetchedResultsSupport

/// A data source in front of another one, which can be replaced while clients follow.
///
/// Clients hold this one and don't know the source behind it. A switch is one ordinary ``Update`` for everyone who
/// follows: the difference between the two lists.
///
/// ```swift
/// let tasks = SwitchingDataSource(SectionController(["Milk"]))
/// let adapter = ListAdapter(source: tasks, presenter: .settingData(TextCell.self), host: table)
/// adapter.follow()
/// tasks.source = AnyDataSource(SectionController(["Milk", "Bread"]))  // the table inserts a row
/// ```
///
/// The difference is exact if items are identifiable and equatable, and otherwise as exact as the items allow (see
/// ``Draft/replace(with:)``). Each follower computes it when it reads, in its own task.
///
/// It keeps the source behind it alive. Its readers don't keep it alive, and end with it. A reader that is behind then
/// does not receive what it has missed.
public final class SwitchingDataSource<Item: Sendable>: DataSourceProtocol {
  private let hub: SwitchingHub<Item>

  /// Creates a data source in front of another one.
  public init(_ source: some DataSourceProtocol<Item>) { hub = SwitchingHub(AnyDataSource(source)) }

  deinit { hub.finish() }

  /// The data source behind it. A new one is used at once: it answers all later reads, and followers receive the
  /// difference.
  ///
  /// ```swift
  /// let shown = SwitchingDataSource(controller)
  /// shown.source = AnyDataSource(list)  // one update for all who follow
  /// ```
  ///
  /// Don't set a source that reads this one, such as this one itself: each read would call itself without end, and the
  /// program would stop.
  public var source: AnyDataSource<Item> {
    get {
      guard let source = hub.current.source else { fatalError("a switching data source has lost its source") }
      return source
    }
    set { hub.use(newValue) }
  }

  /// The current list.
  public var snapshot: Snapshot<Item> { source.snapshot }

  /// The changes from now on, also those of sources that are set later.
  public func updates() -> AsyncStream<Update<Item>> { follow().updates }

  /// The current list and the changes from now on, taken at the same instant.
  public func follow() -> Following<Item> {
    guard let (following, generation) = hub.follow() else { fatalError("a switching data source has lost its source") }
    let reader = SwitchingReader(hub, following, generation)
    hub.add(reader)
    return Following(snapshot: following.snapshot, feed: reader.feed)
  }

  /// Reloads the list through the current source.
  public func reload() async throws { try await source.reload() }
}

/// The state that a switching source and its readers share.
final class SwitchingHub<Item: Sendable>: Sendable {
  private struct WeakReader: Sendable {
    let reader: @Sendable () -> SwitchingReader<Item>?

    init(_ reader: SwitchingReader<Item>) { self.reader = { [weak reader] in reader } }
  }

  private struct State: Sendable {
    var source: AnyDataSource<Item>?
    /// The number of switches so far.
    var generation = 0
    var readers: [Int: WeakReader] = [:]
    var nextReader = 0
  }

  private let state: Locked<State>

  init(_ source: AnyDataSource<Item>) { state = Locked(State(source: source)) }

  /// The source, nil after the end, and the number of switches that led to it.
  var current: (source: AnyDataSource<Item>?, generation: Int) { state.withLock { ($0.source, $0.generation) } }

  /// Follows the current source; nil after the end.
  func follow() -> (following: Following<Item>, generation: Int)? {
    let (source, generation) = current
    return source.map { ($0.follow(), generation) }
  }

  func use(_ source: AnyDataSource<Item>) { replace(source) }

  func finish() { replace(nil) }

  private func replace(_ source: AnyDataSource<Item>?) {
    // The previous source, and perhaps readers, are released after the lock.
    let (previous, readers) = state.withLock { state in
      let previous = state.source
      state.source = source
      state.generation += 1
      let readers = state.readers.sorted { $0.key < $1.key }.map { $0.value.reader() }
      return (previous, readers)
    }
    withExtendedLifetime(previous) {
      for reader in readers { reader?.sourceDidChange() }
    }
  }

  /// Adds a reader, which is notified of switches from now on. If a switch happened since it began to follow, it is
  /// notified at once.
  func add(_ reader: SwitchingReader<Item>) {
    let weakReader = WeakReader(reader)
    let id = state.withLock { state in
      defer { state.nextReader += 1 }
      state.readers[state.nextReader] = weakReader
      return state.nextReader
    }
    reader.setID(id)
    reader.sourceDidChange()
  }

  func remove(_ id: Int) { state.withLock { _ = $0.readers.removeValue(forKey: id) } }
}
