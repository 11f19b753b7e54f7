import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// A thing to do, as most of these tests list it.
struct Todo: MappedEntity, Hashable {
  static let table = "item"
  static let mapping = Mapping(
    Todo.init, ("id", \.id), ("list", \.list), ("title", \.title), ("position", \.position), ("done", \.done))
  var id: Int64
  var list: Int64?
  var title: String
  var position: Int64
  var done: Bool
}

/// Two lists with two things to do each.
enum TodoWorld {
  static let script = """
    CREATE TABLE list(id INTEGER PRIMARY KEY, name TEXT, position INTEGER);
    CREATE TABLE item(id INTEGER PRIMARY KEY, list INTEGER, title TEXT, position INTEGER, done INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX item_list ON item(list, position);
    INSERT INTO list VALUES (1, 'Errands', 2), (2, 'Career', 1);
    INSERT INTO item(id, list, title, position) VALUES
      (1, 1, 'Groceries', 1), (2, 1, 'Post Office', 2), (3, 2, 'Presentation', 1), (4, 2, 'Multiple Selections', 2);
    """

  static func database(isFile: Bool = true) throws -> Database {
    let database = try isFile ? Database(path: try TemporaryFolder.make() + "/todo.db") : Database.inMemory()
    try database.write { try $0.executeScript(script) }
    return database
  }

  /// The open items, by title.
  static let open = FetchRequest<Todo>(where: "NOT done", orderBy: ["title"])

  /// The open items, in the lists' order.
  static let sectioned = FetchRequest<Todo>(
    from: "item JOIN list ON list.id = item.list", where: "NOT item.done",
    sectionBy: .by("list.name", orderedBy: [.ascending("list.position")]), orderBy: ["item.position"])

  /// A database and a controller that has fetched from it.
  static func following(
    _ request: FetchRequest<Todo> = open, isFile: Bool = true
  ) throws -> (Database, FetchedResultsController<Todo>) {
    let database = try database(isFile: isFile)
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    return (database, controller)
  }
}

extension Database {
  /// Runs statements in one transaction.
  func run(_ script: String) throws { try write { try $0.executeScript(script) } }
}

extension FetchedResultsController {
  /// Fetches on this thread, where a task would call the twin that doesn't block it.
  func fetchHere() throws { try performFetch() }
}

extension Snapshot<Todo> {
  /// The titles, in order.
  var titles: [String] { items.map(\.title) }
}

/// A value that threads share.
final class SharedValue<Value: Sendable>: Sendable {
  private let lock = NSLock()
  // because every access is under `lock`
  nonisolated(unsafe) private var content: Value

  init(_ value: Value) { content = value }

  var value: Value { lock.withLock { content } }

  @discardableResult func change<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&content) }
  }

  /// Takes the value out, so that what it holds is released outside the lock.
  func take(leaving other: Value) -> Value {
    lock.withLock {
      defer { content = other }
      return content
    }
  }
}

/// The elements that a stream has delivered so far.
final class Recorder<Element: Sendable>: Sendable {
  private let taken = SharedValue<(elements: [Element], hasEnded: Bool)>(([], false))
  private let task: SharedValue<Task<Void, Never>?> = SharedValue(nil)

  init(_ stream: AsyncStream<Element>) {
    let taken = taken
    let reading = Task {
      for await element in stream { taken.change { $0.elements.append(element) } }
      taken.change { $0.hasEnded = true }
    }
    task.change { $0 = reading }
  }

  deinit { task.value?.cancel() }

  var elements: [Element] { taken.value.elements }
  var hasEnded: Bool { taken.value.hasEnded }
}

/// An expected event did not happen in time.
struct TookTooLong: Error, CustomStringConvertible {
  var description: String
}

/// Waits until something holds; throws when that takes too long.
func eventually(_ what: String, within patience: Duration = .seconds(30), _ condition: () -> Bool) async throws {
  let end = ContinuousClock.now.advanced(by: patience)
  while !condition() {
    if ContinuousClock.now > end { throw TookTooLong(description: what) }
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// Runs something that might never end on a thread of its own.
func onThread<Result: Sendable>(
  _ what: String, within patience: Duration = .seconds(30), _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  let outcome = SharedValue<Swift.Result<Result, any Error>?>(nil)
  Thread.detachNewThread {
    let result = Swift.Result { try body() }
    outcome.change { $0 = result }
  }
  try await eventually(what, within: patience) { outcome.value != nil }
  return try #require(outcome.value).get()
}

/// What a delegate was told, in order.
final class DelegateRecorder<E: Entity>: FetchedResultsControllerDelegate {
  enum Call: Sendable {
    case will
    case event(DelegateEvent<E>)
    case did
    case update(Update<E>)
    case failure(any Error)
  }

  private let told = SharedValue<[Call]>([])

  var calls: [Call] { told.value }
  var updates: [Update<E>] { calls.compactMap { if case .update(let update) = $0 { update } else { nil } } }
  var events: [DelegateEvent<E>] { calls.compactMap { if case .event(let event) = $0 { event } else { nil } } }
  var failures: [any Error] { calls.compactMap { if case .failure(let error) = $0 { error } else { nil } } }

  /// A letter for each call: (, s for a section, r for a row, ), u, and ! for a failure.
  var brackets: String {
    calls.map { call in
      switch call {
      case .will: "("
      case .event(.section): "s"
      case .event(.object): "r"
      case .did: ")"
      case .update: "u"
      case .failure: "!"
      }
    }.joined()
  }

  func forget() { told.change { $0 = [] } }

  private func note(_ call: Call) { told.change { $0.append(call) } }

  func controllerWillChangeContent(_ controller: FetchedResultsController<E>) { note(.will) }

  func controller(
    _ controller: FetchedResultsController<E>, didChange section: Section<E>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) { note(.event(.section(section, index: index, type))) }

  func controller(
    _ controller: FetchedResultsController<E>, didChange object: E, at path: ItemPath?,
    for type: FetchedResultsChangeType, newIndexPath: ItemPath?
  ) { note(.event(.object(object, at: path, type, newIndexPath: newIndexPath))) }

  func controllerDidChangeContent(_ controller: FetchedResultsController<E>) { note(.did) }

  func controller(_ controller: FetchedResultsController<E>, didChangeContentWith update: Update<E>) {
    note(.update(update))
  }

  func controller(_ controller: FetchedResultsController<E>, didFailWith error: any Error) { note(.failure(error)) }
}
