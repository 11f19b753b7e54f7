import TodoCore

/// `todo filter` and its subcommands.
enum FilterCommand {
  static let command = Command(
    "filter", "show the saved filters, or save and remove them", operands: "[save|remove …]",
    details: [
      "A saved filter is used as :NAME wherever filters are: alone, beside others, and in other saved filters. Its "
        + "dates mean what they mean on the day of use.",
      "Saved filters are a part of the database and of its backups, but not of exports. `todo undo` doesn't undo "
        + "saving and removing, and `todo restore` leaves them as they are unless the backup becomes the database.",
    ],
    completion: .words(["save", "remove"]),
    examples: [
      .init("todo filter save errands @errand or +Shopping", "give a filter a name"),
      .init("todo list :errands due:this-week", "use it"), .init("todo filter", "the saved filters"),
      .init("todo filter remove errands", "forget it"),
    ],
    subcommands: [save, remove]
  ) { invocation in
    let store = try invocation.storeToRead()
    try print(try store?.savedFilters() ?? [], invocation, nothing: "no saved filters")
    return try invocation.conclude(store)
  }

  private static let save = Command(
    "save", "save a filter under a name", operands: "NAME FILTER…",
    details: [
      "A filter of that name is replaced. Quote brackets as in `todo list`. Flags such as --done are not saved; "
        + "text:WORD is a filter for --text WORD."
    ],
    completion: .tokens, examples: [.init("todo filter save errands @errand not +Someday", "two filters as one")]
  ) { invocation in
    let words = try invocation.choices
    guard let name = words.first else {
      throw TodoError.usage("`todo filter save` needs a name and a filter, as in: todo filter save errands @errand")
    }
    let store = try invocation.storeToAdd()
    let (saved, former) = try store.saveFilter(withoutSign(name), Array(words.dropFirst()))
    let replaced = former.map { " instead of \(typed($0))" } ?? ""
    return try invocation.conclude(store, didMake: "the filter") {
      try print([saved], invocation, "saved\(replaced); `todo list :\(saved.name.visible)` shows its items")
    }
  }

  private static let remove = Command(
    "remove", "remove a saved filter", operands: "NAME", completion: .filters,
    examples: [
      .init("todo filter save errands @errand", "a filter to remove"), .init("todo filter remove errands", "remove it"),
    ]
  ) { invocation in
    let typed = try invocation.takeOne("the name of a filter", example: "todo filter remove errands")
    let store = try invocation.storeToChange()
    let removed = try store.removeFilter(withoutSign(typed))
    return try invocation.conclude(store, didMake: "the change") { try print([removed], invocation, "removed") }
  }

  private static func withoutSign(_ name: String) -> String { name.first == ":" ? String(name.dropFirst()) : name }

  private static func print(
    _ filters: [SavedFilter], _ invocation: Invocation, _ sentence: String? = nil, nothing: String = ""
  ) throws {
    if sentence != nil, invocation.isQuiet { return }
    let output = Output()
    switch invocation.form {
    case .json:
      let list = filters.map { filter in
        JSONValue.object(
          JSONObject([("name", .string(filter.name)), ("words", .array(filter.words.map { .string($0) }))]))
      }
      try Documents.print([("filters", .array(list))], to: output)
    case .plain:
      for filter in filters { try output.line("\(filter.name.visible)\t\(typed(filter))") }
    case .text:
      var table = TextTable()
      for filter in filters { table.add(":\(filter.name)", typed(filter)) }
      try table.print(to: output, nothing: nothing)
      if let sentence { try output.sentence(sentence) }
    }
    try output.flush()
  }

  /// The words as a shell takes them.
  private static func typed(_ filter: SavedFilter) -> String {
    filter.words.map { word in
      word.isEmpty || word.contains { " ()!\"'\\$`*?&|;<>#~".contains($0) } ? "'\(word)'" : word
    }.joined(separator: " ").visible
  }
}
