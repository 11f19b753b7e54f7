import DataSources
import FetchedResults
import SQLiteStore
import TodoCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The live list for programs: the list as `list --json` has it, and then a line of JSON for each commit that changes it.
enum WatchLines {
  /// Writes lines until nobody reads them any more, or a signal ends it, and gives the exit code.
  static func run(
    _ store: TodoStore, _ query: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery
  ) async throws -> Int32 {
    let first = try query(store.moment)
    if first.view == .tag {
      let live = LiveList(try store.taggedController(first), store)
      return try await write(live, store, query) { $0.taggedRequest() }
    }
    let live = LiveList(try store.controller(first), store)
    return try await write(live, store, query) { $0.request() }
  }

  private static func write<Row: ListedItem>(
    _ live: sending LiveList<Row>, _ store: TodoStore,
    _ query: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery,
    _ request: @escaping @Sendable (ListQuery) -> FetchRequest<Row>
  ) async throws -> Int32 {
    let signals = SignalPipe([SIGINT, SIGTERM])
    var live = live
    let controller = live.controller
    let clock = try QueryClock(store, query) { controller.fetchRequest = request($0) }
    try await live.begin()
    let output = Output()
    var writer = JSONListWriter { try output.print($0) }
    try live.snapshot.visit(revision: live.revision, &writer)
    try output.flush()
    try endWithReader(store, signals, clock)
    while let update = try await live.next() {
      guard let line = ChangesWriter.line(update, revision: live.revision) else { continue }
      try output.print(line)
      try output.flush()
    }
    return 0
  }
}

/// Asks for the list again when the clock has gone on so far that it may be another one.
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

  /// Looks at the clock, and follows another list where it has to.
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
      // What was understood before is understood still, unless the calendar ends: then the list stays as it is.
      last.withLock { $0.hour = hour }
    }
  }
}

/// Ends the program when nobody reads its output any more, as it must not wait for a commit to find out, and on a signal. All of
/// the database is then in its file.
private func endWithReader(_ store: TodoStore, _ signals: SignalPipe, _ clock: QueryClock) throws {
  let hasBegun = BackgroundThread.start {
    while true {
      let ready = waitFor([signals.descriptor], watched: [STDOUT_FILENO], milliseconds: ClockHour.interval)
      clock.look()
      let signal = signals.read().first { $0 != 0 }
      guard signal != nil || ready.closed.contains(STDOUT_FILENO) else { continue }
      System.exit {
        // The next one ends the program, whatever the database waits for.
        for number in [SIGINT, SIGTERM] { SignalPipe.leave(number) }
        store.finish()
        return signal.map(SignalPipe.exitCode) ?? 0
      }
    }
  }
  if !hasBegun { throw TodoError.failure("the system has no thread left to watch with") }
}
