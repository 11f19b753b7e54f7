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
