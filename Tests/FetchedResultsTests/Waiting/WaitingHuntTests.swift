import DataSourcesTestSupport
import FetchedResults
import FetchedResultsSupport
import FixtureSupport
import Foundation
import Testing

@testable import FetchedResultsCore

/// Regression tests for the second search for hangs: lists that hang, that run a query nobody needs, or that reopen a
/// closed database. They run one by one, because some share `Acting`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct WaitingHuntTests {
  struct Thing: MappedEntity, Equatable {
    static let table = "thing"
    static let mapping = Mapping(Thing.init, ("id", \.id), ("title", \.title))
    var id: Int64
    var title: String?
  }

  struct Other: MappedEntity, Equatable {
    static let table = "other"
    static let mapping = Mapping(Other.init, ("id", \.id), ("title", \.title))
    var id: Int64
    var title: String?
  }

  private typealias List = FetchedResultsController<Thing>

  private static func database(_ change: (inout Database.Options) -> Void = { _ in }) throws -> Database {
    var options = Database.Options()
    options.durability = .normal
    change(&options)
    let database = try Database(path: try TemporaryFolder.make() + "/list.db", options: options)
    try database.write {
      try $0.executeScript(
        """
        CREATE TABLE thing(id INTEGER PRIMARY KEY, title); INSERT INTO thing VALUES (1, 'a');
        CREATE TABLE other(id INTEGER PRIMARY KEY, title);
        """)
    }
    return database
  }

  private static func run(_ sql: SQL, _ database: Database) throws { _ = try database.write { try $0.execute(sql) } }

  /// Whether this process has a file open, on systems that report it.
  private static func isOpen(_ path: String) -> Bool {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.contains { number in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))?.hasPrefix(path) == true
    }
  }

  // MARK: A closed database

  @Test func `nothing opens a closed database again`() async throws {
    let database = try Self.database()
    let path = try #require(database.path)
    let list = List(fetchRequest: FetchRequest(orderBy: ["id"]), database: database)
    try list.fetchHere()
    let never = List(fetchRequest: FetchRequest(orderBy: ["id"]), database: database)
    try database.close()
    let refused = #expect(throws: DatabaseError.self) { try never.fetchHere() }
    #expect(refused?.message.contains("has been closed") == true)
    list.fetchRequest = FetchRequest(orderBy: ["title"])
    await #expect(throws: DatabaseError.self) { try await list.settled() }
    await #expect(throws: DatabaseError.self) { try await list.performFetch() }
    #expect(!Self.isOpen(path))
    #expect(access(path + "-wal", F_OK) != 0)
  }

  // MARK: Lists that wait for each other

  /// A row that runs given code in its initializer.
  private final class Acting: Entity, Sendable {
    static let table = "thing"
    static let action = SharedValue<(@Sendable () -> Void)?>(nil)
    let id: Int64
    init(row: Row) throws {
      id = try row["id"]
      Self.action.value?()
    }
  }

  @Test func `rows that fetch each other's lists get an error`() async throws {
    let database = try Self.database()
    let lists = (0..<3).map {
      FetchedResultsController<Acting>(
        fetchRequest: FetchRequest(orderBy: [$0 == 0 ? "id" : "title"]), database: database)
    }
    let inside = SharedValue<[ThreadID: Int]>([:])
    let errors = SharedValue<[String]>([])
    let arrived = SharedValue(0)
    Acting.action.change { action in
      action = {
        // Only the rows of the first fetch on each of the threads.
        guard let number = inside.change({ $0.removeValue(forKey: .current) }) else { return }
        arrived.change { $0 += 1 }
        while arrived.value < 3 { usleep(1000) }
        do { try lists[(number + 1) % 3].fetchHere() } catch { errors.change { $0.append("\(error)") } }
      }
    }
    defer { Acting.action.change { $0 = nil } }
    let ends = SharedValue(0)
    for number in 0..<3 {
      Thread.detachNewThread {
        inside.change { $0[.current] = number }
        try? lists[number].fetchHere()
        ends.change { $0 += 1 }
      }
    }
    try await eventually("all three have ended") { ends.value == 3 }
    #expect(!errors.value.isEmpty && errors.value.allSatisfy { $0.contains("which a row of this list is waiting for") })
  }

  @Test func `a fetch that waits for another one's row can be cancelled`() async throws {
    let database = try Self.database()
    let list = FetchedResultsController<Acting>(fetchRequest: FetchRequest(orderBy: ["id"]), database: database)
    let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isFirst = SharedValue(true)
    Acting.action.change { action in
      action = {
        guard
          isFirst.change({
            let was = $0; $0 = false; return was
          })
        else { return }
        begun.signal()
        goOn.wait()
      }
    }
    defer { Acting.action.change { $0 = nil } }
    Thread.detachNewThread { try? list.fetchHere() }
    try await onThread("the first fetch has begun") { begun.wait() }
    let second = Task { try await list.performFetch() }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    goOn.signal()
    try await eventually("the list is free again") { (try? list.fetchHere()) != nil }
  }

  // MARK: Planning

  @Test
  func `cancelled planning ends at once, and a busy file delays planning no longer than the timeout`()
    async throws
  {
    let database = try Self.database {
      $0.journal = .delete
      $0.busyTimeout = .seconds(2)
    }
    let other = try RawDatabase(path: try #require(database.path))
    try other.execute("BEGIN EXCLUSIVE")
    let begun = ContinuousClock.now
    let lists = (0..<12).map { _ in List(fetchRequest: FetchRequest(orderBy: ["id"]), database: database) }
    let tasks = lists.map { list in Task { try await list.performFetch() } }
    try await Task.sleep(for: .milliseconds(100))
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    let ended = SharedValue(0)
    for list in lists {
      Thread.detachNewThread {
        #expect(throws: DatabaseError.self) { try list.fetchHere() }
        ended.change { $0 += 1 }
      }
    }
    try await eventually("all have been refused", within: .seconds(60)) { ended.value == 12 }
    // One after another they would take 24 seconds.
    #expect(ContinuousClock.now - begun < .seconds(16))
    try other.execute("ROLLBACK")
  }

  @Test func `closing does not wait for callers that can't open the file any more`() async throws {
    let database = try Self.database {
      $0.journal = .delete
      $0.busyTimeout = .seconds(1)
    }
    let other = try RawDatabase(path: try #require(database.path))
    try other.execute("BEGIN EXCLUSIVE")
    for _ in 0..<10 {
      Thread.detachNewThread { try? List(fetchRequest: FetchRequest(orderBy: ["id"]), database: database).fetchHere() }
    }
    usleep(100_000)
    try await onThread("close") { try database.close(interrupting: true) }
    try other.execute("ROLLBACK")
  }

  @Test func `cancelled migrations and openings throw CancellationError`() async throws {
    let database = try Self.database {
      $0.maximumReaders = 1
      $0.busyTimeout = .seconds(600)
    }
    let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      try? database.read { _ in
        begun.signal()
        goOn.wait()
      }
    }
    try await onThread("the reader is taken") { begun.wait() }
    let migration = Task { try await database.migrate([Migration("0001", sql: "CREATE TABLE more(x)")]) }
    try await Task.sleep(for: .milliseconds(20))
    migration.cancel()
    await #expect(throws: CancellationError.self) { try await migration.value }
    goOn.signal()
    let locked = try Self.database {
      $0.journal = .delete
      $0.busyTimeout = .seconds(600)
    }
    let other = try RawDatabase(path: try #require(locked.path))
    try other.execute("BEGIN EXCLUSIVE")
    let read = Task { try await locked.read { try $0.value("SELECT count(*) FROM thing", as: Int.self) } }
    try await Task.sleep(for: .milliseconds(20))
    read.cancel()
    await #expect(throws: CancellationError.self) { try await read.value }
    try other.execute("ROLLBACK")
  }

  // MARK: Slow queries

  /// Adds a function that is called for each row and blocks its caller as long as `held` says.
  private static func addHolding(to database: Database, _ held: SharedValue<Bool>, _ calls: SharedValue<Int>) throws {
    try database.addFunction("hold", arguments: 1) { values in
      calls.change { $0 += 1 }
      while held.value { usleep(500) }
      return values[0]
    }
  }

  @Test func `any number of slow lists doesn't stop the others`() async throws {
    let database = try Self.database { $0.busyTimeout = .seconds(60) }
    let held = SharedValue(false)
    let calls = SharedValue(0)
    try Self.addHolding(to: database, held, calls)
    let slow = (0..<60).map { _ in
      List(fetchRequest: FetchRequest(sql: "SELECT id, hold(title) AS title FROM thing"), database: database)
    }
    for list in slow { try list.fetchHere() }
    let quick = FetchedResultsController<Other>(fetchRequest: FetchRequest(orderBy: ["id"]), database: database)
    try quick.fetchHere()
    held.change { $0 = true }
    let before = calls.value
    try Self.run("INSERT INTO thing VALUES (2, 'b')", database)
    try await eventually("many are slow") { calls.value > before + 15 }
    for number in 1...5 {
      try Self.run("INSERT INTO other VALUES (\(number), 'x')", database)
      try await eventually("the quick list follows") { quick.snapshot.items.count == number }
    }
    let another = FetchedResultsController<Other>(fetchRequest: FetchRequest(orderBy: ["title"]), database: database)
    try another.fetchHere()
    held.change { $0 = false }
    for list in slow { try await list.settled() }
    #expect(slow.allSatisfy { $0.snapshot.items.count == 2 })
  }

  @Test(arguments: ["stop", "drop", "request"])
  func `a query is cancelled when its result is no longer needed`(how: String) async throws {
    let database = try Self.database { $0.busyTimeout = .seconds(60) }
    let isEndless = SharedValue(false)
    let calls = SharedValue(0)
    try database.addFunction("tick", arguments: 1) { values in
      calls.change { $0 += 1 }
      return .integer(isEndless.value ? 1 : 0)
    }
    let sql: SQL = """
      SELECT id, title FROM thing WHERE (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE tick(x))
      SELECT count(*) FROM n) > 0
      """
    var list: List? = List(fetchRequest: FetchRequest(sql: sql), database: database)
    try list?.fetchHere()
    isEndless.change { $0 = true }
    let before = calls.value
    try Self.run("INSERT INTO thing VALUES (2, 'b')", database)
    try await eventually("the query runs") { calls.value > before + 1000 }
    switch how {
    case "stop": list?.stop()
    case "drop": list = nil
    default: list?.fetchRequest = FetchRequest(orderBy: ["id"])
    }
    try await eventually("the query has ended") {
      let now = calls.value
      usleep(50_000)
      return calls.value == now
    }
    if how == "request", let list {
      try await list.settled()
      #expect(list.snapshot.items.count == 2 && list.lastError == nil)
    }
    withExtendedLifetime(list) {}
  }

  // MARK: Telling

  @Test func `a fetch publishes its own list, and not those that others fetch meanwhile`() async throws {
    let database = try Self.database()
    let list = List(fetchRequest: FetchRequest(orderBy: ["id"]), database: database)
    try list.fetchHere()
    let tellers = SharedValue<[ThreadID]>([])
    let rows = SharedValue<[Int]>([])
    let others = 300
    let observation = list.observeOnAnyThread { [weak list] update in
      rows.change { $0.append(update.new.items.count) }
      guard
        tellers.change({
          $0.append(.current); return $0.count
        }) == 1, let list
      else { return }
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        for number in 0..<others {
          try? Self.run("INSERT INTO thing VALUES (\(100 + number), 'c')", database)
          try? list.fetchHere()
        }
        done.signal()
      }
      done.wait()
    }
    let me = try await onThread("the first fetch") {
      list.stop()
      try Self.run("INSERT INTO thing VALUES (2, 'b')", database)
      try list.fetchHere()
      return ThreadID.current
    }
    try await eventually("all has been told") { rows.value.last == others + 2 }
    #expect(tellers.value.filter { $0 == me }.count == 1)
    #expect(tellers.value.count <= 80, "they are merged where they wait")
    withExtendedLifetime(observation) {}
  }
}
