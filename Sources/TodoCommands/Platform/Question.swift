import TodoCore

/// A question on a terminal.
enum Question {
  /// The letter of the answer, one of those given; the end of the input is "n".
  ///
  /// - Parameter ids: The items that it is about.
  static func ask(_ question: String, _ letters: String, about ids: [Int64] = []) -> Character {
    func show() {
      let text = Screen.errors.wrapped(question.visible).joined(separator: "\n") + " "
      _ = Array(text.utf8).withUnsafeBytes { System.write($0, to: 2) }
    }
    if let caller = Caller.current { return caller.answer(question, letters, about: ids, show) }
    while true {
      show()
      guard let line = readLine() else { return "n" }
      if let letter = line.lowercased().first(where: { $0 != " " }), letters.contains(letter) { return letter }
    }
  }
}
