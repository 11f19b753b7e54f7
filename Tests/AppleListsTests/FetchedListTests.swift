import AppleLists
import FetchedResults
import Testing

/// What a `@Fetched` property holds, without its view.
@Suite(.timeLimit(.minutes(10))) @MainActor struct FetchedListTests {
  struct Item: MappedEntity, Sendable {
    static let table = "item"
    static let mapping = Mapping(Item.init, ("id", \.id), ("title", \.title), ("done", \.done))
    var id: Int64?
    var title: String
    var done = false
  }

  private func database(_ titles: String...) throws -> Database {
    var options = Database.Options()
    options.log = { _ in }
    let database = try Database.inMemory(options: options)
    try database.write { c in
      try c.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, done INTEGER)")
      for title in titles { try c.insert(Item(title: title)) }
    }
    return database
  }

  private func wait(until condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
  }

  private let open = RowRequest<Item>(where: "NOT done", orderBy: ["title"])

  @Test func `rows are there at once, and follow the database`() async throws {
    let database = try database("Milk", "Bread")
    var animated = 0
    let list = FetchedList(open) { change in
      animated += 1
      change()
    }
    #expect(list.sections.isEmpty && list.results.isEmpty)
    list.show(open, of: database)
    #expect(list.results.map(\.title) == ["Bread", "Milk"])
    #expect(list.changes.isEmpty)
    try await database.write { c in _ = try c.insert(Item(title: "Cheese")) }
    try await wait { list.results.count == 3 }
    #expect(list.changes.insertedItems == [ItemPath(section: 0, item: 1)])
    #expect(animated == 1)
  }

  @Test func `another request and another database show their rows`() async throws {
    let (first, second) = (try database("Milk", "Bread"), try database("Letter"))
    let list = FetchedList(open)
    list.show(open, of: first)
    list.request.where = "title = 'Milk'"
    try await wait { list.results.map(\.title) == ["Milk"] }
    // The view is drawn again, with the request that it has always declared.
    list.show(open, of: first)
    #expect(list.request.where == "title = 'Milk'")
    let declared = RowRequest<Item>(where: "title = 'Bread'")
    list.show(declared, of: first)
    try await wait { list.results.map(\.title) == ["Bread"] }
    list.show(open, of: second)
    #expect(list.results.map(\.title) == ["Letter"])
  }

  @Test func `an error can be read and repaired`() async throws {
    let database = try database("Milk")
    let list = FetchedList(open)
    list.show(RowRequest<Item>(where: "missing = 1"), of: database)
    #expect(list.error != nil && list.results.isEmpty)
    await #expect(throws: DatabaseError.self) { try await list.reload() }
    list.request = open
    try await wait { list.error == nil && list.results.count == 1 }
    // An error of following.
    try await database.write { c in try c.execute("UPDATE item SET title = NULL") }
    try await wait { list.error != nil }
    #expect(list.results.count == 1)
    try await database.write { c in try c.execute("UPDATE item SET title = 'Bread'") }
    try await wait { list.error == nil && list.results.map(\.title) == ["Bread"] }
  }

  @Test func `a list that nobody holds is released`() throws {
    let database = try database("Milk")
    var list: FetchedList? = FetchedList(open)
    list?.show(open, of: database)
    weak let weakly = list
    list = nil
    #expect(weakly == nil)
  }
}
