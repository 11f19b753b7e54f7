import FetchedResults
import FetchedResultsSupport
import TodoCore

/// `todo demo`: the live list of a temporary database, which other processes edit.
enum Demo {
  /// The commands of those processes, as one would type them.
  private static let commands = [
    "todo add \"Pay rent\" +Errands pri:high due:tomorrow", "todo done 1",
    "todo edit 3 \"Presentation for Monday\" @work", "todo move 4 --before 3", "todo move 2 --to Career", "todo done 5",
    "todo undo",
  ]
  private static let farewell = "The database is gone again. `todo help` says how to begin one of your own."

  /// Shows the demonstration, and returns the exit code. Like ``Watch/run(_:)``, it runs off the main thread.
  static func run(_ form: Form) async throws -> Int32 {
    Interruption.beginReading()
    let store = try TodoStore.temporary()
    defer { store.finish() }
    _ = try store.add(Sample.drafts)
    try store.recordHistory()
    if form == .text, TerminalDevice.isCapable, let terminal = TerminalDevice() {
      return try await show(store, on: terminal)
    }
    try await printLines(store, asJSON: form == .json)
    return 0
  }

  /// Prints the list, and then each command, what it changes and the new list; or lines of JSON, as `watch` does.
  private static func printLines(_ store: TodoStore, asJSON: Bool) async throws {
    var live = LiveList(try store.controller(ListQuery()), store)
    try await live.begin()
    let output = Output()
    func printList() throws {
      try output.line("")
      var table = ListTable(.list, moment: .now, to: output)
      try live.snapshot.visit(revision: live.revision, &table)
      try output.line("")
    }
    if asJSON {
      var writer = JSONListWriter { try output.print($0) }
      try live.snapshot.visit(revision: live.revision, &writer)
    } else {
      try output.sentence("A list in a throw-away database, which other processes edit:")
      try printList()
    }
    for command in commands {
      try output.flush()
      try await Task.sleep(for: .milliseconds(250))
      guard run(command, store) else { throw try failure(command) }
      guard let update = try await live.next() else { break }
      if asJSON {
        if let line = ChangesWriter.line(update, revision: live.revision) { try output.print(line) }
      } else {
        try output.line("$ \(command)\n  \(update.changes)")
        try printList()
      }
    }
    if !asJSON { try output.sentence(farewell) }
    try output.flush()
  }

  private static func failure(_ command: String) throws -> TodoError {
    try Interruption.check()
    return .failure("the other process failed at `\(command)`")
  }

  /// Shows the live list of `watch`, with the commands below it. If it ran to its end, they stay on the terminal.
  private static func show(_ store: TodoStore, on terminal: TerminalDevice) async throws -> Int32 {
    let state = Locked((ran: 0, news: String?.none, isOver: false))
    let hasBegun = BackgroundThread.start {
      for command in commands {
        MonotonicClock.sleep(microseconds: 1_050_000)
        // Under the lock, so that no command runs after the end.
        let isDone = state.withLock { state in
          if state.isOver || !run(command, store) { return false }
          state.ran += 1
          state.news = "$ \(command)"
          return true
        }
        SignalPipe.wake()
        if !isDone { break }
      }
      MonotonicClock.sleep(microseconds: 1_050_000)
      state.withLock { $0.isOver = true }
      SignalPipe.wake()
    }
    if !hasBegun { throw TodoError.failure("the system has no thread left for the demonstration") }
    let code = try await Watch.show(store, { _ in ListQuery() }, on: terminal) { screen in
      let (news, isOver) = state.withLock { state in (state.news.take(), state.isOver) }
      if let news { screen.say(news) }
      return !isOver
    }
    let (ran, isFinished) = state.withLock { state in
      defer { state.isOver = true }
      return (state.ran, state.isOver)
    }
    if !isFinished { return code }
    if ran < commands.count { throw try failure(commands[ran]) }
    let output = Output()
    for command in commands { try output.sentence("$ \(command)") }
    try output.sentence(farewell)
    try output.flush()
    return code
  }

  /// Runs a command in a shell, in which `todo` is this program; returns whether it succeeded.
  private static func run(_ command: String, _ store: TodoStore) -> Bool {
    #if os(Linux)
      let executable = realpath("/proc/self/exe", nil)
    #else
      let executable = realpath(CommandLine.arguments[0], nil)
    #endif
    let script = "todo() { \"$0\" --db \"$TODO_DEMO\" \"$@\"; }; TODO_DEMO=$1; \(command) </dev/null >/dev/null 2>&1"
    var words = [strdup("sh"), strdup("-c"), strdup(script), executable, strdup(store.path ?? ""), nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    guard posix_spawn(&child, "/bin/sh", nil, nil, &words, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      if errno != EINTR { return false }
    }
    return status == 0
  }
}
