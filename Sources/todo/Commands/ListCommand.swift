import TodoCore

/// `todo list`, and the parsing of filters.
enum ListCommand {
  static let command = Command(
    "list", "show items (open ones by default)", operands: "[FILTER…]",
    flags: [.by, .limit] + Flag.filters,
    details: [
      "Filters are +LIST, @TAG, !high, !medium, !low, !none, due:DATE, due:none, due:before:DATE, every:day, "
        + "every:week, every:month, every:year and --text WORDS. Items that match all filters are shown.",
      "With --by tag, an item is shown under each of its tags. `todo` alone means `todo list`.",
    ],
    completion: .tokens,
    examples: [
      .init("todo list", "the open items"),
      .init("todo list +home @errand --by due", "the errands of home by day"),
      .init("todo list due:before:tomorrow", "what is due today or overdue"),
      .init("todo list --all --text rent --json", "open and done items that contain a word, for a script"),
    ]
  ) { invocation in
    let query = try query(invocation)
    let store = try invocation.storeToRead()
    try invocation.printList(query, of: store, nothing: "nothing to do")
    if !invocation.isNamed, invocation.form == .text, try (store?.revision() ?? 0) == 0 {
      let output = Output()
      try output.sentence("add an item: todo add \"Pay rent\" due:fri")
      try output.sentence("see every command: todo help")
      try output.flush()
    }
    return try invocation.conclude(store)
  }

  static let search = Command(
    "search", "find items by words in titles and notes", operands: "WORDS… [FILTER…]", flags: [.by, .limit],
    details: [
      "Finds open and done items whose title or notes contain every word, or words that begin with it. Filters narrow "
        + "the search, as in `todo list`. Everything after -- is a word to search for."
    ],
    completion: .tokens,
    examples: [
      .init("todo search rent", "in titles and notes"), .init("todo search rent +home --json", "for a script"),
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
    if filter.text.isEmpty { throw TodoError.usage("`todo search` needs at least one word, as in: todo search rent") }
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
      throw .usage("--limit needs a whole number from 0 on, not \"\(text)\"")
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
