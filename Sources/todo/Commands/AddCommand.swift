import TodoCore

/// `todo add`.
enum AddCommand {
  static let command = Command(
    "add", "add an item", operands: "TITLE… [TOKEN…]", completion: .tokens,
    examples: [.init("todo add \"Pay rent\" +home @errand '!high' due:fri every:month", "with all that can be said")]
  ) { invocation in
    let moment = Moment.now
    let said = try Attributes(arguments: invocation.operands, literal: invocation.literal, at: moment)
    let store = try TodoStore.open(try invocation.location())
    let result = try store.add(ItemDraft(said))
    let output = Output()
    if invocation.form == .json {
      var writer = JSONListWriter { try output.print($0) }
      try result.visit(&writer)
    } else if let item = result.items.first {
      try output.line("added \(item.id) \"\(item.title.visible)\" (todo undo takes it back)")
    }
    try output.flush()
    return 0
  }
}
