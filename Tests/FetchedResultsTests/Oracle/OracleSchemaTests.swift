import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

/// Random schemas: every form of key and constraint, and everything that others do to a file.
@Suite struct OracleSchemaTests {
  private static let count = Shared(0)
  private static let evaluations = Shared((incremental: 0, requeried: 0))

  @Test(arguments: 0..<OracleRun.lanes) func `lists and observers follow tables of every schema`(lane: Int) async throws
  {
    if let seed = OracleRun.seed {
      if lane == 0 { try await Self.run(seed, lane) }
      return
    }
    var made = 0
    var seed = UInt64(lane)
    while made < OracleRun.schemaComparisons / OracleRun.lanes {
      made += try await Self.run(seed, lane)
      seed += UInt64(OracleRun.lanes)
    }
    let evaluations = Self.evaluations.value
    print(
      "oracle: \(Self.count.value) comparisons in random schemas; evaluations: \(evaluations.incremental) incremental, "
        + "\(evaluations.requeried) whole")
  }

  /// One database, some lists, and transactions one after another. Returns how many comparisons were made.
  @discardableResult private static func run(_ seed: UInt64, _ lane: Int) async throws -> Int {
    OracleRun.note(seed, lane: lane)
    var dice = SeededGenerator(seed: seed ^ 0x5C4E_3A00)
    let setup = OracleSchemaSetup(&dice)
    if OracleRun.isVerbose { print("oracle: \(setup)") }
    let world = try OracleSchemaWorld(setup, &dice)
    let run = OracleSchemaRun(seed, world)
    run.begin(&dice)
    var comparisons = 0
    defer {
      count.change { $0 += comparisons }
      evaluations.change { all in
        for watch in run.watches {
          all.incremental += watch.statistics.incremental
          all.requeried += watch.statistics.requeried
        }
      }
    }
    func checkAll(isOneCommit: Bool) async -> Bool {
      do {
        comparisons += try await run.checkAll(isOneCommit: isOneCommit)
        return true
      } catch {
        let all = count.value + comparisons
        Issue.record("\(run.report(error))\nafter \(all) comparisons of all lanes")
        return false
      }
    }
    do {
      let refusal = OracleRefusal(&dice)
      if dice.once(in: 3) { try await refusal.check(world.database) }
    } catch {
      Issue.record("\(run.report(error))\nafter \(count.value + comparisons) comparisons of all lanes")
    }
    guard await checkAll(isOneCommit: true) else { return max(1, comparisons) }
    var isBurst = false
    // Many small worlds rather than few that are followed for long: what differs between worlds is what finds most.
    for _ in 0..<(setup.has(.sections) ? 8 : 16) {
      do {
        isBurst = try await run.perform(&dice) || isBurst
      } catch {
        Issue.record("\(run.report(error))\nafter \(count.value + comparisons) comparisons of all lanes")
        return max(1, comparisons)
      }
      if dice.once(in: 6) {
        isBurst = true
        continue
      }
      defer { isBurst = false }
      guard await checkAll(isOneCommit: !isBurst) else { return max(1, comparisons) }
    }
    return max(1, comparisons)
  }
}

/// The lists and observers of one database, and what has happened to it.
final class OracleSchemaRun {
  private let seed: UInt64
  private let world: OracleSchemaWorld
  private(set) var watches: [any OracleWatching] = []
  private let observers: OracleObservers
  private var log = ["performFetch"]
  private var failing = ""

  private let suite: String

  init(_ seed: UInt64, _ world: OracleSchemaWorld, _ suite: String = "OracleSchemaTests") {
    self.seed = seed
    self.suite = suite
    self.world = world
    observers = OracleObservers(world.database)
  }

  func begin(_ dice: inout SeededGenerator) {
    // With a list alone, with an observer alone, and with both: what one of them sets up serves the other.
    let count = world.setup.has(.sections) ? 2 : dice.pick(0, 1, 2, 3)
    for _ in 0..<count { watches.append(Self.watch(world, &dice)) }
    if count == 0 || dice.below(3) > 0 { observers.add(dice.once(in: 2) ? world.tables : [dice.pick(world.tables)]) }
    if OracleRun.isVerbose {
      for (number, watch) in watches.enumerated() { print("oracle: \(number): \(watch.name)") }
    }
  }

  /// Returns whether it may have been more than one commit.
  func perform(_ dice: inout SeededGenerator) async throws -> Bool {
    let step = OracleSchemaStep(world, &dice)
    log.append(step.description)
    failing = ""
    if OracleRun.isVerbose { print("oracle: step \(log.count - 1): \(step.description)") }
    if step.isWhileNobodyFollows {
      watches = []
      observers.removeAll()
      _ = try await step.perform(world, observers)
      begin(&dice)
      return true
    }
    let isOneCommit = try await step.perform(world, observers)
    if dice.once(in: 12), !watches.isEmpty {
      let number = dice.below(watches.count)
      let request = watches[number].swap(&dice)
      log.append("controller \(number) is set to \(request ?? "nothing")")
      return true
    }
    if dice.once(in: 20) {
      if !watches.isEmpty { watches.remove(at: dice.below(watches.count)) }
      watches.append(Self.watch(world, &dice))
      log.append("a controller comes: \(watches[watches.count - 1].name)")
      return true
    }
    return !isOneCommit
  }

  func checkAll(isOneCommit: Bool) async throws -> Int {
    var comparisons = 0
    for (number, watch) in watches.enumerated() {
      failing = "controller \(number): \(watch.name)\n\(watch.statistics)"
      try await watch.check(isOneCommit: isOneCommit)
      comparisons += 1
    }
    failing = "the observers"
    try observers.check()
    return comparisons + 1
  }

  func report(_ error: any Error) -> String {
    """
    replay with SEED=\(seed) Scripts/test --filter \(suite), after \(log.count - 1) steps, in \(world.setup)
    \(failing)
    \(log.suffix(4).joined(separator: "\n"))
    \(error)
    """
  }

  private static func watch(_ world: OracleSchemaWorld, _ dice: inout SeededGenerator) -> any OracleWatching {
    let setup = world.setup
    let database = world.database
    func things(_ dice: inout SeededGenerator) -> OracleSpec { .things(setup, &dice) }
    func statement(_ dice: inout SeededGenerator) -> OracleSpec { .thingStatement(setup, &dice) }
    switch dice.below(10) {
    case 0, 1, 2: return OracleWatch<Record<ThingTable>>(things(&dice), database, another: things)
    case 3, 4: return OracleWatch<Opaque<ThingTable>>(things(&dice), database, another: things)
    case 5, 6: return OracleWatch<Record<ThingTable>>(statement(&dice), database, another: statement)
    case 7: return OracleWatch<Opaque<ThingTable>>(statement(&dice), database, another: statement)
    case 8:
      let spec = OracleSpec.rows(of: setup.kind, &dice)
      return setup.kindName == "kind"
        ? OracleWatch<Record<KindTable>>(spec, database) : OracleWatch<Record<ComposedTable>>(spec, database)
    default:
      let spec = OracleSpec.rows(of: setup.extra, &dice)
      return setup.extraName == "extra"
        ? OracleWatch<Record<ExtraTable>>(spec, database) : OracleWatch<Opaque<DecomposedTable>>(spec, database)
    }
  }
}
