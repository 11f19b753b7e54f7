import DataSources
import TerminalLists
import TodoCore

/// The demonstration as text: the list, and after each command the difference and the new list.
final class DemoText: DemoStage {
  let pause = Duration.milliseconds(250)
  private let output = Output()
  private let renderer = PlainTextRenderer(width: System.columns(of: 1))
  private var adapter: ListAdapter<AnyDataSource<Item>, PlainTextRenderer>?

  func begin(_ source: AnyDataSource<Item>, revision: Int64) throws {
    adapter = ListAdapter(source: source, presenter: DemoWords.presenter(showsColors: false), host: renderer)
    try output.sentence("A list in a throw-away database, which another process edits:\n")
    try showList()
  }

  func announce(_ command: [String]) throws {
    try output.line("$ \(DemoWords.line(of: command))")
    try output.flush()
  }

  func show(_ update: Update<Item>, revision: Int64) throws {
    adapter?.apply(update)
    for line in DemoWords.differences(update, revision: revision) { try output.line(line.text) }
    try output.line("")
    try showList()
  }

  func finish() throws {
    try output.sentence("The database is gone again. `todo help` says how to begin one of your own.")
    try output.flush()
  }

  private func showList() throws {
    for line in renderer.text.split(separator: "\n") { try output.line("    \(line)") }
    try output.line("")
    try output.flush()
  }
}

/// The demonstration as lines of JSON, as in `watch`.
final class DemoLines: DemoStage {
  let pause = Duration.milliseconds(250)
  private let output = Output()

  func begin(_ source: AnyDataSource<Item>, revision: Int64) throws {
    var writer = JSONListWriter { try self.output.print($0) }
    try source.snapshot.visit(revision: revision, &writer)
    try output.flush()
  }

  func announce(_ command: [String]) {}

  func show(_ update: Update<Item>, revision: Int64) throws {
    if let line = ChangesWriter.line(update, revision: revision) { try output.print(line) }
    try output.flush()
  }

  func finish() {}
}

/// The demonstration on a terminal: the live list above, and below it the commands of the other process and each
/// difference.
final class DemoScreen: DemoStage {
  let pause = Duration.milliseconds(1050)
  let terminal: TerminalDevice?
  private let device: TerminalDevice
  private let screen: TerminalScreen
  private let table: TerminalTable
  private var adapter: ListAdapter<AnyDataSource<Item>, TerminalTable>?
  private var log: [StyledText] = []
  private var isFinished = false

  init(_ device: TerminalDevice) {
    self.device = device
    terminal = device
    screen = TerminalScreen(size: device.size) { device.write($0) }
    table = TerminalTable(screen: screen)
    table.displaysAutomatically = false
    table.highlightDuration = .seconds(1)
    table.style.indent = ""
    device.enter()
    screen.begin()
  }

  func begin(_ source: AnyDataSource<Item>, revision: Int64) {
    let presenter = DemoWords.presenter(showsColors: TerminalDevice.showsColors)
    adapter = ListAdapter(source: source, presenter: presenter, host: table)
    draw()
  }

  func announce(_ command: [String]) {
    log.append(StyledText("$ \(DemoWords.line(of: command))", style: TextStyle(.bold)))
    draw()
  }

  func show(_ update: Update<Item>, revision: Int64) {
    adapter?.apply(update)
    log += DemoWords.differences(update, revision: revision)
    draw()
  }

  func finish() { isFinished = true }

  func resize() {
    screen.resize(to: device.size)
    draw()
  }

  /// If it ran to its end, its output stays on the terminal as text.
  func end() {
    screen.end()
    device.leave()
    guard isFinished else { return }
    for line in log { device.write(line.truncated(to: screen.size.columns).text + "\n") }
    let farewell = "The database is gone again. `todo help` says how to begin one of your own."
    for line in Screen.standard.wrapped(farewell) { device.write(line + "\n") }
  }

  private func draw() {
    let rows = screen.size.rows
    let logStart = min(13, (rows + 1) / 2 + 1)
    table.area = min(2, rows)..<max(min(2, rows), logStart - 1)
    screen[0] = StyledText("todo demo", style: TextStyle(.bold)) + "  another process edits this list; q ends it"
    screen[1] = ""
    if rows > logStart {
      screen[logStart - 1] = ""
      let shown = log.suffix(rows - logStart)
      for row in logStart..<rows { screen[row] = "" }
      for (offset, line) in shown.enumerated() { screen[logStart + offset] = line }
    }
    table.display()
  }
}

/// The demonstration in words.
enum DemoWords {
  static func presenter(showsColors: Bool) -> CellPresenter<Item, any LineCell> {
    .configuring(ItemCell.self) { cell, item in
      cell.item = item
      cell.look.showsColors = showsColors
    }
  }

  /// A command as one would type it.
  static func line(of command: [String]) -> String {
    let words = command.map { word in
      word.contains(where: { $0.isWhitespace || $0 == "!" }) ? word.contains("!") ? "'\(word)'" : "\"\(word)\"" : word
    }
    return (["todo"] + words).joined(separator: " ")
  }

  /// A difference, change by change.
  static func differences(_ update: Update<Item>, revision: Int64) -> [StyledText] {
    let changes = update.changes
    var lines: [String] = []
    for section in changes.deletedSections { lines.append("section \(section) is gone: \(update.old[section].name)") }
    for section in changes.insertedSections { lines.append("section \(section) is new: \(update.new[section].name)") }
    for move in changes.movedSections {
      lines.append("section \(move.from) is now \(move.to): \(update.new[move.to].name)")
    }
    for path in changes.deletedItems { lines.append("\(place(path)) is gone: \(update.old[path].title)") }
    for path in changes.insertedItems { lines.append("\(place(path)) is new: \(update.new[path].title)") }
    for move in changes.movedItems {
      lines.append("\(place(move.from)) is now \(place(move.to)): \(update.new[move.to].title)")
    }
    for change in changes.updatedItems {
      lines.append("\(place(change.to)) has changed: \(update.new[change.to].title)")
    }
    return lines.map { StyledText("  revision \(revision): \($0.visible)") }
  }

  private static func place(_ path: ItemPath) -> String { "row \(path.section).\(path.item)" }
}
