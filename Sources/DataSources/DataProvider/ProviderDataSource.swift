/// Any store, read through a ``DataProvider`` and loaded through a ``Fetchable``, as a data source.
///
/// ```swift
/// let source = ProviderDataSource(provider: .singleSection, fetching: Fetchable { try await client.titles() })
/// source.numberOfSections  // 0: nothing is loaded yet
/// try await source.reload()
/// ```
///
/// Setting another store publishes the difference between the two lists, which is exact where items are identifiable and
/// equatable, and as good as the items allow elsewhere (see ``Draft/replace(with:)``).
public final class ProviderDataSource<Store: Sendable, Item: Sendable>: DataSourceProtocol {
  private struct State: Sendable {
    var store: Store?
    /// The number of the load that was begun last, and of the one whose result was taken last.
    var begun = 0
    var taken = 0
    /// The number of the last reading of a store that was begun, and of the one that the list is.
    var readings = 0
    var shown = 0
  }

  private let provider: DataProvider<Store, Item>
  private let title: @Sendable (Store, Int) -> String
  private let fetchable: Fetchable<Store>?
  private let state: Locked<State>
  private let turns = TurnTaking()
  private let broadcaster: UpdateBroadcaster<Item>

  /// Makes a data source of a store that is there.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - provider: How to read it.
  ///   - fetchable: How to load it anew; unless given, `reload()` reads the same store again.
  ///   - title: The name of a section; unless given, sections have none.
  public convenience init(
    store: Store, provider: DataProvider<Store, Item>, fetching fetchable: Fetchable<Store>? = nil,
    title: @escaping @Sendable (_ store: Store, _ section: Int) -> String = { _, _ in "" }
  ) {
    self.init(initial: store, provider: provider, fetchable: fetchable, title: title)
  }

  /// Makes a data source of a store that is to be loaded. It is empty, without a section, until it is.
  ///
  /// - Parameters:
  ///   - provider: How to read the store.
  ///   - fetchable: How to load it.
  ///   - title: The name of a section; unless given, sections have none.
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

  /// The list as it is now.
  public var snapshot: Snapshot<Item> { broadcaster.snapshot }

  /// The store as it is now; nil before the first load.
  public var store: Store? { state.withLock { $0.store } }

  /// The changes from here on.
  public func updates() -> AsyncStream<Update<Item>> { broadcaster.updates() }

  /// The list as it is now and the changes from here on, taken in the same instant.
  public func follow() -> Following<Item> { broadcaster.follow() }

  /// Puts another store in place of this one. A load that is under way will not replace it.
  ///
  /// The provider's closures and the items' code run on the calling thread, and nobody waits for them: when another thread sets a
  /// store meanwhile, that one stays.
  ///
  /// Complexity: O(n).
  public func setStore(_ store: Store) {
    let number = state.withLock { state in
      state.begun += 1
      return state.begun
    }
    take(store, number: number)
  }

  /// Loads the store anew. When that fails, or is overtaken by a load that began later, the list stays as it was.
  public func reload() async throws {
    guard let fetchable else { return refresh() }
    let number = state.withLock { state in
      state.begun += 1
      return state.begun
    }
    take(try await fetchable.load(), number: number)
  }

  /// The path of an item, as the provider finds it; nil where the store does not have it.
  public func path(for item: Item) -> ItemPath? { store.flatMap { provider.path($0, item) } }

  /// A store as it was read at some moment.
  private struct Reading {
    let list: Snapshot<Item>
    let number: Int
  }

  /// Reads a store. It runs the program's code, so it is done under no lock, and others may read meanwhile.
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
        // A reading that began after this call is as new as this one has to be.
        if state.shown > begun { return false }
        // Another store that was read before this call has to be read again.
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
      // Somebody read again meanwhile, but not this store.
      isStale = state.shown > reading.number
      state.taken = number
      previous = state.store
      state.store = store
      return true
    }
    // What goes is released under no lock: with it, code of its own may run, and come back to this source.
    withExtendedLifetime(previous) {}
    if isStale { refresh() }
  }

  /// Makes a reading the list if `decide` says so, in one step with what that does to the state. Runs no code of the program's
  /// meanwhile.
  private func show(_ reading: Reading, if decide: (inout State) -> Bool) {
    var ended: Draft<Item>?
    var delivery: UpdateBroadcaster<Item>.Delivery?
    turns.inTurn {
      // A reader who receives the update finds the store as new as the list, so the store comes first.
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
  /// The data source of a store that is read through this provider.
  public func dataSource(of store: Store) -> ProviderDataSource<Store, Item> {
    ProviderDataSource(store: store, provider: self)
  }
}
