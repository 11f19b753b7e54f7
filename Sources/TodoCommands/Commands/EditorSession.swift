import TodoCore

/// `todo edit --editor`: items as text, a line each, in the user's editor.
struct EditorSession {
  /// What the edited text means.
  struct Outcome {
    var edits: [(id: Int64, edit: ItemEdit)] = []
    var drafts: [ItemDraft] = []
    /// The number of lines that were deleted.
    var deleted = 0
  }

  private static let head = """
    # A line is an item: its number, its title, and words as in `todo add`. Change lines to change items.
    # A line without a number is a new item. An item whose line is deleted stays as it is.

    """

  private let moment: Moment
  /// The lines of the items as they were written, without their numbers.
  private let former: [Int64: String]
  private let path: String

  /// Writes the items to a file of its own.
  init(_ items: [Item], at moment: Moment) throws(TodoError) {
    self.moment = moment
    let lines = items.map { ($0.id, TypedLine.line(of: $0, in: moment.zone)) }
    former = Dictionary(uniqueKeysWithValues: lines)
    guard let folder = Platform.makeTemporaryFolder() else {
      throw .inputOutput("no temporary folder can be made; set TMPDIR to a folder that you may write to")
    }
    path = folder + "/items.txt"
    try System.write(Self.head + lines.map { "\($0) \($1)\n" }.joined(), toNew: path)
  }

  /// Lets the user edit the text, and makes the changes. If that fails, the text can be edited again on a terminal;
  /// otherwise it stays in its file, which the error names.
  func run<Result>(canAsk: Bool, _ change: (Outcome) throws(TodoError) -> Result) throws(TodoError) -> Result {
    while true {
      do {
        try System.edit(path)
        let result = try change(try read())
        Platform.remove(path)
        Platform.removeFolder(String(path.dropLast("/items.txt".count)))
        return result
      } catch {
        if canAsk, Question.ask("\(error.message); edit the text again? [y/n]", "yn") == "y" { continue }
        throw .usage("\(error.message); nothing was changed, and the text is kept in \(path)")
      }
    }
  }

  private func read() throws(TodoError) -> Outcome {
    var outcome = Outcome()
    var seen: Set<Int64> = []
    for (number, line) in try TypedLine.lines(try System.read(path)) where !line.hasPrefix("#") {
      try TypedLine.inLine(number) { () throws(TodoError) in
        let word = line.prefix { !$0.isWhitespace }
        guard let range = try Selection.range(String(word)) else {
          let draft = ItemDraft(try Attributes(line: line, at: moment))
          try draft.check()
          return outcome.drafts.append(draft)
        }
        guard range.count == 1, let text = former[range.lowerBound] else {
          throw .usage("\(word) is no number of these items; put quotes around a new title that begins with a number")
        }
        guard seen.insert(range.lowerBound).inserted else { throw .usage("item \(word) has two lines; remove one") }
        let rest = String(line.dropFirst(word.count).drop(while: \.isWhitespace))
        let edit = ItemEdit(from: try Attributes(line: text, at: moment), to: try Attributes(line: rest, at: moment))
        if edit.isEmpty { return }
        try edit.check()
        outcome.edits.append((range.lowerBound, edit))
      }
    }
    outcome.deleted = former.count - seen.count
    return outcome
  }
}
