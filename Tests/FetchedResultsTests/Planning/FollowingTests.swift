import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// Which requests are followed row by row, which are not and why, and the cost of following.
@Suite struct FollowingTests {
  private static let touches = [
    "UPDATE item SET title = title || 'x' WHERE id = 1", "UPDATE list SET name = name || 'x' WHERE id = 1",
    "UPDATE tag SET name = name || 'x' WHERE id = 1", "UPDATE person SET name = name || 'x' WHERE id = 1",
    "DELETE FROM list WHERE id = 1", "DELETE FROM item WHERE id = 2", "INSERT INTO item VALUES (9, 2, 'n', 1)",
  ]

  private func statistics<E: OracleEntity>(
    _ type: E.Type, _ request: FetchRequest<E>, isFile: Bool = true, more: String = ""
  ) async throws -> Statistics {
    let database = try EvaluationTests.database(EvaluationTests.schema + more, isFile: isFile)
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try await controller.performFetch()
    for touch in Self.touches {
      try await database.write { try $0.executeScript(touch) }
      try await controller.settled()
    }
    return controller.statistics
  }

  typealias Request = FetchRequest<Record<ItemTable>>

  private static let followed: [Request] = [
    Request(), Request(where: "rank > 1", sectionBy: "rank", orderBy: ["title"]),
    Request(from: "item JOIN list ON list.id = item.list", sectionBy: "list.name"),
    Request(from: "item LEFT JOIN list ON list.id = item.list", where: "list.id IS NULL"),
    Request(from: "item, list", where: "list.id = item.list"),
    Request(
      from: "item LEFT JOIN list ON list.id = item.list LEFT JOIN person ON person.id = list.owner",
      where: "person.id IS NULL"),
    Request(
      from: "item LEFT JOIN item AS other ON other.id = item.list", orderBy: ["other.title"], limit: 2, offset: 1),
    Request(where: "EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id)"),
    Request(where: "NOT EXISTS (SELECT 1 FROM tag AS t WHERE t.item = item.id AND t.name > 'a')"),
    Request(select: ["tags": "(SELECT count(*) FROM tag WHERE tag.item = item.id)"]),
    Request(orderBy: [.descending("(SELECT max(name) FROM tag WHERE tag.item = item.id)", nulls: .last)]),
    Request(orderBy: [.ascending("title", collation: .named("FOLDED"))]),
    Request(sectionBy: .by("title", through: { _ in .integer(1) })),
    Request(where: "item.id IN (SELECT item FROM tag WHERE name = \("x"))"),
    Request(
      where: "rank > 0 AND (item.list IN (SELECT id FROM list WHERE position > \(0) AND name <> 'q') AND list > 0)"),
    Request(where: "item.id NOT IN (SELECT owner.id FROM person AS owner WHERE owner.team IS NULL)"),
    Request(where: "rank > 5 OR id IN (SELECT person.id FROM person)"),
    Request(where: "id NOT IN (SELECT item FROM tag WHERE name > 'a')"),
    Request(where: "id IN (SELECT item FROM tag WHERE list IN (SELECT id FROM list WHERE position > 0))"),
    Request(
      where:
        "EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id AND tag.list IN (SELECT id FROM list WHERE name > 'a'))"),
    Request(where: "list IN (SELECT id FROM list WHERE NOT EXISTS (SELECT 1 FROM tag WHERE tag.list = list.id))"),
    Request(where: "list IN (SELECT id FROM list WHERE position > 0 ORDER BY name)"),
    Request(where: "(id, list) IN (SELECT item, list FROM tag WHERE name > 'a')"),
    Request(where: "rank > 5 OR (item.list) IN (SELECT id FROM list WHERE name > 'a')"),
    Request(where: "item.rowid IN (SELECT oid FROM list WHERE rowid > 0)"),
    Request(where: "id IN (SELECT list FROM item WHERE title > 'a')"),
    Request(where: "id NOT IN (SELECT item.list FROM item JOIN tag ON tag.item = item.id WHERE rank > 0)"),
    Request(where: "NOT id IN (SELECT item FROM tag WHERE name > 'a')"),
    Request(where: "rank > 5 OR NOT id IN (SELECT list FROM item)"),
    Request(where: "rank > (SELECT count(*) FROM tag WHERE name = 'none')"),
    Request(where: "rank BETWEEN 0 AND 3 AND list IN (SELECT id FROM list WHERE position BETWEEN 0 AND 9)"),
    Request(where: "rank > 5 OR (list IN (SELECT id FROM list WHERE name > 'a') AND title > 'a')"),
    Request(sectionBy: .by("list", including: "SELECT id, name FROM list")),
    Request(where: "list IN (1, 2) AND title IN (\("a"), \("b"))"),
    Request(from: "item NOT INDEXED JOIN list USING (id)"),
    Request(sql: "SELECT item.*, list.name AS n FROM item LEFT JOIN list ON list.id = item.list", orderBy: ["n"]),
    Request(sql: "SELECT id, title FROM item WHERE rank = 1 ORDER BY title", sectionBy: "title"),
    Request(
      sql: "SELECT id, title IS NOT DISTINCT FROM 'a' AS n FROM item WHERE rank IS DISTINCT FROM 3", orderBy: ["n"]),
  ]

  @Test(arguments: followed) func `a request is followed row by row`(_ request: Request) async throws {
    let statistics = try await statistics(Record<ItemTable>.self, request)
    #expect(statistics.requeried == 0, "\(statistics)")
    #expect(statistics.incremental > 0)
  }

  @Test func `a view is followed row by row`() async throws {
    let view =
      "CREATE VIEW item_view AS SELECT item.id, item.title, list.name AS n FROM item LEFT JOIN list ON list.id = item.list;"
    let statistics = try await statistics(
      Record<ItemView>.self, FetchRequest(where: "n IS NULL OR title > 'a'", sectionBy: "n"), more: view)
    #expect(statistics.requeried == 0, "\(statistics)")
    #expect(statistics.incremental > 0)
  }

  private static let whole: [(request: Request, reason: String)] = [
    (Request(sql: "SELECT id, title FROM item ORDER BY title"), "order of its own"),
    (Request(sql: "SELECT id, count(*) AS n FROM item GROUP BY id", orderBy: ["n"]), "GROUP BY"),
    (Request(sql: "SELECT id, max(title) AS n FROM item", orderBy: ["n"]), "aggregate"),
    (Request(sql: "SELECT DISTINCT id, title FROM item", orderBy: ["title"]), "DISTINCT"),
    (Request(sql: "SELECT id, row_number() OVER (ORDER BY title) AS n FROM item", orderBy: ["n"]), "window"),
    (Request(sql: "SELECT id FROM item UNION SELECT id FROM list", orderBy: ["id"]), "compound"),
    (Request(sql: "WITH x AS (SELECT id FROM item) SELECT id FROM x", orderBy: ["id"]), "does not begin with SELECT"),
    (Request(sql: "SELECT id FROM item LIMIT 2", orderBy: ["id"]), "LIMIT"),
    (
      Request(sql: "SELECT item.id FROM list RIGHT JOIN item ON list.id = item.list", orderBy: ["id"]), "RIGHT and FULL"
    ),
    (Request(from: "item FULL JOIN list ON list.id = item.list", where: "item.id IS NOT NULL"), "RIGHT and FULL"),
    (Request(from: "item AS i JOIN (SELECT 1 AS one)", where: "i.id > 0"), "subquery in FROM"),
    (Request(from: "item JOIN list ON list.name = item.title"), "scanning list"),
    (Request(from: "item JOIN person ON person.id = item.rank"), "scanning item"),
    (
      Request(where: "EXISTS (SELECT 1 FROM tag WHERE tag.item = (SELECT max(id) FROM item))"), "name of an outer table"
    ),
    (
      Request(
        where: "(SELECT name AS rank FROM tag ORDER BY (SELECT max(id) FROM person WHERE team = rank) LIMIT 1) > 'a'"),
      "name of its result"
    ),
    (
      Request(where: "EXISTS (SELECT 1 FROM tag JOIN list ON list.id = (SELECT 1) WHERE tag.item = item.id)"),
      "subquery in a join of a subquery"
    ),
    (Request(where: "rank IN (SELECT id FROM list WHERE position > 0)"), "scanning"),
    // NULL on the left is in no result, except if the list is empty.
    (Request(where: "list NOT IN (SELECT id FROM list WHERE position > 0)"), "scanning"),
    (Request(where: "list IN (SELECT id FROM list WHERE position > 0) IS NULL"), "scanning"),
    (
      Request(
        from: "item LEFT JOIN list ON list.id = item.list AND EXISTS (SELECT 1 FROM tag WHERE tag.list = list.id)"),
      "condition of a join"
    ),
    (Request(where: "EXISTS (SELECT 1 FROM tag AS item WHERE item.item = 1)"), "name of an outer table"),
  ]

  @Test(arguments: whole.indices)
  func `a request that is not followed row by row runs its whole query, and says why`(_ index: Int) async throws {
    let (request, reason) = Self.whole[index]
    let statistics = try await statistics(Record<ItemTable>.self, request)
    #expect(statistics.requeried > 0, "\(reason): \(statistics)")
    #expect(statistics.reasons.keys.contains { $0.contains(reason) }, "\(reason): \(statistics)")
  }

  @Test func `an IN without an index does not keep the changes of another one's table from being followed`()
    async throws
  {
    let request = Request(
      where: "list IN (SELECT id FROM list WHERE position >= 0) AND rank IN (SELECT team FROM person)")
    let reasons = try await statistics(Record<ItemTable>.self, request).reasons.keys
    #expect(!reasons.isEmpty && reasons.allSatisfy { $0.contains("changes of person") }, "\(reasons)")
  }

  /// After ANALYZE, SQLite reads a table of one row without looking for it.
  @Test(arguments: [
    "item JOIN list ON list.id = item.list", "item LEFT JOIN list ON list.id = item.list",
    "item, list WHERE_AND list.id = item.list", "item LEFT JOIN list AS l ON l.id = item.list",
  ]) func `a table with one row does not keep its joins from being followed`(from: String) async throws {
    let database = try EvaluationTests.database()
    let parts = from.components(separatedBy: " WHERE_AND ")
    try await database.write { c in
      try c.executeScript("DELETE FROM list WHERE id > 1; UPDATE item SET list = id % 3; ANALYZE")
    }
    let plan = try await database.read {
      try $0.values("SELECT 1 FROM list WHERE (SELECT stat FROM sqlite_stat1 WHERE tbl = 'list') > ''", as: Int64.self)
    }
    #expect(plan == [1], "no result of ANALYZE")
    let controller = FetchedResultsController(
      fetchRequest: Request(
        from: SQL(raw: parts[0]), where: parts.count > 1 ? SQL(raw: parts[1]) : nil, orderBy: ["item.id"]),
      database: database)
    try await controller.performFetch()
    for sql in [
      "UPDATE item SET list = 1 WHERE id = 2", "UPDATE list SET name = 'z'", "UPDATE item SET list = 2",
      "INSERT INTO list(id, name) VALUES (2, 'two')", "UPDATE item SET list = 3 WHERE id = 1", "DELETE FROM list",
    ] {
      try await database.write { try $0.execute(SQL(raw: sql)) }
      try await controller.settled()
      let ids = try await database.read {
        try $0.values(
          "SELECT item.id FROM \(raw: parts[0]) WHERE \(raw: parts.last == from ? "1" : parts[1]) ORDER BY 1",
          as: Int64.self)
      }
      #expect(controller.fetchedObjects.map { $0.content[0] } == ids.map { .integer($0) }, "\(sql)")
    }
    #expect(controller.statistics.requeried == 0, "\(controller.statistics)")
  }

  @Test func `an index of one row does not make its table one of one row`() async throws {
    let database = try EvaluationTests.database()
    try await database.write { c in
      try c.executeScript(
        "CREATE INDEX first_list ON list(name) WHERE id = 1; INSERT INTO list(id, name) VALUES (50, 'x'), (51, 'y'); ANALYZE"
      )
    }
    let controller = FetchedResultsController(
      fetchRequest: Request(from: "item JOIN list ON list.name = item.title"), database: database)
    try await controller.performFetch()
    try await database.write { try $0.execute("UPDATE item SET title = 'x' WHERE id = 1") }
    try await controller.settled()
    #expect(controller.statistics.reasons.keys.contains { $0.contains("scanning") }, "\(controller.statistics)")
  }

  @Test func `in memory, the state before a commit can't be read`() async throws {
    let request = Request(from: "item LEFT JOIN list ON list.id = item.list", where: "list.id IS NULL")
    let statistics = try await statistics(Record<ItemTable>.self, request, isFile: false)
    #expect(statistics.reasons.keys.contains { $0.contains("in memory") }, "\(statistics)")
  }

  @Test func `the cost of a commit does not depend on the number of rows`() async throws {
    func rowsRead(_ count: Int, _ request: Request) async throws -> [Int] {
      let database = try EvaluationTests.database()
      try await database.write { c in
        try c.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
          INSERT INTO item SELECT i, 9000000 + i % 7, 'title ' || (i * 7919 % 1000), i % 13 FROM n
          """)
      }
      let controller = FetchedResultsController(fetchRequest: request, database: database)
      try await controller.performFetch()
      var costs: [Int] = []
      for touch in Self.touches + [
        "UPDATE item SET title = 'title 5' WHERE id IN (12, 17)", "DELETE FROM item WHERE id = 20",
      ] {
        let before = controller.statistics.rowsRead
        try await database.write { try $0.executeScript(touch) }
        try await controller.settled()
        costs.append(controller.statistics.rowsRead - before)
      }
      #expect(controller.statistics.requeried == 0)
      return costs
    }
    for (number, request) in Self.followed.enumerated() {
      #expect(try await rowsRead(60, request) == rowsRead(1500, request), "request \(number)")
    }
  }
}
