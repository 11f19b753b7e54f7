import TodoCore

/// The commands that change the content of items: edit, tag, note.
enum EditCommands {
  static let edit = Command(
    "edit", "change the title of an item, or other properties of items", operands: "ID… [TITLE…] [TOKEN…]",
    details: [
      "Takes the tokens of `todo add`; tags are added to those that are there. due:none, !none and every:none remove a "
        + "property. Other properties stay as they are. Put quotes around a title that begins with a number, or -- "
        + "before it."
    ],
    completion: .tokens,
    examples: [
      .init("todo add Buy milk", "an item to edit"), .init("todo edit 1 Buy oat milk", "another title"),
      .init("todo edit 1 due:tomorrow '!low' +home", "other properties"),
      .init("todo edit 1 due:none", "without a date"),
    ]
  ) { invocation in
    let moment = Moment.now
    let (ids, rest) = try leadingIDs(invocation.operands)
    let said = try Attributes(arguments: rest, literal: invocation.literal, at: moment)
    if ids.isEmpty {
      throw TodoError.usage("`todo edit` needs the number of an item first, as in: todo edit 3 \"New title\"")
    }
    let store = try invocation.storeToChange()
    let result = try store.edit(Selection(ids: ids), ItemEdit(said))
    let report = Report(invocation, at: moment)
    return try invocation.conclude(store, didChange: result.didChange) {
      try report.tell(result, "changed", place: report.details, already: "is so already")
    }
  }

  static let tag = Command(
    "tag", "add tags to items, or remove tags", operands: "ID… [FILTER…] [@TAG…]",
    flags: [.removeTag, .done, .all, .archived, .text],
    details: ["Choose items by numbers, ranges and filters, as in `todo done`; but @TAG is a tag to add."],
    completion: .tokens,
    examples: [
      .init("todo add Buy milk", "an item to tag"), .init("todo tag 1 @errand @shop", "with two tags"),
      .init("todo tag 1 --remove shop", "remove one of them"),
    ]
  ) { invocation in
    let moment = Moment.now
    var added: [String] = []
    var rest: [String] = []
    for word in try invocation.choices {
      if word.first == "@", word.count > 1 { added.append(String(word.dropFirst())) } else { rest.append(word) }
    }
    let removed = invocation.values(.removeTag).map { $0.first == "@" ? String($0.dropFirst()) : $0 }
    if added.isEmpty, removed.isEmpty { throw TodoError.usage("`todo tag` needs a tag, as in: todo tag 3 @errand") }
    let selection = try invocation.selection(of: rest, at: moment)
    if selection.isEmpty { throw TodoError.usage("`todo tag` needs at least one item, as in: todo tag 3 @errand") }
    let store = try invocation.storeToChange()
    let result = try store.tag(selection, adding: added, removing: removed)
    return try invocation.conclude(store, didChange: result.didChange) {
      try Report(invocation, at: moment).tell(result, added.isEmpty ? "untagged" : "tagged") { item in
        item.tags.isEmpty ? ": no tags" : ": " + item.tags.map { "@\($0.visible)" }.joined(separator: " ")
      }
    }
  }

  static let note = Command(
    "note", "add a note to items", operands: "ID… TEXT…",
    details: ["Put quotes around a text that begins with a number, or -- before it. `todo show` shows notes."],
    examples: [
      .init("todo add Buy milk", "an item for the note"),
      .init("todo note 1 \"ask for a receipt\"", "a note"), .init("todo show 1", "the item with its notes"),
    ]
  ) { invocation in
    let (ids, words) = try leadingIDs(invocation.operands)
    if ids.isEmpty {
      throw TodoError.usage("`todo note` needs the number of an item first, as in: todo note 3 \"ask for a receipt\"")
    }
    let store = try invocation.storeToChange()
    let result = try store.note((words + invocation.literal).joined(separator: " "), to: Selection(ids: ids))
    return try invocation.conclude(store, didChange: result.didChange) {
      try Report(invocation).tell(result, "noted on")
    }
  }

  /// The numbers and ranges at the beginning, and the arguments after them.
  private static func leadingIDs(
    _ operands: [String]
  ) throws(TodoError) -> (ids: [ClosedRange<Int64>], rest: [String]) {
    var ids: [ClosedRange<Int64>] = []
    for operand in operands {
      guard let range = try Selection.range(operand) else { break }
      ids.append(range)
    }
    return (ids, Array(operands.dropFirst(ids.count)))
  }
}
