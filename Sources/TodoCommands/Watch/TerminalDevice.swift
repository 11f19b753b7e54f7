import DataSources
import FetchedResultsSupport
import TerminalLists

/// The terminal that the program runs in: its keys as they are pressed, its size, and its original settings.
final class TerminalDevice {
  /// The source of keys.
  let input: Int32
  private let output: Int32
  private var before = termios()
  private var isEntered = false

  /// The terminal at standard output; nil if it is no terminal.
  init?(output: Int32 = STDOUT_FILENO) {
    guard isatty(output) == 1 else { return nil }
    self.output = output
    // Piped input is not typed.
    input = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_CLOEXEC)
    guard input >= 0, tcgetattr(input, &before) == 0 else { return nil }
  }

  /// Whether the terminal can position the cursor. One with TERM=dumb can't, and one without TERM is not known to.
  static var isCapable: Bool { System.environment("TERM").map { $0 != "dumb" } ?? false }

  /// Whether to use colours.
  static var showsColors: Bool { System.environment("NO_COLOR") == nil }

  /// The current size.
  var size: TerminalSize {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return TerminalSize(columns: 80, rows: 24)
    }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Delivers every key at once without showing it, control keys too.
  func enter() {
    var raw = before
    cfmakeraw(&raw)
    // A line feed still starts a line, in case another program writes.
    raw.c_oflag = before.c_oflag
    guard tcsetattr(input, TCSADRAIN, &raw) == 0 else { return }
    isEntered = true
    restoring = (input, output, before)
    for signal in Self.faults { CLibrary.handle(signal, restoreAndDie) }
    // Pasted text comes between markers, so that it is never treated as keys.
    write("\u{1B}[?2004h")
  }

  /// Restores the terminal.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    write("\u{1B}[?2004l")
    tcsetattr(input, TCSADRAIN, &before)
    restoring = nil
  }

  /// Writes all of a text.
  func write(_ text: String) {
    // The code that reads keys notices when the terminal has gone.
    _ = Array(text.utf8).withUnsafeBytes { System.write($0, to: output) }
  }

  /// The input since the last call; nil when the terminal has gone.
  func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = systemRead(input, &bytes)
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  /// Signals that end a program with a bug; the terminal must be restored then too.
  private static let faults = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV, SIGFPE]
}

// because it is written while the terminal's use can't cause a fault, and read by a handler after which nothing else
// runs
nonisolated(unsafe) private var restoring: (input: Int32, output: Int32, attributes: termios)?

private func restoreAndDie(_ fault: Int32) {
  CLibrary.handle(fault, SIG_DFL)
  if case (let input, let output, var attributes)? = restoring {
    let end: StaticString = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    _ = write(output, end.utf8Start, end.utf8CodeUnitCount)
    tcsetattr(input, TCSANOW, &attributes)
  }
  raise(fault)
}
