import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Testing

/// Setting another request while one is followed.
@Suite(.timeLimit(.minutes(10))) struct ControllerRequestTests {
  @Test(arguments: [true, false]) func `another request is one ordinary update`(isFile: Bool) async throws {
    let (database, controller) = try TodoWorld.following(isFile: isFile)
    let before = controller.snapshot
    var updates = controller.updates().makeAsyncIterator()
    controller.fetchRequest = TodoWorld.sectioned
    #expect(controller.fetchRequest == TodoWorld.sectioned)
    try await controller.settled()
    let update = try #require(await updates.next())
    #expect(update.old == before && update.new == controller.snapshot)
    #expect(update.new.map(\.name) == ["Career", "Errands"])
    #expect(Laws.violations(of: update) == [])
    try database.run("DELETE FROM item WHERE list = 2")
    try await controller.settled()
    let next = try #require(await updates.next())
    #expect(next.old == update.new && next.new.map(\.name) == ["Errands"])
    // Only commits that concern the new request count.
    try database.run("UPDATE list SET name = 'Ways' WHERE id = 1")
    try await controller.settled()
    #expect(controller.snapshot.map(\.name) == ["Ways"])
  }

  @Test func `an equal request publishes nothing, and neither does one with the same rows`() async throws {
    let (database, controller) = try TodoWorld.following()
    let updates = Recorder(controller.updates())
    let statistics = controller.statistics
    controller.fetchRequest = FetchRequest(where: "NOT done", orderBy: ["title"])
    try await controller.settled()
    #expect(controller.statistics == statistics)
    controller.fetchRequest = FetchRequest(where: "NOT done", orderBy: ["title", "position"])
    try await controller.settled()
    #expect(controller.statistics.requeried == statistics.requeried + 1)
    try database.run("DELETE FROM item WHERE id = 1")
    try await controller.settled()
    try await eventually("the change is told") { updates.elements.count == 1 }
    #expect(updates.elements.first?.changes.deletedItems.count == 1)
  }

  @Test func `of many requests in a row, the last one is shown`() async throws {
    let (_, controller) = try TodoWorld.following()
    let start = controller.snapshot
    let told = SharedValue<[Update<Todo>]>([])
    let observation = controller.observeOnAnyThread { update in told.change { $0.append(update) } }
    for limit in (0..<200).map({ $0 % 4 }) { controller.fetchRequest.limit = limit }
    controller.fetchRequest = TodoWorld.sectioned
    try await controller.settled()
    #expect(controller.snapshot.map(\.name) == ["Career", "Errands"])
    #expect(Laws.chain(told.value, from: start) == [])
    #expect(told.value.last?.new == controller.snapshot)
    observation.cancel()
  }

  @Test func `before performFetch a request is only stored`() async throws {
    let database = try TodoWorld.database()
    let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    controller.fetchRequest = TodoWorld.sectioned
    #expect(controller.snapshot.isEmpty)
    try controller.fetchHere()
    #expect(controller.snapshot.map(\.name) == ["Career", "Errands"])
  }

  static let wrong: [(request: FetchRequest<Todo>, says: String)] = [
    (FetchRequest(where: "nonsense = 1"), "nonsense"), (FetchRequest(where: "NOT"), "syntax"),
    (FetchRequest(orderBy: ["itle"]), "itle"), (FetchRequest(sectionBy: "lst"), "lst"),
    (FetchRequest(from: "nowhere"), "nowhere"), (FetchRequest(from: "item JOIN nowhere"), "nowhere"),
    (FetchRequest(sql: "SELECT id FROM item"), "list"), (FetchRequest(sql: "DELETE FROM item"), ""),
    (FetchRequest(where: "random() > 0"), "random"),
    (FetchRequest(from: "item JOIN list"), "1"),
    (FetchRequest(sectionBy: .by("list", orderedBy: ["title"])), "disagree"),
  ]

  @Test(arguments: wrong.indices, [true, false])
  func `a wrong request is reported, and the list keeps following the old one`(
    _ index: Int, isFile: Bool
  ) async throws {
    let (request, says) = Self.wrong[index]
    let (database, controller) = try TodoWorld.following(isFile: isFile)
    let before = controller.snapshot
    let delegate = DelegateRecorder<Todo>()
    controller.delegate = delegate
    let errors = Recorder(controller.errors())
    var updates = controller.updates().makeAsyncIterator()
    controller.fetchRequest = request
    await #expect { try await controller.settled() } throws: { error in
      "\(error)".contains(says) && error is DatabaseError
    }
    #expect(controller.snapshot == before)
    #expect("\(try #require(controller.lastError))".contains(says))
    try await eventually("the reader of errors is told") { errors.elements.count == 1 }
    #expect(delegate.brackets == "!")
    #expect("\(delegate.failures[0])" == "\(errors.elements[0])")

    // The list keeps following the old request.
    try database.run("DELETE FROM item WHERE id = 1")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    let update = try #require(await updates.next())
    #expect(update.old == before && update.new.numberOfItems == 3)
    #expect(controller.snapshot == update.new)
    #expect(controller.lastError != nil)
    #expect(delegate.brackets == "!(r)u")

    // A right one afterwards recovers.
    controller.fetchRequest = TodoWorld.sectioned
    try await controller.settled()
    #expect(controller.lastError == nil)
    let next = try #require(await updates.next())
    #expect(next.old == update.new && next.new == controller.snapshot)
    #expect(next.new.map(\.name) == ["Career", "Errands"])
    #expect(errors.elements.count == 1)
    #expect(delegate.failures.count == 1 && delegate.updates.count == 2)
  }

  @Test func `setting the old request again recovers too, and publishes nothing`() async throws {
    let (database, controller) = try TodoWorld.following()
    let updates = Recorder(controller.updates())
    controller.fetchRequest = FetchRequest(where: "nonsense")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    controller.fetchRequest = TodoWorld.open
    try await controller.settled()
    #expect(controller.lastError == nil)
    #expect(updates.elements.isEmpty)
    try database.run("DELETE FROM item WHERE id = 1")
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 3)
  }

  @Test func `a request becomes valid when its table is created`() async throws {
    let (database, controller) = try TodoWorld.following()
    controller.fetchRequest = FetchRequest(from: "item JOIN more ON more.item = item.id", orderBy: ["more.place"])
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    try database.run(
      "CREATE TABLE more(item INTEGER PRIMARY KEY, place); INSERT INTO more VALUES (2, 2), (1, 3), (3, 1)")
    controller.fetchRequest.limit = 10
    try await controller.settled()
    #expect(controller.lastError == nil)
    #expect(controller.snapshot.items.map(\.id) == [3, 2, 1])
  }
}
