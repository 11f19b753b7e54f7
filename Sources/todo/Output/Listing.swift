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
        if let missing = try store.map({ try $0.missingName(query.filter) }) ?? missingFile {
          try output.sentence("\(nothing); \(missing.visible)")
        } else {
          try output.line(nothing)
        }
      }
    }
    try output.flush()
  }

  /// What to say about a database that was named and doesn't exist, which may be a typing error.
  private var missingFile: String? { value(.db).flatMap { System.exists($0) ? nil : "there is no database \($0) yet" } }

  /// Passes items to a visitor as a list in sections by list, in the order in which the lists occur.
  static func visit<Visitor: ListVisitor>(_ items: [Item], revision: Int64, _ visitor: inout Visitor) throws {
    var lists: [Int64] = []
    var sections: [Int64: [Item]] = [:]
    for item in items {
      if sections[item.listID] == nil { lists.append(item.listID) }
      sections[item.listID, default: []].append(item)
    }
    try visitor.begin(revision: revision)
    for list in lists {
      guard let items = sections[list], let first = items.first else { continue }
      try visitor.beginSection(name: first.list)
      for item in items { try visitor.row(item) }
      try visitor.endSection()
    }
    try visitor.end()
  }
}
