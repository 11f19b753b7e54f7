import TodoCore

extension Output {
  /// Prints the changed items in a form for other programs; returns false for people.
  func print(_ result: ChangeResult, as form: Form) throws -> Bool {
    switch form {
    case .json:
      var writer = JSONListWriter { try self.print($0) }
      try result.visit(&writer)
    case .plain:
      var writer = PlainList(to: self)
      try result.visit(&writer)
    case .text: return false
    }
    return true
  }
}

/// Writes a list as lines for other programs: one for each item, with its fields separated by TABs.
///
/// The fields are: number, state, list, priority, due, every, tags, title. A missing one is empty. Whatever items
/// contain, there are no TABs and no line ends in a field.
struct PlainList: ListVisitor {
  private let output: Output

  init(to output: Output) { self.output = output }

  mutating func begin(revision: Int64) throws {}
  mutating func beginSection(name: String) throws {}
  mutating func endSection() throws {}
  mutating func end() throws {}

  mutating func row(_ item: Item) throws {
    try output.printLine { line in
      line.append(contentsOf: String(item.id).utf8)
      let state = item.archived ? "archived" : item.done ? "done" : item.started != nil ? "started" : "open"
      let fields = [
        state, item.list.visible, item.priority?.name ?? "", item.due?.description ?? "", item.every?.rawValue ?? "",
        item.tags.map { "@" + $0.visible }.joined(separator: " "), item.title.visible,
      ]
      for field in fields {
        line.append(0x09)
        line.append(contentsOf: field.utf8)
      }
    }
  }
}
