import TodoCore

/// import and export.
enum TransferCommands {
  private static let formats =
    "The formats are json (complete), todotxt, taskwarrior (what `task export` prints), markdown (checklists) and csv."

  static let importing = Command(
    "import", "import items from a file: all of them, or none", operands: "FILE", flags: [.format, .dryRun, .update],
    details: [
      formats
        + " Without --format, the content decides, and the answer says which it took. - reads the standard input.",
      "Items that exist already are not imported again: those with the same UUID or, in files without UUIDs, with the same "
        + "content. An item that exists with other content is a conflict, unless --update is given. The same goes for fields of lists. "
        + "If the number of an item is used by another one, it gets a new number.",
    ],
    completion: .files, input: .file,
    examples: [
      .init("todo add Buy milk", "an item to export"),
      .init("todo export > todo-export.json", "all items, in a file"),
      .init("todo import todo-export.json --dry-run", "what an import would do"),
      .init("todo import todo-export.json", "the items that are not here yet"),
      .init("todo export --format csv --ids | todo import - --format csv --update", "through a pipe"),
    ]
  ) { invocation in
    let path = try invocation.takeOne("a file, or - for the standard input", example: "todo import todo.json")
    let said = try invocation.value(.format).map { name throws(TodoError) in try TransferFormat(name: name) }
    let bytes = try System.read(path)
    let format = said ?? TransferFormat(content: bytes, fileName: path)
    let batch = try named(path) { () throws(TodoError) in try format.read(bytes) }
    var options = ImportOptions()
    options.source = path == "-" ? "the standard input" : String(path.split(separator: "/").last ?? Substring(path))
    let source = options.source.visible + (said == nil ? " (as \(format.rawValue))" : "")
    options.isUpdating = invocation.has(.update)
    if invocation.has(.dryRun) { return try dryRun(batch, from: path, options, source, invocation) }
    let progress = Progress()
    options.collectsItems = invocation.form != .text
    options.progress = { progress.show("importing", $0, of: $1) }
    let store = try batch.isEmpty ? invocation.storeToChange() : invocation.storeToAdd()
    defer { progress.clear() }
    let result = try named(path) { () throws(TodoError) in try store.importItems(batch, options) }
    progress.clear()
    let didChange = result.change?.didChange == true
    return try invocation.conclude(store, didChange: didChange) {
      let output = Output()
      switch invocation.form {
      case .json:
        try Documents.print(result, batch, isDryRun: false, revision: result.change?.revision ?? 0, to: output)
      case .plain:
        var writer = PlainList(to: output)
        try result.change?.visit(&writer)
      case .text:
        if invocation.isQuiet, (batch.warnings + result.warnings).isEmpty { break }
        try output.sentence(sentence(result, batch, "imported", source))
        if didChange { try output.sentence("(`todo undo` takes it back)") }
      }
      try output.flush()
    }
  }

  static let exporting = Command(
    "export", "print all items in a format that other programs read", operands: "[FILTER…]",
    flags: [.format, .ids] + Flag.filters,
    details: [
      formats + " Without --format, it is json. Done and archived items are printed too, unless filters exclude them.",
      "The other formats hold less than json. What they can't hold is left out, and a line on the standard error counts it. json and "
        + "taskwarrior always have the UUIDs of the items, todotxt and csv with --ids.",
    ],
    completion: .tokens,
    examples: [
      .init("todo export", "all there is, as JSON"),
      .init("todo export --format markdown +home", "a list as a checklist"),
      .init("todo export --format todotxt > todo.txt", "into a file"),
    ]
  ) { invocation in
    let moment = Moment.ofUser
    let filter = try invocation.filter(at: moment)
    let format = try invocation.value(.format).map { name throws(TodoError) in try TransferFormat(name: name) } ?? .json
    if invocation.form == .json, format != .json {
      throw TodoError.usage("--json and --format \(format.rawValue) exclude each other; leave one of the two out")
    }
    if invocation.has(.ids), format == .markdown {
      throw TodoError.usage("checklists in markdown have no place for UUIDs; leave --ids out, or choose another format")
    }
    var writer = format.writer(at: moment, ids: invocation.has(.ids))
    let output = Output()
    if let store = try invocation.storeToRead(acceptsAltered: true) {
      var isEmpty = true
      try store.export(filter) { head in
        try output.document(try writer.begin(head))
      } item: { item, previous in
        isEmpty = false
        try output.document(try writer.write(item, previous: previous))
      }
      try output.document(try writer.end())
      try output.flush()
      if let loss = writer.loss.sentence(about: format) { Program.complain(loss) }
      if isEmpty, let missing = try store.missingName(filter) { Program.complain("no items; \(missing.visible)") }
      return try invocation.conclude(store)
    } else {
      try output.document(try writer.begin(ExportHead()))
      try output.document(try writer.end())
      try output.flush()
    }
    return 0
  }

  // MARK: Importing

  /// Adds the file's name to an error that names a line.
  private static func named<T>(_ path: String, _ body: () throws(TodoError) -> T) throws(TodoError) -> T {
    do {
      return try body()
    } catch {
      switch error {
      case .badData(let message) where path != "-" && (message.hasPrefix("line ") || message.hasPrefix("element ")):
        throw .badData("\(path): \(message)")
      case .conflict(let message) where path != "-" && message.hasPrefix("line "):
        throw .conflict("\(path): \(message)")
      default: throw error
      }
    }
  }

  private static func dryRun(
    _ batch: ImportBatch, from path: String, _ options: ImportOptions, _ source: String, _ invocation: Invocation
  ) throws -> Int32 {
    let store = try invocation.storeToRead()
    let result = try named(path) { () throws(TodoError) in
      if let store { try store.importDryRun(batch, options) } else { try batch.dryRunIntoNothing() }
    }
    let output = Output()
    switch invocation.form {
    case .json: try Documents.print(result, batch, isDryRun: true, revision: try store?.revision() ?? 0, to: output)
    case .plain: try output.line("\(result.added)\t\(result.updated)\t\(result.unchanged)")
    case .text: try output.sentence(sentence(result, batch, "would import", source))
    }
    try output.flush()
    return try invocation.conclude(store)
  }

  private static func sentence(
    _ result: ImportResult, _ batch: ImportBatch, _ verb: String, _ source: String
  ) -> String {
    var parts = [count(result.added, "new item")]
    if result.updated > 0 { parts.append("\(result.updated) replaced") }
    if result.unchanged > 0 { parts.append("\(result.unchanged) here already") }
    if result.addedLists > 0 { parts.append(count(result.addedLists, "new list")) }
    if result.updatedLists > 0 { parts.append(count(result.updatedLists, "list") + " with new fields") }
    var text = "\(verb) \(parts.joined(separator: ", ")) from \(source)"
    if result.renumbered > 0 { text += "; \(count(result.renumbered, "item")) with another number than there" }
    if let first = batch.leftOut.first {
      text += "; left out \(count(batch.leftOut.count, "line")) of no item, the first is line \(first)"
    }
    let warnings = batch.warnings + result.warnings
    if let first = warnings.first {
      let more = warnings.count - 1
      text += "; \(first.visible)" + (more > 0 ? ", and \(count(more, "more warning")) (--json has all of them)" : "")
    }
    return text
  }

  private static func count(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}

extension ImportBatch {
  /// Whether there is nothing to import.
  var isEmpty: Bool { items.isEmpty && lists.isEmpty }
}
