import FetchedResultsSupport
import SQLiteStore
import TodoCore

/// The options of `todo watch`.
struct WatchRequest: Sendable {
  /// The location of the database; it may not exist yet.
  var location: DatabaseLocation
  /// Which items, and in which view, at a moment: "due today" is another list tomorrow.
  var query: @Sendable (Moment) throws(TodoError) -> ListQuery
  /// The requested form: `.json` and `.plain` print lines, even on a terminal.
  var form: Form
}

/// `todo watch`.
enum Watch {
  /// Shows the list until it is ended, and returns the exit code.
  ///
  /// It runs off the main thread, which waits. SIGINT, SIGTERM and SIGHUP end the program at once with 130, 143 and
  /// 129, and SIGPIPE is ignored, until other handlers are set here.
  static func run(_ request: WatchRequest) async throws -> Int32 {
    let showsScreen = try showsScreen(request.form)
    let store = try store(request.location)
    // However it ends, the whole database is in its file afterwards if the disk has room.
    let finish: @Sendable () -> Void = { if !store.finish() { request.location.complainOfLog() } }
    defer { finish() }
    guard showsScreen, let terminal = TerminalDevice() else {
      return try await WatchLines.run(store, request.query, finish: finish)
    }
    return try await show(store, request.query, on: terminal) { _ in true }
  }

  /// Whether the list is shown on a screen, and not printed as lines.
  static func showsScreen(_ form: Form) throws(TodoError) -> Bool {
    let showsScreen = form == .text && System.isTerminal(1)
    if showsScreen, !TerminalDevice.isCapable {
      throw TodoError.failure(
        "`todo watch` needs a terminal that can move its cursor, and TERM names none; use `todo list`, or set TERM, for "
          + "example to xterm"
      )
    }
    return showsScreen
  }

  /// Shows the list on a terminal until it is ended, or until `goesOn`, which is called before each drawing, returns
  /// false.
  static func show(
    _ store: any WatchedItems, _ query: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery,
    on terminal: TerminalDevice, while goesOn: @escaping (WatchScreen) -> Bool
  ) async throws -> Int32 {
    // A thread of its own, because it waits for keys: the threads of tasks are few.
    try await withCheckedThrowingContinuation { continuation in
      let loop = WatchLoop(store, query, terminal, while: goesOn)
      let hasBegun = BackgroundThread.start { continuation.resume(with: Result { try loop.run() }) }
      if !hasBegun { continuation.resume(throwing: TodoError.failure("the system has no thread left to watch with")) }
    }
  }

  /// The database, recording the commits of others. If it can't be written, it is read as it is now, and a warning says
  /// so.
  private static func store(_ location: DatabaseLocation) throws(TodoError) -> TodoStore {
    do {
      let store = try TodoStore.open(location) { .ofUser }
      try store.recordHistory()
      return store
    } catch {
      guard case .inputOutput = error, let store = try TodoStore.openToRead(location, clock: { .ofUser }) else {
        throw error
      }
      Program.complain("the database can only be read here, so changes by others don't appear; start again to see them")
      return store
    }
  }
}
