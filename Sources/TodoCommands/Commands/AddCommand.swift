import TodoCore

/// `todo add`.
enum AddCommand {
  static let command = Command(
    "add", "add an item, or items from lines", operands: "TITLE… [TOKEN…]",
    details: [
      "The words are the title. Other words set something: \(Keyword.usages). One argument in quotes is a whole line, "
        + "in which such words count too; beside other arguments, quoted text with a space is text. Everything after "
        + "-- is text.",
      Keyword.elsewhere,
      "With - alone, each line of the standard input is an item, in the form of one argument in quotes. A line that is "
        + "wrong is named, and then nothing is added.",
      "Examples of dates: 2031-01-02, today, tomorrow, fri, 24-dec, 9am, due:fri 5pm, due:in 3 days, due:2w, "
        + "due:end-of-month. `todo help dates` lists all forms, and `todo help recurrences` those of every:.",
      "Creates the list if it doesn't exist, and says so. Without +LIST, the item goes to the list Inbox.",
    ],
    completion: .tokens, input: .hyphen,
    examples: [
      .init("todo add Buy milk", "to the list Inbox"),
      .init("todo add \"Pay rent\" +home @errand pri:high due:fri every:month", "with all properties"),
      .init("todo add \"Ask @kim about +1\" due:in-3-days", "signs inside quotes are part of the title"),
      .init("todo add \"Call Bob due:tomorrow 9:15 p1\"", "a whole line"),
      .init("printf 'Milk\\nBread due:tomorrow\\n' | todo add -", "an item a line"),
      .init("todo add Water plants due:tomorrow every:3days-after-done", "so long after it is done"),
      .init("todo add Renew passport due:1-oct wait:1-sep", "hidden until September"),
      .init("todo add -- +1 is a word here", "everything after -- is the title"),
    ]
  ) { invocation in
    let moment = Moment.ofUser
    var drafts = try drafts(invocation, at: moment)
    for index in drafts.indices where drafts[index].list == nil {
      drafts[index].list = try Settings.current.get().list
    }
    let store = try invocation.storeToAdd()
    if drafts.count == 1 { drafts[0].list = try invocation.list(drafts[0].list, in: store) }
    let result = try store.add(drafts)
    let report = Report(invocation, at: moment)
    return try invocation.conclude(store, didChange: result.didChange) {
      try report.tell(result, "added", place: report.place)
    }
  }

  /// The new item of the operands, or those of the lines of the standard input.
  private static func drafts(_ invocation: Invocation, at moment: Moment) throws(TodoError) -> [ItemDraft] {
    if invocation.operands.first == "-", invocation.words.count > 1 {
      throw .usage(
        "`todo add -` takes nothing more; write words such as +home into each line, or -- before a title with -")
    }
    guard invocation.operands == ["-"] else {
      let draft = ItemDraft(try invocation.attributes(invocation.operands, isNew: true, at: moment))
      try draft.check()
      return [draft]
    }
    var drafts: [ItemDraft] = []
    for (number, line) in try TypedLine.lines(try System.read("-")) {
      try TypedLine.inLine(number) { () throws(TodoError) in
        let draft = ItemDraft(try Attributes(line: line, keepsQuotes: true, at: moment))
        try draft.check()
        drafts.append(draft)
      }
    }
    if drafts.isEmpty { throw .usage("there are no lines to add; write one for each item") }
    return drafts
  }
}
