/// A data source of any type, with its type hidden.
///
/// A view model that holds one can use a database in the program and a list in memory in its tests, without knowing the
/// difference.
///
/// ```swift
/// struct Inbox {
///   let messages: AnyDataSource<String>
/// }
/// let preview = Inbox(messages: AnyDataSource(SectionController(["Hello"])))
/// ```
///
/// Wrapping costs one more call for each use. Wrapping an `AnyDataSource` again costs nothing more.
public struct AnyDataSource<Item: Sendable>: DataSourceProtocol {
  private let base: any DataSourceProtocol<Item>

  /// Hides the type of a data source.
  public init(_ base: some DataSourceProtocol<Item>) {
    if let same = base as? AnyDataSource { self = same } else { self.base = base }
  }

  /// The current list.
  public var snapshot: Snapshot<Item> { base.snapshot }

  /// The changes from now on.
  public func updates() -> AsyncStream<Update<Item>> { base.updates() }

  /// The current list and the changes from now on.
  public func follow() -> Following<Item> { base.follow() }

  /// Reloads the list from its source.
  public func reload() async throws { try await base.reload() }
}

extension AnyDataSource: CustomStringConvertible, CustomReflectable {
  /// The content of the list, not the source behind it.
  public var description: String {
    "AnyDataSource<\(Item.self)>(\(numberOfItems) items in \(numberOfSections) sections)"
  }

  /// Shows the list, and not the source behind it.
  public var customMirror: Mirror { Mirror(self, children: ["snapshot": snapshot]) }
}

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
  ///   - updates: Returns the changes from the call on; by default, an empty stream.
  ///   - reload: Reloads the list; by default, it does nothing.
  public init(
    snapshot: @escaping @Sendable () -> Snapshot<Item>,
    updates: @escaping @Sendable () -> AsyncStream<Update<Item>> = { AsyncStream { $0.finish() } },
    reload: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.init(ClosureDataSource(currentSnapshot: snapshot, makeUpdates: updates, load: reload))
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
