public import FetchedResults

/// A list that is followed, with the revision that each of its states belongs to: what `watch` writes line by line.
///
/// ```swift
/// let live = LiveList(controller, store)
/// var (revision, following) = try live.begin()
/// for await update in following.updates {
///   revision = try live.revision(of: update, after: revision)
///   if let line = ChangesWriter.line(update, revision: revision) { … }
/// }
/// ```
public struct LiveList<Row: ListedItem>: Sendable {
  /// What follows the list.
  public let controller: FetchedResultsController<Row>
  private let store: TodoStore

  /// A list of a controller that the store has made.
  public init(_ controller: FetchedResultsController<Row>, _ store: TodoStore) {
    self.controller = controller
    self.store = store
  }

  /// Fetches the list: as it is, at which revision, and what becomes of it from there on.
  public func begin() throws(TodoError) -> (revision: Int64, following: Following<Row>) {
    var attempts = 0
    while true {
      let before = try store.revision()
      try readable { try controller.performFetch() }
      let following = controller.follow()
      let after = try store.revision()
      attempts += 1
      // Where others never stop writing, the newest number has to do.
      if before == after || attempts == 50 { return (after, following) }
    }
  }

  /// The revision that an update has led to.
  ///
  /// When it is asked for, the database may have gone on. Of the changes since the last revision it is the latest that has to
  /// do with what the update tells.
  public func revision(of update: Update<Row>, after last: Int64) throws(TodoError) -> Int64 {
    let changes = update.changes
    var ids = Set(changes.deletedItems.map { update.old[$0].item.id })
    ids.formUnion(changes.insertedItems.map { update.new[$0].item.id })
    ids.formUnion(changes.movedItems.map { update.new[$0.to].item.id })
    ids.formUnion(changes.updatedItems.map { update.new[$0.to].item.id })
    let areListsConcerned = !changes.movedSections.isEmpty || !changes.updatedSections.isEmpty
    return try store.read { connection in
      let newest = try TodoStore.revision(connection)
      if newest <= last + 1 { return max(newest, last) }
      var latest: Int64?
      try connection.forEach("SELECT change, kind, id FROM journal WHERE change > \(last) ORDER BY change DESC") {
        row in
        if latest != nil { return }
        let isConcerned = try row[1] as String == "list" ? areListsConcerned : ids.contains(try row[2])
        if isConcerned { latest = try row[0] }
      }
      return latest ?? newest
    }
  }
}
