import TodoCore

/// Reports what a command has changed, and how to undo it.
struct Report {
  private let invocation: Invocation
  private let output = Output()
  private let moment: Moment

  /// How many items are named individually.
  private static let most = 20

  init(_ invocation: Invocation, at moment: Moment = .now) {
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
  func tell(
    _ result: ChangeResult, _ verb: String, place: (Item) -> String = { _ in "" }, already: String = "is so already",
    alreadyPlace: (Item) -> String = { _ in "" }
  ) throws {
    if try !output.print(result, as: invocation.form) {
      let next = Set(result.next.map(\.id))
      let changed = result.removed + result.items.filter { !next.contains($0.id) }
      if !changed.isEmpty { try tell(changed, verb, place) }
      for item in result.next { try output.sentence("next is \(name(item))\(due(item))") }
      for item in result.ended {
        try output.sentence("\(name(item)) does not come again, as dates end with the year 9999")
      }
      try tell(unchanged: result.unchanged, already, alreadyPlace)
      if result.didChange {
        try output.sentence("(`todo undo` takes it back)")
      } else if result.unchanged.isEmpty {
        let reason = result.missingName.map { "; \($0.visible)" } ?? ""
        try output.sentence("nothing matches, and nothing was changed\(reason)")
      }
    }
    try output.flush()
  }

  /// Prints a sentence, with how to undo the change, or a document without items.
  func tell(_ result: ChangeResult, sentence: String, lists: [ItemList]) throws {
    switch invocation.form {
    case .json: try Documents.print(result, lists: lists, to: output)
    case .plain: for list in lists { try output.line(Documents.plain(list)) }
    case .text:
      if result.didChange {
        try output.sentence("\(sentence) (`todo undo` takes it back)")
      } else {
        try output.sentence("it is so already, and nothing was changed")
      }
    }
    try output.flush()
  }

  // MARK: Words

  private func tell(_ items: [Item], _ verb: String, _ place: (Item) -> String) throws {
    if items.count == 1 { return try output.sentence("\(verb) \(name(items[0]))\(place(items[0]))") }
    try output.sentence("\(verb) \(items.count) items:")
    for item in items.prefix(Self.most) { try output.sentence("  \(name(item))\(place(item))") }
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
  func details(_ item: Item) -> String {
    var parts = ["in \(item.list.visible)"]
    if let due = item.due { parts.append("due \(DueWords(due, isDone: item.done, at: moment).text)") }
    if let every = item.every { parts.append("every \(every.words)") }
    if let wait = item.wait, item.isHidden(at: moment) {
      parts.append("hidden until \(DueWords(wait, at: moment).text)")
    }
    if let priority = item.priority { parts.append("\(priority.name) priority") }
    if !item.tags.isEmpty { parts.append(item.tags.map { "@\($0.visible)" }.joined(separator: " ")) }
    return ": \(parts.joined(separator: ", "))"
  }

  /// The text about an open item that is in no list.
  static func archived(_ item: Item) -> String {
    item.archived ? ", but archived (`todo archive --restore \(item.id)` takes it out)" : ""
  }

  /// Where an item is and when it is due, as `add` prints it.
  func place(_ item: Item) -> String {
    " to \(item.list.visible)\(due(item))" + (item.every.map { ", every \($0.words)" } ?? "")
      + (item.isHidden(at: moment) ? item.wait.map { ", hidden until \(DueWords($0, at: moment).text)" } ?? "" : "")
  }
}
