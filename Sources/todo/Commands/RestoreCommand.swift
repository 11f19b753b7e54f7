import TodoCore

/// `todo restore`.
enum RestoreCommand {
  static let command = Command(
    "restore", "go back to a backup", operands: "FILE",
    details: [
      "Lists and items become what they are in the backup, which is only read. It is a change like others: `todo undo` takes it "
        + "back, and others may go on using the database meanwhile.",
      "A database that is damaged is set aside under a name that ends in .damaged, and the backup becomes the database. Then nothing "
        + "can be undone but what was done before the backup was made.",
      "Tables, views, indexes and triggers that you have added stay as they are. Those of the backup come along only where it becomes "
        + "the database.",
      "Do not copy a backup over the database by hand: the file beside it whose name ends in -wal would be applied to the copy.",
    ],
    completion: .files,
    examples: [
      .init("todo add Buy milk", "something to keep"), .init("todo backup todo-before.db", "a copy of all there is"),
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
      case .text: try tell(result, path, output)
      }
      try output.flush()
    }
  }

  private static func tell(_ result: RestoreResult, _ path: String, _ output: Output) throws {
    let items = result.items == 1 ? "1 item" : "\(result.items) items"
    if result.isWhole {
      try output.sentence("restored \(items) from \(path.visible)")
      if let aside = result.setAside {
        try output.sentence("the damaged database that was there is kept as \(aside.visible)")
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
