extension AnyDataSource {
  /// Makes a data source of closures, for tests and previews, or around something that is none.
  ///
  /// ```swift
  /// let source = AnyDataSource(
  ///   snapshot: { Snapshot([Section(id: "today", name: "Today", items: ["Milk"])]) },
  ///   reload: { throw Offline() })
  /// ```
  ///
  /// - Parameters:
  ///   - snapshot: The list as it is now.
  ///   - updates: The changes from the call on; unless given, there are none.
  ///   - reload: Fetches the list anew; unless given, it does nothing.
  public init(
    snapshot: @escaping @Sendable () -> Snapshot<Item>,
    updates: @escaping @Sendable () -> AsyncStream<Update<Item>> = { AsyncStream { $0.finish() } },
    reload: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.init(ClosureDataSource(currentSnapshot: snapshot, makeUpdates: updates, load: reload))
  }

  /// Makes a data source of a list that never changes.
  ///
  /// ```swift
  /// let preview = AnyDataSource(constant: Snapshot([Section(id: "today", name: "Today", items: ["Milk"])]))
  /// ```
  public init(constant snapshot: Snapshot<Item>) {
    self.init(snapshot: { snapshot })
  }
}

/// The data source behind closures.
private struct ClosureDataSource<Item: Sendable>: DataSourceProtocol {
  let currentSnapshot: @Sendable () -> Snapshot<Item>
  let makeUpdates: @Sendable () -> AsyncStream<Update<Item>>
  let load: @Sendable () async throws -> Void

  var snapshot: Snapshot<Item> { currentSnapshot() }
  func updates() -> AsyncStream<Update<Item>> { makeUpdates() }
  func reload() async throws { try await load() }
}
