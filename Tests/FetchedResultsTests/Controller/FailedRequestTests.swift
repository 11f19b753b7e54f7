import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import TestSupport
import Testing

/// Requests that can't be fetched when they are set, and can after a commit.
@Suite(.timeLimit(.minutes(5))) struct FailedRequestTests {
  private static let joined = FetchRequest<Todo>(
    from: "item JOIN label ON label.item = item.list", orderBy: ["item.title"])
  private static let grouped = FetchRequest<Todo>(
    where: "EXISTS (SELECT 1 FROM label WHERE label.item = item.id)", sectionBy: .by("list", orderedBy: ["position"]),
    orderBy: ["title"])

  private func following() throws -> (Database, FetchedResultsController<Todo>) {
    let (database, controller) = try TodoWorld.following()
    try database.run(
      """
      CREATE TABLE label(k INTEGER PRIMARY KEY, item INTEGER); CREATE INDEX label_item ON label(item);
      INSERT INTO label VALUES (1, 1), (2, 1);
      """)
    return (database, controller)
  }

  @Test func `a commit to a joined table alone can end the failure of a request`() async throws {
    let (database, controller) = try following()
    controller.fetchRequest = Self.joined
    try await eventually("each item of list 1 stands twice") { controller.lastError != nil }
    try database.run("UPDATE label SET item = 1 WHERE k = 2")
    #expect(controller.snapshot.numberOfItems == 4)
    try database.run("DELETE FROM label WHERE k = 2")
    try await eventually("the request is fetched") { controller.lastError == nil }
    #expect(controller.snapshot.titles == ["Groceries", "Post Office"])
    // The list that failed is followed no more.
    let commits = controller.statistics.commits
    try database.run("INSERT INTO label VALUES (3, 2)")
    try await controller.settled()
    #expect(controller.statistics.commits == commits + 1)
    #expect(controller.snapshot.numberOfItems == 4)
  }

  @Test(arguments: Seeds.range(6)) func `requests that fail for now are shown as soon as the rows allow it`(
    seed: UInt64
  ) async throws {
    var dice = SeededGenerator(seed: seed)
    let (database, controller) = try following()
    let requests = [TodoWorld.open, Self.joined, Self.grouped]
    var request = requests[0]
    for step in 0..<20 {
      if dice.once(in: 4) {
        request = dice.pick(requests)
        controller.fetchRequest = request
      }
      try database.run(
        dice.pick(
          "INSERT INTO label(item) VALUES (\(dice.below(2) + 1))",
          "DELETE FROM label WHERE k = (SELECT min(k) FROM label)",
          "DELETE FROM label WHERE item = \(dice.below(2) + 1)",
          "UPDATE item SET position = \(dice.below(2)) WHERE id = \(dice.below(4) + 1)",
          "UPDATE item SET list = \(dice.below(2) + 1) WHERE id = \(dice.below(4) + 1)",
          "UPDATE label SET item = \(dice.below(2) + 1) WHERE k % 2"))
      let other = FetchedResultsController(fetchRequest: request, database: database)
      let hasAnswer: Bool
      do {
        try other.fetchHere()
        hasAnswer = true
      } catch is DatabaseError { hasAnswer = false }
      // Nobody waits for the list but by looking at it.
      try await eventually("step \(step) is shown, or its error is; \(Seeds.hint(seed))") {
        hasAnswer
          ? controller.lastError == nil && controller.snapshot == other.snapshot : controller.lastError != nil
      }
    }
  }

  @Test func `a waiter gets no error whose cause a change of the schema has removed`() async throws {
    // A long request takes long to plan, so the list rests for long after it.
    let numbers = (100..<4000).map(String.init).joined(separator: ",")
    for _ in 0..<4 {
      let (database, controller) = try TodoWorld.following()
      controller.fetchRequest = FetchRequest(where: SQL(raw: "id NOT IN (\(numbers)) AND extra IS NULL"))
      await #expect(throws: DatabaseError.self) { try await controller.settled() }
      try database.run("ALTER TABLE item ADD COLUMN extra")
      try await controller.settled()
      #expect(controller.snapshot.numberOfItems == 4 && controller.lastError == nil)
    }
  }
}
