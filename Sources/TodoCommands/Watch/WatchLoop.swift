import DataSources
import FetchedResultsSupport
import TerminalLists
import TodoCore

/// The event loop of the live list on a terminal: waits for keys, signals and commits, and passes them to the screen.
final class WatchLoop: @unchecked Sendable {  // because it is made on one thread and then used on another only
  private let terminal: TerminalDevice
  private let signals: SignalPipe
  private let store: any WatchedItems
  private let query: @Sendable (Moment) throws(TodoError) -> ListQuery
  private let goesOn: (WatchScreen) -> Bool

  private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  /// How long Escape waits for bytes that would make it another key.
  private static let escapeMilliseconds: Int32 = 40

  init(
    _ store: any WatchedItems, _ query: @escaping @Sendable (Moment) throws(TodoError) -> ListQuery,
    _ terminal: TerminalDevice, while goesOn: @escaping (WatchScreen) -> Bool
  ) {
    self.store = store
    self.query = query
    self.terminal = terminal
    self.goesOn = goesOn
    signals = SignalPipe(Self.endings + [SIGWINCH, SIGTSTP, SIGCONT])
  }

  /// Shows the list until it is ended, and returns the exit code. In every case the terminal is restored.
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
        milliseconds: keys.isWaiting
          ? Self.escapeMilliseconds : min(watch.millisecondsToNextDrawing ?? .max, ListClock.interval))
      var pressed: [Key] = []
      if ready.readable.contains(terminal.input) || ready.closed.contains(terminal.input) {
        guard let bytes = terminal.read() else { return SignalPipe.exitCode(SIGHUP) }
        pressed = keys.parse(bytes)
      } else if ready.readable.isEmpty {
        pressed = keys.finish()
      }
      for signal in signals.read() {
        if Self.endings.contains(signal) { return SignalPipe.exitCode(signal) }
        if signal == SIGTSTP { suspend(watch, insists: true) }
        if signal == SIGWINCH || signal == SIGCONT { watch.resize(to: terminal.size) }
      }
      for key in pressed {
        switch key {
        case .control("c"): return SignalPipe.exitCode(SIGINT)
        case .control("\\"): return SignalPipe.exitCode(SIGQUIT)
        case .control("z"): suspend(watch, insists: false)
        case .control("l"): watch.resize(to: terminal.size)
        default: if try !watch.handle(key) { return 0 }
        }
      }
      watch.takeClock()
      try watch.takeUpdates()
      if !goesOn(watch) { return 0 }
      watch.draw()
    }
  }

  /// Restores the terminal, stops the process, and takes the terminal again when the process continues.
  ///
  /// - Parameter insists: Whether to stop even if no shell can continue the process, because a signal asks for it.
  private func suspend(_ watch: WatchScreen, insists: Bool) {
    watch.screen.end()
    terminal.leave()
    SignalPipe.leave(SIGTSTP)
    // The process stops a moment later, if it does. When it continues, SIGCONT ends the wait.
    kill(insists ? getpid() : 0, insists ? SIGSTOP : SIGTSTP)
    _ = waitFor([signals.descriptor], milliseconds: 200)
    SignalPipe.take(SIGTSTP)
    terminal.enter()
    watch.screen.begin()
    watch.resize(to: terminal.size)
  }
}
