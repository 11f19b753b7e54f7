import DataSourcesTestSupport
import FixtureSupport
import Foundation
import TestSupport
import Testing

@testable import FetchedResults

/// Others write while controllers follow: another connection on another thread, and another process.
@Suite struct OracleForeignTests {
  private static func rounds(_ usual: Int) -> Int { OracleRun.comparisons / OracleRun.usual * usual }

  private static func setup(_ dice: inout SeededGenerator, hasHistory: Bool) -> OracleSetup {
    var setup = OracleSetup(&dice)
    setup.isFile = true
    setup.encoding = "UTF-8"
    setup.hasForeigner = true
    setup.hasHistory = hasHistory
    // Rows can exchange their ids where these are not the keys that commits name.
    if dice.once(in: 2) { setup.item = dice.pick(.descending, .text, .uuid, .nocaseText) }
    return setup
  }

  /// Two rows get each other's ids.
  private static func exchange(_ world: OracleWorld, _ dice: inout SeededGenerator) -> [String] {
    let (one, other) = (world.itemID(&dice), world.itemID(&dice))
    let free = world.setup.item.isNumber ? "-1" : "'free'"
    return [(free, one), (one, other), (other, free)].map { "UPDATE item SET id = \($0) WHERE id = \($1)" }
  }

  private static func watches(_ world: OracleWorld, _ dice: inout SeededGenerator) -> [any OracleWatching] {
    var watches: [any OracleWatching] = []
    for _ in 0..<2 {
      watches.append(OracleWatch<Record<ItemTable>>(.items(world.setup, &dice), world.database))
      watches.append(OracleWatch<Opaque<ItemTable>>(.items(world.setup, &dice), world.database))
    }
    return watches
  }

  /// Compares after all writers have ended.
  private static func checkAll(_ watches: [any OracleWatching], _ seed: UInt64, _ world: OracleWorld) async -> Bool {
    for watch in watches {
      do {
        try await watch.check(isOneCommit: false)
      } catch {
        if OracleRun.isDamaged(world.database, seed) { return false }
        Issue.record("\(seed) in \(world.setup)\n\(watch.name)\n\(error)\n\(watch.statistics)")
        return false
      }
    }
    return true
  }

  @Test(arguments: [false, true]) func `another connection writes at every point`(hasHistory: Bool) async throws {
    rounds: for round in 0..<Self.rounds(3) {
      let seed = OracleRun.seed ?? UInt64(round)
      var dice = SeededGenerator(seed: seed)
      let setup = Self.setup(&dice, hasHistory: hasHistory)
      let world = try OracleWorld(setup, &dice)
      let watches = Self.watches(world, &dice)
      guard await Self.checkAll(watches, seed, world) else { continue }
      for _ in 0..<6 {
        var theirs: [[String]] = []
        var ours: [[String]] = []
        for _ in 0..<12 {
          theirs.append(Self.transaction(world, &dice))
          ours.append(world.statements(&dice))
        }
        let raw = try RawDatabase(path: try #require(world.database.path))
        let writer = Writer(raw, theirs)
        writer.start()
        for statements in ours {
          try Self.write(statements, world.database)
        }
        writer.wait()
        guard await Self.checkAll(watches, seed, world) else { continue rounds }
      }
      if OracleRun.seed != nil { return }
    }
  }

  /// Transactions of another connection, one after another on a thread of their own.
  private final class Writer: @unchecked Sendable {  // because what it holds is used by its thread alone
    private let raw: RawDatabase
    private let transactions: [[String]]
    private let done = DispatchSemaphore(value: 0)

    init(_ raw: RawDatabase, _ transactions: [[String]]) {
      self.raw = raw
      self.transactions = transactions
    }

    func start() {
      Thread.detachNewThread { [self] in
        for transaction in transactions {
          for statement in transaction { try? raw.execute(statement) }
          // A COMMIT that a deferred foreign key has failed leaves the transaction open, and us locked out.
          try? raw.execute("ROLLBACK")
        }
        done.signal()
      }
    }

    func wait() { done.wait() }
  }

  @Test(arguments: [false, true]) func `another connection commits just before a list is read`(
    hasHistory: Bool
  ) async throws {
    rounds: for round in 0..<Self.rounds(3) {
      let seed = OracleRun.seed ?? UInt64(round)
      var dice = SeededGenerator(seed: seed)
      let setup = Self.setup(&dice, hasHistory: hasHistory)
      let world = try OracleWorld(setup, &dice)
      let intruder = Intruder(try RawDatabase(path: try #require(world.database.path)))
      let live = Interrupted.Live(Interrupted(world.database, after: { intruder.commit() }))
      let watches: [any OracleWatching] = [
        OracleWatch<Record<ItemTable>>(.items(world.setup, &dice), world.database, live: live),
        OracleWatch<Opaque<ItemTable>>(.items(world.setup, &dice), world.database, live: live),
      ]
      guard await Self.checkAll(watches, seed, world) else { continue rounds }
      for _ in 0..<40 {
        intruder.prepare(Self.transaction(world, &dice))
        try Self.write(world.statements(&dice), world.database)
        // Until then the other connection commits.
        for watch in watches { try await watch.settle() }
        guard await Self.checkAll(watches, seed, world) else { continue rounds }
      }
      if OracleRun.seed != nil { return }
    }
  }

  /// Commits as another connection when it is asked to.
  private final class Intruder: Sendable {
    private let lock = NSLock()
    // because every access is under `lock`
    nonisolated(unsafe) private let raw: RawDatabase
    nonisolated(unsafe) private var transaction: [String] = []

    init(_ raw: RawDatabase) { self.raw = raw }

    func prepare(_ transaction: [String]) { lock.withLock { self.transaction = transaction } }

    /// Commits what was prepared, once.
    func commit() {
      lock.withLock {
        if transaction.isEmpty { return }
        for statement in transaction { try? raw.execute(statement) }
        try? raw.execute("ROLLBACK")
        transaction = []
      }
    }
  }

  private static func write(_ statements: [String], _ database: Database) throws {
    do {
      try database.write { c in for sql in statements { _ = try? c.execute(SQL(raw: sql)) } }
    } catch let error as DatabaseError where error.code == .constraint {}
  }

  private static func transaction(_ world: OracleWorld, _ dice: inout SeededGenerator) -> [String] {
    var all = ["BEGIN IMMEDIATE"]
    for _ in 0..<dice.pick(1, 1, 2, 4) { all += world.statements(&dice) }
    if dice.once(in: 3) { all += exchange(world, &dice) }
    return all + [dice.once(in: 6) ? "ROLLBACK" : "COMMIT"]
  }

  // Its own name, as the environment is everybody's.
  private static let variable = "ORACLE_FOREIGN_PROCESS"

  @Test func `another process writes at every point`() async throws {
    let seed = OracleRun.seed ?? 1
    var dice = SeededGenerator(seed: seed)
    var setup = Self.setup(&dice, hasHistory: true)
    setup.item = .number
    setup.list = .number
    setup.isIndexed = true
    let world = try OracleWorld(setup, &dice)
    let from = "item LEFT JOIN list ON list.id = item.list"
    var sectioned = EvaluationTests.pieces(from, order: ["item.title"])
    sectioned.sections = .init(
      value: "list.id", equality: .binary, orderedBy: [.init(expression: "list.position")], name: "list.name",
      including: "SELECT id, name, position FROM list", includedColumns: 3)
    let watches: [any OracleWatching] = [
      OracleWatch<Record<ItemTable>>(sectioned, world.database),
      OracleWatch<Opaque<ItemTable>>(
        EvaluationTests.pieces(where: "NOT done", order: ["title"], limit: 4), world.database),
      OracleWatch<MappedItem>(
        EvaluationTests.pieces("item JOIN list ON list.id = item.list", order: ["list.name"]), world.database),
    ]
    guard await Self.checkAll(watches, seed, world) else { return }
    setenv(Self.variable, try #require(world.database.path), 1)
    let isOver = Shared(false)
    let process = Task {
      await #expect(processExitsWith: .success) {
        let path = ProcessInfo.processInfo.environment["ORACLE_FOREIGN_PROCESS"] ?? ""
        let raw = try RawDatabase(path: path)
        var dice = SeededGenerator(seed: 77)
        for number in 0..<300 {
          let id = dice.below(14) + 1
          let list = dice.below(5) + 1
          for sql in [
            "BEGIN IMMEDIATE", "INSERT OR IGNORE INTO item(id, list, title) VALUES (\(id), \(list), 't\(number)')",
            "UPDATE item SET title = 'u\(number % 7)', list = \(list), done = 1 - done WHERE id = \(id)",
            "INSERT OR REPLACE INTO list VALUES (\(list), 'n\(number % 3)', \(number % 5), NULL)", "COMMIT",
            "DELETE FROM item WHERE id = \(dice.below(28) + 1)", "DELETE FROM list WHERE id = \(dice.below(20))",
          ] {
            do {
              try raw.execute(sql)
            } catch let failure as RawDatabase.Failure where failure.code & 0xFF == 5 {
              try raw.execute("ROLLBACK")
            }
          }
        }
      }
      isOver.change { $0 = true }
    }
    while !isOver.value || !watches.allSatisfy({ $0.statistics.incremental > 10 }) {
      let statements = world.statements(&dice)
      try Self.write(statements, world.database)
      for watch in watches { try await watch.settle() }
    }
    await process.value
    _ = await Self.checkAll(watches, seed, world)
  }
}
