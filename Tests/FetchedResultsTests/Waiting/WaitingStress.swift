import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import TestSupport

/// A database with lists, observers and threads that do at random whatever waits.
// because what changes is in a SharedValue
final class StressWorld: @unchecked Sendable {
  struct Thing: MappedEntity, Equatable {
    static let table = "thing"
    static let mapping = Mapping(Thing.init, ("id", \.id), ("title", \.title))
    var id: Int64
    var title: String?
  }

  /// A row that fetches a list in its deinit.
  final class Ending: Entity, Sendable {
    static let table = "thing"
    static let action = SharedValue<(@Sendable () -> Void)?>(nil)
    let id: Int64
    init(row: Row) throws { id = try row["id"] }
    deinit { Self.action.value?() }
  }

  typealias List = FetchedResultsController<Thing>

  /// Longer than any wait that the rules allow, so that a call that waits for it is detected.
  static let hold: Double = 4
  /// The limit for calls that end at once: those that were cancelled, and those that would wait for themselves.
  static let atOnce = Duration.seconds(2)
  /// What may wait for the timeout of a busy database, in a queue that moves.
  private var patient: Duration { isPatient ? .seconds(60) : .seconds(3) }
  /// What may wait for a list besides.
  var long: Duration { isPatient ? .seconds(60) : .seconds(8) }

  let watchdog = Watchdog()
  let database: Database
  let options: Database.Options
  let path: String
  private let isCrowd: Bool
  /// Whether the timeout is longer than anything that is in the way: only what is called off ends early then.
  private let isPatient: Bool
  let lists = SharedValue<[List]>([])
  /// What keeps the lists' observers.
  let kept = SharedValue<[ObservationToken]>([])
  private let observations = SharedValue<[ObservationToken]>([])
  private let running = SharedValue(0)
  let isEnding = SharedValue(false)
  private let log = SharedValue<[String]>([])

  init(_ dice: inout SeededGenerator) throws {
    var options = Database.Options()
    options.durability = .normal
    isPatient = dice.once(in: 3)
    options.busyTimeout = isPatient ? .seconds(20) : .milliseconds(300)
    options.maximumReaders = 1 + dice.below(3)
    options.journal = dice.once(in: 4) ? .delete : .wal
    options.capture = dice.pick(.preupdateHook, .triggers)
    self.options = options
    isCrowd = dice.once(in: 3)
    path = try TemporaryFolder.make() + "/stress.db"
    database = try Database(path: path, options: options)
    try database.write {
      try $0.executeScript(
        "CREATE TABLE thing(id INTEGER PRIMARY KEY, title); CREATE TABLE other(x); INSERT INTO thing VALUES (1, 'a'), (2, 'b')"
      )
    }
  }

  /// Everything that is running, for a report.
  var description: String {
    "journal \(options.journal), \(options.maximumReaders) readers, timeout \(options.busyTimeout), capture \(options.capture)\(isCrowd ? ", a crowd" : "")\n"
      + log.value.suffix(30).joined(separator: "\n")
  }

  // MARK: The programs

  /// Runs `steps` actions on each of several threads, and waits until all are done, or one has taken too long.
  func run(actors: Int, steps: Int, _ dice: inout SeededGenerator) {
    if dice.once(in: 2) { addStuckObserver() }
    if isCrowd { addFailingCrowd() }
    for number in 0..<actors {
      running.change { $0 += 1 }
      let seed = dice.next()
      Thread.detachNewThread { [self] in
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<steps where watchdog.overdue == nil { perform(number, &dice) }
        running.change { $0 -= 1 }
      }
    }
    while running.value > 0, watchdog.overdue == nil { usleep(5000) }
  }

  private enum Step {
    case write, asynchronousWrite, asynchronousRead, endless, holdReader, holdWriter
    case makeList, dropList, settle, fetch, reload, changeRequest, ending
    case endlessRequest, fetchCrosswise, closeBesideFetches, closuresThatEnd
    case addObserver, removeObserver, temporary, maintain, breakRow, wouldWaitForItself, waitCrosswise, catchUp

    /// Each as often as it is done, about.
    static let all: [Step] = [
      .write, .write, .write, .asynchronousWrite, .asynchronousWrite, .asynchronousRead, .endless, .holdReader,
      .holdWriter,
      .makeList, .makeList, .dropList, .settle, .settle, .fetch, .reload, .changeRequest, .ending, .addObserver,
      .endlessRequest, .fetchCrosswise, .closeBesideFetches, .closuresThatEnd,
      .removeObserver, .temporary, .maintain, .breakRow, .wouldWaitForItself, .waitCrosswise, .catchUp,
    ]
  }

  private func perform(_ actor: Int, _ dice: inout SeededGenerator) {
    let step = dice.pick(Step.all)
    log.change { $0.append("\(actor): \(step)") }
    switch step {
    case .write:
      write(dice.once(in: 3) ? "DELETE FROM thing WHERE id % 7 = \(dice.below(7)) AND id > 2" : insertion(&dice))
    case .asynchronousWrite:
      let sql = insertion(&dice)
      asynchronously("an asynchronous write", &dice) {
        _ = try await $0.database.write { try $0.execute(SQL(raw: sql)) }
      }
    case .asynchronousRead:
      asynchronously("an asynchronous read", &dice) { world in
        _ = try await world.database.read { try $0.value("SELECT count(*) FROM thing", as: Int.self) }
      }
    case .endless: endless(&dice)
    case .holdReader: if dice.once(in: 3) { holdReader() }
    case .holdWriter: if dice.once(in: 3) { holdWriter() }
    case .makeList: makeList(&dice)
    case .dropList: dropList(&dice)
    case .settle:
      if let list = anyList(&dice) { asynchronously("settled", &dice, long) { _ in try await list.settled() } }
    case .fetch:
      if let list = anyList(&dice) {
        asynchronously("performFetch", &dice, long) { _ in try await list.performFetch() }
      }
    case .reload:
      if let list = anyList(&dice) {
        let source = FRCDataSource(fetchedResultsController: list)
        asynchronously("reload", &dice, long) { _ in try await source.reload() }
      }
    case .changeRequest: if let list = anyList(&dice) { list.fetchRequest = Self.request(&dice) }
    case .endlessRequest: endlessRequest(&dice)
    case .fetchCrosswise: fetchCrosswise(&dice)
    case .closeBesideFetches: closeBesideFetches(&dice)
    case .closuresThatEnd: closuresThatEnd(&dice)
    case .addObserver: addObserver(&dice)
    case .removeObserver: observations.change { if !$0.isEmpty { $0.removeFirst() } }
    case .temporary: temporary(&dice)
    case .maintain: maintain(&dice)
    case .breakRow: breakRow()
    case .wouldWaitForItself: wouldWaitForItself(&dice)
    case .waitCrosswise: if !isPatient { waitCrosswise() }
    case .ending: ending(&dice)
    case .catchUp:
      watchdog.watch("catchUp", long) { try? database.catchUp() }
    }
  }

  func insertion(_ dice: inout SeededGenerator) -> String {
    "INSERT OR REPLACE INTO thing(id, title) VALUES (\(3 + dice.below(60)), '\(dice.pick("a", "b", "c"))')"
  }

  func write(_ sql: String) {
    watchdog.watch("a write", patient) { _ = try? database.write { try $0.execute(SQL(raw: sql)) } }
  }

  /// Runs something asynchronous, and cancels it at a random moment or never.
  func asynchronously(
    _ what: String, _ dice: inout SeededGenerator, _ limit: Duration? = nil,
    _ body: @escaping @Sendable (StressWorld) async throws -> Void
  ) {
    let end = dice.once(in: 2) ? Double(dice.pick(0, 1, 5, 50, 400)) / 1000 : nil
    asynchronously(what, calledOffAfter: end, limit ?? patient, body)
  }

  func asynchronously(
    _ what: String, calledOffAfter end: Double?, _ limit: Duration,
    _ body: @escaping @Sendable (StressWorld) async throws -> Void
  ) {
    let done = DispatchSemaphore(value: 0)
    let task = Task.detached { [self] in
      do { try await body(self) } catch { look(at: error) }
      done.signal()
    }
    guard let end else { return watchdog.watch(what, limit) { done.wait() } }
    if done.wait(timeout: .now() + end) == .success { return }
    task.cancel()
    watchdog.watch("\(what) that was called off", Self.atOnce) { done.wait() }
  }

  /// A busy database is not an error here, nor is a row that can't be read. But nobody changes the schema here.
  func look(at error: any Error) {
    if "\(error)".contains("changes the schema") { watchdog.fail("the schema is thought to change: \(error)") }
  }

  private static let endless: SQL =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n WHERE x < 0"

  private func endless(_ dice: inout SeededGenerator) {
    let writes = dice.once(in: 3)
    asynchronously("an endless query", calledOffAfter: Double(dice.pick(0, 1, 20, 200)) / 1000, .seconds(1)) { world in
      if writes {
        try await world.database.write { _ = try $0.value(Self.endless, as: Int.self) }
      } else {
        _ = try await world.database.read { try $0.value(Self.endless, as: Int.self) }
      }
    }
  }

  // MARK: What is in the way

  private func holdReader() {
    _ = try? database.read { c in
      _ = try c.value("SELECT count(*) FROM thing", as: Int.self)
      Thread.sleep(forTimeInterval: Self.hold)
    }
  }

  private func holdWriter() {
    _ = try? database.write { c in
      try c.execute("INSERT INTO other VALUES (1)")
      Thread.sleep(forTimeInterval: Self.hold)
    }
  }

  private func addStuckObserver() {
    let observation = database.observe(["thing"]) { [isEnding] _ in
      while !isEnding.value { usleep(5000) }
    }
    observations.change { $0.append(observation) }
  }

  private func addObserver(_ dice: inout SeededGenerator) {
    let pause = UInt32(dice.pick(0, 200, 3000, 20_000))
    let table = dice.pick("thing", "other")
    let waitsForList = dice.once(in: 4)
    let observation = database.observe([table]) { [lists, isEnding] _ in
      if isEnding.value { return }
      usleep(pause)
      guard waitsForList, let list = lists.value.last else { return }
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        try? await list.settled()
        done.signal()
      }
      _ = done.wait(timeout: .now() + 1)
    }
    observations.change { $0.append(observation) }
  }

  /// So many failing lists, and so many waiters for them, that a thread for each would be noticed.
  private func addFailingCrowd() {
    var dice = SeededGenerator(seed: 1)
    for _ in 0..<250 {
      let list = List(fetchRequest: Self.request(&dice), database: database)
      guard (try? list.performFetch()) != nil else { continue }
      lists.change { $0.append(list) }
    }
    breakRow()
    for list in lists.value {
      Task.detached { try? await list.settled() }
      Task.detached { try? await list.performFetch() }
    }
  }

  /// For a while there is a row that can't be read, so that lists fail.
  private func breakRow() {
    write("INSERT OR REPLACE INTO thing VALUES (1000, x'FF')")
    usleep(20_000)
    write("DELETE FROM thing WHERE id = 1000")
  }

  // MARK: The database

  private func temporary(_ dice: inout SeededGenerator) {
    let choice = dice.below(5)
    watchdog.watch("something temporary", patient) {
      switch choice {
      case 0: _ = try? database.read { try $0.rows("SELECT * FROM sqlite_temp_schema") }
      case 1: _ = try? database.read { try $0.value("PRAGMA temp.user_version", as: Int.self) }
      case 2: _ = try? database.read { try $0.execute("CREATE TEMP TABLE x(y)") }
      case 3: _ = try? database.write { try $0.executeScript("CREATE TEMP TABLE IF NOT EXISTS x(y); DELETE FROM x") }
      default: _ = try? database.write { try $0.withUnsafeHandle { _ in } }
      }
    }
  }

  private func maintain(_ dice: inout SeededGenerator) {
    switch dice.below(4) {
    case 0: watchdog.watch("integrityCheck", patient) { _ = try? database.integrityCheck() as [String] }
    case 1: watchdog.watch("checkpoint", patient) { try? database.checkpoint() }
    case 2: watchdog.watch("vacuum", patient) { try? database.vacuum() }
    default: asynchronously("an asynchronous vacuum", &dice) { try await $0.database.vacuum() }
    }
  }

  /// Calls that would wait for themselves: each must be an error, at once. The enclosing call first waits for its turn.
  private func wouldWaitForItself(_ dice: inout SeededGenerator) {
    func refused(_ what: String, _ body: () throws -> Void) {
      watchdog.watch(what, Self.atOnce) {
        do {
          try body()
          watchdog.fail("\(what) was not refused")
        } catch {}
      }
    }
    switch dice.below(4) {
    case 0: _ = try? database.write { _ in refused("a write inside a write") { try database.write { _ in } } }
    case 1: _ = try? database.read { _ in refused("a checkpoint inside a read") { try database.checkpoint() } }
    case 2: _ = try? database.read { _ in refused("a close inside a read") { try database.close() } }
    default: _ = try? database.write { _ in refused("a vacuum inside a write") { try database.vacuum() } }
    }
  }

  /// An asynchronous write that waits for another one of the same database: it ends by the timeout.
  private func waitCrosswise() {
    asynchronously("a write that waits for another", calledOffAfter: nil, .seconds(4)) { world in
      try await world.database.write { _ in
        let done = DispatchSemaphore(value: 0)
        Task.detached {
          _ = try? await world.database.write { _ in }
          done.signal()
        }
        done.wait()
      }
    }
  }

  // MARK: The end

  /// Waits for everything that is still running, checks every list, and checks the load while nothing happens.
  func finish(_ dice: inout SeededGenerator) {
    isEnding.change { $0 = true }
    write("DELETE FROM thing WHERE id = 1000")
    for (number, list) in lists.value.enumerated() where watchdog.overdue == nil {
      asynchronously("settled at the end", calledOffAfter: nil, long) { _ in try await list.settled() }
      let fresh = List(fetchRequest: list.fetchRequest, database: database)
      do {
        try fresh.performFetch()
      } catch {
        return watchdog.fail("a fresh fetch failed: \(error)")
      }
      if fresh.snapshot.items.map({ $0 }) != list.snapshot.items.map({ $0 }) {
        watchdog.fail(
          "list \(number) has \(list.snapshot.items.map(\.id)), and a fresh one \(fresh.snapshot.items.map(\.id)); "
            + "its error is \(list.lastError.map { "\($0)" } ?? "none")")
      }
    }
    guard watchdog.overdue == nil else { return }
    checkIdle("lists that nobody changes")
    if dice.once(in: 2) { breakForGood() }
    let interrupts = dice.once(in: 2)
    watchdog.watch("close", long) {
      do { try database.close(interrupting: interrupts) } catch { watchdog.fail("close failed: \(error)") }
    }
    checkIdle("a closed database")
    lists.change { $0 = [] }
  }

  /// Leaves a row that can't be read, which no list may try again for ever at full speed.
  private func breakForGood() {
    write("INSERT OR REPLACE INTO thing VALUES (1000, x'FF')")
    usleep(300_000)
    checkIdle("lists that fail")
  }

  private func checkIdle(_ what: String) {
    // Running work ends meanwhile; idle threads wait for two seconds.
    for _ in 0..<10 {
      let before = Watchdog.processorSeconds
      usleep(500_000)
      if Watchdog.processorSeconds - before < 0.15 { return }
    }
    watchdog.fail("\(what): half a second of nothing costs more than 0.15 s of processor time")
  }
}
