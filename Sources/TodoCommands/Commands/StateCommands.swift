import TodoCore

/// The commands that change the state of items: done, undone, start, stop, rm, archive.
enum StateCommands {
  private static let whichItems =
    "Choose items by numbers, ranges such as 7-9, and filters as in `todo list`. With numbers and filters, only items "
    + "that match both are changed. A number without an item is an error, and then nothing is changed. In a range, "
    + "missing numbers are skipped. Before a filter without numbers changes more than one item, there is a question; "
    + "--yes answers it, and is needed where nobody can be asked."

  static let done = Command(
    "done", "complete items", operands: "ID… [FILTER…]", flags: Flag.changing,
    details: [
      whichItems,
      "Completing an item that recurs creates the next one, due on the first day of its schedule that is not in the "
        + "past.",
    ],
    completion: .items(done: false),
    examples: [
      .init("todo add Buy milk +home", "an item"), .init("todo done 1", "by its number"),
      .init("todo done +home @errand", "all errands of home"),
      .init("todo done due:before:today --text milk", "by filters"),
    ]
  ) { try run($0, "completed", "todo done 3 7-9", already: "is done already") { try $0.done($1) } }

  static let undone = Command(
    "undone", "reopen items", operands: "ID… [FILTER…]", flags: Flag.changing,
    details: [whichItems, "If the item recurs, its next one stays. Completing the item again creates no other."],
    completion: .items(done: true),
    examples: [
      .init("todo add Buy milk", "an item"), .init("todo done 1", "done too early"),
      .init("todo undone 1", "reopen it"),
    ]
  ) {
    try run($0, "opened again", "todo undone 3", status: .done, place: Report.archived, already: "is open already") {
      try $0.undone($1)
    }
  }

  static let start = Command(
    "start", "mark items as started", operands: "ID… [FILTER…]", flags: Flag.changing, details: [whichItems],
    completion: .items(done: false),
    examples: [.init("todo add Write report", "an item"), .init("todo start 1", "mark it as started")]
  ) { try run($0, "started", "todo start 3", already: "is started already") { try $0.start($1) } }

  static let stop = Command(
    "stop", "mark items as not started", operands: "ID… [FILTER…]", flags: Flag.changing,
    details: [whichItems], completion: .items(done: false),
    examples: [
      .init("todo add Write report", "an item"), .init("todo start 1", "started"),
      .init("todo stop 1", "and stopped"),
    ]
  ) { try run($0, "stopped", "todo stop 3", already: "is not started") { try $0.stop($1) } }

  static let remove = Command(
    "rm", "remove items", operands: "ID… [FILTER…]", flags: Flag.changing,
    details: [
      whichItems,
      "The numbers of removed items are not used again. `todo undo` restores the items.",
    ],
    completion: .items(done: false),
    examples: [
      .init("todo add A slip of the pen @slip", "an item to remove"),
      .init("todo rm @slip", "by a filter"),
      .init("todo rm --done due:before:2020-01-01", "done ones that were due long ago"),
    ]
  ) { try run($0, "removed", "todo rm 3 7-9") { try $0.remove($1) } }

  static let archive = Command(
    "archive", "archive items (all done ones by default)", operands: "[ID…] [FILTER…]",
    flags: [.restore] + Flag.changing,
    details: [
      whichItems,
      "Archived items are in no list; --archived shows them, and --restore brings them back.",
    ],
    completion: .items(done: true),
    examples: [
      .init("todo archive", "all done items"), .init("todo archive +home", "the done items of a list"),
      .init("todo list --archived", "the archived items"), .init("todo archive --restore +home", "bring them back"),
    ]
  ) { invocation in
    let moment = Moment.ofUser
    let isRestoring = invocation.has(.restore)
    var selection = try invocation.selection(of: try invocation.choices, at: moment)
    if selection.isEmpty {
      if isRestoring {
        throw TodoError.usage("`todo archive --restore` needs at least one item, as in: todo archive --restore 3")
      }
      selection.filter.status = .done
    }
    let store = try invocation.storeToChange()
    // To archive all done items is what the command is for.
    if selection != Selection(filter: Filter(status: .done)) {
      selection = try invocation.confirmed(selection, status: isRestoring ? .archived : .done, in: store)
    }
    let result = try isRestoring ? store.unarchive(selection) : store.archive(selection)
    return try invocation.conclude(store, didChange: result.didChange) {
      try Report(invocation, at: moment).tell(
        result, isRestoring ? "took out of the archive" : "archived",
        already: isRestoring ? "is not archived" : "is archived already")
    }
  }

  private static func run(
    _ invocation: Invocation, _ verb: String, _ example: String, status: Filter.Status = .open,
    place: (Item) -> String = { _ in "" },
    already: String = "is so already",
    _ change: (TodoStore, Selection) throws -> ChangeResult
  ) throws -> Int32 {
    let moment = Moment.ofUser
    let selection = try invocation.selection(at: moment, example: example)
    let store = try invocation.storeToChange()
    let result = try change(store, try invocation.confirmed(selection, status: status, in: store))
    return try invocation.conclude(store, didChange: result.didChange) {
      try Report(invocation, at: moment).tell(result, verb, place: place, already: already, alreadyPlace: place)
    }
  }
}
