import DataSourcesTestSupport
import FetchedResults
import FetchedResultsSupport
import FixtureSupport
import Foundation
import Testing

@testable import FetchedResultsCore
@testable import SQLiteEngine
@testable import SQLiteStore

/// Commits of other connections that a read sees before they are reported.
@Suite struct ControllerForeignTests {
  /// A row whose key is not its id. Reading one waits at the gate that its title names.
  private struct Named: Entity {
    static let table = "named"
    static let gates = Locked<[String: Gate]>([:])
    var id: String
    var title: String

    init(row: Row) throws {
      id = try row["id"]
      title = try row["title"]
      let title = title
      Self.gates.withLock { $0[title] }?.pass()
    }
  }

  @Test(arguments: ["id TEXT PRIMARY KEY, title", "id TEXT UNIQUE NOT NULL, title"], [false, true])
  func `rows whose ids another connection exchanges are both shown before or both after`(
    _ columns: String, hasHistory: Bool
  ) async throws {
    var options = Database.Options()
    options.durability = .normal
    let path = try TemporaryFolder.make() + "/list.db"
    let database = try Database(path: path, options: options)
    try await database.write {
      _ = try $0.executeScript(
        "CREATE TABLE named(\(columns)); INSERT INTO named(id, title) VALUES ('a', '1'), ('b', '2'), ('c', '3')")
    }
    if hasHistory { try await database.recordHistory(of: ["named"]) }
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Named>(orderBy: ["title"]), database: database)
    try await controller.performFetch()
    let updates = Locked<[Update<Named>]>([])
    let observation = controller.observeOnAnyThread { update in updates.withLock { $0.append(update) } }
    defer { observation.cancel() }
    // Nobody looks for commits of others but the evaluation itself.
    database.watcher.stop()
    let (name, gate) = ("gate \(path)", Gate())
    Named.gates.withLock { $0[name] = gate }
    defer { gate.open() }
    try await database.write { _ = try $0.execute("UPDATE named SET title = \(name) WHERE id = 'c'") }
    try await eventually("the list is being evaluated") { gate.isReached }
    try await database.write { _ = try $0.execute("UPDATE named SET title = '4' WHERE id = 'a'") }
    let raw = try RawDatabase(path: path)
    try raw.execute(
      """
      BEGIN; UPDATE named SET id = 'x' WHERE id = 'a'; UPDATE named SET id = 'a' WHERE id = 'b';
      UPDATE named SET id = 'b' WHERE id = 'x'; COMMIT
      """)
    gate.open()
    try await eventually("the second commit is shown") { controller.snapshot.items.contains { $0.title == "4" } }
    try await controller.settled()
    for update in updates.withLock({ $0 }) {
      #expect(Set(update.new.items.map(\.id)).count == 3, "\(update.new.items.map { ($0.id, $0.title) })")
    }
    #expect(controller.snapshot.items.map { "\($0.id) \($0.title)" } == ["a 2", "b 4", "c \(name)"])
  }

  @Test(arguments: ["SELECT * FROM one ORDER BY id LIMIT 5", "SELECT * FROM shown", "SELECT one.*, 1 AS n FROM one"])
  func `a request is planned for the current schema, not for one that its connection has read`(
    _ statement: String
  ) async throws {
    let path = try TemporaryFolder.make() + "/list.db"
    let database = try Database(path: path)
    try await database.write {
      _ = try $0.executeScript("CREATE TABLE one(id INTEGER PRIMARY KEY); CREATE VIEW shown AS SELECT * FROM one")
    }
    let engine = SQLiteEngine(database)
    func plannedColumns() throws -> [String] {
      let request = FetchRequest<Todo>(sql: SQL(raw: statement), limit: 3)
      return try engine.query(for: request.description, canCompare: false, .uncancellable).contentNames
    }
    let before = try plannedColumns()
    let raw = try RawDatabase(path: path)
    try raw.execute("ALTER TABLE one ADD COLUMN added")
    let after = try plannedColumns()
    #expect(Set(after) == Set(before).union(["added"]))
  }
}
