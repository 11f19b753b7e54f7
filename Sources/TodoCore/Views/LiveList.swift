public import FetchedResults

/// A list that is followed, each of its states with its revision: the data that `watch` writes line by line.
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
  /// The controller that follows the list.
  public let controller: FetchedResultsController<Row>
  /// The last list that was returned.
  public private(set) var snapshot = Snapshot<Row>()
  /// The revision of that list. Beside a program that commits without a pause, the list may hold later changes too.
  public private(set) var revision: Int64 = 0
  private let store: TodoStore
  /// Signals that there was an update. It is not `updates()` itself, which merges waiting updates: a change that is
  /// undone while it waits would never be reported, although it may have been seen here.
  private var news: AsyncStream<Void>.Iterator
  private let observation: ObservationToken

  /// Creates a live list for a controller that the store has made.
  public init(_ controller: FetchedResultsController<Row>, _ store: TodoStore) {
    self.controller = controller
    self.store = store
    let (news, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.news = news.makeAsyncIterator()
    observation = controller.observeOnAnyThread { _ in continuation.yield() }
    // Ends with the controller.
    let errors = controller.errors()
    Task { for await _ in errors { continuation.yield() } }
  }

  /// Fetches the list with its revision, and follows it from then on.
  public mutating func begin() async throws(TodoError) {
    do {
      try await controller.performFetch()
    } catch {
      throw TodoError(error)
    }
    (revision, snapshot) = try await state()
  }

  /// Waits for a commit that changes the list, and returns the update. Commits that follow each other closely may be
  /// one update. Nil once the task is cancelled. Throws if the list can't be followed any more.
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

  /// The list and its revision.
  ///
  /// An update may be ahead of the reported commits: of two close commits it may contain parts of the second. But if
  /// the revision is the same before and after all commits have been evaluated, then the list is that of this revision.
  /// Beside a program that commits without a pause it never is. Then the list has everything up to the returned
  /// revision, and perhaps what came later.
  private func state() async throws(TodoError) -> (revision: Int64, snapshot: Snapshot<Row>) {
    do {
      var attempts = 0
      while true {
        let before = try store.revision()
        try await controller.settled()
        let snapshot = controller.snapshot
        attempts += 1
        if try attempts == 200 || store.revision() == before { return (before, snapshot) }
      }
    } catch {
      throw TodoError(error)
    }
  }
}
