import TodoCore

/// A question on a terminal.
enum Question {
  /// The letter of the answer, one of those given; the end of the input is "n".
  static func ask(_ question: String, _ letters: String) -> Character {
    while true {
      let text = Screen.errors.wrapped(question.visible).joined(separator: "\n") + " "
      _ = Array(text.utf8).withUnsafeBytes { System.write($0, to: 2) }
      guard let line = readLine() else { return "n" }
      if let letter = line.lowercased().first(where: { $0 != " " }), letters.contains(letter) { return letter }
    }
  }
}
