import TodoCore

/// `todo lists` and its subcommands.
enum ListsCommand {
  static let command = Command(
    "lists", "show the lists, or add, rename, reorder and remove them", operands: "[add|rename|reorder|remove …]",
    details: ["Upper and lower case don't matter in the name of a list."],
    completion: .words(["add", "rename", "reorder", "remove"]),
    examples: [
      .init("todo lists", "the lists in their order, with the number of items"),
      .init("todo lists add Garden", "an empty list"), .init("todo lists rename Garden Balcony", "another name"),
      .init("todo lists reorder Balcony --first", "another place"), .init("todo lists remove Balcony", "remove it"),
    ],
    subcommands: [add, rename, reorder, remove]
  ) { invocation in
    let store = try invocation.storeToRead()
    let lists = try store?.lists() ?? []
    let output = Output()
    switch invocation.form {
    case .json:
      let revision = try store?.revision() ?? 0
      try Documents.print([("revision", .integer(revision)), ("lists", Documents.names(lists))], to: output)
    case .plain: for list in lists { try output.line(Documents.plain(list)) }
    case .text: try TextTable.lists(lists).print(to: output, nothing: "no lists")
    }
    try output.flush()
    return try invocation.conclude(store)
  }

  private static let add = Command(
    "add", "add an empty list", operands: "NAME",
    examples: [.init("todo lists add Garden", "an empty list"), .init("todo lists remove Garden", "remove it")]
  ) { invocation in
    let name = try invocation.takeOne("a name", example: "todo lists add Home")
    if name.allSatisfy(\.isWhitespace) { throw TodoError.usage("a list needs a name, as in: todo lists add Home") }
    return try change(try invocation.storeToAdd(), invocation, "added the list \"\(name.visible)\"") {
      try $0.addList(name)
    }
  }

  private static let rename = Command(
    "rename", "rename a list", operands: "NAME NEW", completion: .lists,
    examples: [
      .init("todo lists add Garden", "a list to rename"),
      .init("todo lists rename Garden Balcony", "another name"), .init("todo lists remove Balcony", "remove it"),
    ]
  ) { invocation in
    let words = invocation.words
    guard words.count == 2 else {
      throw TodoError.usage(
        "`todo lists rename` needs two names, in quotes where they contain spaces, as in: todo lists rename Home House")
    }
    let sentence = "renamed the list \"\(words[0].visible)\" to \"\(words[1].visible)\""
    return try change(try invocation.storeToChange(), invocation, sentence) {
      try $0.renameList(words[0], to: words[1])
    }
  }

  private static let reorder = Command(
    "reorder", "move a list to another place among the lists", operands: "NAME",
    flags: [.first, .last, .beforeList], completion: .lists,
    examples: [
      .init("todo lists add Garden", "a list to move"), .init("todo lists reorder Garden --first", "before all others"),
      .init("todo lists remove Garden", "remove it"),
    ]
  ) { invocation in
    let name = try invocation.takeOne("the name of a list", example: "todo lists reorder Home --first")
    let said = [Flag.first, .last, .beforeList].filter { invocation.has($0) }
    guard said.count == 1 else {
      throw TodoError.usage("`todo lists reorder` needs one place: --first, --last or --before LIST")
    }
    let other = invocation.value(.beforeList) ?? ""
    let (target, place): (ListTarget, String) =
      invocation.has(.first)
      ? (.first, "to the beginning")
      : invocation.has(.last) ? (.last, "to the end") : (.before(other), "before \"\(other.visible)\"")
    return try change(try invocation.storeToChange(), invocation, "moved the list \"\(name.visible)\" \(place)") {
      try $0.reorderList(name, target)
    }
  }

  private static let remove = Command(
    "remove", "remove a list without open items", operands: "NAME",
    details: ["Its done and archived items are removed too. `todo undo` restores all of it."], completion: .lists,
    examples: [.init("todo lists add Garden", "a list to remove"), .init("todo lists remove Garden", "remove it")]
  ) { invocation in
    let name = try invocation.takeOne("the name of a list", example: "todo lists remove Home")
    let store = try invocation.storeToChange()
    let result = try store.removeList(name)
    let count = result.removed.count
    let items = count == 0 ? "" : count == 1 ? " and the item in it" : " and the \(count) items in it"
    return try change(store, invocation, "removed the list \"\(name.visible)\"\(items)") { _ in result }
  }

  private static func change(
    _ store: TodoStore, _ invocation: Invocation, _ sentence: String, _ body: (TodoStore) throws -> ChangeResult
  ) throws -> Int32 {
    let result = try body(store)
    let needsLists = invocation.form != .text
    let lists = needsLists ? try store.lists() : []
    return try invocation.conclude(store, didChange: result.didChange) {
      try Report(invocation).tell(result, sentence: sentence, lists: lists)
    }
  }
}
