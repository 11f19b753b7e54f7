import DataSourcesTestSupport
import FetchedResults
import FetchedResultsSupport
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

@testable import FetchedResultsCore
@testable import SQLiteEngine

/// Shapes in which the work of a commit once grew with the list, or with the number of lists. Each test counts.
@Suite(.timeLimit(.minutes(10))) struct CliffTests {
  private static func database(rows: Int) throws -> Database {
    let database = try TodoWorld.database()
    try database.run(
      """
      DELETE FROM item; DELETE FROM list;
      CREATE TABLE tag(id INTEGER PRIMARY KEY, item INTEGER, name TEXT); CREATE INDEX tag_item ON tag(item);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO item(id, list, title, position) SELECT i, i % 50, 'T' || i, i FROM n;
      INSERT INTO tag SELECT id, id, 'a' FROM item;
      """)
    return database
  }

  private static func check(
    _ controllers: [FetchedResultsController<Todo>], _ database: Database,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for controller in controllers {
      try await controller.settled()
      let fresh = FetchedResultsController(fetchRequest: controller.fetchRequest, database: database)
      try fresh.fetchHere()
      #expect(controller.snapshot == fresh.snapshot, sourceLocation: sourceLocation)
    }
  }

  private static func following(
    _ requests: [FetchRequest<Todo>], _ database: Database
  ) throws -> [FetchedResultsController<Todo>] {
    try requests.map { request in
      let controller = FetchedResultsController(fetchRequest: request, database: database)
      try controller.fetchHere()
      return controller
    }
  }

  // MARK: One list

  @Test(arguments: [
    "id IN (SELECT item FROM tag WHERE name = 'a')",
    "item.id IN (SELECT t.item FROM tag AS t WHERE t.name = 'a') AND id > 0",
    "item.id NOT IN (SELECT l.id FROM list AS l WHERE l.name = 'z')",
    "position > 9 OR id IN (SELECT item FROM tag WHERE name = 'a')",
    "position BETWEEN 0 AND 9 AND id IN (SELECT item FROM tag WHERE name = 'a')",
    "id IN (SELECT t.item FROM tag AS t WHERE t.id IN (SELECT l.id FROM list AS l WHERE l.name <> 'z'))",
    "EXISTS (SELECT 1 FROM tag AS t WHERE t.item = item.id AND NOT EXISTS (SELECT 1 FROM list AS l WHERE l.id = t.id))",
  ]) func `a row that is looked for in a list of another table's rows costs no more in a long list`(
    condition: String
  ) async throws {
    func steps(rows: Int) async throws -> [Int] {
      let database = try Self.database(rows: rows)
      try database.run(
        """
        CREATE INDEX item_by_list ON item(list);
        INSERT INTO list(id, name, position) SELECT 100 + id, 'L' || id, id FROM item;
        """)
      let controllers = try Self.following([FetchRequest(where: SQL(raw: condition), orderBy: ["title"])], database)
      var steps: [Int] = []
      for sql in [
        "UPDATE item SET title = 'T' WHERE id = 7", "UPDATE tag SET name = 'b' WHERE id = 5",
        "UPDATE tag SET item = 5 WHERE id = 9", "DELETE FROM tag WHERE id = 11",
        "UPDATE list SET name = 'z' WHERE id = 103", "INSERT INTO tag(item, name) VALUES (12, 'a')",
      ] {
        let before = controllers[0].work.steps
        try database.run(sql)
        try await Self.check(controllers, database)
        steps.append(controllers[0].work.steps - before)
      }
      #expect(controllers[0].statistics.requeried == 0, "\(controllers[0].statistics.reasons)")
      return steps
    }
    let (few, many) = (try await steps(rows: 300), try await steps(rows: 2400))
    #expect(zip(few, many).allSatisfy { $1 <= 2 * $0 + 20 }, "\(few), \(many)")
  }

  @Test func `rows that change again and again behind a stalled observer are recorded once`() async throws {
    let database = try Self.database(rows: 4000)
    let controller = try Self.following([FetchRequest(orderBy: ["title"])], database)[0]
    let gate = Gate()
    defer { gate.open() }
    let observation = controller.observeOnAnyThread { _ in gate.pass() }
    try database.run("UPDATE item SET title = 'first' WHERE id = 1")
    try await eventually("the observer is called") { gate.isReached }
    for number in 0..<210 {
      try await database.write { c in try c.execute("UPDATE item SET position = \(number) WHERE id <= 1000") }
    }
    gate.open()
    try await Self.check([controller], database)
    #expect(controller.statistics.requeried == 0, "\(controller.statistics.reasons)")
    observation.cancel()
  }

  @Test func `rows recorded before commits are also kept once each`() {
    var pending = Pending()
    let rows = (0..<100).map { RowKey.number($0) }
    for _ in 0..<5000 { pending.add(EngineCommit(changes: ["item": .rows(rows)], hadOldState: true)) }
    guard case .rows(let kept)? = pending.changes["item"] else {
      Issue.record("more rows than are noted")
      return
    }
    #expect(kept.count < 2500 && Set(kept) == Set(rows))
  }

  @Test func `a list in a lasting error reads the changed rows, and not everything`() async throws {
    let database = try Self.database(rows: 1000)
    let controller = try Self.following([FetchRequest(orderBy: ["title"])], database)[0]
    try database.run("UPDATE item SET title = NULL WHERE id = 7")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    let before = controller.work.fetches
    for number in 0..<20 {
      try database.run("UPDATE item SET position = \(number) WHERE id = \(100 + number)")
      await #expect(throws: DatabaseError.self) { try await controller.settled() }
    }
    #expect(controller.work.fetches == before)
    #expect(controller.snapshot.items.contains { $0.title == "T7" })
    try database.run("UPDATE item SET title = 'mended' WHERE id = 7")
    try await Self.check([controller], database)
    #expect(controller.work.fetches == before && controller.lastError == nil)
  }

  /// A query that takes long and fails is run for few of the commits, and again soon after its cause has passed.
  @Test(arguments: [false, true]) func `a whole query that fails rests before commits run it again`(
    isNewRequest: Bool
  ) async throws {
    let database = try Self.database(rows: 100)
    try database.addFunction("slow", arguments: 1, isDeterministic: true) { values in
      usleep(1000)
      return values[0]
    }
    // Rows of a section that disagree interrupt a change of the list, so that it must be fetched again.
    let slow: FetchRequest<Todo> = FetchRequest(
      where: "slow(id) > 0", sectionBy: .by("list", orderedBy: [.ascending("position % 50")]), orderBy: ["title"])
    let plain: FetchRequest<Todo> = FetchRequest(orderBy: ["title"])
    let controller = try Self.following([isNewRequest ? plain : slow], database)[0]
    let breaking = "UPDATE item SET position = position + 1 WHERE id = 7"
    try database.run(breaking)
    if isNewRequest { controller.fetchRequest = slow }
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    let before = controller.work.fetches
    let begin = ContinuousClock.now
    for number in 0..<20 {
      try database.run("UPDATE item SET title = 'S\(number)' WHERE id = \(50 + number)")
      try await Task.sleep(for: .milliseconds(20))
    }
    // A fetch takes a tenth of a second at least, and rests eight times as long.
    #expect(controller.work.fetches - before <= 3 + Int((ContinuousClock.now - begin) / .milliseconds(900)))
    try database.run("UPDATE item SET position = position - 1 WHERE id = 7")
    try await eventually("the list is right again") { controller.snapshot.count == 50 }
    try await Self.check([controller], database)
    #expect(controller.lastError == nil)
  }

  @Test func `a list recovers when the row that can't be read has left its window`() async throws {
    let database = try Self.database(rows: 4)
    let controller = try Self.following([FetchRequest(orderBy: ["position"], limit: 2)], database)[0]
    try database.run("UPDATE item SET title = NULL WHERE id = 2")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    try database.run("INSERT INTO item(id, title, position) VALUES (9, 'new', 0)")
    try await Self.check([controller], database)
    try database.run("UPDATE item SET position = -1 WHERE id = 2")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    try database.run("UPDATE item SET position = 9 WHERE id = 2")
    try await Self.check([controller], database)
  }

  @Test func `a list recovers when its condition no longer meets a value that it can't evaluate`() async throws {
    let database = try Self.database(rows: 10)
    try database.run("CREATE INDEX item_position ON item(position); UPDATE item SET position = 1, title = '{}'")
    let controller = try Self.following(
      [FetchRequest(where: "title ->> '$.a' IS NULL AND position = 1", orderBy: ["id"])], database)[0]
    try database.run("UPDATE item SET title = 'no JSON' WHERE id = 2")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    try database.run("UPDATE item SET position = 0 WHERE id = 2")
    try await Self.check([controller], database)
  }

  // MARK: Many lists

  /// What writers have done for lists that need the state before a commit.
  private static func oldStateWork(_ database: Database) -> Int {
    database.shared(CommitLogs.self) { CommitLogs() }.oldStateWork.count
  }

  @Test func `lists that ask the same about the state before a commit share the answer`() async throws {
    let database = try Self.database(rows: 300)
    let controllers = try Self.following(
      (0..<40).map { number in
        FetchRequest(
          where: "position > \(number) AND NOT EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id)",
          orderBy: ["title"])
      }, database)
    let before = Self.oldStateWork(database)
    try database.run("DELETE FROM tag WHERE id <= 200")
    #expect(Self.oldStateWork(database) - before == 200)
    try await Self.check(controllers, database)
    try database.run("INSERT INTO tag SELECT id, id, 'b' FROM item WHERE id <= 100")
    try await Self.check(controllers, database)
    #expect(controllers.allSatisfy { $0.statistics.requeried == 0 })
  }

  @Test(arguments: [
    // One changed row, for which many others are looked at.
    (
      "item LEFT JOIN sprint AS s ON s.project = item.list AND item.position + 0 BETWEEN s.first AND s.last AND s.id <> "
        as String?,
      "s.id IS NULL"
    ),
    (
      nil,
      "EXISTS (SELECT 1 FROM sprint AS s WHERE s.project = item.list AND item.position + 0 BETWEEN s.first AND s.last AND s.id <> "
    ),
  ]) func `a question about the state before a commit that takes long does not hold up the writer`(
    from: String?, condition: String
  ) async throws {
    let database = try Self.database(rows: 8000)
    try database.run(
      """
      UPDATE item SET list = 1; CREATE INDEX IF NOT EXISTS item_by_list ON item(list);
      CREATE TABLE sprint(id INTEGER PRIMARY KEY, project INTEGER, first INTEGER, last INTEGER);
      CREATE INDEX sprint_project ON sprint(project); INSERT INTO sprint VALUES (1, 1, -9, -1);
      """)
    // Each asks something else.
    let requests = (10..<20).map { number -> FetchRequest<Todo> in
      guard let from else { return FetchRequest(where: SQL(raw: "\(condition)\(number))"), orderBy: ["title"]) }
      return FetchRequest(from: SQL(raw: "\(from)\(number)"), where: SQL(raw: condition), orderBy: ["title"])
    }
    let controllers = try Self.following(requests, database)
    let work = database.shared(CommitLogs.self) { CommitLogs() }.oldStateWork
    for last in [-2, 3, 500, -1] {
      let before = work.steps
      try database.run("UPDATE sprint SET last = \(last) WHERE id = 1")
      #expect(work.steps > before)
      #expect(work.steps - before <= 50 * (4096 + 4) + 2000)
      try await Self.check(controllers, database)
    }
  }

  @Test func `lists that ask different things hold up a writer by no more than a constant`() async throws {
    let database = try Self.database(rows: 1000)
    let controllers = try Self.following(
      (0..<40).map { number in
        FetchRequest(
          where: "NOT EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id AND tag.name <> \("x\(number)"))",
          orderBy: ["title"])
      }, database)
    let before = Self.oldStateWork(database)
    try database.run("UPDATE tag SET name = 'x3'")
    #expect(Self.oldStateWork(database) - before <= 4096 + 4 * 1000)
    try await Self.check(controllers, database)
    // A small commit is followed row by row again.
    let requeried = controllers.map(\.statistics.requeried)
    try database.run("UPDATE tag SET name = 'x5' WHERE id < 10")
    try await Self.check(controllers, database)
    #expect(controllers.map(\.statistics.requeried) == requeried)
  }
}
