import TodoCore

/// `todo watch` and `todo demo`; what they do is in Watch/.
enum WatchCommand {
  static let watch = Command(
    "watch", "show a live list that follows every change", operands: "[today|week|overdue|next] [FILTER…]",
    flags: [.by, .sort, .reverse] + Flag.filters,
    details: [
      "`todo watch today` shows the list of `todo today` live, and so do week, overdue and next. A list that is left "
        + "open over night is that of the new day.",
      "On a terminal, these are the keys. " + WatchScreen.keys.map { "\($0.keys): \($0.text)." }.joined(separator: " "),
      "With --json or --plain, and if the output is no terminal, it prints lines for programs. The first is the list, as "
        + "`todo list --json` prints it. Each further line is a change: {\"revision\":N,\"changes\":[...]}.",
      "Each of the changes says its kind in \"change\": delete, insert, move and update for items; deleteSection, "
        + "insertSection, moveSection and updateSection for sections. \"from\" is a place before the line, \"to\" one "
        + "after it: {\"section\":S,\"item\":I} for an item, S for a section, both counted from 0. \"item\" and "
        + "\"section\" hold the new content. Items that are deleted or inserted with their section are not listed.",
    ],
    completion: .tokens, place: .terminal,
    examples: [
      .init("todo watch", "the open items, live"), .init("todo watch today", "what is due today, live"),
      .init("todo watch --json", "the open items for a program"),
    ]
  ) { invocation in
    // Wrong arguments are an error before anything is opened.
    _ = try query(invocation, at: .ofUser)
    let request = WatchRequest(
      location: try invocation.location(),
      query: { moment throws(TodoError) in try query(invocation, at: moment) }, form: invocation.form)
    return try Blocking.run { try await Watch.run(request) }
  }

  /// Shows the list of a service on the terminal, and returns the exit code.
  static func run(_ invocation: Invocation, at service: any RemoteService) throws -> Int32 {
    guard try Watch.showsScreen(invocation.form) else {
      throw TodoError.usage(
        "`todo watch` prints lines only where the database is; on a terminal it shows the list of a service too")
    }
    let items = try RemoteItems(invocation, service)
    var invocation = invocation
    invocation.saved = { name throws(TodoError) in try items.savedFilter(name) }
    let asked = invocation
    return try Blocking.run {
      guard let terminal = TerminalDevice() else {
        throw TodoError.failure("`todo watch` needs a terminal for its keys")
      }
      return try await Watch.show(
        items, { moment throws(TodoError) in try query(asked, at: moment) }, on: terminal
      ) { _ in true }
    }
  }

  /// The query, of one of the lists of a day if the first operand is its name.
  private static func query(_ invocation: Invocation, at moment: Moment) throws(TodoError) -> ListQuery {
    var invocation = invocation
    let list = invocation.operands.first.flatMap(DayList.init(rawValue:))
    if list != nil { invocation.operands.removeFirst() }
    return try ListCommand.query(invocation, list, at: moment)
  }

  static let demo = Command(
    "demo", "show a live list of a temporary database that other processes edit",
    place: .machine, examples: [.init("todo demo", "ends by itself within 15 seconds")]
  ) { invocation in
    let form = invocation.form
    let code = try Blocking.run { try await Demo.run(form) }
    try Interruption.endReading()
    return code
  }
}
