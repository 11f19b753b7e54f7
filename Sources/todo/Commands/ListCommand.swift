import TodoCore

/// `todo list`.
enum ListCommand {
  static let command = Command(
    "list", "show items", operands: "[FILTER…]", flags: [.by, .limit] + Flag.filters, completion: .tokens,
    examples: [.init("todo list +home --by due", "what is to be done at home, by day")]
  ) { invocation in
    let query = try query(invocation)
    let output = Output()
    var writer = JSONListWriter { try output.print($0) }
    guard let store = try TodoStore.openToRead(try invocation.location()) else {
      try output.line("nothing to do")
      try output.flush()
      return 0
    }
    try store.list(query, into: &writer)
    try output.flush()
    return 0
  }

  /// What `list`, and everything that shows a list, was asked for.
  static func query(_ invocation: Invocation) throws(TodoError) -> ListQuery {
    var query = ListQuery(
      .list,
      filter: try Filter(
        arguments: invocation.words, text: invocation.values(.text), status: try status(invocation)))
    if let view = invocation.value(.by) { query.view = try ItemView(name: view) }
    if let limit = invocation.value(.limit) {
      guard let number = Int(limit), number >= 0 else {
        throw .usage("--limit wants a whole number, not \"\(limit)\"")
      }
      query.limit = number
    }
    return query
  }

  /// The states that `--done`, `--all` and `--archived` say; nil where none was said.
  static func status(_ invocation: Invocation) throws(TodoError) -> Filter.Status? {
    let said: [(Flag, Filter.Status)] = [(.done, .done), (.all, .all), (.archived, .archived)]
    let chosen = said.filter { invocation.has($0.0) }
    if chosen.count > 1 { throw .usage("\(chosen[0].0.name) and \(chosen[1].0.name) exclude each other") }
    return chosen.first?.1
  }
}
