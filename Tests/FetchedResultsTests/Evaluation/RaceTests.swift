import FetchedResults
import FetchedResultsSupport
import FixtureSupport
import Foundation
import Synchronization
import Testing

@testable import FetchedResultsCore
@testable import SQLiteEngine
@testable import SQLiteStore

/// What happens when others write between a commit and its evaluation.
@Suite(.serialized) struct RaceTests {
  /// Holds up evaluations, by a function that they call.
  final class Gate: Sendable {
    private let condition = NSCondition()
    private let isOpen = Shared(true)

    func close() { isOpen.change { $0 = false } }

    func open() {
      condition.withLock {
        isOpen.change { $0 = true }
        condition.broadcast()
      }
    }

    func pass() {
      condition.withLock { while !isOpen.value { condition.wait() } }
    }
  }

  /// Makes a commit of ours, then one of another connection, and has them evaluated when both are there but only ours
  /// is known.
  private func race<E: OracleEntity>(
    _ type: E.Type, _ spec: OracleSpec, schema: String, ours: String, theirs: String, then steps: [String],
    shown: @escaping @Sendable (Snapshot<E>) -> Void = { _ in }
  ) async throws -> (statistics: Statistics, errors: [String], fewest: Int) {
    let database = try EvaluationTests.database(schema)
    let gate = Gate()
    try database.addFunction("hold", arguments: 1, isDeterministic: true) { values in
      gate.pass()
      return values[0]
    }
    try await database.recordHistory(of: ["item", "list"])
    // As many as there are threads that evaluate.
    let holders = (0...Processor.count).map { _ in
      FetchedResultsController(
        fetchRequest: FetchRequest<Opaque<ItemTable>>(where: "hold(item.id) > 0"), database: database)
    }
    for holder in holders { try await holder.performFetch() }
    let watch = OracleWatch<E>(spec, database)
    try await watch.check(isOneCommit: true)
    let errors = Shared<[String]>([])
    let fewest = Shared(watch.controller.snapshot.numberOfItems)
    let observation = watch.controller.observeOnAnyThread { update in
      fewest.change { $0 = min($0, update.new.numberOfItems) }
      shown(update.new)
    }
    defer { observation.cancel() }
    let stream = watch.controller.errors()
    let listening = Task { for await error in stream { errors.change { $0.append("\(error)") } } }
    try Self.write(database, gate, ours: ours, theirs: theirs, watch.controller)
    try await watch.check(isOneCommit: false)
    for step in steps {
      try await database.write { try $0.executeScript(step) }
      try await watch.check(isOneCommit: true)
    }
    try await Task.sleep(for: .milliseconds(20))
    listening.cancel()
    return (watch.statistics, errors.value, fewest.value)
  }

  private static func write<E>(
    _ database: Database, _ gate: Gate, ours: String, theirs: String, _ controller: FetchedResultsController<E>
  ) throws {
    let raw = try RawDatabase(path: try #require(database.path))
    gate.close()
    try database.write { try $0.executeScript(ours) }
    // A thread that checks for foreign commits needs the lane.
    try database.writerLock.acquire(timeout: 5_000_000_000)
    try raw.execute(theirs)
    gate.open()
    let deadline = Date(timeIntervalSinceNow: 10)
    while controller.statistics.incremental + controller.statistics.requeried == 0, Date() < deadline { usleep(500) }
    database.writerLock.release()
  }

  @Test(arguments: ["DELETE FROM item WHERE id = 2", "UPDATE item SET list = 2 WHERE id = 2"])
  func `a section keeps its name when another connection takes away its next first row`(theirs: String) async throws {
    var spec = EvaluationTests.pieces("item JOIN list ON list.id = item.list", order: ["item.title"])
    spec.sections = .init(value: "list.id", equality: .binary, name: "list.name")
    let names = Shared<Set<[String]>>([])
    let (_, errors, _) = try await race(
      Record<ItemTable>.self, spec, schema: EvaluationTests.schema + "INSERT INTO item VALUES (5, 1, 'z', 1);",
      ours: "DELETE FROM item WHERE id = 1", theirs: theirs, then: ["UPDATE item SET title = 'y' WHERE id = 5"]
    ) { snapshot in names.change { $0.formUnion([snapshot.map(\.name)]) } }
    #expect(errors == [])
    #expect(names.value == [["Errands", "Career"]])
  }

  @Test func `a key that another connection spells differently is not missed meanwhile`() async throws {
    let schema =
      "CREATE TABLE list(id INTEGER PRIMARY KEY);"
      + "CREATE TABLE item(id TEXT COLLATE NOCASE PRIMARY KEY, title) WITHOUT ROWID;"
      + "INSERT INTO item VALUES ('a', 1), ('b', 2), ('c', 3)"
    let (_, errors, fewest) = try await race(
      Record<ItemTable>.self, EvaluationTests.pieces(order: ["title"]), schema: schema,
      ours: "UPDATE item SET title = 5 WHERE id = 'b'", theirs: "UPDATE item SET id = 'B' WHERE id = 'b'",
      then: ["UPDATE item SET title = 0 WHERE id = 'B'"])
    #expect(errors == [])
    #expect(fewest == 3)
  }

  @Test func `a column that another connection adds, read before it is reported, reports no row`() async throws {
    let schema =
      "CREATE TABLE list(id INTEGER PRIMARY KEY); CREATE TABLE item(id INTEGER PRIMARY KEY, title);"
      + "INSERT INTO item SELECT value, 't' || value FROM json_each('[1,2,3,4,5]')"
    // The row that our commit touched is read with the new column; it is the same row as before.
    let (_, errors, _) = try await race(
      Opaque<ItemTable>.self, EvaluationTests.pieces(), schema: schema,
      ours: "UPDATE item SET title = title WHERE id = 2", theirs: "ALTER TABLE item ADD COLUMN more DEFAULT 7",
      then: ["UPDATE item SET more = 8 WHERE id = 3"])
    #expect(errors == [])
  }

  @Test func `a column that another connection adds between draining and reading reports no row`() async throws {
    let database = try EvaluationTests.database()
    let path = try #require(database.path)
    let hook = Shared<(@Sendable () -> Void)?>(nil)
    let core = ResultCore(
      FetchRequest<Record<ItemTable>>(where: "id > 0"),
      Interrupted(database, after: { hook.take(leaving: nil)?() }), EntityOperations(areEqual: nil))
    try core.fetch()
    let updates = Shared<[Changes]>([])
    _ = core.deliveries.add { update in updates.change { $0.append(update.changes) } }
    hook.change {
      $0 = {
        do {
          try RawDatabase(path: path).execute("ALTER TABLE item ADD COLUMN more DEFAULT 7")
        } catch {
          Issue.record(error)
        }
      }
    }
    try await database.write { try $0.execute("UPDATE item SET title = title WHERE id = 1") }
    for _ in 0..<3 { try await core.settled() }
    #expect(updates.value == [])
    #expect(core.snapshot.items.first?.content.last == .integer(7))
  }

  @Test(arguments: [false, true]) func `a commit at the moment the state to read is fixed is not lost`(isWhole: Bool)
    async throws
  {
    let database = try EvaluationTests.database()
    let number = Shared(0)
    let isOn = Shared(false)
    let engine = Interrupted(
      database,
      within: {
        if !isOn.value || number.value > 4 { return }
        let id = number.change {
          $0 += 1; return $0
        }
        do {
          try database.write { try $0.execute("UPDATE item SET title = 'late' WHERE id = \(id)") }
        } catch {
          Issue.record(error)
        }
      })
    let request = FetchRequest<Record<ItemTable>>(
      sql: isWhole ? "SELECT DISTINCT id, title FROM item" : "SELECT id, title FROM item", orderBy: ["id"])
    let core = ResultCore(request, engine, .equatable())
    try core.fetch()
    isOn.change { $0 = true }
    try await database.write { try $0.execute("UPDATE item SET rank = 0 WHERE id = 4") }
    for _ in 0..<6 { try await core.settled() }
    let titles = core.snapshot.items.map { $0.content[1] }
    #expect(number.value > 2)
    #expect(titles == (1...4).map { $0 <= number.value ? Value.text("late") : .text("d") })
  }

  @Test(arguments: [false, true]) func `a commit before the state to read is fixed is seen as a whole`(
    isAhead: Bool
  )
    async throws
  {
    let database = try EvaluationTests.database()
    let hook = Shared<(@Sendable () -> Void)?>(nil)
    let core = ResultCore(
      FetchRequest<Record<ItemTable>>(sql: "SELECT id, title FROM item", orderBy: ["id"]),
      Interrupted(
        database, ahead: { if isAhead { hook.take(leaving: nil)?() } },
        before: { if !isAhead { hook.take(leaving: nil)?() } }), .equatable())
    try core.fetch()
    let shown = Shared<[[Value]]>([])
    _ = core.deliveries.add { update in
      shown.change { $0.append(update.new.items.prefix(2).map { $0.content[1] }) }
    }
    hook.change {
      $0 = {
        do {
          try database.write { try $0.execute("UPDATE item SET title = 'both' WHERE id IN (1, 2)") }
        } catch {
          Issue.record(error)
        }
      }
    }
    try await database.write { try $0.execute("UPDATE item SET title = 'one' WHERE id = 1") }
    try await core.settled()
    #expect(shown.value == [["both", "both"]])
    #expect(core.withShared { $0.statistics.commits } == 2)
  }

  @Test(arguments: [1, 6]) func `a commit between draining and reading is seen as a whole`(
    times: Int
  )
    async throws
  {
    let database = try EvaluationTests.database()
    let left = Shared(0)
    let core = ResultCore(
      FetchRequest<Record<ItemTable>>(sql: "SELECT id, title FROM item", orderBy: ["id"]),
      Interrupted(
        database,
        after: {
          let number = left.value
          guard number > 0 else { return }
          left.change { $0 -= 1 }
          do {
            try database.write { try $0.execute("UPDATE item SET title = \("both \(number)") WHERE id IN (1, 2)") }
          } catch {
            Issue.record(error)
          }
        }), .equatable())
    try core.fetch()
    let shown = Shared<[[Value]]>([])
    _ = core.deliveries.add { update in
      shown.change { $0.append(update.new.items.prefix(2).map { $0.content[1] }) }
    }
    left.change { $0 = times }
    try await database.write { try $0.execute("UPDATE item SET title = 'one' WHERE id = 1") }
    for _ in 0...times { try await core.settled() }
    #expect(shown.value.last == ["both 1", "both 1"])
    for titles in shown.value { #expect(titles[0] == titles[1] || titles[0] == "one") }
    #expect(shown.value.count <= times + 1)
  }

  @Test func `a list with commits all the time doesn't keep others from being evaluated`() async throws {
    let database = try EvaluationTests.database()
    let isOn = Shared(true)
    // One for each thread, so that all of them have always more to do.
    let cores = try (0..<Processor.count).map { number in
      let core = ResultCore(
        FetchRequest<Record<ItemTable>>(sql: "SELECT id, title FROM item", orderBy: ["id"]),
        Interrupted(
          database,
          after: {
            guard isOn.value else { return }
            do {
              try database.write { try $0.execute("UPDATE item SET rank = rank + 1 WHERE id = \(number + 1)") }
            } catch {
              Issue.record(error)
            }
          }), .equatable())
      try core.fetch()
      return core
    }
    let pool = SQLiteEngine(database).pool
    try await database.write { try $0.execute("UPDATE item SET title = 'go'") }
    for round in 0..<20 {
      let isDone = Shared(false)
      pool.submit(EvaluatorErrand { isDone.change { $0 = true } })
      try await eventually("errand \(round) is run", within: .seconds(10)) { isDone.value }
    }
    isOn.change { $0 = false }
    for core in cores {
      try await core.settled()
      #expect(core.snapshot.items.map { $0.content[1] } == ["go", "go", "go", "go"])
    }
  }

  @Test func `a waiter during a fetch sees commits made after the fetch has read`() async throws {
    let database = try EvaluationTests.database()
    let hook = Shared<(@Sendable () throws -> Void)?>(nil)
    let core = ResultCore(
      FetchRequest<Record<ItemTable>>(),
      Interrupted(database, within: { try hook.take(leaving: nil)?() }, isSlow: true), .equatable())
    try core.fetch()
    let waiting = Shared<Task<Value?, any Error>?>(nil)
    let isDone = Shared(false)
    hook.change {
      $0 = { [weak core] in
        try database.write { try $0.execute("INSERT INTO list(id, name) VALUES (77, 'later')") }
        waiting.change {
          $0 = Task {
            try await core?.settled()
            defer { isDone.change { $0 = true } }
            return core?.snapshot.items.last?.content.last
          }
        }
        let end = Date(timeIntervalSinceNow: 30)
        while core?.withShared({ $0.state.numberOfWaiters == 0 }) == true, Date() < end { usleep(500) }
        // The next evaluation takes so long that a waiter which doesn't wait for it returns before.
        hook.change {
          $0 = {
            let end = Date(timeIntervalSinceNow: 1.5)
            while !isDone.value, Date() < end { usleep(500) }
          }
        }
      }
    }
    core.request = FetchRequest(sql: "SELECT id, name FROM list", orderBy: ["id"])
    try await eventually("the fetch") { waiting.value != nil }
    #expect(try await waiting.value?.value == "later")
  }

  @Test func `statistics count a waiting commit, and leave it to the evaluation`() async throws {
    let database = try EvaluationTests.database()
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Record<ItemTable>>(sql: "SELECT id, title FROM item", orderBy: ["id"]),
      database: database)
    try await controller.performFetch()
    // As if an evaluation had found nothing more, and were about to say so.
    let cursor = try #require(controller.core.withShared { $0.cursors.current })
    cursor.stayAwake()
    try await database.write { try $0.execute("UPDATE item SET title = 'new' WHERE id = 1") }
    #expect(controller.statistics.commits == 1)
    #expect(!cursor.sleep(), "the commit was taken")
    #expect(controller.snapshot.items.first?.content.last != "new")
    try await controller.settled()
    #expect(controller.snapshot.items.first?.content.last == "new")
    #expect(controller.statistics.commits == 1)
  }
}
