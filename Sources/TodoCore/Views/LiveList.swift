public import FetchedResults

/// A list that is followed, each of its states with the revision that it belongs to: what `watch` writes line by line.
///
/// ```swift
/// var live = LiveList(try store.controller(query), store)
/// try await live.begin()
/// show(live.snapshot, live.revision)
/// while let update = try await live.next() {
///   if let line = ChangesWriter.line(update, revision: live.revision) { … }
/// }
/// ```
public struct LiveList<Row: ListedItem> {
  /// What follows the list.
  public let controller: FetchedResultsController<Row>
  /// The list as it was told last.
  public private(set) var snapshot = Snapshot<Row>()
  /// The revision of that list.
  public private(set) var revision: Int64 = 0
  private let store: TodoStore
  /// Tells that there was an update. Not `updates()` themselves, which merge those that wait: a change that is taken back while
  /// it waits would never be told, although it may have been seen here.
  private var news: AsyncStream<Void>.Iterator
  private let observation: ResultsObservation

  /// A list of a controller that the store has made.
  public init(_ controller: FetchedResultsController<Row>, _ store: TodoStore) {
    self.controller = controller
    self.store = store
    let (news, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.news = news.makeAsyncIterator()
    observation = controller.observe { _ in continuation.yield() }
  }

  /// Fetches the list, as it is and at which revision, and follows it from then on.
  public mutating func begin() async throws(TodoError) {
    do {
      try await controller.performFetch()
    } catch {
      throw TodoError(error)
    }
    (revision, snapshot) = try await state()
  }

  /// Waits for a commit that changes the list, and tells what became of it. Commits that follow each other closely may be one
  /// update. Nil once the task is cancelled.
  public mutating func next() async throws(TodoError) -> Update<Row>? {
    while await news.next() != nil {
      let (revision, snapshot) = try await state()
      let update = Update(old: self.snapshot, new: snapshot, changes: snapshot.changes(from: self.snapshot))
      self.snapshot = snapshot
      self.revision = revision
      if !update.changes.isEmpty { return update }
    }
    return nil
  }

  /// The list and its revision, exactly.
  ///
  /// What an update holds may be ahead of what was told of: of two commits that come closely it can have the second one's
  /// rows in part. But when the revision is the same before and after all that was committed has been taken in, then the list is
  /// that of this revision, whatever it was read at.
  private func state() async throws(TodoError) -> (revision: Int64, snapshot: Snapshot<Row>) {
    do {
      while true {
        let before = try store.revision()
        try await controller.settled()
        let snapshot = controller.snapshot
        if try store.revision() == before { return (before, snapshot) }
      }
    } catch {
      throw TodoError(error)
    }
  }
}
