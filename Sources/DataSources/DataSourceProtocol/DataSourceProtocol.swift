import FetchedResultsSupport

/// A sectioned list that changes: its current value, and its later changes.
///
/// A screen, a command or a service needs no other knowledge of where its rows come from. A ``SectionController`` keeps
/// them in memory, a ``ProviderDataSource`` reads them from any store, a fetched results controller follows a query;
/// ``AnyDataSource`` hides which of these it is.
///
/// ```swift
/// func summary(of source: some DataSourceProtocol<String>) -> String {
///   "\(source.numberOfItems) rows in \(source.numberOfSections) sections"
/// }
/// ```
///
/// Implement three members. The rest has defaults: counts, rows by path, paths by id, titles, `observe` and `follow`.
/// Reading at a path that doesn't exist returns nil; only editing there stops the program.
public protocol DataSourceProtocol<Item>: Sendable {
  /// The type of the rows.
  associatedtype Item: Sendable

  /// The current list.
  ///
  /// Complexity: O(1). The value never changes, whatever happens to the source.
  var snapshot: Snapshot<Item> { get }

  /// The changes from now on, in order.
  ///
  /// ```swift
  /// let updates = source.updates()
  /// for await update in updates { print(update.changes) }
  /// ```
  ///
  /// A reader exists from the call on: its first update starts from the snapshot of that moment, and each one starts
  /// where the one before it ended. At most one update waits for a reader; what a slow reader missed is merged into
  /// that one. The stream does not keep the source alive, and ends with it.
  func updates() -> AsyncStream<Update<Item>>

  /// Reloads the list from its source. If that fails, the list stays as it was.
  ///
  /// ```swift
  /// do { try await source.reload() } catch { print("the list stays as it was: \(error)") }
  /// ```
  func reload() async throws

  /// The current list together with its later changes, taken at the same instant.
  ///
  /// ```swift
  /// let following = source.follow()
  /// print(following.snapshot.numberOfItems)
  /// for await update in following.updates { print(update.changes) }
  /// ```
  ///
  /// The default starts a stream and then reads the list. It compares lists if the first update starts from another
  /// list in memory. A source that can take both at the same instant should implement it, as those of this package do:
  /// then nothing has to be compared.
  func follow() -> Following<Item>
}

extension DataSourceProtocol {
  /// The current list together with its later changes. The first update is adjusted to start from the list.
  public func follow() -> Following<Item> {
    let updates = updates()
    let snapshot = snapshot
    let first = FirstUpdate(updates, from: snapshot)
    return Following(snapshot: snapshot, updates: AsyncStream { await first.next() })
  }
}

/// Updates, the first of which starts from a given list.
///
/// A change that is made after the stream starts and before the list is read is in both. Its update is left out, or
/// replaced by the difference from the list.
private final class FirstUpdate<Item: Sendable>: Sendable {
  private let updates: AsyncStream<Update<Item>>
  /// The list, until the first update has arrived.
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
      // Nothing changed, so the next one is still the first.
      self.start.withLock { $0 = update.new }
    }
    return nil
  }
}

extension Update {
  /// The update from another list than `old` to `new`; nil if the two are the same.
  func starting(from start: Snapshot<Item>) -> Update? {
    start.isIdentical(to: old) ? self : Update(from: start, to: new)
  }

  /// The update between two lists, as exact as the items allow; nil if there is no difference.
  package init?(from old: Snapshot<Item>, to new: Snapshot<Item>) {
    let changes = AutomaticDifference.changes(from: old, to: new)
    if changes.isEmpty { return nil }
    self.init(old: old, new: new, changes: changes)
  }
}
