public import FetchedResults

/// What the list of things to do is shown from: a data source, and no word of where it comes from.
///
/// The same screen stands on the database and on plain memory:
///
/// ```swift
/// let viewModel = AddToDoViewModel(store: store)
/// viewModel.initSectionData()    // the sample, in memory
/// try viewModel.reloadData()     // what is in the database, from now on
/// for await update in viewModel.dataSource.updates() { print(update.changes) }
/// ```
///
/// There is one ``dataSource`` for the view model's whole life. A client that follows it, as a list adapter does, receives what
/// replaces one source by another as an ordinary update, and never learns that it happened.
///
/// The commands that show a list hold one of these: `list` and `search` have it shown once, `watch` and `demo` follow it.
public final class AddToDoViewModel: Sendable {
  /// The database, for ``reloadData()``.
  public let store: TodoStore?
  private let switching = SwitchingDataSource(SectionController<Item>())
  private let state: Locked<State>

  private struct State {
    var isLoaded = false
    var query: ListQuery
  }

  /// A view model whose list is empty until data is loaded.
  public init(store: TodoStore? = nil, query: ListQuery = ListQuery()) {
    self.store = store
    state = Locked(State(query: query))
  }

  /// Where the list comes from: the same for ever, whatever is behind it.
  public var dataSource: AnyDataSource<Item> { AnyDataSource(switching) }

  /// Which items of the database, and how; it counts from the next ``reloadData()``.
  public var query: ListQuery {
    get { state.withLock { $0.query } }
    set { state.withLock { $0.query = newValue } }
  }

  /// Makes the list that of a data source, whatever it stands on, also for clients that follow ``dataSource`` already.
  ///
  /// - Returns: The data source that was given, with its type hidden.
  @discardableResult
  public func createDataSource(dataSource: some DataSourceProtocol<Item>) -> AnyDataSource<Item> {
    let source = AnyDataSource(dataSource)
    switching.source = source
    state.withLock { $0.isLoaded = true }
    return source
  }

  /// Has the list come from the database, and follow it from then on.
  ///
  /// The view by tag is a list of tagged items, in which an item may stand several times; ``TodoStore/taggedController(_:)``
  /// follows it.
  public func reloadData() throws(TodoError) {
    guard let store else { throw .failure("there is no database to load from; name one with --db FILE") }
    let query = query
    if query.view == .tag { throw .failure("the view by tag has no single place for an item; follow another view") }
    let controller = try store.controller(query)
    try readable { try controller.performFetch() }
    createDataSource(dataSource: FRCDataSource(fetchedResultsController: controller))
  }

  /// Shows the list once, to whatever writes it out.
  ///
  /// It is the list as the data source has it or, as long as none was loaded, as it is in the database: then it is read row by
  /// row, whatever its length and its view, and nothing is kept. Without a database it is empty.
  public func show<Visitor: ListVisitor>(to visitor: inout Visitor) throws {
    let state = state.withLock { $0 }
    if let store, !state.isLoaded { return try store.list(state.query, into: &visitor) }
    try switching.snapshot.visit(revision: try store?.revision() ?? 0, &visitor)
  }

  /// Has the list come from the sample, which is in memory: errands, and what a career wants.
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

  /// The same as items to add to a database.
  public static var drafts: [ItemDraft] {
    sections.flatMap { section in section.items.map { ItemDraft(title: $0.title, list: section.name) } }
  }
}
