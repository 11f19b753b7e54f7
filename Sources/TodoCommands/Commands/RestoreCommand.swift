import TodoCore

/// `todo restore`.
enum RestoreCommand {
  static let command = Command(
    "restore", "go back to a backup", operands: "FILE",
    details: [
      "Lists and items become those of the backup, which is only read. This is a change like any other: `todo undo` "
        + "undoes it, and other programs may use the database meanwhile.",
      "A database that is damaged, or whose tables another program has altered, is renamed to a name that ends in "
        + ".damaged, and the backup becomes the database. Then only changes from before the backup can be undone.",
      "Tables, views, indexes and triggers of your own stay as they are. Those of the backup are used only if it "
        + "becomes the database.",
      "Do not copy a backup over the database by hand: the file beside it whose name ends in -wal would be applied to the copy.",
    ],
    completion: .files, place: .files,
    examples: [
      .init("todo add Buy milk", "an item to keep"), .init("todo backup todo-before.db", "a copy of all there is"),
      .init("todo rm 1", "a mistake"), .init("todo restore todo-before.db", "as it was"),
    ]
  ) { invocation in
    let path = try invocation.takeOne("the name of a backup", example: "todo restore todo-copy.db")
    let progress = Progress()
    let location = try invocation.location()
    let (store, result) = try Interruption.held { check in
      defer { progress.clear() }
      return try TodoStore.restore(
        location, from: path, collectsItems: invocation.form != .text,
        progress: { done, total in
          try check()
          progress.show("reading item", done, of: total)
        })
    }
    return try invocation.conclude(store, didChange: result.change.didChange || result.isWhole) {
      let output = Output()
      switch invocation.form {
      case .json: try Documents.print(result, to: output)
      case .plain:
        var writer = PlainList(to: output)
        try result.change.visit(&writer)
      case .text: if !invocation.isQuiet { try tell(result, path, output) }
      }
      try output.flush()
    }
  }

  private static func tell(_ result: RestoreResult, _ path: String, _ output: Output) throws {
    let items = result.items == 1 ? "1 item" : "\(result.items) items"
    if result.isWhole {
      try output.sentence("restored \(items) from \(path.visible)")
      if let aside = result.setAside {
        try output.sentence("the database that was there is kept as \(aside.visible)")
      }
      return try output.sentence("(`todo undo` takes back what was done before the backup was made, and not this)")
    }
    guard result.change.didChange else {
      return try output.sentence("all is as it is in the backup, and nothing was changed")
    }
    var parts: [String] = []
    if result.added > 0 { parts.append("\(result.added) came back") }
    if result.updated > 0 { parts.append("\(result.updated) changed back") }
    if result.removed > 0 { parts.append("\(result.removed) went away") }
    let changes = parts.isEmpty ? "only lists changed" : parts.joined(separator: ", ")
    try output.sentence("restored \(items) from \(path.visible): \(changes)")
    try output.sentence("(`todo undo` takes it back)")
  }
}
