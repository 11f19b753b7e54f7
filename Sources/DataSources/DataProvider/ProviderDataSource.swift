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

  /// Reads the same store again: it may be a reference to something that changed.
  private func refresh() {
    var ended: Draft<Item>?
    defer { withExtendedLifetime(ended) {} }
    turns.inTurn {
      guard let store else { return }
      let draft = draft(of: store)
      if let update = draft.update { broadcaster.publish(update) }
      ended = draft
    }
  }

  private func take(_ store: Store, number: Int) {
    // What goes is released when the turn is over: with it, code of its own may run, and come back to this source.
    var ended: (draft: Draft<Item>, store: Store?)?
    defer { withExtendedLifetime(ended) {} }
    turns.inTurn {
      let isLatest = state.withLock { $0.taken < number }
      guard isLatest else { return }
      let draft = draft(of: store)
      // A reader who receives the update finds the store as new as the list, so the store comes first.
      let previous = state.withLock { state in
        state.taken = number
        defer { state.store = store }
        return state.store
      }
      if let update = draft.update { broadcaster.publish(update) }
      ended = (draft, previous)
    }
  }

  private func draft(of store: Store) -> Draft<Item> {
    var draft = Draft(broadcaster.snapshot)
    draft.replace(with: provider.snapshot(of: store, title: title))
    return draft
  }
}

extension DataProvider where Store: Sendable {
  /// The data source of a store that is read through this provider.
  public func dataSource(of store: Store) -> ProviderDataSource<Store, Item> {
    ProviderDataSource(store: store, provider: self)
  }
}
