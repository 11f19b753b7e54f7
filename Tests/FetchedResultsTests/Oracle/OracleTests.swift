import CFetchedResultsSQLite
import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

@Suite struct OracleTests {
  private static let count = Shared(0)
  private static let evaluations = Shared((incremental: 0, requeried: 0))

  @Test(arguments: 0..<OracleRun.lanes) func `lists are what a fresh query gives, after every commit`(lane: Int)
    async throws
  {
    if let seed = OracleRun.seed {
      if lane == 0 { try await Self.run(seed, lane) }
      return
    }
    var made = 0
    var seed = UInt64(lane)
    while made < OracleRun.comparisons / OracleRun.lanes {
      let more = try await Self.run(seed, lane)
      made += more
      Self.count.change { $0 += more }
      seed += UInt64(OracleRun.lanes)
    }
    let (all, evaluations) = (Self.count.value, Self.evaluations.value)
    print(
      "oracle: \(all) comparisons; evaluations: \(evaluations.incremental) incremental, \(evaluations.requeried) whole")
  }

  /// Among the random lists, one condition of a hundred is rare.
  @Test(arguments: 1...(OracleRun.isLong ? 4 : 2) as ClosedRange<UInt64>)
  func `a list with each of the conditions is what a fresh query gives`(seed: UInt64) async throws {
    try await Self.run(seed, 0, ofEachCondition: true)
  }

  /// One database, some controllers, and transactions one after another. Returns how many comparisons were made.
  ///
  /// - Parameter ofEachCondition: Whether there is a list with each condition, in a database in which as many as
  ///   possible are followed row by row.
  @discardableResult private static func run(
    _ seed: UInt64, _ lane: Int, ofEachCondition: Bool = false
  ) async throws -> Int {
    OracleRun.note(seed, lane: lane)
    var dice = SeededGenerator(seed: seed)
    let setup = ofEachCondition ? OracleSetup(following: &dice) : OracleSetup(&dice)
    let world = try OracleWorld(setup, &dice)
    var watches: [any OracleWatching] = []
    if ofEachCondition {
      for condition in OracleSpec.itemConditions {
        let spec = OracleSpec(source: .pieces(from: nil, alias: "item", select: [], condition: condition))
        watches.append(OracleWatch<Record<ItemTable>>(spec, world.database))
      }
    } else {
      for _ in 0..<8 { watches.append(watch(world, &dice)) }
    }
    var log: [String] = ["performFetch"]
    var comparisons = 0
    var isBurst = false
    if OracleRun.isVerbose {
      print("oracle: \(setup)")
      for (number, watch) in watches.enumerated() { print("oracle: \(number): \(watch.name)") }
    }
    func checkAll(isOneCommit: Bool) async -> Bool {
      for (number, watch) in watches.enumerated() {
        do {
          try await watch.check(isOneCommit: isOneCommit)
          comparisons += 1
        } catch {
          if OracleRun.isDamaged(world.database, seed) { return false }
          Issue.record(
            """
            \(OracleRun.hint(seed)), controller \(number) after \(log.count - 1) steps, in \(setup)
            \(watch.name)
            \(log.suffix(3).joined(separator: "\n"))
            \(error)
            \(watch.statistics)
            after \(count.value + comparisons) comparisons of all lanes
            """)
          return false
        }
      }
      return true
    }
    guard await checkAll(isOneCommit: true) else { return comparisons }
    for _ in 0..<(!ofEachCondition ? 40 : OracleRun.isLong ? 60 : 30) {
      let step = OracleStep(world, &dice)
      log.append(step.description)
      if OracleRun.isVerbose { print("oracle: step \(log.count - 1): \(step.description)") }
      let isOneCommit = try step.perform(world)
      if dice.once(in: 12) {
        let number = dice.below(watches.count)
        let request = watches[number].swap(&dice)
        if request != nil { isBurst = true }
        log.append("controller \(number) is set to \(request ?? "nothing")")
      }
      if dice.once(in: 60) {
        // Refused if a row occurs twice.
        try? watches[dice.below(watches.count)].fetchAgain()
        isBurst = true
      }
      // What comes in a burst is evaluated together, or not, as it happens.
      isBurst = isBurst || !isOneCommit
      if dice.once(in: 6) {
        isBurst = true
        continue
      }
      defer { isBurst = false }
      guard await checkAll(isOneCommit: !isBurst) else { return comparisons }
    }
    if ofEachCondition {
      let incremental = watches.reduce(0) { $0 + $1.statistics.incremental }
      let requeried = watches.reduce(0) { $0 + $1.statistics.requeried }
      #expect(2 * incremental > requeried, "\(incremental) evaluations row by row, \(requeried) of the whole query")
    }
    evaluations.change { all in
      for watch in watches {
        all.incremental += watch.statistics.incremental
        all.requeried += watch.statistics.requeried
      }
    }
    return comparisons
  }

  private static func watch(_ world: OracleWorld, _ dice: inout SeededGenerator) -> any OracleWatching {
    let setup = world.setup
    if setup.hasArchive {
      switch dice.below(4) {
      case 0: return OracleWatch<Record<OldView>>(.view("old_view", setup, &dice), world.database)
      case 1: return OracleWatch<Record<ItemTable>>(.later(&dice), world.database) { .later(&$0) }
      default: break
      }
    }
    switch dice.below(17) {
    case 0, 1, 2, 3:
      return OracleWatch<Record<ItemTable>>(.items(setup, &dice), world.database) { .items(setup, &$0) }
    case 4, 5, 6:
      return OracleWatch<Opaque<ItemTable>>(.items(setup, &dice), world.database) { .items(setup, &$0) }
    case 7, 8, 9:
      func spec(_ dice: inout SeededGenerator) -> OracleSpec {
        var spec = OracleSpec.items(setup, &dice)
        if case .pieces(let from, let alias, _, let condition) = spec.source {
          spec.source = .pieces(from: from, alias: alias, select: [], condition: condition)
          spec.order.removeAll { ["size", "tags"].contains($0.expression) }
        }
        return spec
      }
      return OracleWatch<MappedItem>(spec(&dice), world.database, another: spec)
    case 10: return OracleWatch<Record<ListTable>>(.lists(setup, &dice), world.database)
    case 11: return OracleWatch<Record<ItemView>>(.view("item_view", setup, &dice), world.database)
    case 12: return OracleWatch<Record<OpenView>>(.view("open_item", setup, &dice), world.database)
    case 13:
      return dice.once(in: 2)
        ? OracleWatch<Record<NestedView>>(.view("nested_view", setup, &dice), world.database)
        : OracleWatch<Record<OddView>>(.view("odd_view", setup, &dice), world.database)
    case 14:
      return dice.once(in: 2)
        ? OracleWatch<Record<JoinedView>>(.view("joined_view", setup, &dice), world.database)
        : OracleWatch<Record<DistinctView>>(.view("distinct_view", setup, &dice), world.database)
    case 15:
      return OracleWatch<Opaque<ItemTable>>(.statement(setup, &dice), world.database) { .statement(setup, &$0) }
    default:
      return OracleWatch<Record<ItemTable>>(.statement(setup, &dice), world.database) { .statement(setup, &$0) }
    }
  }
}

/// Something that happens to the database.
struct OracleStep: CustomStringConvertible {
  enum Kind: Equatable {
    /// A transaction of ours, kept unless it fails.
    case local
    /// A transaction of ours whose closure throws.
    case thrown
    /// A transaction of ours whose commit is refused, by a hook or by a deferred foreign key.
    case vetoed, broken
    /// A transaction with savepoints, of which some are undone.
    case savepoints
    /// Another connection's, committed or not.
    case foreign, foreignRolledBack
    /// The schema, by us or by another connection.
    case schema, foreignSchema
    case vacuum, foreignVacuum
    /// Two connections in turn, without a look in between.
    case both
    case history
    /// Another file is attached under the name of one.
    case reattached
  }

  var kind: Kind
  var statements: [String] = []
  /// For each statement, whether it is in a savepoint that is undone.
  var isUndone: [Bool] = []

  init(_ world: OracleWorld, _ dice: inout SeededGenerator) {
    switch dice.below(40) {
    case 0: kind = .thrown
    case 1: kind = .vetoed
    case 2: kind = .broken
    case 3, 4, 5: kind = .savepoints
    case 6...13 where world.foreigner != nil: kind = .foreign
    case 14 where world.foreigner != nil: kind = .foreignRolledBack
    case 15 where world.foreigner != nil: kind = .both
    case 17 where !world.setup.keepsSchema: kind = .schema
    case 18 where world.foreigner != nil && !world.setup.keepsSchema: kind = .foreignSchema
    case 19: kind = dice.once(in: 3) ? .vacuum : .local
    case 20 where world.foreigner != nil: kind = dice.once(in: 3) ? .foreignVacuum : .foreign
    case 21 where world.setup.hasHistory: kind = .history
    case 22 where world.setup.hasArchive, 23 where world.setup.hasArchive: kind = .reattached
    default: kind = .local
    }
    if kind == .schema || kind == .foreignSchema {
      statements = world.schemaChange(&dice)
    } else if ![.vacuum, .foreignVacuum, .history, .reattached].contains(kind) {
      for _ in 0..<dice.pick(1, 1, 1, 2, 3, 5) { statements += world.statements(&dice) }
    }
    if kind == .local, world.setup.isKeptFull, dice.once(in: 4) { statements += world.refill(&dice) }
    if kind == .broken { statements.append("INSERT INTO tag(item, name) VALUES ('nobody', 'x')") }
    isUndone = statements.map { _ in kind == .savepoints && dice.once(in: 2) }
    if !world.setup.keepsSchema, [.thrown, .broken, .savepoints].contains(kind), dice.once(in: 3) {
      // A change of the schema that is undone, and perhaps one that isn't, which reaches the same version.
      let undone = world.schemaChange(&dice)
      let kept = dice.once(in: 2) ? world.schemaChange(&dice) : []
      statements = undone + statements + kept
      isUndone = undone.map { _ in kind == .savepoints } + isUndone + kept.map { _ in false }
    }
  }

  var description: String {
    "\(kind): "
      + statements.indices.map { (isUndone[$0] ? "(undone) " : "") + statements[$0] }.joined(separator: "; ")
  }

  private struct Abandoned: Error {}

  /// Does it. Returns whether it was one commit at most.
  func perform(_ world: OracleWorld) throws -> Bool {
    switch kind {
    case .local, .schema, .savepoints, .broken: try local(world, statements[...])
    case .thrown:
      do {
        try world.database.write { c in
          run(statements[...], c)
          throw Abandoned()
        }
      } catch is Abandoned {} catch is DatabaseError {}
    case .vetoed:
      do {
        try world.database.write { c in
          run(statements[...], c)
          sqlite3_commit_hook(c.rawHandle, { _ in 1 }, nil)
        }
      } catch is DatabaseError {}
      // The first commit is still refused.
      do {
        try world.database.write { c in _ = sqlite3_commit_hook(c.rawHandle, nil, nil) }
      } catch is DatabaseError {}
    case .foreign, .foreignSchema: foreign(world, statements[...], "COMMIT")
    case .foreignRolledBack: foreign(world, statements[...], "ROLLBACK")
    case .both:
      let middle = statements.count / 2
      foreign(world, statements[..<middle], "COMMIT")
      try local(world, statements[middle...])
      foreign(world, statements[..<middle], "COMMIT")
      return false
    case .vacuum: try world.database.vacuum()
    case .foreignVacuum: try? world.foreigner?.execute("VACUUM")
    case .history:
      if statements.isEmpty { try world.database.recordHistory(of: OracleWorld.tables) }
    case .reattached:
      try world.exchangeArchives()
      return false
    }
    return true
  }

  private func local(_ world: OracleWorld, _ statements: ArraySlice<String>) throws {
    do {
      try world.database.write { c in run(statements, c) }
    } catch is DatabaseError {}
  }

  private func run(_ statements: ArraySlice<String>, _ c: Connection) {
    for index in statements.indices {
      let sql = SQL(raw: statements[index])
      if isUndone[index] {
        _ = try? c.savepoint {
          try c.execute(sql)
          throw Abandoned()
        }
      } else {
        // What is refused undoes itself, or with OR FAIL stays as far as it came.
        _ = try? c.execute(sql)
      }
    }
  }

  private func foreign(_ world: OracleWorld, _ statements: ArraySlice<String>, _ end: String) {
    guard let raw = world.foreigner else { return }
    guard (try? raw.execute("BEGIN IMMEDIATE")) != nil else { return }
    for statement in statements { try? raw.execute(statement) }
    try? raw.execute(end)
  }
}
