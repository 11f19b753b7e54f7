extension AnyDataSource {
  /// Creates a data source from closures, for tests and previews, or to wrap something that isn't a data source.
  ///
  /// ```swift
  /// let source = AnyDataSource(
  ///   snapshot: { Snapshot([Section(id: "today", name: "Today", items: ["Milk"])]) },
  ///   reload: { throw Offline() })
  /// ```
  ///
  /// - Parameters:
  ///   - snapshot: Returns the current list.
  ///   - updates: Returns the changes from the call on; by default, there are none.
  ///   - reload: Reloads the list; by default, it does nothing.
  public init(
    snapshot: @escaping @Sendable () -> Snapshot<Item>,
    updates: @escaping @Sendable () -> AsyncStream<Update<Item>> = { AsyncStream { $0.finish() } },
    reload: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.init(ClosureDataSource(currentSnapshot: snapshot, makeUpdates: updates, load: reload))
  }

  /// Creates a data source with a list that never changes.
  ///
  /// ```swift
  /// let preview = AnyDataSource(constant: Snapshot([Section(id: "today", name: "Today", items: ["Milk"])]))
  /// ```
  public init(constant snapshot: Snapshot<Item>) {
    self.init(snapshot: { snapshot })
  }
}

/// A data source made of closures.
private struct ClosureDataSource<Item: Sendable>: DataSourceProtocol {
  let currentSnapshot: @Sendable () -> Snapshot<Item>
  let makeUpdates: @Sendable () -> AsyncStream<Update<Item>>
  let load: @Sendable () async throws -> Void

  var snapshot: Snapshot<Item> { currentSnapshot() }
  func updates() -> AsyncStream<Update<Item>> { makeUpdates() }
  func reload() async throws { try await load() }
}
