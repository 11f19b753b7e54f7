import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import TestSupport
import Testing

/// Requests that are run once: they mean what a list of the same request shows.
@Suite(.timeLimit(.minutes(2))) struct RequestCommandTests {
  private let open = FetchRequest<Todo>(predicate: #Predicate { !$0.done }, sortBy: [.ascending(\.title)])

  @Test func `one request serves a list, a read and a write`() async throws {
    let database = try TodoWorld.database()
    #expect(try await database.fetch(open).map(\.id) == [1, 4, 2, 3])
    #expect(try await database.first(open)?.title == "Groceries")
    #expect(try await database.count(open) == 4)
    #expect(try await database.exists(open))
    let changed = try await database.write { c in
      try c.updateAll(FetchRequest<Todo>(where: "list = 1"), set: (\.done, true), (\.position, 9))
    }
    #expect(changed == 2)
    #expect(try await database.fetch(open).map(\.title) == ["Multiple Selections", "Presentation"])
    #expect(
      try await database.write { c in try c.updateAll(open, set: "position = position + \(10), title = title || '!'") }
        == 2)
    try await database.read { [open] c in
      var found: [String] = []
      try c.forEach(open) { found.append("\($0.title) \($0.position)") }
      #expect(found == ["Multiple Selections! 12", "Presentation! 11"])
    }
    #expect(try await database.deleteAll(open) == 2)
    #expect(try await !database.exists(open))
    #expect(try await database.first(open) == nil)
    #expect(try await database.fetch(FetchRequest<Todo>()).map(\.title) == ["Groceries", "Post Office"])
  }

  @Test func `joins, limits, sections and statements mean the same as in a list`() async throws {
    let database = try TodoWorld.database()
    let late = FetchRequest<Todo>(
      from: "item AS i JOIN list ON list.id = i.list", where: "list.name = 'Errands'",
      orderBy: [.descending("i.title")],
      limit: 1)
    #expect(try await database.fetch(late).map(\.id) == [2])
    #expect(try await database.count(late) == 1)
    #expect(try await database.fetch(TodoWorld.sectioned).map(\.id) == [3, 4, 1, 2])
    let statement = FetchRequest<Todo>(sql: "SELECT * FROM item ORDER BY id DESC", limit: 2, offset: 1)
    #expect(try await database.fetch(statement).map(\.id) == [3, 2])
    #expect(try await database.count(statement) == 2)
    #expect(try await database.first(statement)?.id == 3)
    // Only what the request selects is changed.
    #expect(try await database.deleteAll(late) == 1)
    #expect(try await database.deleteAll(statement) == 2)
    #expect(try await database.fetch(FetchRequest<Todo>()).map(\.id) == [4])
  }

  @Test func `a wrong request or assignment is an error`() async throws {
    let database = try TodoWorld.database()
    for request in [
      FetchRequest<Todo>(where: "nothing = 1"), FetchRequest<Todo>(where: "done) OR (1"),
      FetchRequest<Todo>(from: "list"),
    ] {
      await #expect(throws: DatabaseError.self) { try await database.fetch(request) }
      await #expect(throws: DatabaseError.self) { try await database.deleteAll(request) }
      await #expect(throws: DatabaseError.self) { try await database.page(of: request, size: 1) }
    }
    for request in [
      FetchRequest<Todo>(limit: 3), FetchRequest<Todo>(offset: 3), FetchRequest<Todo>(sql: "SELECT * FROM item"),
    ] {
      await #expect(throws: DatabaseError.self) { try await database.page(of: request, size: 1) }
    }
    await #expect(throws: DatabaseError.self) { try await database.page(of: open, size: 0) }
    #expect(try await database.count(FetchRequest<Todo>()) == 4)
  }

  @Test func `a value that would be read back as another one is not set`() async throws {
    let database = try Database.inMemory()
    try database.run("CREATE TABLE item(id INTEGER PRIMARY KEY, list, title INTEGER, position, done)")
    try await database.write { c in try c.insert(Todo(id: 1, list: nil, title: "a", position: 1, done: false)) }
    await #expect(throws: DatabaseError.self) {
      try await database.write { c in try c.updateAll(FetchRequest<Todo>(), set: (\.title, "12")) }
    }
    #expect(try await database.first(FetchRequest<Todo>())?.title == "a")
  }

  /// An order of random rows with NULLs, equal values and texts of mixed case.
  @Test func `the pages of a request are its rows`() async throws {
    for seed in Seeds.range(20) { try await checkPages(seed) }
  }

  private func checkPages(_ seed: UInt64) async throws {
    var dice = SeededGenerator(seed: seed)
    let database = try Database.inMemory()
    try database.run("CREATE TABLE item(id INTEGER PRIMARY KEY, list, title, position, done)")
    let texts = ["a", "A", "b", "B", "ab", ""]
    try await database.write { [dice] c in
      var dice = dice
      for id in 1...40 {
        let list: Int64? = Bool.random(using: &dice) ? nil : Int64.random(in: 0...2, using: &dice)
        try c.insert(
          Todo(
            id: Int64(id), list: list, title: texts.randomElement(using: &dice) ?? "",
            position: .random(in: 0...3, using: &dice), done: false))
      }
    }
    _ = dice.next()
    func term(_ name: SQL) -> OrderTerm {
      let nulls: OrderTerm.NullPlacement? = [nil, .first, .last].randomElement(using: &dice) ?? nil
      let collation: OrderTerm.Collation? = [nil, .nocase].randomElement(using: &dice) ?? nil
      return Bool.random(using: &dice)
        ? .ascending(name, nulls: nulls, collation: collation) : .descending(name, nulls: nulls, collation: collation)
    }
    for _ in 0..<5 {
      let conditions: [SQL] = [
        "list IS NULL", "NOT position", "position = 1 OR title = 'a'", "position BETWEEN 1 AND 2", "title LIKE 'a%'",
      ]
      let names = (["list", "title", "position", "position % 2"] + conditions).shuffled(using: &dice)
      let section: SectionTerm? = [nil, "list", .by("list IS NULL")].randomElement(using: &dice) ?? nil
      let request = FetchRequest<Todo>(
        where: "position < 3", sectionBy: section,
        orderBy: names.prefix(.random(in: 0...3, using: &dice)).map(term))
      let all = try await database.fetch(request)
      let list = FetchedResultsController(fetchRequest: request, database: database)
      try list.fetchHere()
      #expect(all == Array(list.fetchedObjects), "\(Seeds.hint(seed))")
      let size = Int.random(in: 1...13, using: &dice)
      var page = try await database.page(of: request, size: size)
      var read = page.items
      while let next = page.next, read.count <= all.count {
        // A client may keep the key as text.
        let key = try JSONDecoder().decode(PageKey.self, from: JSONEncoder().encode(next))
        #expect(key == next && page.items.count == size)
        page = try await database.page(of: request, after: key, size: size)
        read += page.items
      }
      #expect(read == all, "\(request), \(Seeds.hint(seed))")
    }
  }

  struct Shelf: MappedEntity, Equatable {
    static let table = "list"
    static let mapping = Mapping(Shelf.init, ("id", \.id), ("name", \.name), ("open", \.open))
    var id: Int64
    var name: String
    var open: Int
  }

  @Test func `a condition may use the name of a selected expression`() async throws {
    let database = try TodoWorld.database()
    let busy = FetchRequest<Shelf>(
      select: ["open": "(SELECT count(*) FROM item WHERE item.list = list.id AND NOT item.done)"], where: "open > 1",
      orderBy: [.descending("open")])
    #expect(try await database.fetch(busy).count == 2)
    #expect(try await database.count(busy) == 2)
    var one = busy
    one.limit = 1
    #expect(try await database.count(one) == 1)
    let changed = try await database.write { [one] c in try c.updateAll(one, set: "name = 'x'") }
    #expect(changed == 1)
    try database.run("UPDATE item SET done = 1 WHERE id = 1")
    #expect(try await database.deleteAll(busy) == 1)
    #expect(try await database.count(busy) == 0)
  }

  @Test func `sections by a function of the program's need no list before`() async throws {
    let database = try TodoWorld.database()
    let request = FetchRequest<Todo>(
      sectionBy: .by("position", through: { $0 == .integer(1) ? .text("first") : .text("other") }), orderBy: ["title"])
    let ids = try await database.fetch(request).map(\.id)
    #expect(try await database.first(request)?.id == ids.first)
    #expect(try await database.page(of: request, size: 9).items.map(\.id) == ids)
    #expect(try await database.write { c in try c.fetch(request).map(\.id) } == ids)
    let list = FetchedResultsController(fetchRequest: request, database: database)
    try list.fetchHere()
    #expect(list.fetchedObjects.map(\.id) == ids)
  }

  @Test func `a predicate that is set to itself changes nothing`() async throws {
    let database = try TodoWorld.database()
    var request = open.filtered(by: #Predicate { $0.title == "Groceries" })
    request.predicate = request.predicate
    #expect(try await database.fetch(request).map(\.title) == ["Groceries"])
    request.predicate = #Predicate { $0.done }
    #expect(try await database.count(request) == 0)
    request.predicate = nil
    #expect(try await database.count(request) == 4)
  }

  @Test func `a page begins after its key, whatever has become of that row`() async throws {
    let database = try TodoWorld.database()
    let page = try await database.page(of: open, size: 2)
    #expect(page.items.map(\.title) == ["Groceries", "Multiple Selections"])
    try database.run("DELETE FROM item WHERE title = 'Multiple Selections'; INSERT INTO item VALUES (9, 1, 'A', 1, 0)")
    let next = try await database.page(of: open, after: page.next, size: 2)
    #expect(next.items.map(\.title) == ["Post Office", "Presentation"])
    #expect(next.next == nil)
    let other = FetchRequest<Todo>(predicate: #Predicate { !$0.done }, sortBy: [.ascending(\.position)])
    await #expect(throws: DatabaseError.self) { try await database.page(of: other, after: page.next, size: 2) }
  }
}
