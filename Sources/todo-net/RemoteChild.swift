import Dispatch
import FetchedResultsSupport
import TodoCommands
import TodoCore

/// The program `todo` beside this one, run for callers: a few at a time, the others wait.
final class ServedProgram: Sendable {
  private let places = DispatchSemaphore(value: 4)
  private let path = System.sibling("todo") ?? "todo"

  /// Runs a command to its end. If the task is cancelled, because the caller has gone, the command is killed.
  func run(_ command: RemoteRequest) async throws -> RemoteAnswer {
    let child = Child(path, command)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let starts = BackgroundThread.start { [places] in
          places.wait()
          defer { places.signal() }
          continuation.resume(with: Result { try child.run() })
        }
        if !starts { continuation.resume(throwing: TodoError.failure("the service can't start a thread")) }
      }
    } onCancel: {
      child.end()
    }
  }
}

/// One process, and what it reads and writes.
private final class Child: Sendable {
  private enum State: Sendable {
    case waiting, running(pid_t), over
  }

  private let path: String
  private let command: RemoteRequest
  private let state = Locked(State.waiting)

  private static let patience: UInt64 = 300_000_000_000
  private static let outputBytes = 64 << 20

  init(_ path: String, _ command: RemoteRequest) { (self.path, self.command) = (path, command) }

  /// Ends the process at once, or keeps it from starting. A transaction that it has begun never happened.
  func end() {
    state.withLock { state in
      if case .running(let id) = state { kill(id, SIGKILL) }
      if case .waiting = state { state = .over }
    }
  }

  /// Runs the process, on a thread that waits for it.
  func run() throws(TodoError) -> RemoteAnswer {
    var (own, others) = ([Int32](), [Int32]())
    defer { for descriptor in own + others { close(descriptor) } }
    for _ in 0..<3 {
      // Not pipes, which other commands that start meanwhile could inherit.
      var ends: [Int32] = [-1, -1]
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Self.failure(errno) }
      own.append(ends[0])
      others.append(ends[1])
    }
    let id = try start(others)
    for descriptor in others { close(descriptor) }
    others = []
    var printed: [[UInt8]] = [[], []]
    let problem = exchange(own, &printed)
    if problem != nil { end() }
    // `waitpid` frees the process id, so `end()` must not signal it afterwards.
    var info = siginfo_t()
    while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    state.withLock { $0 = .over }
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
    if let problem { throw .failure(problem) }
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    return RemoteAnswer(code: code, output: printed[0], errors: printed[1])
  }

  private static func failure(_ code: Int32) -> TodoError {
    .failure("the service can't run the program todo: \(String(cString: strerror(code)).lowercased())")
  }

  private func start(_ descriptors: [Int32]) throws(TodoError) -> pid_t {
    var variables = command.environment.map { strdup("\($0.name)=\($0.value)") } + [nil]
    defer { for variable in variables { free(variable) } }
    var id: pid_t = 0
    let code = state.withLock { state -> Int32 in
      guard case .waiting = state else { return ECANCELED }
      let code = spawn(&id, [path] + command.arguments, descriptors, environment: &variables)
      if code == 0 { state = .running(id) }
      return code
    }
    if code != 0 { throw Self.failure(code) }
    return id
  }

  /// Writes the input and reads both outputs until they end. Returns why it gave up, if it did.
  private func exchange(_ descriptors: [Int32], _ printed: inout [[UInt8]]) -> String? {
    let input = descriptors[0]
    _ = fcntl(input, F_SETFL, O_NONBLOCK)
    var rest = command.input[...]
    var files = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    files[0].events = Int16(POLLOUT)
    let deadline = MonotonicClock.now() + Self.patience
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while files[1].fd >= 0 || files[2].fd >= 0 {
      if files[0].fd >= 0, rest.isEmpty {
        shutdown(input, Int32(SHUT_WR))
        files[0].fd = -1
      }
      poll(&files, 3, 1000)
      if MonotonicClock.now() > deadline { return "the command took longer than five minutes, and was ended" }
      if files[0].fd >= 0, files[0].revents != 0 {
        let count = rest.withUnsafeBytes { CLibrary.write(input, $0) }
        // A command that reads no further has closed it.
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EAGAIN, errno != EINTR { rest = [] }
      }
      for place in 1...2 where files[place].fd >= 0 && files[place].revents != 0 {
        let count = buffer.withUnsafeMutableBytes { CLibrary.read(files[place].fd, $0) }
        if count > 0 {
          printed[place - 1] += buffer[..<count]
        } else if count == 0 || errno != EINTR {
          files[place].fd = -1
        }
      }
      if printed[0].count + printed[1].count > Self.outputBytes {
        return "the command printed more than \(Self.outputBytes >> 20) MiB; narrow it with filters"
      }
    }
    return nil
  }
}
