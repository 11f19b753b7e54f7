import DataSources
import TerminalLists
import TodoCore

/// `todo show`.
enum ShowCommand {
  static let command = Command(
    "show", "show items with all details", operands: "ID… [FILTER…]", flags: Flag.filters,
    completion: .items(done: false),
    examples: [.init("todo add Buy milk", "an item to show"), .init("todo show 1", "all its details")]
  ) { invocation in
    let moment = Moment.ofUser
    let selection = try invocation.selection(at: moment, example: "todo show 3")
    let store = try invocation.storeToRead()
    let (items, revision) = try (store ?? TodoStore.inMemory()).itemsWithRevision(selection)
    let output = Output()
    switch invocation.form {
    case .json:
      var writer = JSONListWriter { try output.print($0) }
      try items.visit(revision: revision, &writer)
    case .plain:
      var writer = PlainList(to: output)
      for item in items { try writer.row(item) }
    case .text:
      if items.isEmpty {
        let missing = try store?.missingName(selection.filter)
        try output.sentence("nothing matches" + (missing.map { "; \($0.visible)" } ?? ""))
      }
      for (index, item) in items.enumerated() {
        if index > 0 { try output.line("") }
        let screen = Screen.standard
        for line in try lines(item, at: moment, on: screen) {
          try output.line(screen.isColoured ? line.escaped : line.text)
        }
      }
    }
    try output.flush()
    return try invocation.conclude(store)
  }

  /// All that is known about an item, as lines for a screen.
  static func lines(_ item: Item, at moment: Moment, on screen: Screen) throws -> [StyledText] {
    var lines = screen.wrapped("\(item.id)  \(item.title.visible)").map { StyledText($0, style: TextStyle(.bold)) }
    func field(_ name: String, _ value: String) throws {
      let label = "  " + name + String(repeating: " ", count: max(0, 11 - name.count))
      for (index, line) in screen.wrapped(value.visible, indent: label.count).enumerated() {
        lines.append(StyledText((index == 0 ? label : String(repeating: " ", count: label.count)) + line))
      }
    }
    func time(_ instant: Instant) -> String { DueWords.local(instant, in: moment.zone) }
    try field("list", item.list)
    var state = item.done ? "done" : "open"
    if let completed = item.completed { state += " since \(time(completed))" }
    if let started = item.started { state += ", started \(time(started))" }
    try field("state", state + (item.archived ? ", archived" : ""))
    if let due = item.due { try field("due", DueWords(due, isDone: item.done, at: moment).text) }
    if let every = item.every { try field("every", every.words) }
    if let wait = item.wait {
      try field("wait", "until \(DueWords(wait, isDone: !item.isHidden(at: moment), at: moment).text)")
    }
    if let priority = item.priority { try field("priority", priority.name) }
    if !item.tags.isEmpty { try field("tags", item.tags.map { "@" + $0 }.joined(separator: " ")) }
    if let created = item.created { try field("created", time(created)) }
    try field("uuid", item.uuid)
    for (index, note) in item.notes.enumerated() {
      try field(item.notes.count == 1 ? "note" : "note \(index + 1)", note)
    }
    for member in try item.extraFields().members { try field(member.key.visible, member.value.text) }
    return lines
  }
}
