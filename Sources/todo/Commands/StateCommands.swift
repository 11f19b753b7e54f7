import TodoCore

/// The commands that change the state of items: done, undone, start, stop, rm, archive.
enum StateCommands {
  private static let whichItems =
    "Items are numbers, ranges of them such as 7-9, and filters as in `todo list`; with both, what they share. A number "
    + "that there is none of is an error, and then nothing is changed at all; a range skips gaps."

  static let done = Command(
    "done", "complete items", operands: "ID… [FILTER…]", flags: Flag.filters,
    details: [
      whichItems,
      "Of an item that recurs the next one is made along with it: the first day of its rhythm that is not in the past.",
    ],
    completion: .tokens,
    examples: [
      .init("todo add Buy milk +home", "to have something to do"), .init("todo done 1", "by its number"),
      .init("todo done +home @errand", "all errands of home"),
      .init("todo done due:before:today --text milk", "by filters"),
    ]
  ) { try run($0, "completed", "todo done 3 7-9", already: "is done already") { try $0.done($1) } }

  static let undone = Command(
    "undone", "open done items again", operands: "ID… [FILTER…]", flags: Flag.filters,
    details: [whichItems, "The next one of an item that recurs stays; to complete the item again makes no other."],
    completion: .tokens,
    examples: [
      .init("todo add Buy milk", "to have something to do"), .init("todo done 1", "done too early"),
      .init("todo undone 1", "and open again"),
    ]
  ) {
    try run($0, "opened again", "todo undone 3", place: Report.archived, already: "is open already") {
      try $0.undone($1)
    }
  }

  static let start = Command(
    "start", "note that items are begun", operands: "ID… [FILTER…]", flags: Flag.filters, details: [whichItems],
    completion: .tokens,
    examples: [.init("todo add Write report", "to have something to do"), .init("todo start 1", "it shows as begun")]
  ) { try run($0, "started", "todo start 3", already: "is started already") { try $0.start($1) } }

  static let stop = Command(
    "stop", "note that items are not begun any more", operands: "ID… [FILTER…]", flags: Flag.filters,
    details: [whichItems], completion: .tokens,
    examples: [
      .init("todo add Write report", "to have something to do"), .init("todo start 1", "begun"),
      .init("todo stop 1", "and not any more"),
    ]
  ) { try run($0, "stopped", "todo stop 3", already: "is not started") { try $0.stop($1) } }

  static let remove = Command(
    "rm", "remove items", operands: "ID… [FILTER…]", flags: Flag.filters,
    details: [
      whichItems, "Numbers of removed items are not given again. It does not ask; `todo undo` brings them back.",
    ],
    completion: .tokens,
    examples: [
      .init("todo add A slip of the pen @slip", "to have something to remove"),
      .init("todo rm @slip", "by a filter"),
      .init("todo rm --done due:before:2020-01-01", "done ones that were due long ago"),
    ]
  ) { try run($0, "removed", "todo rm 3 7-9") { try $0.remove($1) } }

  static let archive = Command(
    "archive", "put items away, all done ones unless told otherwise", operands: "[ID…] [FILTER…]",
    flags: [.restore] + Flag.filters,
    details: [
      whichItems,
      "What is archived is in no list, and is shown with --archived. --restore takes items out again.",
    ],
    completion: .tokens,
    examples: [
      .init("todo archive", "all that is done"), .init("todo archive +home", "what is done at home"),
      .init("todo list --archived", "what was put away"), .init("todo archive --restore +home", "and out again"),
    ]
  ) { invocation in
    let moment = Moment.now
    let isRestoring = invocation.has(.restore)
    var selection = try Selection(
      arguments: try invocation.choices, text: invocation.values(.text), status: try ListCommand.status(invocation),
      at: moment)
    if selection.isEmpty {
      if isRestoring {
        throw TodoError.usage("`todo archive --restore` wants to know which items, as in: todo archive --restore 3")
      }
      selection.filter.status = .done
    }
    let store = try invocation.storeToChange()
    let result = try isRestoring ? store.unarchive(selection) : store.archive(selection)
    return try invocation.conclude(store, didChange: result.didChange) {
      try Report(invocation, at: moment).tell(
        result, isRestoring ? "took out of the archive" : "archived",
        already: isRestoring ? "is not archived" : "is archived already")
    }
  }

  private static func run(
    _ invocation: Invocation, _ verb: String, _ example: String, place: (Item) -> String = { _ in "" },
    already: String = "is so already",
    _ change: (TodoStore, Selection) throws -> ChangeResult
  ) throws -> Int32 {
    let moment = Moment.now
    let selection = try invocation.selection(at: moment, example: example)
    let store = try invocation.storeToChange()
    let result = try change(store, selection)
    return try invocation.conclude(store, didChange: result.didChange) {
      try Report(invocation, at: moment).tell(result, verb, place: place, already: already, alreadyPlace: place)
    }
  }
}
