import FetchedResultsSupport
import Synchronization
import TodoCore

/// The calls of the C library that the commands need. Foundation is not used on purpose: it would cost every command
/// milliseconds.
package enum System {
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The arguments after the program's name. Invalid UTF-8 is an error, because it would become another text or another
  /// file. Swift reads them from /proc on Linux, and has none where that is missing: not even the program's name.
  static func arguments() throws(TodoError) -> [String] {
    var arguments: [String] = []
    guard CommandLine.argc > 0 else {
      throw .inputOutput("the command's arguments can't be read, because /proc/self/cmdline can't; mount /proc")
    }
    for index in 1..<Int(CommandLine.argc) {
      guard let pointer = CommandLine.unsafeArgv[index] else { break }
      guard let argument = String(validatingCString: pointer) else {
        throw .usage("\"\(String(cString: pointer))\" is not UTF-8; set the terminal to UTF-8, and type it again")
      }
      arguments.append(argument)
    }
    return arguments
  }

  /// Whether a descriptor is a terminal, of whoever has typed the command.
  static func isTerminal(_ descriptor: Int32) -> Bool {
    Caller.current.map { $0.columns(of: descriptor) != nil } ?? (isatty(descriptor) == 1)
  }

  /// The number of columns of the terminal at a descriptor; nil if it is no terminal.
  static func columns(of descriptor: Int32) -> Int? {
    if let caller = Caller.current { return caller.columns(of: descriptor) }
    guard isTerminal(descriptor) else { return nil }
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
  }

  /// The path of a program in the same folder as this one; nil if there is none.
  package static func sibling(_ name: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0, let slash = buffer[..<count].lastIndex(of: 0x2F) else { return nil }
    let path = String(decoding: buffer[...slash].map { UInt8(bitPattern: $0) }, as: UTF8.self) + name
    return access(path, X_OK) == 0 ? path : nil
  }

  /// The content of a file, or of the standard input for "-". A caller has sent the file that it names.
  static func read(_ path: String) throws(TodoError) -> [UInt8] {
    let isInput = path == "-" || Caller.current != nil
    let descriptor = isInput ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .inputOutput("\(path) can't be read: \(reason())") }
    defer { if !isInput { close(descriptor) } }
    if let bytes = Platform.content(of: descriptor) { return bytes }
    throw .inputOutput("\(isInput ? "the standard input" : path) can't be read: \(reason())")
  }

  /// Writes text to a new file that only its owner can read.
  static func write(_ text: String, toNew path: String) throws(TodoError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inputOutput("\(path) can't be written: \(reason())") }
    defer { close(descriptor) }
    if case .failed(let reason) = Array(text.utf8).withUnsafeBytes({ write($0, to: descriptor) }) {
      throw .inputOutput("\(path) can't be written: \(reason)")
    }
  }

  /// Runs the user's editor on a file, and waits for it.
  static func edit(_ path: String) throws(TodoError) {
    setenv("TODO_EDITED", path, 1)
    // The editor would inherit that these are ignored.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
    defer { for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) } }
    // As git does it: the variable may contain arguments. Ctrl-C is the editor's, and neither ends this program
    // meanwhile nor the shell.
    guard system("trap : INT QUIT; eval \"${VISUAL:-${EDITOR:-vi}}\" '\"$TODO_EDITED\"'") == 0 else {
      throw .failure("the editor ended with an error; VISUAL or EDITOR names the one to use")
    }
  }

  private static func reason() -> String { errno == EBADF ? "it is closed" : String(cString: strerror(errno)) }

  /// Exits with the code that `tidyUp` returns. The first thread that calls this decides; the others stop here, because
  /// their errors may be caused by the clean-up.
  static func exit(_ tidyUp: () -> Int32) -> Never {
    while hasBegunToExit.exchange(true, ordering: .acquiringAndReleasing) {
      MonotonicClock.sleep(microseconds: 1_000_000)
    }
    let code = tidyUp()
    CLibrary.exit(code)
  }

  /// The result of a write.
  enum WriteResult {
    case done
    /// The reader has gone.
    case closed
    /// The command was interrupted.
    case interrupted
    /// It failed, with the reason.
    case failed(String)
  }

  /// Writes all bytes.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> WriteResult {
    var rest = bytes
    while !rest.isEmpty {
      if descriptor == 1, Interruption.isPending { return .interrupted }
      let count = CLibrary.write(descriptor, rest)
      if count > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, 1000)
      } else if errno != EINTR {
        return errno == EPIPE ? .closed : .failed(reason())
      }
    }
    return .done
  }

  /// Ensures that no file that is opened later becomes the standard input, output or error of a process that was
  /// started without them.
  ///
  /// The replacements can't be read in place of the input, nor written in place of the output: code that needs them
  /// fails, as it would without them.
  static func occupyStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

private let hasBegunToExit = Atomic<Bool>(false)
