/// A data source in front of another, which can be put in its place by a third while clients follow.
///
/// Clients hold this one and never learn what is behind it. A switch is one ordinary ``Update`` for everyone who follows: the
/// difference between the two lists.
///
/// ```swift
/// let tasks = SwitchingDataSource(SectionController(["Milk"]))
/// let adapter = ListAdapter(source: tasks, presenter: .settingData(TextCell.self), host: table)
/// adapter.follow()
/// tasks.source = AnyDataSource(SectionController(["Milk", "Bread"]))  // the table inserts a row
/// ```
///
/// The difference is exact where items are identifiable and equatable, and as good as the items allow elsewhere (see
/// ``Draft/replace(with:)``). It is found by each follower when it reads, in its own task.
///
/// It keeps the source behind it alive. Its readers don't keep it, and end with it.
public final class SwitchingDataSource<Item: Sendable>: DataSourceProtocol {
  private let hub: SwitchingHub<Item>

  /// Puts itself in front of a data source.
  public init(_ source: some DataSourceProtocol<Item>) { hub = SwitchingHub(AnyDataSource(source)) }

  deinit { hub.finish() }

  /// The data source behind it. Another one takes its place at once: whoever asks from now on is answered by that one, and
  /// whoever follows receives the difference.
  ///
  /// A source that follows this one itself would wait for itself, and must not be set.
  public var source: AnyDataSource<Item> {
    get {
      guard let source = hub.current.source else { fatalError("a switching data source has lost its source") }
      return source
    }
    set { hub.use(newValue) }
  }

  /// The list as it is now.
  public var snapshot: Snapshot<Item> { source.snapshot }

  /// The changes from here on, also those of sources that are set later.
  public func updates() -> AsyncStream<Update<Item>> { follow().updates }

  /// The list as it is now and the changes from here on, taken in the same instant.
  public func follow() -> Following<Item> {
    guard let (following, generation) = hub.follow() else { fatalError("a switching data source has lost its source") }
    let reader = SwitchingReader(hub, following, generation)
    hub.add(reader)
    return Following(snapshot: following.snapshot, feed: reader.feed)
  }

  /// Fetches the list anew through the source of this moment.
  public func reload() async throws { try await source.reload() }
}

/// What a switching source and its readers share.
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

  /// The source, nil when there will be none, and the number of switches that led to it.
  var current: (source: AnyDataSource<Item>?, generation: Int) { state.withLock { ($0.source, $0.generation) } }

  /// Follows the source of the moment; nil where there is none any more.
  func follow() -> (following: Following<Item>, generation: Int)? {
    let (source, generation) = current
    return source.map { ($0.follow(), generation) }
  }

  func use(_ source: AnyDataSource<Item>) { replace(source) }

  func finish() { replace(nil) }

  private func replace(_ source: AnyDataSource<Item>?) {
    // What is released here, the source before and maybe readers, is released when the lock is free.
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

  /// Adds a reader, which hears of switches from now on. One that happened since it followed is its first.
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
