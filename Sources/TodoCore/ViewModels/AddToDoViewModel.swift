public import FetchedResults
import FetchedResultsSupport

/// The list of things to do for a screen: a data source, independent of where the list comes from.
///
/// The same screen can show the database or a list in memory:
///
/// ```swift
/// let viewModel = AddToDoViewModel(store: store)
/// viewModel.initSectionData()    // the sample, in memory
/// try viewModel.reloadData()     // what is in the database, from now on
/// for await update in viewModel.dataSource.updates() { print(update.changes) }
/// ```
///
/// There is one ``dataSource`` for the view model's whole life. A client that follows it, such as a list adapter,
/// receives a change of the source as an ordinary update.
///
/// The commands that show a list once use it: `list` and `search`. The screen of `watch` follows ``ListLine``s, which
/// take less memory.
public final class AddToDoViewModel: Sendable {
  /// The database, for ``reloadData()``.
  public let store: TodoStore?
  private let switching = SwitchingDataSource(SectionController<Item>())
  private let state: Locked<State>

  private struct State {
    var isLoaded = false
    /// Follows the database, once data was loaded from there.
    var controller: FetchedResultsController<Item>?
    var query: ListQuery
  }

  /// Creates a view model whose list is empty until data is loaded.
  public init(store: TodoStore? = nil, query: ListQuery = ListQuery()) {
    self.store = store
    state = Locked(State(query: query))
  }

  /// The source of the list. It stays the same, whatever source is behind it.
  public var dataSource: AnyDataSource<Item> { AnyDataSource(switching) }

  /// Which items of the database, and how to show them; used by the next ``reloadData()``.
  public var query: ListQuery {
    get { state.withLock { $0.query } }
    set { state.withLock { $0.query = newValue } }
  }

  /// Shows the list of another data source, also for clients that follow ``dataSource`` already.
  ///
  /// - Returns: The given data source, with its type hidden.
  @discardableResult
  public func createDataSource(dataSource: some DataSourceProtocol<Item>) -> AnyDataSource<Item> {
    let source = AnyDataSource(dataSource)
    switching.source = source
    state.withLock { $0.isLoaded = true }
    return source
  }

  /// Shows the list from the database, and follows it from then on.
  ///
  /// The view by tag is a list of tagged items, in which an item may occur several times;
  /// ``TodoStore/taggedController(_:)`` follows it.
  public func reloadData() throws(TodoError) {
    guard let store else { throw .failure("there is no database to load from; name one with --db FILE") }
    let query = query
    if query.view == .tag { throw .failure("the view by tag has no single place for an item; follow another view") }
    let controller = try store.controller(query)
    try readable { try controller.performFetch() }
    createDataSource(dataSource: FRCDataSource(fetchedResultsController: controller))
    state.withLock { $0.controller = controller }
  }

  /// Why the list of the database can't be followed, from now on; the list stays as it is while the cause lasts. It
  /// ends at once if no data was loaded from a database.
  public func errors() -> AsyncStream<any Error> {
    state.withLock { $0.controller }?.errors() ?? AsyncStream { $0.finish() }
  }

  /// Shows the list once to a visitor.
  ///
  /// It is the list of the data source or, if none was loaded yet, of the database: then it is read row by row,
  /// whatever its length and its view, and not kept. Without a database it is empty.
  public func show<Visitor: ListVisitor>(to visitor: inout Visitor) throws {
    let state = state.withLock { $0 }
    if let store, !state.isLoaded { return try store.list(state.query, into: &visitor) }
    try switching.snapshot.visit(revision: try store?.revision() ?? 0, &visitor)
  }

  /// Shows the sample list, which is in memory: errands and career.
  public func initSectionData() {
    let controller = SectionController<Item>()
    for (name, items) in Sample.sections { controller.createSection(name: name, items: items) }
    createDataSource(dataSource: controller)
  }
}

/// The sample of the original example.
public enum Sample {
  /// Its sections, each with its items.
  public static let sections: [(name: String, items: [Item])] = [
    (
      "Errands",
      [Item(id: 1, title: "Groceries", list: "Errands"), Item(id: 2, title: "Post Office", list: "Errands")]
    ),
    (
      "Career",
      [
        Item(id: 3, title: "Presentation", list: "Career"), Item(id: 4, title: "Multiple Selections", list: "Career"),
      ]
    ),
  ]

  /// The same as drafts to add to a database.
  public static var drafts: [ItemDraft] {
    sections.flatMap { section in section.items.map { ItemDraft(title: $0.title, list: section.name) } }
  }
}
