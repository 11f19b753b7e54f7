import DataSources
import FetchedResultsSupport
import SQLiteStore
import TodoCore

/// A running demonstration: however it ends, nothing is left behind.
final class DemoRun: Sendable {
  /// Thrown to code that continues after the end.
  struct Ended: Error {}

  // because it is used under the lock only
  private struct State: @unchecked Sendable {
    let stage: any DemoStage
    let folder: ScratchFolder
    var child: pid_t?
    var isOver = false
  }

  private let state: Locked<State>
  private let pauseBetween: Duration
  private let signals = SignalPipe([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH])
  private let input: Int32?

  init(_ stage: sending any DemoStage, _ folder: ScratchFolder) {
    pauseBetween = stage.pause
    input = stage.terminal?.input
    state = Locked(State(stage: stage, folder: folder))
  }

  /// Calls the stage, unless the demonstration is over.
  func onStage(_ body: (any DemoStage) throws -> Void) throws {
    try state.withLock { state in
      if state.isOver { throw Ended() }
      try body(state.stage)
    }
  }

  /// Gives viewers time to look.
  func pause() async throws {
    try await Task.sleep(for: pauseBetween)
    try onStage { _ in }
  }

  /// Runs this program as another process, and waits for it.
  func runOther(_ arguments: [String]) throws {
    let path = try state.withLock { state in
      if state.isOver { throw Ended() }
      let child = try ChildProcess.start(arguments, database: state.folder.database)
      state.child = child
      return child
    }
    let status = ChildProcess.wait(path)
    state.withLock { $0.child = nil }
    try onStage { _ in }
    if status != 0 { throw TodoError.failure("the other process failed at \(arguments.joined(separator: " "))") }
  }

  /// Ends it: restores the terminal, and removes the database.
  func end() {
    state.withLock { state in
      if state.isOver { return }
      state.isOver = true
      if let child = state.child { kill(child, SIGKILL) }
      state.stage.end()
      state.folder.remove()
    }
  }

  /// From here on signals and keys end it, and the program with it.
  func endOnSignals() throws {
    let hasBegun = BackgroundThread.start { [self] in
      var keys = KeyParser()
      var isListening = true
      while true {
        let input = isListening ? self.input : nil
        let ready = waitFor([signals.descriptor] + (input.map { [$0] } ?? []), milliseconds: keys.isWaiting ? 40 : nil)
        for signal in signals.read() {
          if signal == SIGWINCH { state.withLock { if !$0.isOver { $0.stage.resize() } } } else { finish(signal) }
        }
        guard let input else { continue }
        var pressed: [Key] = []
        if ready.readable.contains(input) || ready.closed.contains(input) {
          var bytes = [UInt8](repeating: 0, count: 256)
          let count = systemRead(input, &bytes)
          isListening = count > 0
          pressed = keys.parse(Array(bytes[..<max(count, 0)]))
        } else {
          pressed = keys.finish()
        }
        for key in pressed {
          if [.control("c"), .control("\\")].contains(key) { finish(SIGINT) }
          if [.text("q"), .escape].contains(key) { finish(0) }
        }
      }
    }
    if !hasBegun { throw TodoError.failure("the system has no thread left for the demonstration") }
  }

  private func finish(_ signal: Int32) {
    System.exit {
      end()
      return signal == 0 ? 0 : SignalPipe.exitCode(signal)
    }
  }
}

/// A folder for the demonstration's database.
struct ScratchFolder: Sendable {
  private let path: String

  init() throws(TodoError) {
    let parent = System.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var template = Array("\(parent)/todo-demo-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw .inputOutput("no temporary folder can be made in \(parent): \(String(cString: strerror(errno)))")
    }
    path = String(cString: made)
  }

  /// The file of the database.
  var database: String { "\(path)/todo.db" }

  /// Removes the folder with its content.
  func remove() {
    for ending in ["", "-wal", "-shm", "-journal"] { unlink(database + ending) }
    rmdir(path)
  }
}

/// Runs this program again as a child process.
enum ChildProcess {
  /// Starts it with these arguments on a database. Its output is discarded.
  static func start(_ arguments: [String], database: String) throws(TodoError) -> pid_t {
    #if os(Linux)
      let executable = "/proc/self/exe"
    #else
      let executable = CommandLine.arguments[0]
    #endif
    setenv("TODO_DB", database, 1)
    var words: [UnsafeMutablePointer<CChar>?] = (["todo"] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for descriptor: Int32 in 1...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    var child: pid_t = 0
    let code = posix_spawnp(&child, executable, &actions, nil, words, environ)
    guard code == 0 else {
      throw .failure("the other process can't be started: \(String(cString: strerror(code)))")
    }
    return child
  }

  /// Waits for its end, and returns its exit code; nil if a signal ended it.
  static func wait(_ child: pid_t) -> Int32? {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      if errno != EINTR { return nil }
    }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }
}
