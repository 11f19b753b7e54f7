import DataSources
import FetchedResults
import FetchedResultsSupport
import SQLiteStore
import TodoCore

/// The live list for programs: the list as in `list --json`, and then a line of JSON for each commit that changes it.
enum WatchLines {
  /// Writes lines until the reader has gone, or a signal ends it, and returns the exit code.
  ///
  /// - Parameter finish: Is called before a signal or the reader ends the program.
  static func run(
    _ store: TodoStore, _ query: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery,
    finish: @escaping @Sendable () -> Void
  ) async throws -> Int32 {
    let first = try query(store.moment)
    if first.view == .tag {
      let live = LiveList(try store.taggedController(first), store)
      return try await write(live, store, query, finish) { $0.taggedRequest() }
    }
    let live = LiveList(try store.controller(first), store)
    return try await write(live, store, query, finish) { $0.request() }
  }

  private static func write<Row: ListedItem>(
    _ live: sending LiveList<Row>, _ store: TodoStore,
    _ query: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery, _ finish: @escaping @Sendable () -> Void,
    _ request: @escaping @Sendable (ListQuery) -> FetchRequest<Row>
  ) async throws -> Int32 {
    let signals = SignalPipe([SIGINT, SIGTERM, SIGHUP])
    var live = live
    let controller = live.controller
    let clock = try QueryClock(store, query) { controller.fetchRequest = request($0) }
    try await live.begin()
    let output = Output()
    var writer = JSONListWriter { try output.print($0) }
    try live.snapshot.visit(revision: live.revision, &writer)
    try output.flush()
    try endWithReader(signals, clock, finish)
    while let update = try await live.next() {
      guard let line = ChangesWriter.line(update, revision: live.revision) else { continue }
      try output.print(line)
      try output.flush()
    }
    return 0
  }
}

/// Requests the list again when the time has changed so far that the list may differ.
private final class QueryClock: Sendable {
  private let store: TodoStore
  private let query: @Sendable (Moment) throws(TodoError) -> ListQuery
  private let follow: @Sendable (ListQuery) -> Void
  private let last: Locked<(hour: ClockHour, query: ListQuery)>

  init(
    _ store: TodoStore, _ query: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery,
    _ follow: @escaping @Sendable (ListQuery) -> Void
  ) throws(TodoError) {
    self.store = store
    self.query = query
    self.follow = follow
    let moment = store.moment
    last = Locked((ClockHour(moment), try query(moment)))
  }

  /// Checks the clock, and follows another list if needed.
  func look() {
    let moment = store.moment
    let hour = ClockHour(moment)
    guard hour != last.withLock({ $0.hour }) else { return }
    do {
      let query = try query(moment)
      let isNew = last.withLock { last in
        defer { last = (hour, query) }
        return query != last.query
      }
      if isNew { follow(query) }
    } catch {
      // A query that was valid before is still valid, unless the calendar ends: then the list stays as it is.
      last.withLock { $0.hour = hour }
    }
  }
}

/// Ends the program on a signal, and when the reader of its output has gone, which it must find out without waiting for
/// a commit.
private func endWithReader(
  _ signals: SignalPipe, _ clock: QueryClock, _ finish: @escaping @Sendable () -> Void
) throws {
  let hasBegun = BackgroundThread.start {
    while true {
      let ready = waitFor([signals.descriptor], watched: [STDOUT_FILENO], milliseconds: ClockHour.interval)
      clock.look()
      let signal = signals.read().first { $0 != 0 }
      guard signal != nil || ready.closed.contains(STDOUT_FILENO) else { continue }
      System.exit {
        // The next one ends the program, whatever the database waits for.
        for number in [SIGINT, SIGTERM, SIGHUP] where !SignalPipe.isIgnored(number) { SignalPipe.leave(number) }
        finish()
        return signal.map(SignalPipe.exitCode) ?? 0
      }
    }
  }
  if !hasBegun { throw TodoError.failure("the system has no thread left to watch with") }
}
