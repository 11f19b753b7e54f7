import TodoCore

/// `todo add`.
enum AddCommand {
  static let command = Command(
    "add", "add an item", operands: "TITLE… [TOKEN…]",
    details: [
      "The words are the title. Other words set something: \(Keyword.usages). One argument in quotes is a whole line, "
        + "in which such words count too; beside other arguments, quoted text with a space is text. Everything after -- "
        + "is text.",
      Keyword.elsewhere,
      "Examples of dates: 2031-01-02, 2031-01-02T14:00, today, tomorrow, fri, due:fri 9:30, due:in 3 days, "
        + "due:end-of-month. A weekday means the next such day, never today.",
      "Creates the list if it doesn't exist, and says so. Without +LIST, the item goes to the list Inbox.",
    ],
    completion: .tokens,
    examples: [
      .init("todo add Buy milk", "to the list Inbox"),
      .init("todo add \"Pay rent\" +home @errand pri:high due:fri every:month", "with all properties"),
      .init("todo add \"Ask @kim about +1\" due:in-3-days", "signs inside quotes are part of the title"),
      .init("todo add \"Call Bob due:tomorrow 9:15 p1\"", "a whole line"),
      .init("todo add -- +1 is a word here", "everything after -- is the title"),
    ]
  ) { invocation in
    let moment = Moment.now
    let said = try invocation.attributes(invocation.operands, isNew: true, at: moment)
    var draft = ItemDraft(said)
    try draft.check()
    let store = try invocation.storeToAdd()
    draft.list = try invocation.list(draft.list, in: store)
    let result = try store.add(draft)
    let report = Report(invocation, at: moment)
    return try invocation.conclude(store, didChange: result.didChange) {
      try report.tell(result, "added", place: report.place)
    }
  }
}
