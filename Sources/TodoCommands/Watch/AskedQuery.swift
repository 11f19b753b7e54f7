import TodoCore

/// The query of the command line, which means another list when a day begins, or when an item has waited long enough.
struct AskedQuery: Sendable {
  private let query: @Sendable (Moment) throws(TodoError) -> ListQuery
  private var clock: ListClock

  init(
    _ query: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery, of store: any WatchedItems, at moment: Moment
  ) throws(TodoError) {
    self.query = query
    clock = ListClock(try store.waiting(), at: moment)
  }

  /// The query if it may mean another list than at the last call, see ``ListClock``; nil otherwise.
  mutating func next(at moment: Moment) throws(TodoError) -> ListQuery? {
    clock.hasTurned(at: moment) ? try query(moment) : nil
  }
}
