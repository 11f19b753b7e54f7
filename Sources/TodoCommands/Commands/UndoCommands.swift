import TodoCore

/// undo, redo and log.
enum UndoCommands {
  static let undo = Command(
    "undo", "undo the last change, by any program",
    flags: [.skip, .only],
    details: [
      "Prints what it has undone, and what the next undo would undo. Repeat it to undo earlier changes.",
      "If another program has written to the database since, a change may be impossible to undo. Then the message says "
        + "what prevents it. With --skip, the next undo is of the change before that. Each row that another program "
        + "has written is a change of its own.",
    ],
    examples: [
      .init("todo add Buy milk", "a change to undo"), .init("todo undo", "the item is gone"),
    ]
  ) { invocation in
    try run(
      invocation,
      invocation.has(.skip)
        ? ("went past", { store, _ in try store.skipUndo() }) : ("took back", { try $0.undo(only: $1) }),
      ("(`todo redo` does it again", "the next undo takes back: ", "undone"), next: { try $0.nextUndo() })
  }

  static let redo = Command(
    "redo", "redo what was undone last",
    flags: [.skip, .only],
    details: [
      "After another change, nothing can be redone. For --skip see `todo undo`. The change N of --only is an undo."
    ],
    examples: [
      .init("todo add Buy milk", "a change to undo"), .init("todo undo", "gone"),
      .init("todo redo", "it is back"),
    ]
  ) { invocation in
    try run(
      invocation,
      invocation.has(.skip)
        ? ("went past", { store, _ in try store.skipRedo() }) : ("did again", { try $0.redo(only: $1) }),
      ("(`todo undo` takes it back", "the next redo does: ", "done again"), next: { try $0.nextRedo() })
  }

  static let log = Command(
    "log", "show the changes, newest first", flags: [.limit],
    examples: [.init("todo log", "all changes"), .init("todo log --limit 5 --json", "the last five, for a script")]
  ) { invocation in
    let limit = try ListCommand.limit(invocation)
    let store = try invocation.storeToRead()
    let records = try store?.log(limit: limit) ?? []
    let output = Output()
    switch invocation.form {
    case .json:
      let revision = try store?.revision() ?? 0
      try Documents.print(
        [("revision", .integer(revision)), ("changes", .array(records.map(json)))], to: output)
    case .plain:
      for record in records {
        try output.line("\(record.revision)\t\(record.made)\t\(record.kind.rawValue)\t\(record.label.visible)")
      }
    case .text:
      var table = TextTable(rightAligned: [0])
      let zone = Moment.now.zone
      for record in records {
        table.add("\(record.revision)", DueWords.local(record.made, in: zone), sentence(record))
      }
      try table.print(to: output, nothing: limit == 0 ? "" : "nothing was changed yet")
    }
    try output.flush()
    return try invocation.conclude(store)
  }

  private static func sentence(_ record: ChangeRecord) -> String {
    switch record.kind {
    case .do: record.label + remark(record)
    case .undo: "undo: \(record.label)"
    case .redo: "redo: \(record.label)" + remark(record)
    }
  }

  private static func remark(_ record: ChangeRecord) -> String {
    record.isUndone ? " (undone)" : record.isSpent ? " (can't be undone)" : ""
  }

  private static func json(_ record: ChangeRecord) -> JSONValue {
    .object(
      JSONObject([
        ("revision", .integer(record.revision)), ("made", .string(record.made.description)),
        ("kind", .string(record.kind.rawValue)), ("label", .string(record.label)),
        ("undone", .bool(record.kind != .undo && record.isUndone)), ("spent", .bool(record.isSpent)),
      ]))
  }

  /// The value of `--only`.
  private static func only(_ invocation: Invocation) throws(TodoError) -> Int64? {
    guard let text = invocation.value(.only) else { return nil }
    if invocation.has(.skip) { throw .usage("--skip and --only exclude each other; leave one of the two out") }
    guard let number = Int64(text) else {
      throw .usage("--only needs the number of a change, not \"\(text)\"; `todo log` shows them")
    }
    return number
  }

  private static func run(
    _ invocation: Invocation, _ action: (verb: String, run: (TodoStore, Int64?) throws -> ChangeResult),
    _ words: (back: String, next: String, done: String), next: (TodoStore) throws -> ChangeRecord?
  ) throws -> Int32 {
    let only = try only(invocation)
    let store = try invocation.storeToChange()
    let result = try action.run(store, only)
    let next = try invocation.form == .text ? next(store).map { words.next + $0.label.visible } : nil
    return try invocation.conclude(store, didChange: true) {
      let output = Output()
      if try !output.print(result, as: invocation.form), !invocation.isQuiet {
        try output.sentence("\(action.verb): \((result.label ?? "").visible)")
        let hint =
          invocation.has(.skip)
          ? "(" + (next ?? "nothing more can be \(words.done)") : words.back + (next.map { "; \($0)" } ?? "")
        try output.sentence(hint + ")")
      }
      try output.flush()
    }
  }
}
