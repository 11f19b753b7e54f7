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

  private static let refused: [(request: FetchRequest<Item>, words: String)] = [
    (FetchRequest(orderBy: ["title, id"]), "the term \"title, id\" has several expressions"),
    (FetchRequest(sectionBy: "title, id"), "has several expressions"),
    (FetchRequest(sectionBy: .by("title", orderedBy: ["id, title"])), "has several expressions"),
    (FetchRequest(sectionBy: .by("title", name: "title, id")), "the name of sections"),
    (FetchRequest(select: ["n": "id, title"]), "the selected expression"),
    (FetchRequest(where: ""), "the condition is empty"), (FetchRequest(where: " -- all"), "the condition is empty"),
    (FetchRequest(orderBy: [""]), "the term is empty"), (FetchRequest(sectionBy: ""), "the term is empty"),
    (FetchRequest(from: ""), "the FROM clause is empty"),
    (FetchRequest(select: ["n": ""]), "the selected expression is empty"),
    (
      FetchRequest(select: ["size": "length(title)"], orderBy: ["(SELECT max(size) FROM (SELECT 1))"]),
      "size is selected by this request"
    ),
    (FetchRequest(select: ["n": "count(*)"]), "\"count(*)\" aggregates all rows into one"),
    (FetchRequest(select: ["n": "(SELECT sum(item.id))"]), "aggregates all rows"),
    (FetchRequest(orderBy: ["max(length(title))"]), "aggregates all rows"),
    (FetchRequest(sectionBy: "count(*)"), "aggregates all rows"),
    (FetchRequest(sectionBy: .by("title", name: "min(title)")), "aggregates all rows"),
    (FetchRequest(sql: "SELECT * FROM item", orderBy: ["total(id)"]), "aggregates all rows"),
    (FetchRequest(where: "id = 1) OR (title = 'z'"), "closes a parenthesis that it does not open"),
    (FetchRequest(where: "(id = 1"), "opens a parenthesis that it does not close"),
    (FetchRequest(where: "id = 1; --"), "has a semicolon"),
    (FetchRequest(where: "title = 'a"), "has a quote that does not end"),
    (FetchRequest(orderBy: ["title /* the newest"]), "has a comment that does not end"),
    (FetchRequest(orderBy: ["[title"]), "has a name in brackets that does not end"),
    (FetchRequest(orderBy: ["title DESC"]), "write the direction as .descending(…)"),
    (FetchRequest(from: "item WHERE done"), "contains WHERE; write the condition as `where:`"),
    (FetchRequest(where: "WHERE done"), "the condition \"WHERE done\" begins with WHERE; leave that word out"),
    (FetchRequest(where: "title = \"t1\""), "a name is in double quotes, and a text in single ones"),
    (
      FetchRequest(
        where: SQL(
          raw: (0..<20).reduce("1") { inner, _ in "EXISTS (SELECT 1 FROM item AS other WHERE \(inner))" })),
      "nests its subqueries or parentheses too deeply for SQLite"
    ), (FetchRequest(where: "id IN (SELECT nope FROM item AS other)"), "in: SELECT \"item\".*"),
    (FetchRequest(from: "item GROUP BY list"), "contains GROUP; write the whole statement as `sql:`"),
    (FetchRequest(from: "item AS i", where: "item.title = 'x'"), "the table item is called i in this request"),
    (FetchRequest(orderBy: ["title NULLS LAST"]), "write it as .ascending(…, nulls: .last)"),
    (FetchRequest(sql: " -- "), "the statement is empty"),
    (FetchRequest(where: "id IN (\([1, 2]))"), "write IN \\(ids)"),
    (FetchRequest(where: "title = '\("a")'"), "write it outside of quotes"),
    (FetchRequest(orderBy: [.ascending("title", collation: .named("de"))]), "add it with Database.addCollation"),
    (FetchRequest(orderBy: ["title asc -- up"]), "write the direction as .ascending(…)"),
    (FetchRequest(where: SQL(raw: "id = 1\0 AND id = 2")), "NUL"),
    (FetchRequest(from: "item) AS x, (SELECT 1", where: "1"), "closes a parenthesis"),
    (FetchRequest(sql: "SELECT * FROM item) UNION (SELECT 9, 'z'", orderBy: ["id"]), "closes a parenthesis"),
    (FetchRequest(sectionBy: .by("title", including: "SELECT 'a' /*")), "`including` \"SELECT 'a' /*\" has a comment"),
  ]

  @Test(arguments: refused.indices)
  func `a piece that would change the meaning of its neighbours is refused`(_ index: Int) throws {
    let (request, words) = Self.refused[index]
    let controller = FetchedResultsController(fetchRequest: request, database: try Self.items())
    #expect { try controller.performFetch() } throws: { "\($0)".contains(words) }
  }

  @Test func `commas, parentheses and semicolons within texts, names and comments are no matter`() async throws {
    let database = try Self.items()
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Item>(
        select: ["n, (": "coalesce(title, 'a;)')"], where: "title <> 'x, (;' /* ), ; */",
        orderBy: [.descending("coalesce(title, ';,')"), .descending("id -- , ( ;")]), database: database)
    try await controller.performFetch()
    #expect(controller.snapshot.items.map(\.id) == [3, 2, 1])
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

  @Test func `the names of selected expressions can be part of a term, and of the name and the key of a section`()
    async throws
  {
    let database = try Self.items()
    let one = 1
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Item>(
        select: ["Size": "length(title) * \(one)", "case": "title"], where: "size > 0",
        sectionBy: .by(
          "size % \(2)", name: "'size ' || \"size\" || CASE WHEN [case] = '' THEN '' ELSE \("!") END"),
        orderBy: [.descending("size + \(0) + id + max(size, 1)")]),
      database: database)
    try await controller.performFetch()
    #expect(controller.sections.map(\.name) == ["size 2!", "size 1!"])
    #expect(controller.snapshot.items.map(\.id) == [3, 2, 1])
    try await database.write { try $0.execute("UPDATE item SET title = 'zz' WHERE id = 1") }
    try await controller.settled()
    #expect(controller.sections.map(\.items.count) == [2, 1] && controller.statistics.requeried == 0)
    let keyed = FetchedResultsController(
      fetchRequest: FetchRequest<Item>(
        select: ["size": "length(title)"], sectionBy: .by("size", through: { $0 == 2 ? .text("two") : .text("one") })),
      database: database)
    try await keyed.performFetch()
    #expect(keyed.sections.map(\.id) == [.text("one"), .text("two")])
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
