import DataSources
import FetchedResults
import FixtureSupport
import Foundation
import Testing

@testable import FetchedResultsCore
@testable import SQLiteEngine
@testable import SQLiteStore

/// Events while following begins, ends, and delivers.
@Suite(.timeLimit(.minutes(10))) struct BeginningTests {
  private typealias Item = Record<ItemTable>
  private typealias Hook = Shared<(@Sendable () throws -> Void)?>

  /// A core that runs code in its next read, as soon as the state to read is fixed.
  private static func core(
    _ database: Database, _ request: FetchRequest<Item> = FetchRequest()
  ) -> (core: ResultCore<Item>, hook: Hook) {
    let hook = Hook(nil)
    return (ResultCore(request, Interrupted(database, within: { try hook.take(leaving: nil)?() }), .equatable()), hook)
  }

  private static func titles(_ core: ResultCore<Item>) -> [Value] { core.snapshot.items.map { $0.content[2] } }

  private static func change(_ database: Database, _ id: Int, _ title: String) throws {
    try database.write { _ = try $0.execute("UPDATE item SET title = \(title) WHERE id = \(id)") }
  }

  // MARK: Beginning

  @Test func `requests that are set faster than they can be fetched do not keep the list from changing`() async throws {
    let database = try EvaluationTests.database()
    let reads = Shared(0)
    let isOn = Shared(false)
    let holder = SharedValue<ResultCore<Item>?>(nil)
    // Somebody sets another request each time while the one before is being planned.
    let engine = Interrupted(
      database,
      before: {
        guard isOn.value else { return }
        reads.change { $0 += 1 }
        guard reads.value < 200 else { return }
        // Each is another one.
        holder.value?.request = FetchRequest(where: "id <= \(reads.value % 4)", limit: reads.value + 10)
      })
    let core = ResultCore(FetchRequest<Item>(), engine, .equatable())
    holder.change { $0 = core }
    defer { holder.change { $0 = nil } }
    try core.fetch()
    let chain = Shared<(last: Snapshot<Item>, breaks: Int, updates: Int)>((core.snapshot, 0, 0))
    _ = core.deliveries.add { update in
      chain.change { chain in
        if update.old != chain.last { chain.breaks += 1 }
        chain.last = update.new
        chain.updates += 1
      }
    }
    isOn.change { $0 = true }
    core.request = FetchRequest(limit: 0)
    try await core.settled()
    // It waits for requests that were set before, and not for those that are set meanwhile.
    try await eventually("the last of them") {
      reads.value >= 200 && core.withShared { $0.state.evaluated == $0.state.recorded }
    }
    try await core.settled()
    #expect(reads.value >= 200 && chain.value.updates > 10 && chain.value.breaks == 0, "\(chain.value.updates)")
    #expect(core.snapshot.numberOfItems == 199 % 4 && chain.value.last == core.snapshot)
    #expect(core.withShared { $0.state.delivered == $0.state.recorded && $0.state.pending.isEmpty })
  }

  // MARK: Handing over

  @Test func `a commit that another thread delivers is evaluated`() async throws {
    let database = try EvaluationTests.database()
    let (core, _) = Self.core(database)
    try core.fetch()
    let isOver = Shared(false)
    async let handingOut: Void = onThread("handing out") {
      while !isOver.value {
        for _ in 0..<50 { database.feed.drain() }
        // Other tests need a processor too.
        usleep(20)
      }
    }
    let missed = try await onThread("the commits") {
      for number in 1...1000 {
        try Self.change(database, 1, "\(number)")
        let end = Date(timeIntervalSinceNow: 5)
        while Self.titles(core).first != .text("\(number)") {
          if Date() > end { return number }
          usleep(20)
        }
      }
      return 0
    }
    isOver.change { $0 = true }
    try await handingOut
    #expect(missed == 0)
  }

  @Test func `settled waits for what another thread has to deliver`() async throws {
    let database = try EvaluationTests.database()
    let (core, _) = Self.core(database)
    try core.fetch()
    core.stop()
    try Self.change(database, 1, "fetched")
    let gate = RaceTests.Gate()
    let seen = Shared(0)
    let waits = Shared(false)
    _ = core.deliveries.add { _ in
      waits.change { $0 = true }
      gate.pass()
      seen.change { $0 += 1 }
    }
    gate.close()
    async let fetching: Void = onThread("the fetch") { try core.fetch() }
    try await eventually("the callback") { waits.value }
    try Self.change(database, 2, "committed")
    async let opening: Void = onThread("the opening") {
      usleep(150_000)
      gate.open()
    }
    try await core.settled()
    #expect(seen.value == 2)
    try await fetching
    try await opening
  }

  // MARK: Inside a read

  private static let lonely = FetchRequest<Item>(
    from: "item LEFT JOIN list ON list.id = item.list", where: "list.id IS NULL")

  @Test func `writes inside a read use the state before them, and not that of the read`() async throws {
    let database = try EvaluationTests.database()
    try await database.write { try $0.executeScript("DELETE FROM list") }
    let controller = FetchedResultsController(fetchRequest: Self.lonely, database: database)
    try controller.fetchHere()
    #expect(controller.snapshot.numberOfItems == 4)
    let list = try await database.read { try $0.value("SELECT list FROM item WHERE id = 1", as: Int.self) }
    try await onThread("the writes") {
      try database.read { connection in
        _ = try connection.rows("SELECT * FROM list")
        let columns = try connection.rows("SELECT * FROM pragma_table_info('list')").count
        let rest = String(repeating: ", NULL", count: columns - 1)
        try database.write { _ = try $0.execute("INSERT INTO list VALUES (\(list)\(raw: rest))") }
        while controller.snapshot.numberOfItems == 4 { usleep(500) }
        try database.write { _ = try $0.execute("DELETE FROM list") }
      }
    }
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 4)
  }

  @Test(arguments: [false, true]) func `a list that is fetched inside a read is the current one`(isNewSchema: Bool)
    async throws
  {
    let database = try EvaluationTests.database()
    let controller = FetchedResultsController(fetchRequest: FetchRequest<Item>(), database: database)
    try await onThread("the fetch") {
      try database.read { connection in
        _ = try connection.rows("SELECT * FROM item")
        if isNewSchema { try database.write { _ = try $0.execute("CREATE INDEX by_title ON item(title)") } }
        try Self.change(database, 1, "new")
        try controller.fetchHere()
      }
    }
    try await controller.settled()
    #expect(Self.titles(controller.core).first == "new")
  }

  @Test func `a write reads the state before it without waiting for a reader`() async throws {
    var options = Database.Options()
    options.maximumReaders = 1
    let folder = try TemporaryFolder.make()
    let database = try Database(path: folder + "/one.db", options: options)
    try await database.write { try $0.executeScript(EvaluationTests.schema) }
    try await database.write { try $0.executeScript("DELETE FROM list") }
    let controller = FetchedResultsController(fetchRequest: Self.lonely, database: database)
    try controller.fetchHere()
    let gate = RaceTests.Gate()
    let isReading = Shared(false)
    gate.close()
    async let reading: Void = onThread("the read") {
      try database.readHere { connection in
        _ = try connection.rows("SELECT 1")
        isReading.change { $0 = true }
        gate.pass()
      }
    }
    try await eventually("the reader") { isReading.value }
    try await onThread("the write") {
      try database.write { _ = try $0.execute("INSERT INTO list(id) SELECT list FROM item WHERE id = 1") }
    }
    gate.open()
    try await reading
    try await controller.settled()
    #expect(controller.statistics.reasons == [:])
    #expect(controller.snapshot.numberOfItems < 4)
  }

  // MARK: What is kept

  @Test func `keys from before commits are not kept for ever`() throws {
    let database = try EvaluationTests.database()
    let query = try SQLiteEngine(database).query(
      for: Self.lonely.description, canCompare: true, Connection.uncancellable)
    var pending = Pending()
    for number in 0..<300 {
      let keys = (0..<1000).map { RowKey.number(Int64(number * 1000 + $0)) }
      pending.add(before: [DependencyID(query, 0): keys])
    }
    #expect(pending.before.isEmpty && pending.lacksOldState)
  }

  private static let tagged = FetchRequest<Item>(where: "EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id)")

  @Test func `for merged commits, the state before each of them counts`() async throws {
    let database = try EvaluationTests.database()
    let controller = FetchedResultsController(fetchRequest: Self.tagged, database: database)
    try controller.fetchHere()
    let gate = RaceTests.Gate()
    let isWaiting = Shared(false)
    let observation = controller.observeOnAnyThread { _ in
      isWaiting.change { $0 = true }
      gate.pass()
    }
    defer { observation.cancel() }
    gate.close()
    try Self.change(database, 1, "held up")
    try await eventually("the callback") { isWaiting.value }
    // Both items lose their tag, which only the old state shows.
    try database.run("UPDATE tag SET item = 4 WHERE id = 1")
    try database.run("UPDATE tag SET item = 4 WHERE id = 2")
    gate.open()
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.id) == [4])
    #expect(controller.statistics.requeried == 0 && controller.statistics.commits == 3, "\(controller.statistics)")
  }

  @Test func `the state before another program's commit is unknown, though its rows are known`() async throws {
    let database = try EvaluationTests.database()
    try await database.recordHistory(of: ["item", "tag"])
    let controller = FetchedResultsController(fetchRequest: Self.tagged, database: database)
    try controller.fetchHere()
    let raw = try RawDatabase(path: try #require(database.path))
    try raw.execute("UPDATE tag SET item = 4 WHERE id = 1")
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.id) == [3, 4])
    let reason = Reason.lacksOldState(table: "tag").description
    #expect(controller.statistics.reasons == [reason: 1], "\(controller.statistics)")
  }

  @Test func `a commit of another program is reported during a long write of ours`() async throws {
    let database = try EvaluationTests.database()
    let controller = FetchedResultsController(fetchRequest: FetchRequest<Item>(), database: database)
    try controller.fetchHere()
    let path = try #require(database.path)
    let isTold = try await onThread("the write") {
      try RawDatabase(path: path).execute("UPDATE item SET title = 'theirs' WHERE id = 1")
      return try database.write { _ in
        let end = Date(timeIntervalSinceNow: 10)
        while Self.titles(controller.core).first != "theirs", Date() < end { usleep(1000) }
        return Self.titles(controller.core).first == "theirs"
      }
    }
    #expect(isTold)
  }
}

extension Database {
  /// Reads on this thread, where a task would call the twin that doesn't block it.
  fileprivate func readHere<T>(_ body: (Connection) throws -> T) throws -> T { try read(body) }
}
