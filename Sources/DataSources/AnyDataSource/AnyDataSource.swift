/// Any data source of an item, with its type hidden.
///
/// A view model that holds one of these stands on a database today and on plain memory in its tests, and cannot tell.
///
/// ```swift
/// struct Inbox {
///   let messages: AnyDataSource<String>
/// }
/// let preview = Inbox(messages: AnyDataSource(SectionController(["Hello"])))
/// ```
///
/// Wrapping costs one more call for each use, and wrapping what is wrapped already nothing more.
public struct AnyDataSource<Item: Sendable>: DataSourceProtocol {
  private let base: any DataSourceProtocol<Item>

  /// Hides the type of a data source.
  public init(_ base: some DataSourceProtocol<Item>) {
    if let same = base as? AnyDataSource { self = same } else { self.base = base }
  }

  /// The list as it is now.
  public var snapshot: Snapshot<Item> { base.snapshot }

  /// The changes from here on.
  public func updates() -> AsyncStream<Update<Item>> { base.updates() }

  /// The list as it is now and the changes from here on.
  public func follow() -> Following<Item> { base.follow() }

  /// Fetches the list anew from wherever it comes from.
  public func reload() async throws { try await base.reload() }
}

extension AnyDataSource: CustomStringConvertible, CustomReflectable {
  /// What is in the list, not what is behind it.
  public var description: String {
    "AnyDataSource<\(Item.self)>(\(numberOfItems) items in \(numberOfSections) sections)"
  }

  /// Shows the list, and not the source behind it.
  public var customMirror: Mirror { Mirror(self, children: ["snapshot": snapshot]) }
}
