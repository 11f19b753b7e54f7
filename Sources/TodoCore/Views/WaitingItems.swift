import FetchedResults
import SQLiteStore

/// The open items that wait for a date, followed: they tell when one of them appears in the lists.
public final class WaitingItems: Sendable {
  private let controller: FetchedResultsController<Item>
  private let observation: ObservationToken

  /// Follows the items of a store.
  public init(_ store: TodoStore) throws(TodoError) {
    let request = FetchRequest<Item>(
      from: "item JOIN list ON list.id = item.list", select: ["todo_list_name": "list.name"],
      where: "item.wait IS NOT NULL AND item.done = 0 AND item.archived = 0", orderBy: ["item.wait"])
    controller = FetchedResultsController(fetchRequest: request, database: store.database)
    // Without an observer, the controller would not follow.
    observation = controller.observeOnAnyThread { _ in }
    let controller = controller
    // The list itself reports them. Ends with the controller.
    let errors = controller.errors()
    Task { for await _ in errors {} }
    try readable { try controller.performFetch() }
  }

  /// Whether one of them was hidden at a moment and isn't any more at a later one.
  public func appear(after former: Instant, until moment: Moment) -> Bool {
    // Days and moments sort as texts, which is exact to a day or two.
    let last = moment.today.adding(days: 2).description
    return controller.snapshot.items.lazy.compactMap(\.wait).prefix { $0.description <= last }.contains {
      let start = $0.start(in: moment.zone)
      return start > former && start <= moment.instant
    }
  }
}
