/// Tells on the standard error how far a long command has come, when that is a terminal.
struct Progress: Sendable {
  private let isShown = System.isTerminal(2)

  /// Shows what is done so far, in place of what was shown before.
  func show(_ what: String, _ done: Int, of total: Int) {
    if isShown { write("\r\(what) \(done) of \(total)") }
  }

  /// Takes away what was shown.
  func clear() {
    if isShown { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) {
    // Whether it is seen makes no difference to the command.
    _ = Array(text.utf8).withUnsafeBytes { System.write($0, to: 2) }
  }
}
