extension DataSourceProtocol {
  /// A data source with the same list, whose rows are made of this one's, such as the view models of a screen.
  ///
  /// ```swift
  /// struct ErrandLine: Equatable { var text: String }
  /// let lines = errands.mapped { errand in ErrandLine(text: (errand.isDone ? "✓ " : "") + errand.title) }
  /// ```
  ///
  /// It makes every row once, and then those that a change inserts or updates: the change itself is the same, without
  /// a comparison. To make rows only when they are shown, leave it to the ``CellPresenter``.
  ///
  /// - Parameter transform: Makes a row. It is called on the thread that changes this source, and must be quick.
  public func mapped<Output: Sendable>(_ transform: @escaping @Sendable (Item) -> Output) -> AnyDataSource<Output> {
    AnyDataSource(MappedDataSource(self, transform))
  }
}

extension Snapshot {
  /// The same list of other rows, each made of one of this list's.
  ///
  /// ```swift
  /// let titles = errands.snapshot.mapItems { errand in errand.title }  // a Snapshot<String>
  /// ```
  ///
  /// Complexity: O(n).
  public func mapItems<Output: Sendable>(_ transform: (Item) throws -> Output) rethrows -> Snapshot<Output> {
    Snapshot<Output>(try map { try $0.mapItems(transform) })
  }
}

extension Section {
  func mapItems<Output: Sendable>(_ transform: (Item) throws -> Output) rethrows -> Section<Output> {
    // Not that of `items`, whose subscript looks for each row anew.
    Section<Output>(info: info, items: Section<Output>.Items(try map(transform)))
  }
}

/// The list of a source, with rows that are made of the source's.
private final class MappedDataSource<Source: DataSourceProtocol, Item: Sendable>: DataSourceProtocol {
  private let source: Source
  private let list: DerivedList<Source.Item, Item>

  init(_ source: Source, _ transform: @escaping @Sendable (Source.Item) -> Item) {
    self.source = source
    let following = source.follow()
    list = DerivedList(following, first: following.snapshot.mapItems(transform)) { update, last in
      let (changes, new) = (update.changes, update.new)
      let next = last.performing(
        changes, insertedSections: changes.insertedSections.map { new[$0].withoutItems.mapItems(transform) },
        updatedSections: changes.updatedSections.map { new[$0.to].withoutItems.mapItems(transform) },
        insertedItems: changes.insertedItems.map { transform(new[$0]) },
        updatedItems: changes.updatedItems.map { transform(new[$0.to]) })
      return Update(old: last, new: next, changes: changes)
    }
    list.start()
  }

  var snapshot: Snapshot<Item> { list.published.snapshot }
  func updates() -> AsyncStream<Update<Item>> { list.published.updates() }
  func follow() -> Following<Item> { list.published.follow() }
  func reload() async throws { try await source.reload() }
}
