import DataSources
import TodoCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The life of the live list on a terminal: waits for keys, signals and commits, and has the screen take them in.
final class WatchLoop: @unchecked Sendable {  // because it is made on one thread and then used on another only
  private let terminal: TerminalDevice
  private let signals: SignalPipe
  private let store: TodoStore
  private let query: ListQuery

  private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  /// How long Escape waits for what would make another key of it.
  private static let escapeMilliseconds: Int32 = 40

  init(_ store: TodoStore, _ query: ListQuery, _ terminal: TerminalDevice) {
    self.store = store
    self.query = query
    self.terminal = terminal
    signals = SignalPipe(Self.endings + [SIGWINCH, SIGTSTP, SIGCONT])
  }

  /// Shows the list until it is ended, and gives the exit code. Whatever happens, the terminal is left as it was.
  func run() throws -> Int32 {
    let terminal = terminal
    let screen = TerminalScreen(size: terminal.size) { terminal.write($0) }
    terminal.enter()
    screen.begin()
    defer {
      screen.end()
      terminal.leave()
    }
    let watch = try WatchScreen(store, query, screen)
    watch.draw()
    var keys = KeyParser()
    while true {
      let ready = waitFor(
        [signals.descriptor, terminal.input],
        milliseconds: keys.isWaiting ? Self.escapeMilliseconds : watch.millisecondsToNextDrawing)
      var pressed: [Key] = []
      if ready.readable.contains(terminal.input) || ready.closed.contains(terminal.input) {
        guard let bytes = terminal.read() else { return SignalPipe.exitCode(SIGHUP) }
        pressed = keys.parse(bytes)
      } else if ready.readable.isEmpty {
        pressed = keys.finish()
      }
      if ready.readable.contains(signals.descriptor) {
        for signal in signals.read() {
          if Self.endings.contains(signal) { return SignalPipe.exitCode(signal) }
          if signal == SIGTSTP { suspend(watch, insists: true) }
          if signal == SIGWINCH || signal == SIGCONT { watch.resize(to: terminal.size) }
        }
      }
      for key in pressed {
        switch key {
        case .control("c"): return SignalPipe.exitCode(SIGINT)
        case .control("\\"): return SignalPipe.exitCode(SIGQUIT)
        case .control("z"): suspend(watch, insists: false)
        case .control("l"): watch.resize(to: terminal.size)
        default: if !watch.handle(key) { return 0 }
        }
      }
      watch.takeUpdates()
      watch.draw()
    }
  }

  /// Gives the terminal back, stops, and takes it again when it goes on.
  ///
  /// - Parameter insists: Whether to stop even where no shell is there to have it go on, which the system refuses: then whoever
  ///   sent the signal will.
  private func suspend(_ watch: WatchScreen, insists: Bool) {
    watch.screen.end()
    terminal.leave()
    SignalPipe.leave(SIGTSTP)
    kill(insists ? getpid() : 0, SIGTSTP)
    // The process stops a moment later, if it does; when it goes on, the first wait is over, and the second hears of it.
    let hasGoneOn = (0..<2).contains { _ in
      waitFor([signals.descriptor], milliseconds: 100).readable.contains(signals.descriptor)
    }
    if insists, !hasGoneOn {
      kill(getpid(), SIGSTOP)
      _ = waitFor([signals.descriptor], milliseconds: 1000)
    }
    SignalPipe.take(SIGTSTP)
    terminal.enter()
    watch.screen.begin()
    watch.resize(to: terminal.size)
  }
}
