import FetchedResultsSupport
import FixtureSupport
import Testing
import TodoCore

/// `todo watch` on a terminal, and a store of this process on the same database: the other process.
final class WatchSession {
  let store: TodoStore
  let database: String
  let program: RunningProgram
  private(set) var terminal: TerminalModel

  /// Begins with these items; each is an argument of `add`.
  init(
    _ items: [[String]], arguments: [String] = [], columns: Int = 80, rows: Int = 16,
    environment: [String: String] = [:],
    wrapper: String? = nil
  ) throws {
    database = try TemporaryFolder.make() + "/todo.db"
    store = try TodoStore.open(DatabaseLocation(path: database))
    for item in items { _ = try store.add(ItemDraft(Attributes(arguments: item))) }
    var command = [RunningProgram.path, "watch", "--db", database] + arguments
    // In a shell, which has the command as "$@".
    if let wrapper { command = ["/bin/sh", "-c", wrapper, "sh"] + command }
    program = try RunningProgram(terminal: command, columns: columns, rows: rows, environment: environment)
    terminal = TerminalModel(columns: columns, rows: rows)
    try wait("the hints") { $0.text.contains("? help") }
  }

  /// Reads until the terminal shows something.
  func wait(_ what: String, until isThere: (TerminalModel) -> Bool) throws {
    while !isThere(terminal) {
      guard let bytes = program.read() else {
        Issue.record("\(what) never came; what is seen is\n\(terminal.text)\n\(terminal.transcript)")
        throw Missing()
      }
      terminal.receive(bytes)
    }
    #expect(terminal.complaints == [])
  }

  struct Missing: Error {}

  /// Presses keys, and reads until the terminal shows what they lead to.
  func press(_ keys: String, until isThere: (TerminalModel) -> Bool) throws {
    program.type(keys)
    try wait("the answer to \(keys.debugDescription)", until: isThere)
  }

  /// Presses keys, and reads until a text is seen.
  func press(_ keys: String, until text: String) throws { try press(keys) { $0.text.contains(text) } }

  /// Presses keys, and reads until a row is selected whose text ends like this.
  func press(_ keys: String, selects ending: String) throws {
    try press(keys) { $0.lines(withStyle: "7").contains { $0.hasSuffix(ending) } }
  }

  /// The list as it is seen, without the title, the messages and the hints.
  var list: [String] { Array(terminal.lines.dropFirst().dropLast(2)).filter { !$0.isEmpty } }

  /// The message in the line above the hints.
  var message: String { terminal.lines.dropLast().last ?? "" }

  func resize(columns: Int, rows: Int) {
    terminal.allowsOverrun = true
    terminal.resize(columns: columns, rows: rows)
    program.resize(columns: columns, rows: rows)
  }

  /// Reads to the end, and gives how the program ended.
  func finish() -> RunningProgram.Ending? {
    while let bytes = program.read() { terminal.receive(bytes) }
    return program.wait()
  }

  /// The titles of open items, in order.
  func titles() throws -> [String] { try store.items(Selection(filter: Filter(status: .open))).map(\.title) }
}

/// A zone in which it is `seconds` before midnight now.
func zone(beforeMidnight seconds: Int) -> String {
  let now = Int(time(nil)) % 86_400
  let offset = ((86_400 - seconds - now + 43_200) % 86_400 + 86_400) % 86_400 - 43_200
  let (hours, rest) = (abs(offset) / 3600, abs(offset) % 3600)
  // By POSIX a sign before the hours says how far UTC is ahead.
  return "XXX\(offset > 0 ? "-" : "+")\(hours):\(rest / 60):\(rest % 60)"
}
