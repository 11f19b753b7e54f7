import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// Values of requests that are observed.
@Suite(.timeLimit(.minutes(2))) struct ValueRequestTests {
  private let open = FetchRequest<Todo>(predicate: #Predicate { !$0.done }, sortBy: [.ascending(\.title)])

  @Test func `a count, the first row and whether there is one follow the commits`() async throws {
    let database = try TodoWorld.database()
    var counts = database.values(of: open.count).makeAsyncIterator()
    var firsts = database.values(of: open.first).makeAsyncIterator()
    var any = database.values(of: open.exists).makeAsyncIterator()
    var limited = database.values(of: FetchRequest<Todo>(limit: 3, offset: 2).count).makeAsyncIterator()
    #expect(try await counts.next() == 4)
    #expect(try await firsts.next()??.title == "Groceries")
    #expect(try await any.next() == true)
    #expect(try await limited.next() == 2)
    // A row that stays in changes neither the count nor the first.
    try database.run("UPDATE item SET title = 'Zebra' WHERE id = 3")
    try database.run("UPDATE item SET done = 1 WHERE id = 1")
    #expect(try await counts.next() == 3)
    #expect(try await firsts.next()??.title == "Multiple Selections")
    try database.run("UPDATE item SET done = 1; INSERT INTO item(id, title, position) VALUES (9, 'x', 1)")
    #expect(try await counts.next() == 1)
    #expect(try await limited.next() == 3)
    try database.run("UPDATE item SET done = 1")
    #expect(try await counts.next() == 0)
    #expect(try await any.next() == false)
    // What was missed in between may come or not.
    while let first = try await firsts.next(), first != nil {}
  }

  @Test func `a wrong request throws, and a closed database ends the values`() async throws {
    let database = try TodoWorld.database()
    var wrong = database.values(of: FetchRequest<Todo>(where: "nothing = 1").count).makeAsyncIterator()
    await #expect(throws: DatabaseError.self) { try await wrong.next() }
    var values = database.values(of: open.count).makeAsyncIterator()
    #expect(try await values.next() == 4)
    try database.close()
    #expect(try await values.next() == nil)
  }

  @Test @MainActor func `a model shows the last value`() async throws {
    let database = try TodoWorld.database()
    let model = ValueModel(database.values(of: open.count))
    func shows(_ count: Int) async throws {
      for _ in 0..<1000 where model.value != count { try await Task.sleep(for: .milliseconds(5)) }
      #expect(model.value == count)
    }
    try await shows(4)
    try database.run("DELETE FROM item WHERE id > 1")
    try await shows(1)
    #expect(model.error == nil)
    let (numbers, writer) = AsyncStream.makeStream(of: Int.self)
    let last = ValueModel(numbers)
    writer.yield(7)
    for _ in 0..<1000 where last.value != 7 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(last.value == 7)
  }
}
