import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// Hundreds of controllers and a thousand readers on one file, half of which never resume: memory stays flat, and the
/// writer keeps writing.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CrowdTests {
  private struct Row: MappedEntity, Equatable {
    static let table = "row"
    static let mapping = Mapping(
      Row.init, ("id", \.id), ("title", \.title), ("part", \.part), ("place", \.place))
    var id: Int64
    var title: String
    var part: Int
    var place: Int
  }

  private static let requests: [FetchRequest<Row>] = [
    FetchRequest(orderBy: ["place"]), FetchRequest(sectionBy: "part", orderBy: ["place"]),
    FetchRequest(where: "part < 3", orderBy: [.descending("title")]), FetchRequest(orderBy: ["place"], limit: 20),
    FetchRequest(sql: "SELECT * FROM row WHERE part > 1"),
  ]
  private static let rows = 200

  private static func database() throws -> Database {
    var options = Database.Options()
    options.durability = .normal
    let database = try Database(path: try TemporaryFolder.make() + "/crowd.db", options: options)
    try database.write { connection in
      try connection.execute("CREATE TABLE row(id INTEGER PRIMARY KEY, title TEXT, part INTEGER, place INTEGER) STRICT")
      for id in 1...rows { try connection.execute("INSERT INTO row VALUES (\(id), 'row', \(id % 5), \(id))") }
    }
    return database
  }

  /// How long something took, and how long of it the thread was ready to run while others had the processors.
  private struct Took {
    var all: Duration
    var waiting: Duration?
    var own: Duration? { waiting.map { all - $0 } }
  }

  /// Makes commits that don't grow the table, on a thread of its own.
  private static func write(_ range: ClosedRange<Int>, _ database: Database) async throws -> Took {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try writeHere(range, database) }) }
    }
  }

  private static func writeHere(_ range: ClosedRange<Int>, _ database: Database) throws -> Took {
    let before = Resources.processorWait
    let all = try ContinuousClock().measure {
      for number in range {
        let id = number * 7 % rows + 1
        try database.write { connection in
          _ = try connection.execute(
            "UPDATE row SET title = \("row \(number)"), part = \(number % 5), place = \(number * 13 % 400) WHERE id = \(id)"
          )
        }
      }
    }
    guard let before, let after = Resources.processorWait else { return Took(all: all) }
    return Took(all: all, waiting: after - before)
  }

  /// Changes every row, so that every reader has something to read.
  private static func touchAll(_ title: String, _ database: Database) async throws {
    try await database.write { _ = try $0.execute("UPDATE row SET title = \(title)") }
  }

  /// What a reader that never stops has come to.
  private final class Live: Sendable {
    private let lock = NSLock()
    // because every access is under `lock`
    nonisolated(unsafe) private var state: (last: Snapshot<Row>, isChained: Bool)

    init(_ start: Snapshot<Row>) { state = (start, true) }

    var isChained: Bool { lock.withLock { state.isChained } }
    var last: Snapshot<Row> { lock.withLock { state.last } }

    func take(_ update: Update<Row>) {
      lock.withLock { state = (update.new, state.isChained && update.old == state.last) }
    }
  }

  @Test func `two hundred controllers and a thousand readers, half of them stalled`() async throws {
    let controllerCount = Trials.rounds(sample: 40, short: 200, full: 200)
    let commits = Trials.rounds(sample: 30, short: 100, full: 2000)
    let alone = try await Self.write(1...commits, try Self.database())

    let database = try Self.database()
    let controllers = (0..<controllerCount).map {
      FetchedResultsController(fetchRequest: Self.requests[$0 % Self.requests.count], database: database)
    }
    for controller in controllers { try await controller.performFetch() }
    var live: [Live] = []
    var tasks: [Task<Void, Never>] = []
    var stalled: [(owner: Int, reader: AsyncStream<Update<Row>>.Iterator)] = []
    // Five for each controller, every second of which stalls.
    for index in 0..<controllerCount * 5 {
      let controller = controllers[index % controllerCount]
      let updates = controller.updates()
      if index / controllerCount % 2 == index % 2 {
        stalled.append((index % controllerCount, updates.makeAsyncIterator()))
      } else {
        let reader = Live(controller.snapshot)
        live.append(reader)
        tasks.append(Task { for await update in updates { reader.take(update) } })
      }
    }
    defer { for task in tasks { task.cancel() } }
    let settle = { for controller in controllers { try await controller.settled() } }

    try await Self.touchAll("once", database)
    try await settle()
    var positions: [Snapshot<Row>] = []
    for index in stalled.indices {
      positions.append(try #require(await stalled[index].reader.next()).new)
    }
    // Every commit succeeds: otherwise this throws.
    let crowded = try await Self.write(1...commits, database)
    try await settle()
    let warm = Resources.residentKilobytes
    _ = try await Self.write(commits + 1...commits * 3, database)
    try await settle()
    if Trials.isAlone, let warm, let now = Resources.residentKilobytes {
      // Three times the commits, and no more than a tenth and the noise of the allocator on top.
      #expect(now < warm + warm / 10 + 16_384, "\(now - warm) KB more after \(commits * 3) commits")
      Trials.report("trust.crowd_growth_kb", max(0, now - warm))
    }

    // Readers that resume have one update that contains everything they missed, and nothing after it.
    for index in stalled.indices {
      let controller = controllers[stalled[index].owner]
      let merged = try #require(await stalled[index].reader.next())
      #expect(merged.old == positions[index] && merged.new == controller.snapshot)
      #expect(Laws.violations(of: merged) == [])
    }
    try await Self.touchAll("again", database)
    try await settle()
    for index in stalled.indices {
      let controller = controllers[stalled[index].owner]
      let last = try #require(await stalled[index].reader.next())
      #expect(last.new == controller.snapshot && last.old.first?.items.first?.title != "again")
    }
    // Nothing waits for the readers that never stopped, so they may be a moment behind.
    for (index, reader) in live.enumerated() {
      while reader.last.first?.items.first?.title != "again" { try await Task.sleep(for: .milliseconds(1)) }
      #expect(reader.isChained, "reader \(index)")
    }
    let fresh = try Self.requests.map { request in
      let controller = FetchedResultsController(fetchRequest: request, database: database)
      try controller.fetchHere()
      return controller.snapshot
    }
    for (index, controller) in controllers.enumerated() { #expect(controller.snapshot == fresh[index % fresh.count]) }
    for reader in live { #expect(fresh.contains(reader.last)) }
    #expect(try await database.read { try $0.value("SELECT count(*) FROM row", as: Int.self) } == Self.rows)
    Trials.report("trust.crowd_controllers", controllerCount)
    Trials.report("trust.crowd_readers", live.count + stalled.count)
    Trials.report("trust.crowd_commits", commits * 3)
    Trials.report("trust.crowd_writer_percent", Int(crowded.all / alone.all * 100))
    if let crowded = crowded.own, let alone = alone.own {
      Trials.report("trust.crowd_writer_own_percent", Int(crowded / alone * 100))
    }
  }
}

extension FetchedResultsController {
  /// Fetches on this thread, where a task would call the twin that doesn't block it.
  fileprivate func fetchHere() throws { try performFetch() }
}
