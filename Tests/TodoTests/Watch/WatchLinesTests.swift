import DataSourcesTestSupport
import FetchedResultsSupport
import FixtureSupport
import TestSupport
import Testing
import TodoCore

/// What `todo watch` writes into a pipe, against a reader that knows nothing but the lines.
@Suite(.serialized) struct WatchLinesTests {
  /// `todo watch`, line by line.
  private final class Lines {
    let program: RunningProgram
    private var waiting: [UInt8] = []

    init(_ database: String, _ arguments: [String] = [], _ environment: [String: String] = [:]) throws {
      program = try RunningProgram(
        piped: [RunningProgram.path, "watch", "--db", database] + arguments, environment: environment)
    }

    func next() -> String? {
      while true {
        if let end = waiting.firstIndex(of: 10) {
          let line = String(decoding: waiting[..<end], as: UTF8.self)
          waiting.removeSubrange(...end)
          return line
        }
        guard let more = program.read() else { return nil }
        waiting += more
      }
    }
  }

  private func list(_ database: String, _ arguments: [String] = []) throws -> String {
    let program = try RunningProgram(piped: [RunningProgram.path, "list", "--json", "--db", database] + arguments)
    let text = program.readAll()
    #expect(program.wait() == .exit(0))
    return String(text.dropLast())
  }

  private func store() throws -> (store: TodoStore, database: String) {
    let database = try TemporaryFolder.make() + "/todo.db"
    return (try TodoStore.open(DatabaseLocation(path: database)), database)
  }

  @Test(arguments: [
    [], ["--by", "due"], ["--by", "priority"], ["--by", "tag"], ["+A"], ["--all", "!high"], ["--text", "item"],
    ["--by", "tag", "@x", "--all"], ["due:before:2031-06-01", "--by", "due"],
  ])
  func `each line makes the list of its revision`(arguments: [String]) throws {
    let (store, database) = try store()
    var random = SeededGenerator(seed: UInt64(arguments.joined().utf8.reduce(7) { $0 &* 31 &+ Int($1) }.magnitude))
    for _ in 0..<8 { try edit(store, &random) }
    let lines = try Lines(database, arguments)
    let first = try #require(lines.next())
    #expect(try first == list(database, arguments))
    var reader = try LineReader(first)
    for step in 0..<30 {
      try edit(store, &random)
      let document = try list(database, arguments)
      let goal = try LineReader(document)
      // Nothing is written where nothing on view has changed.
      if goal.sections == reader.sections { continue }
      try reader.apply(try #require(lines.next()))
      #expect(reader.revision == goal.revision, "step \(step)")
      try #require(reader.sections == goal.sections, "step \(step) at \(goal.revision)")
    }
    lines.program.send(SIGTERM)
    #expect(lines.next() == nil)
    #expect(lines.program.wait() == .exit(143))
  }

  @Test(.timeLimit(.minutes(10)), arguments: [["due:today"], ["overdue"], ["--by", "tag", "due:today"]])
  func `a list that depends on the day changes at midnight`(arguments: [String]) throws {
    let (_, database) = try store()
    let environment = ["TZ": zone(beforeMidnight: 6)]
    for due in ["due:today", "due:tomorrow"] {
      let adding = try RunningProgram(
        piped: [RunningProgram.path, "add", due, "item", due == "due:today" ? "A" : "B", "--db", database],
        environment: environment)
      #expect(adding.wait() == .exit(0))
    }
    let lines = try Lines(database, arguments, environment)
    let isBefore = arguments[0] == "overdue"
    let first = try #require(lines.next())
    #expect(first.contains("item A") == !isBefore && !first.contains("item B"), "\(first)")
    var reader = try LineReader(first)
    let line = try #require(lines.next())
    try reader.apply(line)
    let expected = isBefore ? "item A" : "item B"
    #expect(line.contains(expected) && !line.contains(isBefore ? "item B" : "item A"), "\(line)")
    #expect(reader.revision == 2)
    lines.program.send(SIGTERM)
    #expect(lines.program.wait() == .exit(143))
  }

  @Test func `it ends with the error if its list can't be followed`() throws {
    let (store, database) = try store()
    _ = try store.add(ItemDraft(title: "one"))
    let lines = try Lines(database)
    #expect(lines.next() != nil)
    let raw = try RawDatabase(path: database)
    try raw.execute("DROP TRIGGER item_tag_after_update; UPDATE item SET tags = '[oops]'")
    #expect(lines.next() == nil)
    #expect(lines.program.wait() == .exit(65))
  }

  @Test func `commits that come quickly lose nothing`() async throws {
    let (store, database) = try store()
    _ = try store.add(ItemDraft(title: "the first"))
    let lines = try Lines(database)
    var reader = try LineReader(try #require(lines.next()))
    let writer = Task.detached {
      var random = SeededGenerator(seed: 5)
      var documents: [Int64: LineReader] = [:]
      for _ in 0..<150 {
        try edit(store, &random)
        let document = try json(store)
        documents[document.revision] = document
      }
      _ = try store.add(ItemDraft(title: "the last"))
      let document = try json(store)
      documents[document.revision] = document
      return documents
    }
    var states: [LineReader] = []
    while !reader.sections.contains(where: { $0.items.contains { $0.object?["title"] == "the last" } }) {
      let former = reader.revision
      guard let line = lines.next() else {
        let last = try await writer.value.keys.max() ?? 0
        Issue.record("no line came after revision \(former), and the last is \(last)")
        return
      }
      try reader.apply(line)
      #expect(reader.revision > former)
      states.append(reader)
    }
    let documents = try await writer.value
    for state in states { #expect(state.sections == documents[state.revision]?.sections, "at \(state.revision)") }
  }

  @Test func `it is ended by signals and by a closed pipe`() throws {
    let (store, database) = try store()
    _ = try store.add(ItemDraft(title: "a"))
    // Often, as the list ends in an error at the same time: its database is closed.
    for _ in 0..<25 {
      let interrupted = try Lines(database)
      _ = interrupted.next()
      interrupted.program.send(SIGINT)
      try #require(interrupted.program.wait() == .exit(130))
    }
    // There is no reader, and nobody writes to the database: it ends anyway, without a message.
    let head = try RunningProgram(piped: [
      "/bin/sh", "-c", "\"$@\" 2>&1 | head -n 1 | wc -l", "sh", RunningProgram.path, "watch", "--db", database,
    ])
    #expect(head.readAll().split(separator: " ").joined() == "1\n")
    #expect(head.wait() == .exit(0))
  }

  @Test func `it waits for a database that is not there yet`() throws {
    let database = try TemporaryFolder.make() + "/new.db"
    let lines = try Lines(database)
    #expect(lines.next() == "{\"schema\":1,\"revision\":0,\"sections\":[]}")
    let other = try RunningProgram(piped: [RunningProgram.path, "add", "a", "--db", database])
    #expect(other.wait() == .exit(0))
    var reader = try LineReader("{\"schema\":1,\"revision\":0,\"sections\":[]}")
    try reader.apply(try #require(lines.next()))
    #expect(try reader.sections == LineReader(list(database)).sections)
  }

  @Test(arguments: ["mv", "cp copy.db new.db; mv -f new.db", "rm"]) func `another file in its place ends it`(
    how: String
  ) throws {
    let (store, database) = try store()
    _ = try store.add(ItemDraft(title: "a"))
    let folder = String(database.dropLast(database.split(separator: "/").last?.count ?? 0))
    try store.backup(to: folder + "copy.db")
    let script = "cd '\(folder)'; \(how) '\(database)'" + (how == "mv" ? " away.db" : "")
    let lines = try RunningProgram(piped: [
      "/bin/sh", "-c", "exec \"$@\" 2>&1", "sh", RunningProgram.path, "watch", "--json", "--db", database,
    ])
    #expect(String(decoding: try #require(lines.read()), as: UTF8.self).hasPrefix("{\"schema\":1,"))
    try #require(RunningProgram(piped: ["/bin/sh", "-c", script]).wait() == .exit(0))
    #expect(lines.readAll().hasPrefix("todo: \(database) was removed, renamed or replaced while it was open; start"))
    #expect(lines.wait() == .exit(74))
  }

  @Test func `a terminal gets lines if they are requested`() throws {
    let (_, database) = try store()
    let program = try RunningProgram(
      terminal: [RunningProgram.path, "watch", "--json", "--db", database], columns: 80, rows: 8)
    #expect(String(decoding: try #require(program.read()), as: UTF8.self).hasPrefix("{\"schema\":1,"))
    program.type("\u{3}")
    while program.read() != nil {}
    #expect(program.wait() == .exit(130))
  }
}

/// What the store's list is, as the reader of the lines has it.
private func json(_ store: TodoStore) throws -> LineReader {
  var bytes: [UInt8] = []
  var writer = JSONListWriter { bytes += $0 }
  try store.list(ListQuery(), into: &writer)
  return try LineReader(String(decoding: bytes, as: UTF8.self))
}

/// Makes a change of any kind.
private func edit(_ store: TodoStore, _ random: inout SeededGenerator) throws {
  let ids = try store.items(Selection(filter: Filter(status: .any))).map(\.id)
  let some = Selection(Array(ids.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))))
  let list = ["A", "B", "C", "D"].randomElement(using: &random) ?? "A"
  switch ids.count < 4 ? 0 : Int.random(in: 0..<11, using: &random) {
  case 0:
    _ = try store.add(
      ItemDraft(
        title: "item \(ids.count)", list: list, tags: ["x"], priority: Bool.random(using: &random) ? .high : nil))
  case 1: _ = try store.done(some)
  case 2: _ = try store.undone(some)
  case 3: _ = try store.move(some, .last(list: list))
  case 4: _ = try store.move(some, .first(list: nil))
  case 5:
    var edit = ItemEdit()
    edit.priority = .set([nil, .low, .high].randomElement(using: &random) ?? nil)
    edit.due = .set(Bool.random(using: &random) ? Due(iso: "2031-0\(Int.random(in: 1...9, using: &random))-01") : nil)
    _ = try store.edit(some, edit)
  case 6: _ = try store.tag(some, adding: [["x", "y", "z"].randomElement(using: &random) ?? "x"])
  case 7: _ = try store.tag(some, removing: ["x", "y"])
  case 8: _ = try store.reorderList(try store.lists().map(\.name).randomElement(using: &random) ?? list, .first)
  case 9: _ = try store.remove(some)
  default: _ = try store.undo()
  }
}
