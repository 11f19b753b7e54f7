import DataSourcesTestSupport
import FetchedResults
import FetchedResultsSupport
import FixtureSupport
import Foundation
import Testing

@testable import FetchedResultsCore

/// Regression tests for lists: each of these once hung, spun or started thousands of threads.
@Suite(.timeLimit(.minutes(10))) struct WaitingListTests {
  struct Thing: MappedEntity, Equatable {
    static let table = "thing"
    static let mapping = Mapping(Thing.init, ("id", \.id), ("title", \.title))
    var id: Int64
    var title: String?
  }

  private func database(_ change: (inout Database.Options) -> Void = { _ in }) throws -> Database {
    var options = Database.Options()
    options.durability = .normal
    change(&options)
    let database = try Database(path: try TemporaryFolder.make() + "/list.db", options: options)
    try database.write {
      try $0.executeScript(
        "CREATE TABLE thing(id INTEGER PRIMARY KEY, title); INSERT INTO thing VALUES (1, 'a'), (2, 'b')")
    }
    return database
  }

  private func follow<E: Entity>(
    _ request: FetchRequest<E>, _ database: Database
  ) throws -> FetchedResultsController<E> {
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    return controller
  }

  private func writing<T>(_ database: Database, _ body: (Connection) throws -> T) throws {
    _ = try database.write(body)
  }

  /// The threads of this process, on systems that report them.
  private static var threads: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
  }

  private static let endless =
    "EXISTS (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 1 FROM n WHERE x < 0)"

  private static func write<T>(_ database: Database, _ body: (Connection) throws -> T) throws {
    _ = try database.write(body)
  }

  @Test func `the number of threads is limited, whatever fails and waits`() async throws {
    let database = try database()
    let before = Self.threads
    let lists = try (0..<400).map { _ in try follow(FetchRequest<Thing>(orderBy: ["id"]), database) }
    // A row that can't be read: all of them fail.
    try writing(database) { try $0.execute("INSERT INTO thing VALUES (3, x'FF')") }
    try await eventually("all lists fail") { lists.allSatisfy { $0.lastError != nil } }
    var most = Self.threads
    try writing(database) { try $0.execute("DELETE FROM thing WHERE id = 3") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for list in lists { for _ in 0..<3 { group.addTask { try await list.settled() } } }
      for list in lists.prefix(100) { group.addTask { try await list.performFetch() } }
      try await Task.sleep(for: .milliseconds(20))
      most = max(most, Self.threads)
      try await group.waitForAll()
    }
    // Of this database; other tests run besides.
    #expect(most - before < 12 + 3 * Processor.count + 60, "\(before) threads before, \(most) at most")
    #expect(lists.allSatisfy { $0.snapshot.numberOfItems == 2 && $0.lastError == nil })
  }

  @Test func `lists don't retry on a closed database`() async throws {
    let database = try database()
    let list = try follow(FetchRequest<Thing>(orderBy: ["id"]), database)
    try database.close()
    await #expect(throws: DatabaseError.self) { try await list.settled() }
    #expect(!list.core.withShared { $0.state.isRetryTimerSet })
  }

  @Test func `a fetch can be cancelled wherever it waits`() async throws {
    let database = try database()
    let list = FetchedResultsController(
      fetchRequest: FetchRequest<Thing>(where: SQL(raw: Self.endless)), database: database)
    let source = FRCDataSource(fetchedResultsController: list)
    // The first computes; the others wait for it or for a thread.
    let tasks = (0..<60).map { index in
      Task { if index % 2 == 0 { try await list.performFetch() } else { try await source.reload() } }
    }
    // From a thread of its own: tasks may wait for other tests.
    Thread.detachNewThread {
      usleep(300_000)
      for task in tasks { task.cancel() }
    }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    list.fetchRequest = FetchRequest<Thing>(orderBy: ["id"])
    try await list.performFetch()
    #expect(list.snapshot.numberOfItems == 2)
  }

  @Test func `settled can be cancelled behind a long write`() async throws {
    let database = try database { $0.busyTimeout = .seconds(30) }
    let list = try follow(FetchRequest<Thing>(orderBy: ["id"]), database)
    let isOver = SharedValue(false)
    let isThere = SharedValue(false)
    Thread.detachNewThread {
      // Holds the writer without a transaction that has looked for others' commits.
      try? database.vacuum()
      try? database.write { _ in
        isThere.change { $0 = true }
        while !isOver.value { usleep(500) }
      }
    }
    try await eventually("the write") { isThere.value }
    let task = Task {
      while true {
        try await list.settled()
        try Task.checkCancellation()
      }
    }
    try await Task.sleep(for: .milliseconds(100))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!isOver.value)
    isOver.change { $0 = true }
  }

  /// A row that does something as it is made.
  struct Beginning: Entity {
    static let table = "thing"
    static let action = SharedValue<(@Sendable () throws -> Void)?>(nil)
    static let errors = SharedValue<[DatabaseError?]>([])
    let id: Int64
    init(row: Row) throws {
      id = try row["id"]
      do { try Self.action.value?() } catch { Self.errors.change { $0.append(error as? DatabaseError) } }
    }
  }

  static let waits: [@Sendable (Database) throws -> Void] = [
    { try $0.checkpoint() }, { try $0.vacuum() }, { try $0.close() },
    { try write($0) { try $0.execute("INSERT INTO thing(title) VALUES ('x')") } },
  ]

  @Test(.serialized, arguments: waits.indices) func `a call that would wait for the read of a list is an error`(
    _ index: Int
  )
    async throws
  {
    let database = try database { options in
      options.journal = .delete
      options.busyTimeout = .seconds(30)
    }
    Beginning.errors.change { $0 = [] }
    Beginning.action.change { $0 = { try Self.waits[index](database) } }
    defer { Beginning.action.change { $0 = nil } }
    let began = ContinuousClock.now
    _ = try follow(FetchRequest<Beginning>(orderBy: ["id"]), database)
    #expect(Beginning.errors.value.map { $0?.code } == [.misuse, .misuse])
    #expect(began.duration(to: .now) < .seconds(20))
  }
}
