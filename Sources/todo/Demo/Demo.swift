import DataSources
import FetchedResults
import TodoCore

/// The options of `todo demo`.
struct DemoRequest: Sendable {
  /// The requested form.
  var form: Form
}

/// `todo demo`.
enum Demo {
  /// The commands that the other process runs.
  private static let commands: [[String]] = [
    ["add", "Pay rent", "+Errands", "!high", "due:tomorrow"],
    ["done", "1"],
    ["edit", "3", "Presentation for Monday", "@work"],
    ["move", "4", "--before", "3"],
    ["move", "2", "--to", "Career"],
    ["done", "5"],
    ["undo"],
  ]

  /// Shows the demonstration, and returns the exit code. Like ``Watch/run(_:)``, it runs off the main thread.
  static func run(_ request: DemoRequest) async throws -> Int32 {
    let folder = try ScratchFolder()
    let stage: any DemoStage =
      switch request.form {
      case .json: DemoLines()
      case .text where TerminalDevice.isCapable: TerminalDevice().map(DemoScreen.init) ?? DemoText()
      default: DemoText()
      }
    let performance = DemoRun(stage, folder)
    try performance.endOnSignals()
    defer { performance.end() }
    do {
      try await perform(performance, folder)
    } catch is DemoRun.Ended {
      // A signal or a key came first, and the code that handles it ends the program.
      while true { try await Task.sleep(for: .seconds(1)) }
    }
    return 0
  }

  private static func perform(_ performance: DemoRun, _ folder: ScratchFolder) async throws {
    let store = try TodoStore.open(DatabaseLocation(path: folder.database))
    _ = try store.add(Sample.drafts)
    try store.recordHistory()
    var live = LiveList(try store.controller(ListQuery()), store)
    try await live.begin()
    let viewModel = AddToDoViewModel(store: store)
    viewModel.createDataSource(dataSource: FRCDataSource(fetchedResultsController: live.controller))
    try performance.onStage { stage in try stage.begin(viewModel.dataSource, revision: live.revision) }
    for command in commands {
      try await performance.pause()
      try performance.onStage { try $0.announce(command) }
      try performance.runOther(command)
      guard let update = try await live.next() else { break }
      try performance.onStage { try $0.show(update, revision: live.revision) }
    }
    try await performance.pause()
    try performance.onStage { try $0.finish() }
  }
}

/// The output of a demonstration.
protocol DemoStage: AnyObject {
  /// The pause between commands, for viewers.
  var pause: Duration { get }
  /// A terminal whose keys may end it; nil without one.
  var terminal: TerminalDevice? { get }
  /// Shows the list at the beginning.
  func begin(_ source: AnyDataSource<Item>, revision: Int64) throws
  /// Announces the next command of the other process.
  func announce(_ command: [String]) throws
  /// Shows an update of the list.
  func show(_ update: Update<Item>, revision: Int64) throws
  /// Everything was shown.
  func finish() throws
  /// The terminal has another size.
  func resize()
  /// Releases what it has taken, however far it got.
  func end()
}

extension DemoStage {
  var terminal: TerminalDevice? { nil }
  func resize() {}
  func end() {}
}
