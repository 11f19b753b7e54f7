import DataSources
import TerminalLists
import TodoCore

/// `todo list`, and the parsing of filters.
enum ListCommand {
  /// The flags of a list.
  private static let shape: [Flag] = [.by, .sort, .reverse, .limit]

  static let command = Command(
    "list", "show items (open ones by default)", operands: "[FILTER…]", flags: shape + Flag.filters,
    details: [
      "Filters are +LIST, @TAG, pri:high, due:DATE, due:before:DATE, due:after:DATE, due:this-week, due:next-week, "
        + "due:this-month, due:any, due:none, done:today, done:this-week, every:month and other recurrences, wait:DATE, "
        + "text:WORD and :NAME for a saved filter (see `todo filter`).",
      "Items that match all filters are shown; but of several lists, priorities or dates one is enough. `or` between "
        + "filters divides what is on its left from what is on its right, and `not` before one excludes it. Brackets "
        + "group: put them in quotes, as in '(' +home or +work ')' not @errand.",
      "Open items with wait: are hidden until then; wait:any and --all show them too.",
      "With --by tag, an item is shown under each of its tags. --sort orders the items within each section: due puts "
        + "the soonest first, priority the highest, created the newest; --sort -due and --reverse turn the order "
        + "round. `todo` alone means `todo list`.",
    ],
    completion: .tokens,
    examples: [
      .init("todo list", "the open items"),
      .init("todo list +home @errand --by due", "the errands of home by day"),
      .init("todo list '(' +home or +work ')' not @errand", "two lists without errands"),
      .init("todo list due:before:tomorrow --by none --sort priority", "what is due, important things first"),
      .init("todo list --all --text rent --json", "open and done items that contain a word, for a script"),
    ]
  ) { invocation in
    let query = try query(invocation)
    let store = try invocation.storeToRead()
    if let store, query.filter == Filter() { try announceDue(store, invocation) }
    try invocation.printList(query, of: store, nothing: "nothing to do")
    if !invocation.isNamed, invocation.form == .text, try (store?.revision() ?? 0) == 0 {
      let output = Output()
      try output.sentence("add an item: todo add \"Pay rent\" due:fri")
      try output.sentence("see every command: todo help")
      try output.flush()
    }
    return try invocation.conclude(store)
  }

  /// The commands that answer "what now?".
  static let days: [Command] = [
    day(
      .today, "show what is due today or overdue", "nothing is due today",
      ["Overdue items are first. `todo watch today` shows the list live."],
      [.init("todo today", "what is to be done today"), .init("todo today +work --json", "of one list, for a script")]),
    day(
      .week, "show what is due in the coming seven days", "nothing is due this week",
      ["Overdue items are first, and then there is a section for each day that has items."],
      [.init("todo week", "day by day"), .init("todo week not @errand", "without errands")]),
    day(
      .overdue, "show what is overdue", "nothing is overdue", ["An item that is due today is not overdue."],
      [.init("todo overdue", "what should be done already"), .init("todo overdue --sort priority", "important first")]),
    day(
      .next, "show the few items that matter most now, and why",
      "nothing is started, of high priority or due within seven days; `todo` shows all open items",
      [
        "At most ten (or --limit N), in this order: started, overdue, due today, of high priority, due within seven "
          + "days. Within each of these the soonest is first."
      ],
      [.init("todo next", "what to do now"), .init("todo next +work", "of one list")]),
  ]

  private static func day(
    _ list: DayList, _ summary: String, _ nothing: String, _ details: [String], _ examples: [Command.Example]
  ) -> Command {
    Command(
      list.rawValue, summary, operands: "[FILTER…]", flags: shape + Flag.filters,
      details: details + ["Takes filters and flags as `todo list` does."], completion: .tokens, examples: examples
    ) { invocation in
      let query = try query(invocation, list)
      let store = try invocation.storeToRead()
      try invocation.printList(query, of: store, nothing: nothing)
      return try invocation.conclude(store)
    }
  }

  /// On a terminal, says how much is due, in a line above the list.
  private static func announceDue(_ store: TodoStore, _ invocation: Invocation) throws {
    guard invocation.form == .text, Screen.standard.width != nil else { return }
    let counts = try store.dueCounts()
    let parts = [(counts.overdue, "overdue"), (counts.today, "due today")].filter { $0.0 > 0 }.map { "\($0) \($1)" }
    if parts.isEmpty { return }
    let output = Output()
    let line = StyledText("\(parts.joined(separator: ", ")): todo today", style: TextStyle(foreground: .red))
    try output.line(Screen.standard.rendered(line))
    try output.line("")
    try output.flush()
  }

  static let search = Command(
    "search", "find items by words in titles and notes", operands: "WORDS… [FILTER…]", flags: shape,
    details: [
      "Finds open and done items whose title or notes contain every word, or words that begin with it. Filters narrow "
        + "the search, as in `todo list`, and so do `or`, `not` and brackets. Everything after -- is a word to search "
        + "for."
    ],
    completion: .tokens,
    examples: [
      .init("todo search rent", "in titles and notes"), .init("todo search rent +home --json", "for a script"),
    ]
  ) { invocation in
    let moment = Moment.ofUser
    var query = try view(invocation, at: moment)
    query.filter.status = .all
    let words =
      invocation.operands.map { FilterWord($0, .filterOrText) } + invocation.literal.map { FilterWord($0, .text) }
    try query.filter.add(words, at: moment, saved: invocation.savedFilters)
    let hasText = query.filter.condition.parts.contains {
      if case .text(let words) = $0 { !words.isEmpty } else { false }
    }
    if !hasText { throw TodoError.usage("`todo search` needs at least one word, as in: todo search rent") }
    let store = try invocation.storeToRead()
    try invocation.printList(query, of: store, nothing: "nothing found")
    return try invocation.conclude(store)
  }

  /// The query of `list`, and of every command that shows a list.
  static func query(
    _ invocation: Invocation, _ list: DayList? = nil, at moment: Moment = .ofUser
  ) throws(TodoError) -> ListQuery {
    var query = try view(invocation, at: moment)
    query.filter = try invocation.filter(at: moment)
    list?.apply(to: &query)
    if let view = invocation.value(.by) { query.view = try ItemView(name: view) }
    return query
  }

  /// The values of the flags of ``shape``.
  private static func view(_ invocation: Invocation, at moment: Moment) throws(TodoError) -> ListQuery {
    var query = ListQuery(try Settings.current.get().view, zone: moment.zone, now: moment.instant)
    if let view = invocation.value(.by) { query.view = try ItemView(name: view) }
    query.limit = try limit(invocation)
    if let sort = invocation.value(.sort) {
      query.isReversed = sort.first == "-"
      query.sort = try ItemSort(name: sort.first == "-" ? String(sort.dropFirst()) : sort)
    }
    if invocation.has(.reverse) { query.isReversed.toggle() }
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
