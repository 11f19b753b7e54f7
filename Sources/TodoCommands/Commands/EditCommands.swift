import TodoCore

/// The commands that change the content of items: edit, tag, note.
enum EditCommands {
  static let edit = Command(
    "edit", "change the title of an item, or other properties of items",
    operands: "ID… [TITLE…] [TOKEN…]", flags: Flag.changing + [.editor],
    details: [
      "Takes the words of `todo add`; tags and notes are added to those that are there. due:none, pri:none, every:none, "
        + "wait:none and tag:none remove what is there. Everything else stays as it is. Put quotes around a title that "
        + "begins with a number, or -- before it.",
      "Instead of numbers, leading +LIST and @TAG words and the flags choose the items, and everything after sets. "
        + "Numbers may also follow what is set: todo list --plain | cut -f 1 | xargs todo edit due:tomorrow. Before a "
        + "filter changes more than one item, there is a question; --yes answers it.",
    ],
    completion: .items(done: false),
    examples: [
      .init("todo add Buy milk", "an item to edit"), .init("todo edit 1 Buy oat milk", "another title"),
      .init("todo edit 1 due:tomorrow 9:30 pri:low +home", "other properties"),
      .init("todo edit 1 due:none", "without a date"), .init("todo edit +home pri:high", "the items of a list"),
      .init("EDITOR=true todo edit --editor +home", "as text; leave out EDITOR=true"),
    ]
  ) { invocation in
    let moment = Moment.ofUser
    let (selection, rest) = try chosen(invocation, at: moment)
    if invocation.has(.editor) { return try editAsText(selection, rest, invocation, at: moment) }
    let said = try invocation.attributes(rest, isNew: false, at: moment)
    let isBeforeNumbers = !rest.isEmpty && invocation.operands.starts(with: rest)
    if selection.isEmpty || (isBeforeNumbers && !said.words.isEmpty) {
      throw TodoError.usage(
        "`todo edit` needs the number of an item first, or +LIST or @TAG, as in: todo edit 3 \"New title\"")
    }
    var edit = ItemEdit(said)
    try edit.check()
    let store = try invocation.storeToChange()
    edit.list = try invocation.list(edit.list, in: store)
    let result = try store.edit(try invocation.confirmed(selection, in: store), edit)
    let report = Report(invocation, at: moment)
    return try invocation.conclude(store, didChange: result.didChange) {
      try report.tell(result, "changed", place: report.details, already: "is so already")
    }
  }

  static let tag = Command(
    "tag", "add tags to items, or remove tags", operands: "ID… [FILTER…] [@TAG…]",
    flags: [.removeTag] + Flag.changing,
    details: ["Choose items by numbers, ranges and filters, as in `todo done`; but @TAG is a tag to add."],
    completion: .items(done: false),
    examples: [
      .init("todo add Buy milk", "an item to tag"), .init("todo tag 1 @errand @shop", "with two tags"),
      .init("todo tag 1 --remove shop", "remove one of them"),
    ]
  ) { invocation in
    let moment = Moment.ofUser
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
    let result = try store.tag(try invocation.confirmed(selection, in: store), adding: added, removing: removed)
    return try invocation.conclude(store, didChange: result.didChange) {
      try Report(invocation, at: moment).tell(result, added.isEmpty ? "untagged" : "tagged") { item in
        item.tags.isEmpty ? ": no tags" : ": " + item.tags.map { "@\($0.visible)" }.joined(separator: " ")
      }
    }
  }

  static let note = Command(
    "note", "add a note to items, or edit and remove notes", operands: "ID… TEXT…", flags: [.editNote, .removeNote],
    details: ["Put quotes around a text that begins with a number, or -- before it. `todo show` shows notes."],
    completion: .items(done: false),
    examples: [
      .init("todo add Buy milk", "an item for the note"),
      .init("todo note 1 \"ask for a receipt\"", "a note"), .init("todo show 1", "the item with its notes"),
      .init("todo note 1 --edit 1 \"ask for two receipts\"", "another text"),
      .init("todo note 1 --remove 1", "without the note"),
    ]
  ) { invocation in
    let (ids, words) = try leadingIDs(invocation.operands)
    if ids.isEmpty {
      throw TodoError.usage("`todo note` needs the number of an item first, as in: todo note 3 \"ask for a receipt\"")
    }
    let text = (words + invocation.literal).joined(separator: " ")
    let edited = try number(.editNote, invocation)
    let removed = try number(.removeNote, invocation)
    if removed != nil, edited != nil || !text.isEmpty {
      throw TodoError.usage("--remove takes only the numbers of items and of the note, as in: todo note 3 --remove 1")
    }
    let store = try invocation.storeToChange()
    let selection = Selection(ids: ids)
    let result =
      try (edited ?? removed).map { try store.setNote($0, of: selection, to: removed == nil ? text : nil) }
      ?? store.note(text, to: selection)
    let verb = removed != nil ? "removed a note of" : edited != nil ? "changed a note of" : "noted on"
    return try invocation.conclude(store, didChange: result.didChange) {
      try Report(invocation).tell(result, verb)
    }
  }

  private static func editAsText(
    _ selection: Selection, _ rest: [String], _ invocation: Invocation, at moment: Moment
  ) throws -> Int32 {
    if let word = rest.first ?? invocation.literal.first {
      throw TodoError.usage("with --editor nothing is set in the command, such as \"\(word)\"; leave it out")
    }
    let store = try invocation.storeToAdd()
    let session = try EditorSession(try store.items(selection), at: moment)
    let (outcome, result) = try session.run(canAsk: invocation.canAsk) { outcome throws(TodoError) in
      (outcome, try store.edit(outcome.edits, adding: outcome.drafts))
    }
    let verb = outcome.drafts.isEmpty ? "changed" : outcome.edits.isEmpty ? "added" : "changed and added"
    return try invocation.conclude(store, didChange: result.didChange) {
      let report = Report(invocation, at: moment)
      try report.tell(result, verb, place: report.details, nothing: "nothing was changed")
      if outcome.deleted > 0 {
        let lines = outcome.deleted == 1 ? "1 deleted line changes" : "\(outcome.deleted) deleted lines change"
        Program.complain("\(lines) nothing; `todo rm` removes items")
      }
    }
  }

  /// The items that `edit` is for, and the operands that set something: those after the numbers, or the lists and tags,
  /// at the beginning, or before the numbers at the end.
  private static func chosen(
    _ invocation: Invocation, at moment: Moment
  ) throws(TodoError) -> (selection: Selection, rest: [String]) {
    var (ids, rest) = try leadingIDs(invocation.operands)
    var filters: ArraySlice<String> = []
    if ids.isEmpty {
      filters = rest.prefix { $0.utf8.count > 1 && ($0.hasPrefix("+") || $0.hasPrefix("@")) }
      rest.removeFirst(filters.count)
    }
    let filter = try Filter(
      arguments: Array(filters), text: invocation.values(.text), status: try ListCommand.status(invocation), at: moment)
    if ids.isEmpty, filter.isEmpty, filter.status == nil {
      while let range = try rest.last.flatMap({ word throws(TodoError) in try Selection.range(word) }) {
        ids.insert(range, at: 0)
        rest.removeLast()
      }
    }
    return (Selection(ids: ids, filter: filter), rest)
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

  /// The number of a note, counted from 1.
  private static func number(_ flag: Flag, _ invocation: Invocation) throws(TodoError) -> Int? {
    guard let text = invocation.value(flag) else { return nil }
    guard let number = Int(text), number > 0 else {
      throw .usage("\(flag.name) needs the number of a note, such as 1, not \"\(text)\"; `todo show` shows them")
    }
    return number
  }
}
