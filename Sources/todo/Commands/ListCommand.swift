import TodoCore

/// `todo list`, and the parsing of filters.
enum ListCommand {
  static let command = Command(
    "list", "show items, the open ones unless told otherwise", operands: "[FILTER…]",
    flags: [.by, .limit] + Flag.filters,
    details: [
      "Filters are +LIST, @TAG, !high, !medium, !low, !none, due:DATE, due:none, due:before:DATE, every:month and the like, "
        + "and --text WORDS. All of them must hold.",
      "In the view by tag an item stands under each of its tags. `todo` alone is `todo list`.",
    ],
    completion: .tokens,
    examples: [
      .init("todo list", "what is to be done"),
      .init("todo list +home @errand --by due", "the errands of home by day"),
      .init("todo list due:before:tomorrow", "what is due today, or was before"),
      .init("todo list --all --text rent --json", "open and done items with a word, for a script"),
    ]
  ) { invocation in
    let query = try query(invocation)
    let store = try invocation.storeToRead()
    try invocation.printList(query, of: store, nothing: "nothing to do")
    return try invocation.conclude(store)
  }

  static let search = Command(
    "search", "find items by words in titles and notes", operands: "WORDS… [FILTER…]", flags: [.by, .limit],
    details: [
      "Open and done items are found, in whose title or notes each word stands or begins a word. Filters narrow it down, as "
        + "in `todo list`; behind -- everything is a word."
    ],
    completion: .tokens,
    examples: [
      .init("todo search rent", "wherever it stands"), .init("todo search rent +home --json", "for a script"),
    ]
  ) { invocation in
    var query = try view(invocation)
    var filter = Filter(status: .all)
    let moment = Moment.now
    for operand in invocation.operands {
      if let token = try Token.parse(operand, as: .filter, at: moment) {
        filter.add(token)
      } else {
        filter.text += operand.split(whereSeparator: \.isWhitespace).map(String.init)
      }
    }
    filter.text += invocation.literal.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
    if filter.text.isEmpty { throw TodoError.usage("`todo search` wants words to look for, as in: todo search rent") }
    query.filter = filter
    let store = try invocation.storeToRead()
    try invocation.printList(query, of: store, nothing: "nothing found")
    return try invocation.conclude(store)
  }

  /// The query of `list`, and of every command that shows a list.
  static func query(_ invocation: Invocation, at moment: Moment = .now) throws(TodoError) -> ListQuery {
    var query = try view(invocation)
    query.filter = try Filter(
      arguments: try invocation.choices, text: invocation.values(.text), status: try status(invocation), at: moment)
    return query
  }

  /// The values of `--by` and `--limit`.
  private static func view(_ invocation: Invocation) throws(TodoError) -> ListQuery {
    var query = ListQuery()
    if let view = invocation.value(.by) { query.view = try ItemView(name: view) }
    query.limit = try limit(invocation)
    return query
  }

  /// The value of `--limit`.
  static func limit(_ invocation: Invocation) throws(TodoError) -> Int? {
    guard let text = invocation.value(.limit) else { return nil }
    guard let number = Int(text), number >= 0, text.utf8.first != UInt8(ascii: "+") else {
      throw .usage("--limit wants a whole number from 0 on, not \"\(text)\"")
    }
    return number
  }

  /// The states of `--done`, `--all` and `--archived`; nil if none was typed.
  static func status(_ invocation: Invocation) throws(TodoError) -> Filter.Status? {
    let said: [(Flag, Filter.Status)] = [(.done, .done), (.all, .all), (.archived, .archived)]
    let chosen = said.filter { invocation.has($0.0) }
    if chosen.count > 1 {
      throw .usage("\(chosen[0].0.name) and \(chosen[1].0.name) exclude each other; leave one of the two out")
    }
    return chosen.first?.1
  }
}
