import FetchedResults
import Testing

@testable import FetchedResultsCore
@testable import SQLiteEngine

@Suite struct RequestTests {
  private struct Item: Entity {
    static let table = "item"
    var id: Int64
    init(row: Row) throws { id = try row["id"] }
  }

  @Test func `requests with equal parts are equal, whatever the parts are`() {
    let title = "it's"
    func make(_ limit: Int?) -> FetchRequest<Item> {
      FetchRequest(
        from: "item JOIN list ON list.id = item.list", select: ["size": "length(title)"], where: "title = \(title)",
        sectionBy: .by("list.name", orderedBy: [.ascending("list.position")]),
        orderBy: [.ascending("due", nulls: .last, collation: .nocase), "title"], limit: limit)
    }
    #expect(make(3) == make(3))
    #expect(make(3) != make(nil))
    let function = SectionTerm.by("due", through: { _ in .none })
    #expect(function == function)
    #expect(function != .by("due", through: { _ in .none }))
  }

  @Test(arguments: [
    "SELECT id, title WHERE title <> '' FROM item", "SELECT id ORDER BY id FROM item WHERE 1",
    "SELECT id FROM item ORDER BY id WHERE 1", "SELECT FROM", "SELECT", "FROM item", "",
  ])
  func `a statement that makes no sense is an error`(_ sql: String) throws {
    let database = try Database.inMemory()
    try database.write { try $0.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT)") }
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Item>(sql: SQL(raw: sql), sectionBy: "title"), database: database)
    #expect(throws: DatabaseError.self) { try controller.performFetch() }
  }

  @Test(arguments: [
    "SELECT * FROM item WHERE title <> 'b';", "SELECT * FROM item WHERE title <> 'b' ; ; -- the end",
    "SELECT DISTINCT * FROM item WHERE title <> 'b';\n/* ; */",
  ])
  func `a statement may end in semicolons`(_ sql: String) async throws {
    let database = try Self.items()
    for order in [[], ["title"]] as [[OrderTerm]] {
      let controller = FetchedResultsController(
        fetchRequest: FetchRequest<Item>(sql: SQL(raw: sql), orderBy: order), database: database)
      try await controller.performFetch()
      #expect(controller.snapshot.items.map(\.id) == [1, 3])
    }
    let two = FetchedResultsController(
      fetchRequest: FetchRequest<Item>(sql: "SELECT * FROM item; SELECT 1;", orderBy: ["title"]), database: database)
    await #expect(throws: DatabaseError.self) { try await two.performFetch() }
  }

  @Test func `the name of a selected expression is a term`() async throws {
    let database = try Self.items()
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Item>(
        select: ["size": "length(title)"], sectionBy: "size", orderBy: [.descending("SIZE"), .descending("title")]),
      database: database)
    try await controller.performFetch()
    #expect(controller.sections.map(\.id) == [.integer(1), .integer(2)])
    #expect(controller.snapshot.items.map(\.id) == [2, 1, 3])
    try await database.write { try $0.execute("UPDATE item SET title = 'zz' WHERE id = 1") }
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.id) == [2, 1, 3] && controller.sections.map(\.items.count) == [1, 2])
    #expect(controller.statistics.requeried == 0)
  }

  private static func items() throws -> Database {
    let database = try Database.inMemory()
    try database.write {
      try $0.executeScript(
        "CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, 'cc')")
    }
    return database
  }

  @Test func `functions of released requests leave nothing behind`() throws {
    let database = try Database.inMemory()
    try database.write { try $0.execute("CREATE TABLE item(id INTEGER PRIMARY KEY)") }
    try database.write { try $0.execute("INSERT INTO item VALUES (1), (2)") }
    for number in 0..<1000 {
      let controller = FetchedResultsController(
        fetchRequest: FetchRequest<Item>(sectionBy: .by("id", through: { _ in .integer(Int64(number)) })),
        database: database)
      try controller.performFetch()
      #expect(controller.sections.map(\.id) == [.integer(Int64(number))])
    }
    // Other tests use functions at the same time.
    #expect(SectionFunctions.count < 500)
  }
}
