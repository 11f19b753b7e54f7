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
  /// The default begins one stream, then looks at the list, and compares if the first update starts from another list in memory.
  /// A source that can take both in one instant should, as those of this package do: then nothing has to be compared.
  func follow() -> Following<Item>
}

extension DataSourceProtocol {
  /// The list as it is now together with what becomes of it. The first update is made to start from the list.
  public func follow() -> Following<Item> {
    let updates = updates()
    let snapshot = snapshot
    let first = FirstUpdate(updates, from: snapshot)
    return Following(snapshot: snapshot, updates: AsyncStream { await first.next() })
  }
}

/// Updates of which the first starts from a given list.
///
/// A change between the beginning of the stream and the look at the list is in both. It is left out, or compared with the list.
private final class FirstUpdate<Item: Sendable>: Sendable {
  private let updates: AsyncStream<Update<Item>>
  /// The list, until the first update has come.
  private let start: Locked<Snapshot<Item>?>

  init(_ updates: AsyncStream<Update<Item>>, from start: Snapshot<Item>) {
    self.updates = updates
    self.start = Locked(start)
  }

  func next() async -> Update<Item>? {
    var iterator = updates.makeAsyncIterator()
    while let update = await iterator.next() {
      guard let start = start.withLock({ $0.take() }) else { return update }
      if let update = update.starting(from: start) { return update }
      // Nothing new came, so the next one is still the first.
      self.start.withLock { $0 = update.new }
    }
    return nil
  }
}

extension Update {
  /// The step from another list than `old` to `new`; nil where the two are the same.
  func starting(from start: Snapshot<Item>) -> Update? {
    if start.isIdentical(to: old) { return self }
    let changes = AutomaticDifference.changes(from: start, to: new)
    return changes.isEmpty ? nil : Update(old: start, new: new, changes: changes)
  }
}
