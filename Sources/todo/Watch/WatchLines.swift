import DataSources
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
  static func run(_ store: TodoStore, _ query: ListQuery) async throws -> Int32 {
    if query.view == .tag {
      let live = LiveList(try store.taggedController(query), store)
      return try await write(live)
    }
    let live = LiveList(try store.controller(query), store)
    return try await write(live)
  }

  private static func write<Row: ListedItem>(_ live: sending LiveList<Row>) async throws -> Int32 {
    var live = live
    try await live.begin()
    let output = Output()
    var writer = JSONListWriter { try output.print($0) }
    try live.snapshot.visit(revision: live.revision, &writer)
    try output.flush()
    try endWithReader()
    while let update = try await live.next() {
      guard let line = ChangesWriter.line(update, revision: live.revision) else { continue }
      try output.print(line)
      try output.flush()
    }
    return 0
  }
}

/// Ends the program when nobody reads its output any more: it must not wait for a commit to find out.
private func endWithReader() throws {
  let hasBegun = BackgroundThread.start {
    var file = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    while poll(&file, 1, -1) < 0 || file.revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0 {}
    System.exit(0)
  }
  if !hasBegun { throw TodoError.failure("the system has no thread left to watch with") }
}
