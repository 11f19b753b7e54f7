/// A sectioned list that changes: what it is now, and what becomes of it.
///
/// This is all that a screen, a command or a service needs to know of where its rows come from. A ``SectionController``
/// keeps them in memory, a ``ProviderDataSource`` reads them off any store, a fetched results controller follows a query;
/// ``AnyDataSource`` hides which of these it is.
///
/// ```swift
/// func summary(of source: some DataSourceProtocol<String>) -> String {
///   "\(source.numberOfItems) rows in \(source.numberOfSections) sections"
/// }
/// ```
///
/// Three members are to be written. All else is free: counts, rows by path, paths by id, titles, `observe` and `follow`.
/// Reading a place that is not there gives nil; only editing refuses it.
public protocol DataSourceProtocol<Item>: Sendable {
  /// What the list holds.
  associatedtype Item: Sendable

  /// The list as it is now.
  ///
  /// Complexity: O(1). The value never changes, whatever becomes of the source.
  var snapshot: Snapshot<Item> { get }

  /// The changes from here on, as they come.
  ///
  /// A reader exists from the call: its first update starts from the snapshot of that moment, and each one starts where the
  /// one before it ended. At most one update waits for a reader; when it is slow, what it missed is merged into that
  /// one. The stream does not keep the source alive, and ends with it.
  func updates() -> AsyncStream<Update<Item>>

  /// Fetches the list anew from wherever it comes from. When that fails, the list stays as it was.
  func reload() async throws

  /// The list as it is now together with what becomes of it, taken in the same instant.
  ///
  /// The default looks whether the list changed meanwhile, and if so begins again. A source that knows its own moment should
  /// say it, as those of this package do; one whose snapshot is a new one at every look must.
  func follow() -> Following<Item>
}

extension DataSourceProtocol {
  /// The list as it is now together with what becomes of it, the list looked at before and after.
  public func follow() -> Following<Item> {
    var before = snapshot
    // Where no two looks give the same list it has to end some time; then a change that falls between is in the snapshot
    // already when it is told.
    for _ in 0..<16 {
      let updates = updates()
      let after = snapshot
      if before.isIdentical(to: after) { return Following(snapshot: after, updates: updates) }
      before = after
    }
    let updates = updates()
    return Following(snapshot: snapshot, updates: updates)
  }
}
