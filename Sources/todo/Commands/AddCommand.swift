import TodoCore

/// `todo add`.
enum AddCommand {
  static let command = Command(
    "add", "add an item", operands: "TITLE… [TOKEN…]",
    details: [
      "The words are the title. Tokens set the other properties: +LIST the list, @TAG a tag, !high, !medium or !low "
        + "the priority, due:DATE the due date, and every:day, every:week, every:month or every:year how often the "
        + "item recurs. Text in quotes that contains a space is no token, unless it begins with due: or every:. "
        + "Nothing after -- is one.",
      "Examples of dates: 2031-01-02, 2031-01-02T14:00, today, tomorrow, fri, \"due:in 3 days\", due:in-3-days, "
        + "due:end-of-month. A weekday means the next such day, never today.",
      "Creates the list if it doesn't exist. Without +LIST, the item goes to the list Inbox.",
    ],
    completion: .tokens,
    examples: [
      .init("todo add Buy milk", "to the list Inbox"),
      .init("todo add \"Pay rent\" +home @errand '!high' due:fri every:month", "with all properties"),
      .init("todo add \"Ask @kim about +1\" due:in-3-days", "signs inside quotes are part of the title"),
      .init("todo add -- +1 is a word here", "everything after -- is the title"),
    ]
  ) { invocation in
    let moment = Moment.now
    let said = try Attributes(arguments: invocation.operands, literal: invocation.literal, at: moment)
    var draft = ItemDraft(said)
    draft.list = try draft.list ?? Settings.current.get().list
    try draft.check()
    let store = try invocation.storeToAdd()
    let result = try store.add(draft)
    let report = Report(invocation, at: moment)
    return try invocation.conclude(store, didChange: result.didChange) {
      try report.tell(result, "added", place: report.place)
    }
  }
}
