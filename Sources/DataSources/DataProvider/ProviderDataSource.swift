import FetchedResultsSupport

/// Any store as a data source: read through a ``DataProvider`` and loaded through a ``Fetchable``.
///
/// ```swift
/// let source = ProviderDataSource(provider: .singleSection, fetching: Fetchable { try await client.titles() })
/// source.numberOfSections  // 0: nothing is loaded yet
/// try await source.reload()
/// ```
///
/// Setting another store publishes the difference between the two lists. It is exact if items are identifiable and
/// equatable, and otherwise as exact as the items allow (see ``Draft/replace(with:)``).
public final class ProviderDataSource<Store: Sendable, Item: Sendable>: DataSourceProtocol {
  private struct State: Sendable {
    var store: Store?
    /// The number of the load that was started last, and of the one whose result was used last.
    var begun = 0
    var taken = 0
    /// The number of the reading that was started last, and of the one that is shown.
    var readings = 0
    var shown = 0
  }

  private let provider: DataProvider<Store, Item>
  private let title: @Sendable (Store, Int) -> String
  private let fetchable: Fetchable<Store>?
  private let state: Locked<State>
  private let turns = TurnTaking()
  private let broadcaster: UpdateBroadcaster<Item>

  /// Creates a data source for an existing store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - provider: How to read it.
  ///   - fetchable: How to reload it; by default, `reload()` reads the same store again.
  ///   - title: The name of a section; by default, sections have no names.
  public convenience init(
    store: Store, provider: DataProvider<Store, Item>, fetching fetchable: Fetchable<Store>? = nil,
    title: @escaping @Sendable (_ store: Store, _ section: Int) -> String = { _, _ in "" }
  ) {
    self.init(initial: store, provider: provider, fetchable: fetchable, title: title)
  }

  /// Creates a data source for a store that must be loaded first. Until then it is empty, without a section.
  ///
  /// - Parameters:
  ///   - provider: How to read the store.
  ///   - fetchable: How to load it.
  ///   - title: The name of a section; by default, sections have no names.
  public convenience init(
    provider: DataProvider<Store, Item>, fetching fetchable: Fetchable<Store>,
    title: @escaping @Sendable (_ store: Store, _ section: Int) -> String = { _, _ in "" }
  ) {
    self.init(initial: nil, provider: provider, fetchable: fetchable, title: title)
  }

  private init(
    initial store: Store?, provider: DataProvider<Store, Item>, fetchable: Fetchable<Store>?,
    title: @escaping @Sendable (Store, Int) -> String
  ) {
    self.provider = provider
    self.fetchable = fetchable
    self.title = title
    state = Locked(State(store: store))
    broadcaster = UpdateBroadcaster(store.map { provider.snapshot(of: $0, title: title) } ?? Snapshot())
  }

  /// The current list.
  public var snapshot: Snapshot<Item> { broadcaster.snapshot }

  /// The current store; nil before the first load.
  public var store: Store? { state.withLock { $0.store } }

  /// The changes from now on.
  public func updates() -> AsyncStream<Update<Item>> { broadcaster.updates() }

  /// The current list and the changes from now on, taken at the same instant.
  public func follow() -> Following<Item> { broadcaster.follow() }

  /// Replaces the store. A load that is running will not replace it.
  ///
  /// ```swift
  /// let source = ProviderDataSource(provider: .singleSection, fetching: Fetchable.value(["Milk"]))
  /// source.setStore(["Milk", "Bread"])
  /// ```
  ///
  /// The provider's closures and the items' code run on the calling thread, and nobody waits for them. If another
  /// thread sets a store meanwhile, that one stays.
  ///
  /// Complexity: O(n).
  public func setStore(_ store: Store) {
    let number = state.withLock { state in
      state.begun += 1
      return state.begun
    }
    take(store, number: number)
  }

  /// Loads the store again. If that fails, or if a later load finishes first, the list stays as it was.
  public func reload() async throws {
    guard let fetchable else { return refresh() }
    let number = state.withLock { state in
      state.begun += 1
      return state.begun
    }
    take(try await fetchable.load(), number: number)
  }

  /// The path of an item, as the provider finds it; nil if the store does not have it.
  public func path(for item: Item) -> ItemPath? { store.flatMap { provider.path($0, item) } }

  /// The content of a store at one moment.
  private struct Reading {
    let list: Snapshot<Item>
    let number: Int
  }

  /// Reads a store. That runs the program's code, so no lock is held, and others may read meanwhile.
  private func read(_ store: Store) -> Reading {
    let number = state.withLock { state in
      state.readings += 1
      return state.readings
    }
    return Reading(list: provider.snapshot(of: store, title: title), number: number)
  }

  /// Reads the same store again: it may be a reference to something that changed.
  private func refresh() {
    var first: Int?
    var isDone = false
    while !isDone {
      let (current, taken) = state.withLock { ($0.store, $0.taken) }
      guard let current else { return }
      let reading = read(current)
      let begun = first ?? reading.number
      first = begun
      isDone = true
      show(reading) { state in
        // A reading that began after this call is as new as this one must be.
        if state.shown > begun { return false }
        // If another store was read before this call, it must be read again.
        isDone = state.taken == taken
        return isDone
      }
    }
  }

  private func take(_ store: Store, number: Int) {
    let reading = read(store)
    var previous: Store?
    var isStale = false
    show(reading) { state in
      guard state.taken < number else { return false }
      // Another thread has read again meanwhile, but not this store.
      isStale = state.shown > reading.number
      state.taken = number
      previous = state.store
      state.store = store
      return true
    }
    // Release the old one under no lock: its `deinit` may run code that uses this source.
    withExtendedLifetime(previous) {}
    if isStale { refresh() }
  }

  /// Publishes a reading if `decide` returns true, in one step with the state that it changes. Runs none of the
  /// program's code meanwhile.
  private func show(_ reading: Reading, if decide: (inout State) -> Bool) {
    var ended: Draft<Item>?
    var delivery: UpdateBroadcaster<Item>.Delivery?
    turns.inTurn {
      // A reader of the update must find the store as new as the list, so the store is set first.
      let isWanted = state.withLock { state in
        guard decide(&state) else { return false }
        state.shown = reading.number
        return true
      }
      guard isWanted else { return }
      var draft = Draft(broadcaster.snapshot)
      draft.replace(with: reading.list)
      delivery = draft.pendingUpdate.map { broadcaster.commit($0) }
      ended = draft
    }
    if let delivery { broadcaster.deliver(delivery) }
    withExtendedLifetime(ended) {}
  }
}

extension DataProvider where Store: Sendable {
  /// A data source for a store that is read through this provider.
  public func dataSource(of store: Store) -> ProviderDataSource<Store, Item> {
    ProviderDataSource(store: store, provider: self)
  }
}
