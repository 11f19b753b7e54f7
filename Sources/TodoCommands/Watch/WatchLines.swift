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
    let asked = Locked(try AskedQuery(query, of: store, at: store.moment))
    try await live.begin()
    let output = Output()
    var writer = JSONListWriter { try output.print($0) }
    try live.snapshot.visit(revision: live.revision, &writer)
    try output.flush()
    try endWithReader(signals, finish) {
      // A query that was valid before is still valid, unless the calendar ends: then the list stays as it is.
      if let query = try? asked.withLock({ try $0.next(at: store.moment) }) { controller.fetchRequest = request(query) }
    }
    while let update = try await live.next() {
      guard let line = ChangesWriter.line(update, revision: live.revision) else { continue }
      try output.print(line)
      try output.flush()
    }
    return 0
  }
}

/// Ends the program on a signal, and when the reader of its output has gone, which it must find out without waiting for
/// a commit.
private func endWithReader(
  _ signals: SignalPipe, _ finish: @escaping @Sendable () -> Void, look: @escaping @Sendable () -> Void
) throws {
  let hasBegun = BackgroundThread.start {
    while true {
      let ready = waitFor([signals.descriptor], watched: [STDOUT_FILENO], milliseconds: ListClock.interval)
      look()
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
