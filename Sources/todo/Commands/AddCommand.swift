import TodoCore

/// `todo add`.
enum AddCommand {
  static let command = Command(
    "add", "add an item", operands: "TITLE… [TOKEN…]",
    details: [
      "The words are the title. Tokens set the other properties: +LIST the list, @TAG a tag, !high, !medium or !low "
        + "the priority, due:DATE the due date, every:month or every:2weeks how often the item recurs, and wait:DATE "
        + "hides it until then. Text in quotes that contains a space is no token, unless it begins with due:, every: "
        + "or wait:. Nothing after -- is one.",
      "Examples of dates: 2031-01-02, today, tomorrow, fri, 24-dec, 9am, \"due:fri 5pm\", due:in-3-days, due:2w, "
        + "due:end-of-month. `todo help dates` lists all forms, and `todo help recurrences` those of every:.",
      "Creates the list if it doesn't exist. Without +LIST, the item goes to the list Inbox.",
    ],
    completion: .tokens,
    examples: [
      .init("todo add Buy milk", "to the list Inbox"),
      .init("todo add \"Pay rent\" +home @errand '!high' due:fri every:month", "with all properties"),
      .init("todo add \"Ask @kim about +1\" due:in-3-days", "signs inside quotes are part of the title"),
      .init("todo add Water plants due:tomorrow every:3days-after-done", "so long after it is done"),
      .init("todo add Renew passport due:1-oct wait:1-sep", "hidden until September"),
      .init("todo add -- +1 is a word here", "everything after -- is the title"),
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
