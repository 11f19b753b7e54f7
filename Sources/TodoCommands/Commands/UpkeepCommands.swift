import TodoCore

/// stats, doctor and backup.
enum UpkeepCommands {
  static let stats = Command(
    "stats", "count open and done items",
    examples: [.init("todo stats", "all counts"), .init("todo stats --json", "for a script")]
  ) { invocation in
    let store = try invocation.storeToRead()
    let statistics = try store?.statistics() ?? TodoStatistics()
    let output = Output()
    switch invocation.form {
    case .json: try printJSON(statistics, revision: try store?.revision() ?? 0, to: output)
    case .plain: for (name, _, count) in totals(statistics) { try output.line("\(name)\t\(count)") }
    case .text: try printText(statistics, to: output)
    }
    try output.flush()
    return try invocation.conclude(store)
  }

  /// Each total with its name in words and in JSON.
  private static func totals(_ statistics: TodoStatistics) -> [(name: String, key: String, count: Int)] {
    [
      ("open", "open", statistics.open), ("done", "done", statistics.done),
      ("archived", "archived", statistics.archived), ("overdue", "overdue", statistics.overdue),
      ("due today", "dueToday", statistics.dueToday), ("started", "started", statistics.started),
      ("done in seven days", "doneInSevenDays", statistics.doneInSevenDays),
      ("added in seven days", "addedInSevenDays", statistics.addedInSevenDays),
    ]
  }

  private static func printText(_ statistics: TodoStatistics, to output: Output) throws {
    var table = TextTable(rightAligned: [1])
    for (name, _, count) in totals(statistics) { table.add(name, "\(count)") }
    try table.print(to: output)
    let parts = [("lists", statistics.lists), ("priorities", statistics.priorities), ("tags", statistics.tags)]
    for (name, counts) in parts where !counts.isEmpty {
      var table = TextTable(rightAligned: [1, 2])
      for count in counts { table.add(count.name, "\(count.open) open", "\(count.done) done") }
      try output.line("\n\(name)")
      try table.print(indent: 2, to: output)
    }
  }

  private static func printJSON(_ statistics: TodoStatistics, revision: Int64, to output: Output) throws {
    func counts(_ counts: [TodoStatistics.Count]) -> JSONValue {
      .array(
        counts.map {
          .object(
            JSONObject([("name", .string($0.name)), ("open", .integer($0.open)), ("done", .integer($0.done))]))
        })
    }
    let parts = [("lists", statistics.lists), ("priorities", statistics.priorities), ("tags", statistics.tags)]
    try Documents.print(
      [("revision", .integer(revision))] + totals(statistics).map { ($0.key, .integer($0.count)) }
        + parts.map { ($0, counts($1)) }, to: output)
  }

  static let doctor = Command(
    "doctor", "check whether the database is damaged",
    details: ["If it is, prints what is wrong and what to do, and exits with status 65."],
    place: .files, examples: [.init("todo doctor", "run all checks")]
  ) { invocation in
    let store: TodoStore?
    let findings: [Finding]
    do {
      store = try invocation.storeToRead(acceptsAltered: true)
      findings = try store?.doctor() ?? []
    } catch let error as TodoError where error == .damaged {
      throw TodoError.badData(
        "the database is too damaged to be checked in parts; go back to a backup with `todo restore FILE`")
    }
    let isWell = findings.allSatisfy(\.isWell)
    let output = Output()
    switch invocation.form {
    case .json:
      let list = findings.map { finding -> JSONValue in
        let problems = JSONValue.array(finding.problems.map { .string($0) })
        return .object(JSONObject([("subject", .string(finding.subject)), ("problems", problems)]))
      }
      try Documents.print([("well", .bool(isWell)), ("findings", .array(list))], to: output)
    case .plain:
      for finding in findings {
        try output.line("\(finding.subject)\t\(finding.problems.map(\.visible).joined(separator: "; "))")
      }
    case .text:
      if store == nil { try output.sentence("there is no database yet at \(try invocation.location().path.visible)") }
      for finding in findings {
        if finding.isWell { try output.line("\(finding.subject): well") }
        for problem in finding.problems { try output.sentence("\(finding.subject): \(problem.visible)") }
      }
    }
    try output.flush()
    _ = try invocation.conclude(store)
    return isWell ? 0 : 65
  }

  static let backup = Command(
    "backup", "copy the database to a new file, even while it is in use", operands: "FILE",
    details: [
      "An existing file is never overwritten. Use --db to look at a backup, and `todo restore` to go back to it.",
      "The copy is checked. If its items are damaged, an error says that it can't be restored.",
    ],
    completion: .files, place: .files,
    examples: [
      .init("todo add Buy milk", "an item to keep"), .init("todo backup todo-backup.db", "a copy of all there is"),
      .init("todo list --db todo-backup.db", "what is in it"),
    ]
  ) { invocation in
    let path = try invocation.takeOne("the name of a new file", example: "todo backup todo-copy.db")
    guard let store = try invocation.storeToRead(acceptsAltered: true) else {
      throw TodoError.failure("there is no database yet, and nothing to back up; `todo add` makes one")
    }
    let progress = Progress()
    let damage = try Interruption.held { check in
      defer { progress.clear() }
      return try store.backup(to: path) { done, total in
        try check()
        progress.show("copying page", done, of: total)
      }
    }
    let revision = try store.revision()
    return try invocation.conclude(store, didMake: "the backup") {
      let output = Output()
      switch invocation.form {
      case .json: try Documents.print([("revision", .integer(revision)), ("backup", .string(path))], to: output)
      case .plain: try output.line(path.visible)
      case .text: if !invocation.isQuiet { try output.sentence("copied the database to \(path.visible)") }
      }
      try output.flush()
      if let damage {
        Program.complain(
          "the database is damaged (\(damage)), so `todo restore` will refuse this backup; run `todo doctor`, and keep earlier backups"
        )
      }
    }
  }
}
