import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import TestSupport
import Testing

/// Slow reads and writes of the user beside lists that follow, and writers that must not wait.
@Suite struct OracleLoadTests {
  private static let count = Shared(0)

  private static func note(_ seed: UInt64, _ error: any Error, _ setup: OracleSchemaSetup, _ name: String) {
    Issue.record(
      """
      replay with SEED=\(seed) Scripts/test --filter OracleLoadTests, in \(setup)
      \(name)
      \(error)
      after \(count.value) comparisons
      """)
  }

  private static func seeds(_ usual: Int) -> [UInt64] {
    if let seed = OracleRun.seed { return [seed] }
    return (0..<UInt64(OracleRun.comparisons / OracleRun.usual * usual)).map { $0 }
  }

  /// A file of few rows whose joins search by an index, as the lists that need the state before a commit do.
  private static func setup(_ dice: inout SeededGenerator) -> OracleSchemaSetup {
    var setup = OracleSchemaSetup([], &dice)
    setup.isFile = true
    setup.isIndexed = true
    for index in setup.thing.columns.indices where setup.thing.columns[index].name == "grp" {
      setup.thing.columns[index].type = "INTEGER"
    }
    return setup
  }

  /// Lists, some or all of which need the state before a commit.
  private static func watches(
    _ world: OracleSchemaWorld, _ number: Int, needOldState: Bool, _ dice: inout SeededGenerator
  ) -> [any OracleWatching] {
    let kind = world.setup.kind.quotedName
    return (0..<number).map { _ in
      let isJoin = needOldState || dice.below(3) > 0
      var spec = OracleSpec(
        source: .pieces(
          from: isJoin ? "thing LEFT JOIN \(kind) AS kind ON kind.id = thing.grp" : nil, alias: "thing", select: [],
          condition: isJoin ? dice.pick("kind.id IS NULL", "kind.pos > 1") : "NOT thing.done"))
      spec.order = [.init(expression: dice.pick("thing.name", "thing.rank"))]
      return dice.once(in: 2)
        ? OracleWatch<Record<ThingTable>>(spec, world.database) : OracleWatch<Opaque<ThingTable>>(spec, world.database)
    }
  }

  // MARK: Busy readers and writers

  @Test(.timeLimit(.minutes(OracleRun.limit))) func `lists follow beside slow reads and writes, without an error`()
    async throws
  {
    for seed in Self.seeds(3) {
      var dice = SeededGenerator(seed: seed ^ 0x10AD)
      var setup = Self.setup(&dice)
      setup.busyTimeout = .milliseconds(20)
      let world = try OracleSchemaWorld(setup, &dice)
      let watches = Self.watches(world, 4, needOldState: false, &dice)
      for _ in 0..<3 {
        // Some so slow that no reader comes back for longer than the timeout.
        let load = OracleLoad(
          world.database, readers: dice.pick(5, 5, 7), holding: dice.pick(60, 250), writes: dice.once(in: 2))
        for _ in 0..<5 { try await Self.write(world, &dice) }
        for watch in watches {
          do {
            try await watch.settle()
          } catch {
            load.stop()
            return Self.note(seed, error, setup, "settled() under load: \(watch.name)")
          }
        }
        load.stop()
        for watch in watches {
          do {
            try await watch.check(isOneCommit: false)
            Self.count.change { $0 += 1 }
          } catch {
            return Self.note(seed, error, setup, watch.name)
          }
        }
      }
    }
    print("oracle: \(Self.count.value) comparisons beside slow reads and writes")
  }

  /// A transaction that is tried until the writer is free.
  private static func write(_ world: OracleSchemaWorld, _ dice: inout SeededGenerator) async throws {
    let statements = world.statements(&dice)
    for _ in 0..<500 {
      if try commit(statements, world.database) { return }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw OracleFailure(description: "no write was let through in 500 tries")
  }

  /// One transaction; false when another one kept it out.
  private static func commit(_ statements: [String], _ database: Database) throws -> Bool {
    do {
      try database.write { c in
        // A refused statement undoes itself.
        for sql in statements { _ = try? c.execute(SQL(raw: sql)) }
      }
      return true
    } catch let error as DatabaseError where error.code == .busy {
      return false
    }
  }

  // MARK: Writers

  @Test(.timeLimit(.minutes(OracleRun.limit)))
  func `no writer waits for the lists that follow it, whatever its journal and cache`()
    async throws
  {
    for seed in Self.seeds(3) {
      var dice = SeededGenerator(seed: seed ^ 0x11AD)
      var setup = Self.setup(&dice)
      setup.journal = seed % 3 == 2 ? .wal : .delete
      setup.cachePages = dice.pick(1, 3)
      setup.busyTimeout = .milliseconds(50)
      let world = try OracleSchemaWorld(setup, &dice)
      let number = 6 + dice.below(4)
      let watches = Self.watches(world, number, needOldState: true, &dice)
      for watch in watches { try await watch.check(isOneCommit: true) }
      // If each waited for the timeout, it would be \(number) times 50 ms, every time. Whatever else the machine does,
      // the quickest of some transactions takes less than half of that.
      var quickest = Duration.seconds(100)
      for round in 0..<6 {
        var statements = ["UPDATE \(setup.kind.quotedName) SET pos = 3 - pos", Self.large]
        statements += world.statements(&dice)
        let began = ContinuousClock.now
        // Where a reader keeps it from committing, it is the user's to try again.
        guard try Self.commit(statements, world.database) else { continue }
        quickest = min(quickest, ContinuousClock.now - began)
        for watch in watches {
          do {
            try await watch.check(isOneCommit: false)
            Self.count.change { $0 += 1 }
          } catch {
            return Self.note(seed, error, setup, "round \(round): \(watch.name)")
          }
        }
      }
      if quickest > .milliseconds(25 * number) {
        let failure = OracleFailure(description: "each of 6 commits took \(quickest) or more, with \(number) lists")
        return Self.note(seed, failure, setup, "a transaction larger than the cache")
      }
    }
  }

  /// A change with more pages than the cache.
  private static let large =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO other SELECT zeroblob(400) FROM n"
}

/// Reads and writes of the user's that take their time, on threads of their own, until they are stopped.
private final class OracleLoad: Sendable {
  private let isOver = Shared(false)
  private let threads = DispatchGroup()

  init(_ database: Database, readers: Int, holding milliseconds: Int, writes: Bool) {
    for reader in 0..<readers {
      start { round in
        try database.read { c in
          _ = try c.value("SELECT count(*) FROM thing", as: Int.self)
          Thread.sleep(forTimeInterval: Double(milliseconds + (reader * 17 + round * 29) % milliseconds) / 1000)
        }
      }
    }
    guard writes else { return }
    start { round in
      try database.write { c in
        try c.execute("INSERT INTO other VALUES (\(round))")
        Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  private func start(_ body: @escaping @Sendable (Int) throws -> Void) {
    threads.enter()
    Thread.detachNewThread { [self] in
      var round = 0
      while !isOver.value {
        // Try again if all readers or the writer are busy.
        if (try? body(round)) == nil { Thread.sleep(forTimeInterval: 0.001) }
        round += 1
      }
      threads.leave()
    }
  }

  func stop() {
    isOver.change { $0 = true }
    threads.wait()
  }
}
