import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import TestSupport
import Testing

/// The oracle that counts work: what an incremental evaluation does must grow with what the commit concerned, and at
/// most with the logarithm of everything else.
///
/// It counts and never measures time. `k` is the number of changed rows plus the list's rows that depend on them before
/// and after, and `n` the number of rows. The worlds are larger than those that compare answers: with 14 rows, work in
/// proportion to all of them would not stand out.
@Suite(.timeLimit(.minutes(max(20, OracleRun.limit)))) struct OracleWorkTests {
  private static let count = Shared(0)
  private static let worst = Shared(0.0)

  /// How much the rows of an evaluation may cost SQLite, in steps of its virtual machine: if their condition is a plain
  /// one, and if it costs some 60,000 for one row as for all. An evaluation reads the changed rows and then those that
  /// come into the window. Each of these reads may cost as much as three whole queries of 110,000 and one row.
  private static let mostSteps = (plain: 300_000, costly: 2 * (3 * 110_000 + 60_000))
  private static let worstSteps = Shared((plain: 0, costly: 0))

  /// How many steps of work each of the `k` rows may take, for each doubling of `n`.
  private static let allowance = 5.0

  private static var seeds: [UInt64] {
    if let seed = OracleRun.seed { return [seed] }
    return (0..<UInt64(2 * OracleRun.comparisons / OracleRun.usual)).map { $0 }
  }

  @Test(arguments: seeds) func `the work of a commit depends on what it concerns`(seed: UInt64) async throws {
    var dice = SeededGenerator(seed: seed ^ 0x0C0D)
    let setup = OracleWorkWorld.setup(&dice)
    let world = try OracleWorld(setup, &dice)
    try await OracleWorkWorld.fill(world, &dice)
    var watches: [any OracleWatching] = []
    for _ in 0..<6 { watches.append(OracleWorkWorld.watch(world, &dice)) }
    let small = (0..<12).map { rank in
      var spec = OracleSpec(
        source: .pieces(from: nil, alias: "item", select: [], condition: "item.rank = \(rank * 4)"))
      spec.order = [.init(expression: "item.title")]
      return OracleWatch<Record<ItemTable>>(spec, world.database)
    }
    for watch in watches + small { try await watch.check(isOneCommit: true) }
    let changed = Shared(0)
    // Counted on the writer's thread, before `write` returns.
    let observation = world.database.observe(
      OracleWorld.tables, willCommit: nil,
      didCommit: { commit in
        changed.change { count in
          for case .primaryKeys(let keys) in commit.changes.values { count += keys.count }
          for case .rowIDs(let ids) in commit.changes.values { count += ids.count }
        }
      }, { _ in })
    defer { withExtendedLifetime(observation) {} }
    for step in 0..<60 {
      let before = watches.map { ($0.statistics, $0.work) }
      let readsBefore = small.map(\.work.reads)
      _ = changed.take(leaving: 0)
      let statements = dice.once(in: 4) ? world.statements(&dice) : [OracleWorkWorld.statement(world, &dice)]
      do {
        try await world.database.write { c in for sql in statements { try c.execute(SQL(raw: sql)) } }
      } catch let error as DatabaseError where error.code == .constraint {
        continue
      }
      for watch in small {
        if step % 6 == 5 { try await watch.check(isOneCommit: false) } else { try await watch.settle() }
      }
      // A row concerns the list that had it and the one that gets it.
      let reads = zip(small, readsBefore).reduce(0) { $0 + $1.0.work.reads - $1.1 }
      #expect(reads <= 2 * changed.value, "\(reads) lists read for \(changed.value) changed rows; SEED=\(seed)")
      for (number, watch) in watches.enumerated() {
        if step % 6 == 5 { try await watch.check(isOneCommit: false) } else { try await watch.settle() }
        let statistics = watch.statistics
        let isCostly = watch.name.contains(OracleWorkWorld.costlyCondition)
        let work = watch.work - before[number].1
        Self.worstSteps.change {
          if isCostly { $0.costly = max($0.costly, work.steps) } else { $0.plain = max($0.plain, work.steps) }
        }
        #expect(
          work.steps <= (isCostly ? Self.mostSteps.costly : Self.mostSteps.plain),
          "\(work.steps) steps of SQLite for \(watch.name); SEED=\(seed)")
        #expect(
          isCostly || !statistics.reasons.keys.contains { $0.contains("one by one costs more") },
          "\(watch.name): \(statistics.reasons)")
        #expect(
          !statistics.reasons.keys.contains { $0.contains("scanning") }, "\(watch.name): \(statistics.reasons)")
        guard statistics.requeried == before[number].0.requeried,
          statistics.incremental == before[number].0.incremental + 1
        else { continue }
        // `including` is any SQL, which is run as a whole when its table changes.
        if work.headers > 0 { continue }
        Self.count.change { $0 += 1 }
        // Other tables may be written by triggers and not concern the list, but not the other way round.
        #expect(work.changed <= changed.value, "\(work), of \(changed.value) changed rows")
        let concerned = work.changed + work.affected
        // Each row that comes or goes may push another one out of a window or into it.
        let rows = Double(max(1, concerned + min(work.windowRows, concerned)))
        let share = Double(work.total) / rows / log2(Double(setup.ids.items))
        Self.worst.change { $0 = max($0, share) }
        #expect(
          share <= Self.allowance,
          """
          replay with SEED=\(seed) Scripts/test --filter OracleWorkTests: list \(number), step \(step), in \(setup)
          \(watch.name)
          \(statements.joined(separator: "; "))
          \(work): \(share) for each row and doubling
          after \(Self.count.value) comparisons
          """)
      }
    }
    print(
      "oracle: the work of \(Self.count.value) evaluations counted, at most \(Self.worst.value) of \(Self.allowance), "
        + "and at most \(Self.worstSteps.value) of \(Self.mostSteps) steps of SQLite")
  }
}

/// Worlds in which work that is not in proportion stands out.
enum OracleWorkWorld {
  /// It costs as much for one row as for all.
  static let costlyCondition =
    "item.rank NOT IN (\((50..<20_000).map(String.init).joined(separator: ",")))"

  static func setup(_ dice: inout SeededGenerator) -> OracleSetup {
    var setup = OracleSetup(&dice)
    setup.isFile = true
    setup.encoding = "UTF-8"
    setup.item = dice.pick(.number, .text, .nullableText, .nullableText, .withoutRowID)
    setup.list = .number
    setup.isIndexed = true
    setup.hasForeigner = false
    setup.hasHistory = false
    setup.hasRollbackJournal = false
    setup.hasSmallCache = false
    setup.ids = (items: 1200, lists: 300, persons: 40)
    return setup
  }

  static func fill(_ world: OracleWorld, _ dice: inout SeededGenerator) async throws {
    var statements = ["PRAGMA defer_foreign_keys = 1"]
    for number in 1...world.setup.ids.persons {
      statements.append("INSERT OR IGNORE INTO person VALUES (\(number), 'P\(number)', \(number % 3))")
    }
    for number in 1...world.setup.ids.lists {
      let owner = dice.once(in: 3) ? "NULL" : "\(number % world.setup.ids.persons + 1)"
      statements.append(
        "INSERT OR IGNORE INTO list VALUES (\(number), \(dice.pick(OracleWorld.names)), \(number % 5), \(owner))")
    }
    for number in 1...world.setup.ids.items where dice.below(8) > 0 {
      let id = OracleWorld.id(world.setup.item, number, &dice)
      let list = dice.once(in: 8) ? "NULL" : world.listID(&dice)
      statements.append(
        "INSERT OR IGNORE INTO item(id, list, title, rank, done) VALUES "
          + "(\(id), \(list), \(dice.pick(OracleWorld.titles)), \(dice.below(50)), \(dice.below(3) / 2))")
    }
    for _ in 0..<300 { statements.append(world.tag(&dice)) }
    let script = statements
    try await world.database.write { c in
      for sql in script.dropFirst() {
        do { try c.execute(SQL(raw: sql)) } catch let error as DatabaseError where error.code == .constraint {}
      }
      try c.execute("DELETE FROM tag WHERE item NOT IN (SELECT id FROM item)")
    }
  }

  /// A change of a few rows.
  static func statement(_ world: OracleWorld, _ dice: inout SeededGenerator) -> String {
    let item = world.itemID(&dice)
    let list = world.listID(&dice)
    switch dice.below(10) {
    case 0: return world.insertItem(&dice, or: "OR IGNORE")
    case 1: return "DELETE FROM item WHERE id = \(item)"
    case 2: return "UPDATE item SET list = \(list) WHERE id = \(item)"
    case 3: return "UPDATE item SET title = \(dice.pick(OracleWorld.titles)) WHERE id = \(item)"
    case 4: return "UPDATE item SET rank = \(dice.below(50)) WHERE id = \(item)"
    case 5: return "UPDATE item SET done = NOT done WHERE id = \(item)"
    case 6: return world.tag(&dice)
    case 7: return "DELETE FROM tag WHERE item = \(item)"
    case 8: return "UPDATE list SET position = \(dice.below(5)) WHERE id = \(list)"
    default: return "UPDATE item SET list = \(list), rank = \(dice.below(50)) WHERE rank = \(dice.below(50)) AND done"
    }
  }

  static func watch(_ world: OracleWorld, _ dice: inout SeededGenerator) -> any OracleWatching {
    switch dice.below(3) {
    case 0: OracleWatch<Opaque<ItemTable>>(spec(&dice), world.database)
    case 1: OracleWatch<MappedItem>(spec(&dice), world.database)
    default: OracleWatch<Record<ItemTable>>(spec(&dice), world.database)
    }
  }

  private static func spec(_ dice: inout SeededGenerator) -> OracleSpec {
    let from: String? = dice.pick(
      nil, "item JOIN list ON list.id = item.list", "item LEFT JOIN list ON list.id = item.list")
    var conditions: [String?] = [
      nil, nil, "NOT item.done", "item.rank > 10", "EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id)",
      "NOT EXISTS (SELECT 1 FROM tag AS t WHERE t.item = item.id AND t.name = 'y')", costlyCondition,
      "item.id IN (SELECT t.item FROM tag AS t WHERE t.name <> 'y')",
    ]
    if from == nil { conditions.append("item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.position > 2)") }
    if from != nil { conditions += ["list.position > 1", "ifnull(list.position, 2) < 3"] }
    var spec = OracleSpec(source: .pieces(from: from, alias: "item", select: [], condition: dice.pick(conditions)))
    for _ in 0..<dice.below(3) {
      var term = OracleSpec.Term(expression: dice.pick("item.title", "item.rank", "item.done", "lower(item.title)"))
      term.isDescending = dice.once(in: 2)
      if dice.once(in: 4) { term.collation = .named("FOLDED") }
      spec.order.append(term)
    }
    if dice.below(4) > 0 { spec.sections = sections(isJoined: from != nil, &dice) }
    if dice.once(in: 3) {
      spec.limit = 200 + dice.below(500)
      spec.offset = dice.once(in: 2) ? 0 : dice.below(100)
    }
    return spec
  }

  private static func sections(isJoined: Bool, _ dice: inout SeededGenerator) -> OracleSpec.Sections {
    var sections = OracleSpec.Sections(
      value: isJoined ? "list.id" : dice.pick("item.list", "item.rank", "'r' || item.rank"), equality: .binary)
    if dice.once(in: 2) { sections.name = isJoined ? "list.name" : "'section ' || \(sections.value)" }
    if isJoined, dice.once(in: 2) {
      sections.orderedBy = [.init(expression: "list.position", isDescending: dice.once(in: 2))]
    }
    if isJoined, dice.once(in: 2) {
      // Without an order of their own, sections are arranged again when one of them gets its first row.
      sections.includedColumns = sections.orderedBy.isEmpty ? dice.pick(1, 2) : 3
      sections.including =
        ["SELECT id FROM list", "SELECT id, name FROM list", "SELECT id, name, position FROM list"][
          sections.includedColumns - 1]
    }
    return sections
  }
}
