import FetchedResultsSupport
import FixtureSupport
import Testing

/// The built program as another process, on a terminal of its own or with its output in a pipe.
final class RunningProgram {
  /// How the program ended.
  enum Ending: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// Where the program is.
  static var path: String {
    if let path = getenv("TODO_BINARY") { return String(cString: path) }
    // Beside the tests.
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    var tests =
      count > 0
      ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : CommandLine.arguments[0]
    while !tests.isEmpty {
      tests = tests.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      if access(tests + "/todo", X_OK) == 0 { return tests + "/todo" }
    }
    return "todo"
  }

  let id: pid_t
  /// The descriptor to read from and, on a terminal, to write to; -1 once it is closed.
  private(set) var descriptor: Int32
  private var ending: Ending?

  /// Runs something with its standard output in a pipe.
  init(piped command: [String], environment: [String: String] = [:]) throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let writing = ends[1]
    id = try Self.spawn(command, environment) { actions in
      posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(actions, writing, 1)
    }
    close(writing)
    descriptor = ends[0]
  }

  /// Runs something on a new terminal, which it has control of.
  init(terminal command: [String], columns: Int, rows: Int, environment: [String: String] = [:]) throws {
    let (terminal, name) = try Self.makeTerminal()
    descriptor = terminal
    Self.setSize(of: terminal, columns, rows)
    id = try Self.spawn(command, environment, inNewSession: true) { actions in
      posix_spawn_file_actions_addopen(actions, 0, name, O_RDWR, 0)
      for other: Int32 in 1...2 { posix_spawn_file_actions_adddup2(actions, 0, other) }
    }
  }

  deinit {
    if ending == nil {
      kill(id, SIGKILL)
      kill(-id, SIGKILL)
      _ = wait()
    }
    hangUp()
  }

  /// Closes this end, once: the number may be that of another file of the tests by then.
  func hangUp() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// A new terminal: the end that a person sits at, and the path of the other.
  private static func makeTerminal() throws -> (descriptor: Int32, name: String) {
    #if os(Linux)
      // What posix_openpt and its like do, which the module of the C library leaves out, as it does these two numbers.
      let getNumber: UInt = 0x8004_5430  // TIOCGPTN
      let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var number: Int32 = 0
      var isLocked: Int32 = 0
      try #require(
        terminal >= 0 && ioctl(terminal, getNumber, &number) == 0 && ioctl(terminal, setLock, &isLocked) == 0)
      return (terminal, "/dev/pts/\(number)")
    #else
      let terminal = posix_openpt(O_RDWR | O_NOCTTY)
      try #require(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0)
      _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
      return (terminal, String(cString: try #require(ptsname(terminal))))
    #endif
  }

  private static func spawn(
    _ command: [String], _ environment: [String: String], inNewSession: Bool = false,
    _ redirect: (UnsafeMutablePointer<posix_spawn_file_actions_t>) -> Void
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    redirect(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let newSession: Int32 = inNewSession ? 0x80 : 0  // POSIX_SPAWN_SETSID
    posix_spawnattr_setflags(
      &attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | newSession))
    var variables = ["TERM": "xterm-256color", "TZ": Program.zone, "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]
    variables.merge(Program.ofSanitizers.merging(environment) { $1 }) { $1 }
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + settings { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, command[0], &actions, &attributes, &words, &settings)
    try #require(code == 0, "\(command[0]) can't be run: \(String(cString: strerror(code)))")
    return id
  }

  // MARK: Talking

  /// What came meanwhile, after waiting for some of it; nil at the end, or when nothing comes for very long.
  func read(milliseconds: Int32 = 180_000) -> [UInt8]? {
    var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&file, 1, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = bytes.withUnsafeMutableBytes { CLibrary.read(descriptor, $0) }
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  /// All that comes until the program ends.
  func readAll() -> String {
    var all: [UInt8] = []
    while let more = read() { all += more }
    return String(decoding: all, as: UTF8.self)
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }

  func send(_ signal: Int32) { kill(id, signal) }

  func resize(columns: Int, rows: Int) { Self.setSize(of: descriptor, columns, rows) }

  private static func setSize(of terminal: Int32, _ columns: Int, _ rows: Int) {
    var size = winsize()
    size.ws_col = UInt16(columns)
    size.ws_row = UInt16(rows)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// Whether keys are shown and told line by line, as a shell has it.
  var isCooked: Bool {
    var attributes = termios()
    tcgetattr(descriptor, &attributes)
    return attributes.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == tcflag_t(ECHO | ICANON | ISIG)
  }

  // MARK: Ending

  /// Waits until the program ends. One that doesn't is killed in the end.
  func wait() -> Ending? {
    if ending == nil { ending = waitForChange(0) }
    return ending
  }

  /// Waits until the program has stopped; false when it ended.
  func waitForStop() -> Bool {
    ending = waitForChange(WUNTRACED)
    return ending == nil
  }

  /// How it ended; nil where it stopped.
  private func waitForChange(_ options: Int32) -> Ending? {
    var status: Int32 = 0
    var patience = 180_000
    while waitpid(id, &status, options | WNOHANG) == 0 {
      patience -= 1
      if patience == 0 { kill(id, SIGKILL) }
      usleep(1000)
    }
    if status & 0xFF == 0x7F { return nil }
    return status & 0x7F == 0 ? .exit((status >> 8) & 0xFF) : .signal(status & 0x7F)
  }
}
