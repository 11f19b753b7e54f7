/// Reports the progress of a long command on the standard error, if that is a terminal.
struct Progress: Sendable {
  private let isShown = Caller.current == nil && System.isTerminal(2)

  /// Shows the current progress in place of the previous one.
  func show(_ what: String, _ done: Int, of total: Int) {
    if isShown { write("\r\(what) \(done) of \(total)") }
  }

  /// Removes the progress.
  func clear() {
    if isShown { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) {
    // The command continues even if it can't be shown.
    _ = Array(text.utf8).withUnsafeBytes { System.write($0, to: 2) }
  }
}
