import TodoCore

/// Reports what a command has changed, and how to undo it.
struct Report {
  private let invocation: Invocation
  private let output = Output()
  private let moment: Moment

  /// How many items are named individually.
  private static let most = 20

  init(_ invocation: Invocation, at moment: Moment = .ofUser) {
    self.invocation = invocation
    self.moment = moment
  }

  /// Prints the result in the requested form.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - verb: The past tense of the command: "completed".
  ///   - place: The text after a single item, such as where it is now.
  ///   - already: The text for items that needed no change: "is done already".
  ///   - alreadyPlace: The text after those.
  ///   - nothing: The text if there was no item to change.
  func tell(
    _ result: ChangeResult, _ verb: String, place: (Item) -> String = { _ in "" }, already: String = "is so already",
    alreadyPlace: (Item) -> String = { _ in "" }, nothing: String = "nothing matches, and nothing was changed"
  ) throws {
    let matched = result.didChange || !result.unchanged.isEmpty
    if try !output.print(result, as: invocation.form), !(invocation.isQuiet && matched) {
      let next = Set(result.next.map(\.id))
      let changed = result.removed + result.items.filter { !next.contains($0.id) }
      if !changed.isEmpty { try tell(changed, verb, former: result.formerTitles, place) }
      for item in result.next { try output.sentence("next is \(name(item))\(due(item))") }
      for item in result.ended {
        try output.sentence("\(name(item)) does not come again, as dates end with the year 9999")
      }
      try tell(unchanged: result.unchanged, already, alreadyPlace)
      let lists = result.newLists.map(\.name).filter { $0 != TodoStore.defaultList }
      let news = lists.map { "new list \($0.visible)" } + hint(result)
      if !news.isEmpty { try output.sentence("(\(news.joined(separator: "; ")))") }
      if !matched {
        let reason = result.missingName.map { "; \($0.visible)" } ?? ""
        try output.sentence(nothing + reason)
      }
    }
    try output.flush()
    if invocation.canAsk { return }
    for list in result.newLists {
      if let near = list.near { Program.complain("the list \"\(list.name)\" is new; there is also \"\(near)\"") }
    }
  }

  /// Prints a sentence, with how to undo the change, or a document without items.
  func tell(_ result: ChangeResult, sentence: String, lists: [ItemList]) throws {
    switch invocation.form {
    case .json: try Documents.print(result, lists: lists, to: output)
    case .plain: for list in lists { try output.line(Documents.plain(list)) }
    case .text:
      if invocation.isQuiet { break }
      if result.didChange {
        try output.sentence("\(sentence) (`todo undo` takes it back)")
      } else {
        try output.sentence("it is so already, and nothing was changed")
      }
    }
    try output.flush()
  }

  // MARK: Words

  /// How to undo a change, where that is news: in the first changes of a database, and after one of several items, or
  /// one that removes something.
  private func hint(_ result: ChangeResult) -> [String] {
    let isNews = result.revision <= 3 || !result.removed.isEmpty || result.items.count > 1
    return result.didChange && isNews ? ["`todo undo` takes it back"] : []
  }

  private func tell(_ items: [Item], _ verb: String, former: [Int64: String], _ place: (Item) -> String) throws {
    func sentence(_ item: Item) -> String {
      let former = former[item.id].map { "\"\($0.visible)\" → \"\(item.title.visible)\"" }
      return (former.map { "\(item.id) \($0)" } ?? name(item)) + place(item)
    }
    if items.count == 1 { return try output.sentence("\(verb) \(sentence(items[0]))") }
    try output.sentence("\(verb) \(items.count) items:")
    for item in items.prefix(Self.most) { try output.sentence("  " + sentence(item)) }
    if items.count > Self.most { try output.sentence("  and \(items.count - Self.most) more") }
  }

  private func tell(unchanged items: [Item], _ already: String, _ place: (Item) -> String) throws {
    for item in items.prefix(Self.most) { try output.sentence("\(name(item)) \(already)\(place(item))") }
    if items.count > Self.most { try output.sentence("and so \(items.count - Self.most) more") }
  }

  private func name(_ item: Item) -> String { "\(item.id) \"\(item.title.visible)\"" }

  private func due(_ item: Item) -> String {
    item.due.map { ", due \(DueWords($0, isDone: item.done, at: moment).text)" } ?? ""
  }

  /// The text about an item besides its title, as `edit` prints it.
  func details(_ item: Item) -> String { ": in \(properties(item))" }

  private func properties(_ item: Item) -> String {
    var parts = [item.list.visible]
    if let due = item.due { parts.append("due \(DueWords(due, isDone: item.done, at: moment).text)") }
    if let every = item.every { parts.append("every \(every.words)") }
    if let wait = item.wait, item.isHidden(at: moment) {
      parts.append("hidden until \(DueWords(wait, at: moment).text)")
    }
    if let priority = item.priority { parts.append("\(priority.name) priority") }
    if !item.tags.isEmpty { parts.append(item.tags.map { "@\($0.visible)" }.joined(separator: " ")) }
    if !item.notes.isEmpty { parts.append(item.notes.count == 1 ? "1 note" : "\(item.notes.count) notes") }
    return parts.joined(separator: ", ")
  }

  /// The text about an open item that is in no list.
  static func archived(_ item: Item) -> String {
    item.archived ? ", but archived (`todo archive --restore \(item.id)` takes it out)" : ""
  }

  /// Where a new item is, and what it has, as `add` prints it.
  func place(_ item: Item) -> String { " to \(properties(item))" }
}
