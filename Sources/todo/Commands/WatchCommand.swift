import TodoCore

/// `todo watch` and `todo demo`; what they do is in Watch/.
enum WatchCommand {
  static let watch = Command(
    "watch", "show a live list that follows every change", operands: "[FILTER…]", flags: [.by] + Flag.filters,
    completion: .tokens, examples: [.init("todo watch", "the open items, live")]
  ) { invocation in
    // Wrong arguments are an error before anything is opened.
    _ = try ListCommand.query(invocation, at: .now)
    let request = WatchRequest(
      location: try invocation.location(),
      query: { moment throws(TodoError) in try ListCommand.query(invocation, at: moment) }, form: invocation.form)
    return try Blocking.run { try await Watch.run(request) }
  }

  static let demo = Command(
    "demo", "show a live list of a temporary database that another process edits",
    examples: [.init("todo demo", "ends by itself within 15 seconds")]
  ) { invocation in
    let request = DemoRequest(form: invocation.form)
    return try Blocking.run { try await Demo.run(request) }
  }
}
