import TodoCore

extension Invocation {
  /// Prints a list of the store in the requested form; without a store, as an empty list.
  ///
  /// - Parameter nothing: The sentence for people if there are no items.
  func printList(_ query: ListQuery, of store: TodoStore?, nothing: String) throws {
    let viewModel = AddToDoViewModel(store: store, query: query)
    let output = Output()
    switch form {
    case .json:
      var writer = JSONListWriter { try output.print($0) }
      try viewModel.show(to: &writer)
    case .plain:
      var writer = PlainList(to: output)
      try viewModel.show(to: &writer)
    case .text:
      var table = ListTable(query.view, moment: .now, to: output)
      try viewModel.show(to: &table)
      // With a limit of 0, no items is what was requested, so print nothing.
      if table.count == 0, query.limit != 0 {
        if let missingFile { try output.sentence("\(nothing); \(missingFile)") } else { try output.line(nothing) }
      }
    }
    try output.flush()
    if let missing = try store?.missingName(query.filter) { Program.complain(missing.visible) }
  }

  /// What to say about a database that was named and doesn't exist, which may be a typing error.
  private var missingFile: String? {
    value(.db).flatMap { Platform.status(of: $0) == nil ? "there is no database \($0) yet" : nil }
  }
}
