import CFetchedResultsSQLite
import Dispatch
import FetchedResults
import Synchronization

/// An update at two paces: back to back, and every 20 ms as in most programs.
private func paceBenchmarks() -> [Benchmark] {
  func benchmark(
    _ name: String, _ about: String, _ pace: IsolatedMeasurements.Pace,
    _ figure: @escaping (IsolatedMeasurements.Result) -> Figure
  ) -> Benchmark {
    Benchmark(name, about) { figure(try IsolatedMeasurements.measure($0, pace)) }
  }
  func p99(_ values: [Double]) -> Double { values.sorted()[values.count * 99 / 100] }
  return [
    benchmark(
      "frc.update_isolated_ratio", "one row of 100,000 every 20 ms, against a raw commit that re-reads its row",
      .isolated
    ) { .ratio(BenchContext.median($0.ours) / BenchContext.median($0.raw)) },
    benchmark("frc.update_isolated_us", "the same, from before the write to the update", .isolated) {
      .microseconds(BenchContext.median($0.ours))
    },
    benchmark("frc.update_isolated_p99_us", "the slowest of 100 such updates", .isolated) {
      .microseconds(p99($0.ours))
    },
    benchmark("frc.update_cpu_us", "processor time of such an update, less that of the raw commit", .isolated) {
      .microseconds($0.ourProcessor - $0.rawProcessor)
    },
    benchmark(
      "frc.update_steady_ratio", "one row of 100,000 back to back, against a raw commit that re-reads its row",
      .backToBack
    ) { .ratio(BenchContext.median($0.ours) / BenchContext.median($0.raw)) },
    benchmark("frc.update_steady_us", "the same, from before the write to the update", .backToBack) {
      .microseconds(BenchContext.median($0.ours))
    },
    benchmark("frc.update_steady_p99_us", "the slowest of 100 such updates", .backToBack) {
      .microseconds(p99($0.ours))
    },
    benchmark("frc.update_steady_cpu_us", "processor time of such an update, less that of the raw commit", .backToBack)
    {
      .microseconds($0.ourProcessor - $0.rawProcessor)
    },
  ]
}

/// What once grew with the list, or with the number of lists, and not with the commit.
func cliffBenchmarks() -> [Benchmark] {
  paceBenchmarks() + [
    Benchmark("frc.update_growth_text_id", "one-row update with a nullable UNIQUE text id, 400,000 rows against 4,000")
    {
      _ in try CliffMeasurements.textIDs()
    },
    Benchmark("frc.new_sections_growth", "8,000 new sections beside 32,000, against 800 beside 3,200, per section") {
      try CliffMeasurements.newSections($0)
    },
    Benchmark("frc.empty_sections_growth", "a section gets its first row among 32,000 empty ones, against 3,000") { _ in
      try CliffMeasurements.emptySections()
    },
    Benchmark(
      "frc.in_list_growth", "a row comes or goes with the list of an IN (SELECT …), 100,000 rows in it against 1,000"
    ) { _ in
      try CliffMeasurements.inList()
    },
    Benchmark("frc.plan_lists_growth", "a fetch with 48 lists of an IN that no index helps, against 12, per list") {
      try CliffMeasurements.planning($0)
    },
    Benchmark("frc.texts_growth", "a write beside 1,000 lists, each with its own question, against 250, per list") {
      try CliffMeasurements.texts($0)
    },
    Benchmark("frc.window_growth", "one row moves in a window of 100,000 with named sections, against 1,000") { _ in
      try CliffMeasurements.window()
    },
    Benchmark("frc.window_rows_read", "rows read for a commit outside a window of 10,000 with named sections") { _ in
      try CliffMeasurements.windowRowsRead()
    },
    Benchmark("frc.old_state_write_ratio", "a write of 20,000 rows, 300 lists that need the old state, against one") {
      try CliffMeasurements.oldState($0)
    },
    Benchmark("frc.many_1000_us", "1,000 lists on one table, a row moves from one to another, until all have settled") {
      try CliffMeasurements.many($0)
    },
    Benchmark("frc.rows_100_ratio_1m", "100 rows of 1,000,000 to the update, against reading and sorting these") {
      try CliffMeasurements.hundredRows($0)
    },
    Benchmark("frc.idle_wakeups", "wake-ups of all threads a second, 100 controllers, nothing happens for 10 s") {
      try IsolatedMeasurements.idleWakeups($0)
    },
  ]
}

/// The controller: from a commit to the update, minus the raw work of the same commit or as a ratio to it.
func controllerBenchmarks() -> [Benchmark] {
  [
    Benchmark("frc.update_us_100k", "one row of 100,000 moves: from before the write to the update, less the raw write")
    {
      .microseconds(try ControllerMeasurements.updateLatency($0, rows: 100_000))
    },
    Benchmark("frc.update_us_1m", "the same in 1,000,000 rows") {
      .microseconds(try ControllerMeasurements.updateLatency($0, rows: 1_000_000))
    },
    Benchmark("frc.update_growth", "one row of 1,000,000 moves, against one of 1,000, in turn") {
      try ControllerMeasurements.updateGrowth($0)
    },
    Benchmark(
      "frc.join_update_us_100k", "a change in a joined table that concerns one row of 100,000, less the raw write"
    ) {
      .microseconds(try ControllerMeasurements.updateLatency($0, rows: 100_000, isJoined: true))
    },
    Benchmark("frc.writes_overhead_100k", "1,000 one-row writes until settled, with a controller against without") {
      try ControllerMeasurements.writesOverhead($0)
    },
    Benchmark(
      "frc.bulk_vs_requery", "one transaction that moves 10% of 100,000 rows, to the update, against a raw re-query"
    ) {
      try ControllerMeasurements.bulk($0)
    },
    Benchmark("frc.fetch_vs_raw_1m", "performFetch of 1,000,000 rows, against the same rows by hand") {
      try ControllerMeasurements.fetch($0)
    },
    Benchmark("frc.requery_vs_raw_100k", "one change to a request that is run as a whole, against the raw re-query") {
      try ControllerMeasurements.requery($0)
    },
    Benchmark(
      "frc.value_observation_vs_raw",
      "a count over 100,000 rows, one row changes, until the new value, against the raw write and query"
    ) {
      try observedValue($0) { database in
        database.values { c in try c.count(FetchRequest<BenchItem>(where: "NOT done")) }
      }
    },
    Benchmark("frc.value_followed_vs_raw", "the same with a count that is followed like a list") {
      try observedValue($0) { database in database.values(of: FetchRequest<BenchItem>(where: "NOT done").count) }
    },
    Benchmark("frc.many_us", "100 controllers on one table, one row changes, until all have delivered") {
      try ControllerMeasurements.many($0)
    },
    Benchmark(
      "frc.crowd_write_ratio",
      "10,000 writes with 200 controllers and 1,000 readers, half of them stalled, against none"
    ) {
      try ControllerMeasurements.crowd($0, isOwn: false)
    },
    Benchmark(
      "frc.crowd_own_ratio", "the same, without the time that the writer waits while others have the processors"
    ) {
      try ControllerMeasurements.crowd($0, isOwn: true)
    },
    Benchmark("frc.slow_fallback_write_ratio", "a write while a query of 300 ms is run after each, against none") {
      try ControllerMeasurements.slowFallback($0)
    },
  ]
}

struct BenchItem: MappedEntity, Equatable {
  static let table = "item"
  static let mapping = Mapping(
    BenchItem.init, ("id", \.id), ("section", \.section), ("title", \.title), ("done", \.done), ("position", \.position)
  )
  var id: Int64
  var section: String
  var title: String
  var done: Bool
  var position: Int64

  static func request(limit: Int? = nil) -> FetchRequest<BenchItem> {
    FetchRequest(sectionBy: "section", orderBy: ["position"], limit: limit)
  }
}

/// A file with rows, a `Database` on it, and a raw connection to a copy.
final class Setting {
  let folder: TemporaryFolder
  let database: Database
  let raw: RawConnection
  let rows: Int

  init(rows: Int, capture: Bool = true) throws {
    folder = try TemporaryFolder()
    self.rows = rows
    var options = Database.Options()
    options.durability = .normal
    database = try Database(path: folder.path("ours.db"), options: options)
    try database.write { c in
      try c.executeScript(Setting.schema)
      try Setting.fill(rows) { try c.execute(SQL(raw: $0)) }
    }
    try database.checkpoint()
    raw = try RawConnection(folder.path("raw.db"))
    try raw.execute("BEGIN;" + Setting.schema)
    try Setting.fill(rows) { try raw.execute($0) }
    try raw.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, section TEXT NOT NULL, title TEXT NOT NULL, done INTEGER NOT NULL,
      position INTEGER NOT NULL);
    CREATE TABLE note(id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item(id), text TEXT NOT NULL);
    CREATE INDEX note_item ON note(item);
    """

  private static func fill(_ rows: Int, _ execute: (String) throws -> Void) throws {
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))"
    try execute(
      """
      \(numbers) INSERT INTO item SELECT i, 'section ' || (i * 7919 % 100), 'the title of item number ' || i,
        i % 3 = 0, i * 1048573 % 1000003 FROM n
      """)
    try execute("\(numbers) INSERT INTO note SELECT i, i, 'a note' FROM n")
    try execute("CREATE INDEX item_place ON item(section, position)")
  }

  func controller(_ request: FetchRequest<BenchItem> = BenchItem.request()) throws -> FetchedResultsController<
    BenchItem
  > {
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.performFetch()
    return controller
  }

  /// Checks that a controller shows the result of the query.
  func check(_ controller: FetchedResultsController<BenchItem>) throws {
    let fresh = try database.read { c in
      try c.entities("SELECT * FROM item ORDER BY section, position, id", of: BenchItem.self)
    }
    guard controller.fetchedObjects.elementsEqual(fresh) else { throw WrongResult("the list is not the query's") }
  }
}

/// The time of an update, and a wait for it.
final class Arrival: Sendable {
  private let time = Atomic<UInt64>(0)
  private let semaphore = DispatchSemaphore(value: 0)

  func arrived() {
    time.store(monotonicNanoseconds(), ordering: .releasing)
    semaphore.signal()
  }

  func wait() throws -> UInt64 {
    guard semaphore.wait(timeout: .now() + .seconds(30)) == .success else { throw WrongResult("no update came") }
    return time.load(ordering: .acquiring)
  }
}

/// Waits for an asynchronous function on this thread.
func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
  let semaphore = DispatchSemaphore(value: 0)
  let box = ErrorBox()
  Task {
    do { try await body() } catch { box.set(error) }
    semaphore.signal()
  }
  semaphore.wait()
  if let error = box.error { throw error }
}

private final class ErrorBox: @unchecked Sendable {  // because it is read only after it was written
  private(set) var error: (any Error)?
  func set(_ error: any Error) { self.error = error }
}
