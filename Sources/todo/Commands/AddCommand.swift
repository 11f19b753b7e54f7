import TodoCore

/// `todo add`.
enum AddCommand {
  static let command = Command(
    "add", "add an item", operands: "TITLE… [TOKEN…]",
    details: [
      "The words are the title. Words of their own that begin as tokens say more of the item: +LIST the list, @TAG a tag, "
        + "!high, !medium or !low the priority, due:DATE when it is due, every:day, every:week, every:month or every:year "
        + "how often it comes again. Nothing inside quotes that hold a space is a token, and nothing behind -- is.",
      "A date is such as 2031-01-02, 2031-01-02T14:00, today, tomorrow, fri, \"due:in 3 days\", due:in-3-days, "
        + "due:end-of-month. A weekday is the next such day, never today.",
      "A list that there is none of is made; without one the item goes to the list Inbox.",
    ],
    completion: .tokens,
    examples: [
      .init("todo add Buy milk", "to the list Inbox"),
      .init("todo add \"Pay rent\" +home @errand '!high' due:fri every:month", "all that can be said"),
      .init("todo add \"Ask @kim about +1\" due:in-3-days", "a title that holds signs"),
      .init("todo add -- +1 is a word here", "everything behind -- is the title"),
    ]
  ) { invocation in
    let moment = Moment.now
    let said = try Attributes(arguments: invocation.operands, literal: invocation.literal, at: moment)
    let draft = ItemDraft(said)
    try draft.check()
    let store = try invocation.storeToAdd()
    let result = try store.add(draft)
    let report = Report(invocation, at: moment)
    return try invocation.conclude(store, didChange: result.didChange) {
      try report.tell(result, "added", place: report.place)
    }
  }
}
