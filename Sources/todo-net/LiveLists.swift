import DataSources
import FetchedResults
import LiveFeeds
import TodoCore

/// A row as the page gets it: the item's JSON, and the tag of its state for `If-Match`.
struct ItemRow: Encodable, Sendable {
  let item: Item
  /// Identifies the row; nil if the item's number does. In the view by tag an item has a row for each of its tags.
  let key: Int64?

  init(_ row: some ListedItem) {
    item = row.item
    key = row.id == row.item.id ? nil : row.id
  }

  private enum Field: String, CodingKey {
    case id, key, title, list, tags, priority, due, every, wait, done, started, completed, created, notes, archived, tag
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(item.id, forKey: .id)
    try fields.encodeIfPresent(key, forKey: .key)
    try fields.encode(item.title, forKey: .title)
    try fields.encode(item.list, forKey: .list)
    try fields.encode(item.tagOfState, forKey: .tag)
    if !item.tags.isEmpty { try fields.encode(item.tags, forKey: .tags) }
    if !item.notes.isEmpty { try fields.encode(item.notes, forKey: .notes) }
    if item.done { try fields.encode(true, forKey: .done) }
    if item.archived { try fields.encode(true, forKey: .archived) }
    try fields.encodeIfPresent(item.priority?.name, forKey: .priority)
    try fields.encodeIfPresent(item.due?.description, forKey: .due)
    try fields.encodeIfPresent(item.every?.rawValue, forKey: .every)
    try fields.encodeIfPresent(item.wait?.description, forKey: .wait)
    for (field, instant) in [(Field.started, item.started), (.completed, item.completed), (.created, item.created)] {
      try fields.encodeIfPresent(instant?.description, forKey: field)
    }
  }
}

/// A list that a client can show: a view and a filter as it was typed.
struct ListRequest: Hashable, Sendable {
  var view: String
  var filter: String
  /// The zone of the client, see ``TodoStore/inZone(_:)``; nil for that of this machine.
  private(set) var zone: String?
  /// How it is divided, if not as the view; empty if so.
  var by = ""
  /// The order within sections, reversed behind a hyphen; empty for that of the view.
  var sort = ""
  /// The state of the items: done, all or archived; empty for that of the view.
  var status = ""

  init(
    view: String, filter: String, zone: String? = nil, by: String = "", sort: String = "", status: String = ""
  ) {
    (self.view, self.filter, self.by, self.sort, self.status) = (view, filter, by, sort, status)
    self.zone = TodoStore.isOwnZone(zone) ? nil : zone
  }

  /// The list that it means at a moment: "today" is another one tomorrow.
  func query(_ store: TodoStore) throws(TodoError) -> ListQuery {
    let moment = try store.inZone(zone).moment
    var query = ListQuery(zone: moment.zone, now: moment.instant)
    if let days = DayList(rawValue: view) {
      days.apply(to: &query)
    } else if view == "done" {
      query.filter.status = .done
    } else {
      query.view = try ItemView(name: view)
    }
    if !by.isEmpty { query.view = try ItemView(name: by) }
    if !sort.isEmpty {
      query.isReversed = sort.first == "-"
      let order = sort.dropFirst(query.isReversed ? 1 : 0)
      query.sort = order.isEmpty ? nil : try ItemSort(name: String(order))
    }
    if !status.isEmpty {
      let known: [String: Filter.Status] = ["done": .done, "all": .all, "archived": .archived]
      guard let status = known[status] else {
        throw .usage("there is no status \"\(status)\"; use done, all or archived")
      }
      query.filter.status = status
    }
    try query.filter.add(
      TypedLine.split(filter).map { FilterWord($0.text, $0.isQuoted ? .text : .filterOrText) }, at: moment,
      saved: { name throws(TodoError) in
        do throws(TodoError) {
          return try store.savedFilter(name)
        } catch {
          // What is missing is not what the path names.
          if case .noSuchItem(let message) = error { throw .usage(message) } else { throw error }
        }
      })
    return query
  }
}

/// The lists that pages follow, each once for all who follow it.
actor LiveLists {
  private struct Shared {
    let feed: LiveFeed<ItemRow>
    let update: @Sendable (ListQuery) -> Void
    let statistics: @Sendable () -> Statistics
    let end: @Sendable () -> Void
  }

  private let store: TodoStore
  private let fail: @Sendable (TodoError) -> Void
  private var shared: [ListRequest: Shared] = [:]
  /// The lists that are being fetched.
  private var fetching: [ListRequest: Task<LiveFeed<ItemRow>, any Error>] = [:]
  /// The oldest first.
  private var order: [ListRequest] = []
  private var clock: ListClock
  /// What following the lists that have ended has cost.
  private var ended = Statistics()

  /// How many lists are kept that nobody reads, and how many one reader may ask for.
  static let limit = 32

  /// - Parameter fail: Is called if no list can be followed any more.
  init(_ store: TodoStore, fail: @escaping @Sendable (TodoError) -> Void) throws(TodoError) {
    (self.store, self.fail) = (store, fail)
    clock = ListClock(try WaitingItems(store), at: store.moment)
  }

  /// The feed of a list. Of those that nobody reads, the oldest ends when there are too many.
  func feed(_ request: ListRequest) async throws -> LiveFeed<ItemRow> {
    if let known = known(request) { return known }
    let task = fetching[request] ?? Task { try await fetch(request) }
    fetching[request] = task
    return try await task.value
  }

  private func fetch(_ request: ListRequest) async throws -> LiveFeed<ItemRow> {
    defer { fetching[request] = nil }
    let query = try request.query(store)
    let list =
      query.view == .tag
      ? try await follow(try store.taggedController(query), request) { $0.taggedRequest() }
      : try await follow(try store.controller(query), request) { $0.request() }
    evictUnread()
    shared[request] = list
    order.append(request)
    return list.feed
  }

  /// Makes room for one more list among those that nobody reads. Lists with readers don't count: a bundle that is being
  /// made would otherwise lose its first lists when others have many readers.
  private func evictUnread() {
    let unread = order.filter { shared[$0]?.feed.isObserved != true }
    for request in unread.dropLast(Self.limit - 1) {
      order.removeAll { $0 == request }
      guard let oldest = shared.removeValue(forKey: request) else { continue }
      ended = ended + oldest.statistics()
      oldest.end()
    }
  }

  private func follow<Row: ListedItem>(
    _ controller: FetchedResultsController<Row>, _ request: ListRequest,
    _ fetchRequest: @escaping @Sendable (ListQuery) -> FetchRequest<Row>
  ) async throws -> Shared {
    try await controller.performFetch()
    let feed = LiveFeed(FRCDataSource(fetchedResultsController: controller).mapped { ItemRow($0) })
    let errors = controller.errors()
    let task = Task { [fail] in
      for await error in errors {
        if (error as? DatabaseError)?.extendedCode == .readOnlyFileMoved { return fail(TodoError(error)) }
        log("the list \"\(request.view)\": \(TodoError(error).message)")
      }
    }
    return Shared(feed: feed) {
      controller.fetchRequest = fetchRequest($0)
    } statistics: {
      controller.statistics
    } end: {
      task.cancel()
      feed.end()
      controller.stop()
    }
  }

  private func known(_ request: ListRequest) -> LiveFeed<ItemRow>? {
    guard let known = shared[request] else { return nil }
    order.removeAll { $0 == request }
    order.append(request)
    return known.feed
  }

  /// Updates the lists for the current time: when days begin, and when a hidden item appears.
  func takeClock() {
    guard clock.hasTurned(at: store.moment) else { return }
    for (request, list) in shared {
      do {
        list.update(try request.query(store))
      } catch {
        log("the list \"\(request.view)\": \(error.message)")
      }
    }
  }

  /// How many lists are followed, and what following them and former ones has cost.
  var statistics: (lists: Int, cost: Statistics) {
    (shared.count, shared.values.reduce(ended) { $0 + $1.statistics() })
  }

  /// Ends all lists, also those that are still being fetched.
  func end() async {
    for task in fetching.values { _ = try? await task.value }
    for list in shared.values { list.end() }
  }
}
