import TodoCore

/// What `todo watch` was asked for.
struct WatchRequest: Sendable {
  /// Where the database is; there may be none yet.
  var location: DatabaseLocation
  /// Which items, and in which view.
  var query: ListQuery
  /// What was said of the form: `.json` and `.plain` want lines, also on a terminal.
  var form: Form
}

/// `todo watch`.
enum Watch {
  /// Shows the list until it is ended, and gives the exit code.
  ///
  /// It runs off the main thread, which waits. SIGINT and SIGTERM end the program at once with 130 and 143, and SIGPIPE is
  /// ignored, until other handlers are set here.
  static func run(_ request: WatchRequest) async throws -> Int32 {
    throw TodoError.failure("watch is not in this build")
  }
}
