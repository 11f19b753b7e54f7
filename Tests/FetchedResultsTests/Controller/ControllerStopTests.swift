import FetchedResults
import FixtureSupport
import Testing

@testable import FetchedResultsCore
@testable import SQLiteStore

/// Stopping a controller, and fetching again.
@Suite(.timeLimit(.minutes(10))) struct ControllerStopTests {
  @Test(arguments: [true, false]) func `a stopped controller keeps its list until it fetches again`(
    isFile: Bool
  ) async throws {
    let (database, controller) = try TodoWorld.following(isFile: isFile)
    let before = controller.snapshot
    let delegate = DelegateRecorder<Todo>()
    controller.delegate = delegate
    var updates = controller.updates().makeAsyncIterator()
    controller.stop()
    controller.stop()
    #expect(!database.feed.hasObservers)
    try database.run("DELETE FROM item WHERE id = 1")
    try await controller.settled()
    #expect(controller.snapshot == before)
    #expect(controller.statistics.commits == 0)
    try controller.fetchHere()
    #expect(database.feed.hasObservers)
    let update = try #require(await updates.next())
    #expect(update.old == before && update.new == controller.snapshot && update.new.numberOfItems == 3)
    #expect(delegate.calls.isEmpty)
    try database.run("DELETE FROM item WHERE id = 2")
    try await controller.settled()
    let next = try #require(await updates.next())
    #expect(next.old == update.new && next.new.numberOfItems == 2)
    #expect(delegate.brackets == "(r)u")
  }

  @Test func `another request may be set while the controller is stopped`() async throws {
    let (_, controller) = try TodoWorld.following()
    let before = controller.snapshot
    controller.stop()
    controller.fetchRequest = TodoWorld.sectioned
    try await controller.settled()
    #expect(controller.snapshot == before)
    try await controller.performFetch()
    #expect(controller.snapshot.map(\.name) == ["Career", "Errands"])
  }

  @Test func `a failing controller may be stopped, and fetched again when the cause is gone`() async throws {
    let (database, controller) = try TodoWorld.following()
    try database.run("ALTER TABLE item RENAME TO gone")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    controller.stop()
    // Nothing is followed, so nothing fails.
    #expect(controller.lastError == nil)
    try await controller.settled()
    #expect(throws: DatabaseError.self) { try controller.fetchHere() }
    #expect(controller.lastError == nil)
    try await controller.settled()
    try database.run("ALTER TABLE gone RENAME TO item; DELETE FROM item WHERE id = 1")
    try controller.fetchHere()
    try await controller.settled()
    #expect(controller.lastError == nil)
    #expect(controller.snapshot.numberOfItems == 3)
  }

  @Test func `a controller may be stopped at any moment`() async throws {
    let database = try TodoWorld.database()
    let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    for number in 0..<100 {
      try controller.fetchHere()
      try database.run("INSERT INTO item(list, title, position) VALUES (1, 'x', \(number))")
      if number.isMultiple(of: 3) { await Task.yield() }
      controller.stop()
      let stopped = controller.snapshot.numberOfItems
      #expect(stopped == number + 4 || stopped == number + 5)
    }
    try controller.fetchHere()
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 104)
  }
}
