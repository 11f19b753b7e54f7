import TodoCore

/// What a prompt changes of items, and how the typed text is understood.
enum ItemProperty {
  case words, due, tags, note, list

  /// The text before the typed text.
  func label(_ subject: String) -> String {
    switch self {
    case .words: "edit \(subject): "
    case .due: "due date of \(subject): "
    case .tags: "tags of \(subject): "
    case .note: "note on \(subject): "
    case .list: "move \(subject) to: "
    }
  }

  /// Examples of what can be typed, the most useful ones first.
  func examples(in store: any WatchedItems) throws(TodoError) -> [String] {
    switch self {
    case .words: Prompt.tokens
    case .due: ["fri", "none", "tomorrow 9:30", "in 3 days", "end of month", "2031-01-02"]
    case .tags: ["@new", "-@old"]
    case .note: []
    case .list: try store.listNames().map(\.visible)
    }
  }

  /// Changes items as one change.
  func change(_ items: Selection, to text: String, in store: TodoStore) throws(TodoError) -> ChangeResult {
    switch self {
    case .words:
      let edit = ItemEdit(try Attributes(line: text, at: store.moment))
      if edit.isEmpty { throw TodoError.usage("an item needs a title; Escape leaves it as it is") }
      return try store.edit(items, edit)
    case .due:
      guard case .due(let due)? = try Token.parse(Self.dueToken(text), as: .attributes, at: store.moment) else {
        throw TodoError.usage("a due date is needed, such as fri, or none")
      }
      var edit = ItemEdit()
      edit.due = .set(due)
      return try store.edit(items, edit)
    case .tags:
      let (added, removed) = Self.tags(text)
      return try store.tag(items, adding: added, removing: removed)
    case .note: return try store.note(text, to: items)
    case .list:
      return try store.move(items, .last(list: Self.listName(text)))
    }
  }

  // MARK: What was typed

  /// The token of a due date, which may be typed without its keyword.
  static func dueToken(_ text: String) -> String { (text.trimmed.hasPrefix("due:") ? "" : "due:") + text.trimmed }

  /// The tags of `@new -@old`, whose @ may be left out.
  static func tags(_ text: String) -> (added: [String], removed: [String]) {
    let words = text.split(whereSeparator: \.isWhitespace)
    func names(_ words: some Sequence<Substring>) -> [String] {
      words.map { String($0.first == "@" ? $0.dropFirst() : $0) }
    }
    return (
      names(words.filter { $0.first != "-" }), names(words.filter { $0.first == "-" }.map { $0.dropFirst() })
    )
  }

  /// The name of a list, which may be typed with a +.
  static func listName(_ text: String) -> String {
    String(text.trimmed.first == "+" ? text.trimmed.dropFirst() : text.trimmed)
  }
}
