import FetchedResultsSupport

/// The rows of another data source that meet a condition, which can be changed while clients follow: a search field.
///
/// ```swift
/// let found = errands.filtered { _ in true }
/// let observation = found.observe { update in print(update.changes) }
/// found.condition = { errand in errand.title.localizedStandardContains(word) }  // prints the rows that come and go
/// ```
///
/// Sections without such rows are left out. A change of the source asks about all rows of the sections that it
/// concerns, and a new condition about all rows. That is quick for lists in memory; of a database, let the request
/// select the rows.
public final class FilteredDataSource<Item: Sendable>: DataSourceProtocol {
  private let source: AnyDataSource<Item>
  private let list: DerivedList<Item, Item>
  private let filter: Filter<Item>

  fileprivate init(_ source: AnyDataSource<Item>, _ condition: @escaping @Sendable (Item) -> Bool) {
    self.source = source
    let following = source.follow()
    let filter = Filter(condition, following.snapshot)
    self.filter = filter
    list = DerivedList(following, first: filter.rows()) { update, last in
      filter.list = update.new
      return Update(from: last, to: filter.rows())
    }
    list.start()
  }

  /// Which rows are shown. A new condition is one change for all who follow. It is called on the thread that sets it
  /// and on those that change the source, and must be quick.
  public var condition: @Sendable (Item) -> Bool {
    get { filter.condition }
    set {
      list.change { last in
        filter.condition = newValue
        return Update(from: last, to: filter.rows())
      }
    }
  }

  /// The current list.
  public var snapshot: Snapshot<Item> { list.published.snapshot }

  /// The changes from now on.
  public func updates() -> AsyncStream<Update<Item>> { list.published.updates() }

  /// The current list and the changes from now on, taken at the same instant.
  public func follow() -> Following<Item> { list.published.follow() }

  /// Reloads the other source.
  public func reload() async throws { try await source.reload() }
}

extension DataSourceProtocol {
  /// The rows of this source that meet a condition, as a data source of their own. See ``FilteredDataSource``.
  ///
  /// ```swift
  /// let open = errands.filtered { errand in !errand.isDone }
  /// ```
  public func filtered(_ condition: @escaping @Sendable (Item) -> Bool) -> FilteredDataSource<Item> {
    FilteredDataSource(AnyDataSource(self), condition)
  }
}

/// What a filter shows, and of which list. Only the thread whose turn it is uses it, except for the condition.
private final class Filter<Item: Sendable>: Sendable {
  private struct State: Sendable {
    var condition: @Sendable (Item) -> Bool
    var list: Snapshot<Item>
    /// The sections of the list that was shown last, by their ids, each with what is shown of it.
    var shown: [SectionID: (section: Section<Item>, rows: Section<Item>.Items)] = [:]
  }

  private let state: Locked<State>

  init(_ condition: @escaping @Sendable (Item) -> Bool, _ list: Snapshot<Item>) {
    state = Locked(State(condition: condition, list: list))
  }

  var condition: @Sendable (Item) -> Bool {
    get { state.withLock { $0.condition } }
    set { change { ($0.condition, $0.shown) = (newValue, [:]) } }
  }

  var list: Snapshot<Item> {
    get { state.withLock { $0.list } }
    set { change { $0.list = newValue } }
  }

  /// What is replaced is released under no lock.
  private func change(_ body: (inout State) -> Void) {
    let before = state.withLock { state in
      let before = state
      body(&state)
      return before
    }
    withExtendedLifetime(before) {}
  }

  /// The rows that meet the condition. Sections that are the same as the last time are not asked about again.
  func rows() -> Snapshot<Item> {
    let state = state.withLock { $0 }
    var shown: [SectionID: (section: Section<Item>, rows: Section<Item>.Items)] = [:]
    var result: [Section<Item>] = []
    for section in state.list {
      let former = state.shown[section.id].flatMap { former in
        former.section.rows.tree.isIdentical(to: section.rows.tree) ? former.rows : nil
      }
      let found = former ?? Section<Item>.Items(section.items.filter(state.condition))
      shown[section.id] = (section, found)
      if !found.isEmpty { result.append(Section(info: section.info, items: found)) }
    }
    change { [shown] in $0.shown = shown }
    return Snapshot(result)
  }
}
