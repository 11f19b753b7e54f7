import Foundation
import SQLiteStore
import Testing

/// A folder for one test's files, removed with it.
final class Scratch: Sendable {
  let root: URL

  /// - Parameter inMemory: Whether the folder may be in memory, for tests in which nothing has to be synced to a disk.
  init(inMemory: Bool = false) throws {
    let memory = URL(filePath: "/dev/shm")
    let isMemory = inMemory && FileManager.default.isWritableFile(atPath: memory.path)
    root = (isMemory ? memory : FileManager.default.temporaryDirectory)
      .appending(path: "frc-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  func path(_ name: String = "test.db") -> String { root.appending(path: name).path }

  func database(_ name: String = "test.db", options: Database.Options = .fast) throws -> Database {
    try Database(path: path(name), options: options)
  }

  func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: root.path).sorted() }
}

extension Database.Options {
  /// Tests lose no power.
  static var fast: Database.Options {
    var options = Database.Options()
    options.durability = .normal
    return options
  }

  func with(_ change: (inout Database.Options) -> Void) -> Database.Options {
    var copy = self
    change(&copy)
    return copy
  }
}

/// Runs `body` and gives the `DatabaseError` that it throws.
func databaseError<T>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
) throws -> DatabaseError {
  let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { _ = try body() }
  return try #require(error, sourceLocation: sourceLocation)
}

/// What a test collects from several threads.
final class Box<Content>: @unchecked Sendable {  // because every access is under `lock`
  private let lock = NSLock()
  private var content: Content
  init(_ content: Content) { self.content = content }
  var value: Content { lock.withLock { content } }
  func change(_ body: (inout Content) -> Void) { lock.withLock { body(&content) } }
}

struct Item: MappedEntity, Equatable {
  static let table = "item"
  static let mapping = Mapping(
    Item.init, ("id", \.id), ("title", \.title), ("done", \.done), ("weight", \.weight), ("note", \.note))
  var id: Int64?
  var title: String
  var done: Bool
  var weight: Double
  var note: String?

  static let schema: SQL = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0,
      weight REAL NOT NULL DEFAULT 0, note TEXT)
    """

  init(id: Int64?, title: String, done: Bool = false, weight: Double = 0, note: String? = nil) {
    self.id = id
    self.title = title
    self.done = done
    self.weight = weight
    self.note = note
  }
}

/// Whether a condition becomes true, for what happens on another thread at its own time.
func waits(for condition: () -> Bool) -> Bool {
  for _ in 0..<15_000 {
    if condition() { return true }
    Thread.sleep(forTimeInterval: 0.002)
  }
  return condition()
}
