import CSQLite
import Dispatch
import FetchedResults
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The controller: from a commit to the update, with the raw work of the same commit taken off or held against it.
func controllerBenchmarks() -> [Benchmark] {
  [
    Benchmark("frc.update_us_100k", "one row of 100,000 moves: from before the write to the update, less the raw write")
    {
      .microseconds(try updateLatency($0, rows: 100_000))
    },
    Benchmark("frc.update_us_1m", "the same in 1,000,000 rows") {
      .microseconds(try updateLatency($0, rows: 1_000_000))
    },
    Benchmark("frc.update_growth", "one row of 1,000,000 moves, against one of 1,000") {
      let large = try updateLatency($0, rows: 1_000_000)
      return .ratio(large / (try updateLatency($0, rows: 1000)))
    },
    Benchmark(
      "frc.join_update_us_100k", "a change in a joined table that concerns one row of 100,000, less the raw write"
    ) {
      .microseconds(try updateLatency($0, rows: 100_000, isJoined: true))
    },
    Benchmark("frc.writes_overhead_100k", "1,000 one-row writes until settled, with a controller against without") {
      try writesOverhead($0)
    },
    Benchmark(
      "frc.bulk_vs_requery", "one transaction that moves 10% of 100,000 rows, to the update, against a raw re-query"
    ) {
      try bulk($0)
    },
    Benchmark("frc.fetch_vs_raw_1m", "performFetch of 1,000,000 rows, against the same rows by hand") { try fetch($0) },
    Benchmark("frc.requery_vs_raw_100k", "one change to a request that is run as a whole, against the raw re-query") {
      try requery($0)
    },
    Benchmark("frc.many_us", "100 controllers on one table, one row changes, until all have delivered") {
      try many($0)
    },
    Benchmark("frc.slow_fallback_write_ratio", "a write while a query of 300 ms is run after each, against none") {
      try slowFallback($0)
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

/// A file with rows, a `Database` on it, and a connection by hand on a copy.
private final class Setting {
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

  /// Sees whether a controller shows what the query gives.
  func check(_ controller: FetchedResultsController<BenchItem>) throws {
    let fresh = try database.read { c in
      try c.entities("SELECT * FROM item ORDER BY section, position, id", of: BenchItem.self)
    }
    guard controller.fetchedObjects.elementsEqual(fresh) else { throw WrongResult("the list is not the query's") }
  }
}

final class RawConnection {
  let handle: OpaquePointer

  init(_ path: String) throws {
    var pointer: OpaquePointer?
    guard
      sqlite3_open_v2(path, &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        == SQLITE_OK, let pointer
    else { throw WrongResult("\(path) can't be opened") }
    handle = pointer
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = 1")
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw WrongResult(String(cString: sqlite3_errmsg(handle)))
    }
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw WrongResult(String(cString: sqlite3_errmsg(handle))) }
    return statement
  }

  /// Runs a statement to its end with two numbers.
  func run(_ statement: OpaquePointer, _ first: Int64? = nil, _ second: Int64? = nil) throws {
    if let first { sqlite3_bind_int64(statement, 1, first) }
    if let second { sqlite3_bind_int64(statement, 2, second) }
    while sqlite3_step(statement) == SQLITE_ROW {}
    guard sqlite3_reset(statement) == SQLITE_OK else { throw WrongResult(String(cString: sqlite3_errmsg(handle))) }
  }

  /// All rows of a query as entities, by hand.
  func items(_ statement: OpaquePointer) -> [BenchItem] {
    var items: [BenchItem] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      items.append(
        BenchItem(
          id: sqlite3_column_int64(statement, 0), section: text(statement, 1), title: text(statement, 2),
          done: sqlite3_column_int64(statement, 3) != 0, position: sqlite3_column_int64(statement, 4)))
    }
    sqlite3_reset(statement)
    return items
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    String(
      decoding: UnsafeBufferPointer(
        start: sqlite3_column_text(statement, column), count: Int(sqlite3_column_bytes(statement, column))),
      as: UTF8.self)
  }
}

/// When an update came, and a wait for it.
private final class Arrival: Sendable {
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

// MARK: The measurements

/// Microseconds from before a write to its update, less those of the raw write.
private func updateLatency(_ context: BenchContext, rows: Int, isJoined: Bool = false) throws -> Double {
  let setting = try Setting(rows: rows)
  let request =
    isJoined
    ? FetchRequest<BenchItem>(
      from: "item JOIN note ON note.item = item.id", sectionBy: "item.section", orderBy: ["note.text", "item.position"])
    : BenchItem.request()
  let controller = try setting.controller(request)
  let arrival = Arrival()
  let observation = controller.observe { _ in arrival.arrived() }
  defer { observation.cancel() }
  let begin = try setting.raw.prepare("BEGIN IMMEDIATE")
  let commit = try setting.raw.prepare("COMMIT")
  let table = isJoined ? "note SET text = 'note ' ||" : "item SET position ="
  let update = try setting.raw.prepare("UPDATE \(table) ?1 WHERE id = ?2")
  defer { for statement in [begin, commit, update] { sqlite3_finalize(statement) } }
  var random = SystemRandomNumberGenerator()
  var moved: Set<Int64> = []
  var ours: [Double] = []
  var byHand: [Double] = []
  let times = 300
  for round in 0..<times + 50 {
    var id = Int64.random(in: 1...Int64(rows), using: &random)
    // In the join a row goes behind the others of its section; one that is there already could stay, and tell nothing.
    while isJoined, id * 1_048_573 % 1_000_003 > 500_000 || !moved.insert(id).inserted {
      id = Int64.random(in: 1...Int64(rows), using: &random)
    }
    let place = Int64.random(in: 0..<1_000_003, using: &random)
    let started = monotonicNanoseconds()
    try setting.raw.run(begin)
    try setting.raw.run(update, place, id)
    try setting.raw.run(commit)
    let done = monotonicNanoseconds()
    let before = monotonicNanoseconds()
    try setting.database.write { c in
      if isJoined {
        try c.execute("UPDATE note SET text = 'note ' || \(place) WHERE id = \(id)")
      } else {
        try c.execute("UPDATE item SET position = \(place) WHERE id = \(id)")
      }
    }
    let after = try arrival.wait()
    if round >= 50 {
      byHand.append(Double(done - started) / 1000)
      ours.append(Double(after - before) / 1000)
    }
  }
  try context.check(
    controller.statistics.requeried == 0, "the query was run as a whole: \(controller.statistics.reasons)")
  if !isJoined { try setting.check(controller) }
  return BenchContext.median(ours) - BenchContext.median(byHand)
}

private func writesOverhead(_ context: BenchContext) throws -> Figure {
  let setting = try Setting(rows: 100_000)
  var random = SystemRandomNumberGenerator()
  func writes() throws {
    for _ in 0..<1000 {
      let id = Int64.random(in: 1...100_000, using: &random)
      let place = Int64.random(in: 0..<1_000_003, using: &random)
      try setting.database.write { c in try c.execute("UPDATE item SET position = \(place) WHERE id = \(id)") }
    }
  }
  var ratios: [Double] = []
  for round in 0...context.rounds {
    try setting.database.checkpoint()
    let controller = try setting.controller()
    let subject = try BenchContext.seconds {
      try writes()
      try wait { try await controller.settled() }
    }
    try setting.check(controller)
    controller.stop()
    try setting.database.checkpoint()
    let baseline = try BenchContext.seconds(writes)
    if round > 0 { ratios.append(subject / baseline) }
  }
  return .ratio(BenchContext.median(ratios))
}

private func bulk(_ context: BenchContext) throws -> Figure {
  let setting = try Setting(rows: 100_000)
  let controller = try setting.controller()
  let arrival = Arrival()
  let observation = controller.observe { _ in arrival.arrived() }
  defer { observation.cancel() }
  let query = try setting.raw.prepare("SELECT * FROM item ORDER BY section, position, id")
  defer { sqlite3_finalize(query) }
  var ratios: [Double] = []
  for round in 0...context.rounds {
    // From the commit on: the transaction itself is the writer's own work, with us or without.
    var committed: UInt64 = 0
    try setting.database.write { c in
      try c.execute("UPDATE item SET position = (position * 7 + 13) % 1000003 WHERE id % 10 = \(round % 10)")
      committed = monotonicNanoseconds()
    }
    let subject = Double(try arrival.wait() - committed)
    var count = 0
    let baseline = BenchContext.seconds { count = setting.raw.items(query).count }
    try context.check(count == 100_000, "\(count) rows by hand")
    if round > 0 { ratios.append(subject / (baseline * 1e9)) }
  }
  try setting.check(controller)
  return .ratio(BenchContext.median(ratios))
}

private func fetch(_ context: BenchContext) throws -> Figure {
  let setting = try Setting(rows: 1_000_000)
  let query = try setting.raw.prepare("SELECT * FROM item ORDER BY section, position, id")
  defer { sqlite3_finalize(query) }
  return try context.ratio {
    let controller = FetchedResultsController(fetchRequest: BenchItem.request(), database: setting.database)
    try controller.performFetch()
    try context.check(controller.snapshot.numberOfItems == 1_000_000, "not all rows were fetched")
  } baseline: {
    try context.check(setting.raw.items(query).count == 1_000_000, "not all rows were read")
  }
}

private func requery(_ context: BenchContext) throws -> Figure {
  let setting = try Setting(rows: 100_000)
  let sql = "SELECT DISTINCT id, section, title, done, position FROM item"
  let controller = try setting.controller(
    FetchRequest(sql: SQL(raw: sql), sectionBy: "section", orderBy: ["position"]))
  let arrival = Arrival()
  let observation = controller.observe { _ in arrival.arrived() }
  defer { observation.cancel() }
  let query = try setting.raw.prepare("SELECT * FROM (\(sql)) ORDER BY section, position, id")
  defer { sqlite3_finalize(query) }
  var ratios: [Double] = []
  var random = SystemRandomNumberGenerator()
  for round in 0...context.rounds * 2 {
    let id = Int64.random(in: 1...100_000, using: &random)
    let before = monotonicNanoseconds()
    try setting.database.write { c in try c.execute("UPDATE item SET position = position + 1000003 WHERE id = \(id)") }
    let subject = Double(try arrival.wait() - before)
    var count = 0
    let baseline = BenchContext.seconds { count = setting.raw.items(query).count }
    try context.check(count == 100_000, "\(count) rows by hand")
    if round > 0 { ratios.append(subject / (baseline * 1e9)) }
  }
  try context.check(controller.statistics.incremental == 0, "the request was followed row by row")
  try setting.check(controller)
  return .ratio(BenchContext.median(ratios))
}

private func many(_ context: BenchContext) throws -> Figure {
  let setting = try Setting(rows: 10_000)
  let arrivals = DispatchGroup()
  var controllers: [FetchedResultsController<BenchItem>] = []
  var observations: [ResultsObservation] = []
  for number in 0..<100 {
    let controller = try setting.controller(
      FetchRequest(where: "position >= \(-number)", sectionBy: "section", orderBy: ["position"]))
    controllers.append(controller)
    observations.append(controller.observe { _ in arrivals.leave() })
  }
  var random = SystemRandomNumberGenerator()
  var times: [Double] = []
  for round in 0..<60 {
    let id = Int64.random(in: 1...10_000, using: &random)
    for _ in controllers { arrivals.enter() }
    let before = monotonicNanoseconds()
    try setting.database.write { c in
      try c.execute("UPDATE item SET position = position + 1000003 WHERE id = \(id)")
    }
    guard arrivals.wait(timeout: .now() + .seconds(30)) == .success else { throw WrongResult("not all updates came") }
    if round >= 10 { times.append(Double(monotonicNanoseconds() - before) / 1000) }
  }
  for controller in [controllers[0], controllers[99]] { try setting.check(controller) }
  withExtendedLifetime(observations) {}
  return .microseconds(BenchContext.median(times))
}

private func slowFallback(_ context: BenchContext) throws -> Figure {
  let setting = try Setting(rows: 1000)
  try setting.database.addFunction("slow", arguments: 1, isDeterministic: true) { values in
    let end = monotonicNanoseconds() + 300_000  // 1,000 rows: 300 ms a query
    while monotonicNanoseconds() < end {}
    return values[0]
  }
  var random = SystemRandomNumberGenerator()
  func latency() throws -> Double {
    var times: [Double] = []
    for _ in 0..<60 {
      let id = Int64.random(in: 1...1000, using: &random)
      times.append(
        try BenchContext.seconds {
          _ = try setting.database.write { c in
            try c.execute("UPDATE item SET position = position + 1 WHERE id = \(id)")
          }
        })
      usleep(5000)
    }
    return BenchContext.median(times)
  }
  var ratios: [Double] = []
  for round in 0...max(2, context.rounds / 2) {
    let baseline = try latency()
    let controller = try setting.controller(
      FetchRequest(
        sql: "SELECT DISTINCT id, section, title, done, slow(position) AS position FROM item", sectionBy: "section",
        orderBy: ["position"]))
    let subject = try latency()
    try wait { try await controller.settled() }
    try context.check(controller.statistics.requeried > 0, "nothing was run again")
    controller.stop()
    if round > 0 { ratios.append(subject / baseline) }
  }
  return .ratio(BenchContext.median(ratios))
}
