import FetchedResults
import Foundation
import Testing

@testable import FetchedResultsCore

/// Conditions that cost as much for one row as for all: a commit of many rows costs no more than a few whole queries.
@Suite(.timeLimit(.minutes(10))) struct CostlyRowTests {
  private static let conditions: [SQL] = [
    "item.position IN \((0..<5000).map { $0 })", "item.title IN \((0..<1500).map { "T\($0)" })",
    "item.title IN \((0..<1500).map { "T\($0)\u{0}" } + ["T1"])",
    "item.position < (SELECT max(item) FROM tag WHERE item % 3 = 0)",
  ]

  @Test(arguments: conditions.indices)
  func `many rows are not read one by one if that costs more than the whole query`(number: Int) async throws {
    let database = try TodoWorld.database()
    try database.run(
      """
      DELETE FROM item; DELETE FROM list;
      CREATE TABLE tag(id INTEGER PRIMARY KEY, item INTEGER, name TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO item(id, list, title, position) SELECT i, i % 50, 'T' || i, i FROM n;
      INSERT INTO tag SELECT id, id, 'a' FROM item;
      """)
    let request = FetchRequest<Todo>(where: Self.conditions[number], orderBy: ["title"])
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    for (rows, isWhole) in [(1, false), (3, false), (600, true), (2, false), (4000, true)] {
      let before = controller.statistics
      try await database.write { try $0.execute("UPDATE item SET list = list + 1 WHERE id <= \(rows)") }
      try await controller.settled()
      let after = controller.statistics
      #expect(
        after.requeried - before.requeried == (isWhole ? 1 : 0), "\(rows) rows of \(number): \(after.reasons)")
      let fresh = FetchedResultsController(fetchRequest: request, database: database)
      try fresh.fetchHere()
      #expect(controller.snapshot == fresh.snapshot)
    }
  }

  @Test func `many rows of a list with a plain condition are read one by one, also when the table has grown`()
    async throws
  {
    let database = try TodoWorld.database()
    try database.run("DELETE FROM item; DELETE FROM list")
    let request = FetchRequest<Todo>(where: "item.position IN (1, 2, 3) OR item.position > 10", orderBy: ["title"])
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    func write(_ sql: SQL) async throws {
      try await database.write { try $0.execute(sql) }
      try await controller.settled()
      #expect(controller.statistics.requeried == 0, "\(controller.statistics.reasons)")
    }
    for start in 0..<20 {
      try await write(
        """
        WITH RECURSIVE n(i) AS (SELECT \(start * 900) UNION ALL SELECT i + 1 FROM n WHERE i < \(start * 900 + 899))
        INSERT INTO item(id, list, title, position) SELECT i, i % 50, 'T' || i, i FROM n
        """)
    }
    try await write("UPDATE item SET list = list + 1 WHERE id % 3 = 0")
  }

  @Test func `rows that come and go do not raise what rows may cost`() async throws {
    let database = try TodoWorld.database()
    @Sendable func numbers(_ first: Int, _ last: Int) -> SQL {
      "WITH RECURSIVE n(i) AS (SELECT \(first) UNION ALL SELECT i + 1 FROM n WHERE i < \(last)) "
    }
    try database.run("DELETE FROM item; DELETE FROM list")
    try await database.write {
      try $0.execute(
        numbers(1, 20) + "INSERT INTO item(id, list, title, position) SELECT i, 1, 'T' || i, i FROM n")
    }
    let request = FetchRequest<Todo>(where: "item.position IN \((0..<40_000).map { $0 })", orderBy: ["title"])
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    for _ in 0..<5 {
      try await database.write {
        try $0.execute(
          numbers(1001, 1900) + "INSERT INTO item(id, list, title, position) SELECT i, 1, 'T' || i, i FROM n")
        try $0.execute("DELETE FROM item WHERE id > 1000")
      }
      try await controller.settled()
    }
    #expect(controller.statistics.requeried == 0, "\(controller.statistics.reasons)")
    try await database.write { try $0.execute("UPDATE item SET list = 2 WHERE id <= 7") }
    try await controller.settled()
    #expect(controller.statistics.requeried == 1, "\(controller.work)")
  }

  @Test func `a predicate that no row can meet is followed row by row`() async throws {
    let database = try TodoWorld.database()
    let none: [String] = []
    let request = FetchRequest<Todo>(predicate: #Predicate { none.contains($0.title) }, sortBy: [.ascending(\.title)])
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    try await database.write { try $0.execute("UPDATE item SET position = position + 1") }
    try await controller.settled()
    #expect(controller.statistics.requeried == 0, "\(controller.statistics.reasons)")
    #expect(controller.fetchedObjects.isEmpty)
  }
}
