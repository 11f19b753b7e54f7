import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import Testing

@testable import FetchedResultsCore
@testable import SQLiteStore

/// Readers of updates and errors as streams, and what remains after a controller is released.
@Suite(.timeLimit(.minutes(10))) struct ControllerReaderTests {
  @Test(arguments: [true, false]) func `updates begin with the first change after the call`(isFile: Bool) async throws {
    let (database, controller) = try TodoWorld.following(isFile: isFile)
    try database.run("DELETE FROM item WHERE id = 1")
    try await controller.settled()
    let before = controller.snapshot
    var updates = controller.updates().makeAsyncIterator()
    try database.run("DELETE FROM item WHERE id = 2")
    try await controller.settled()
    try database.run("DELETE FROM item WHERE id = 99")
    try await controller.settled()
    let update = try #require(await updates.next())
    #expect(update.old == before)
    #expect(update.new.titles == ["Multiple Selections", "Presentation"])
    try database.run("DELETE FROM item WHERE id = 3")
    let next = try #require(await updates.next())
    #expect(next.old == update.new && next.new.titles == ["Multiple Selections"])
  }

  @Test func `a slow reader gets one merged update, beside one that reads all`() async throws {
    let (database, controller) = try TodoWorld.following()
    let start = controller.snapshot
    let quick = Recorder(controller.updates())
    var slow = controller.updates().makeAsyncIterator()
    for number in 10..<30 {
      try database.run("INSERT INTO item VALUES (\(number), 1, 'T\(number)', 1, 0)")
      try await controller.settled()
    }
    let update = try #require(await slow.next())
    #expect(update.old == start && update.new == controller.snapshot)
    #expect(update.changes.insertedItems.count == 20)
    #expect(Laws.violations(of: update) == [])
    try await eventually("all is read") { quick.elements.last?.new == controller.snapshot }
    #expect(Laws.chain(quick.elements, from: start) == [])
    // A row that is inserted and deleted again is no change.
    try database.run("INSERT INTO item VALUES (50, 1, 'x', 1, 0)")
    try await controller.settled()
    try database.run("DELETE FROM item WHERE id = 50")
    try await controller.settled()
    try database.run("DELETE FROM item WHERE id = 10")
    try await controller.settled()
    let next = try #require(await slow.next())
    #expect(next.old == update.new)
    #expect(next.changes.description.hasPrefix("rows: deleted"))
    #expect(next.changes.deletedItems.count == 1 && next.changes.insertedItems.isEmpty)
  }

  @Test func `a merged update deletes and inserts no row that lives on, even if rows can't be compared`() async throws {
    let database = try TodoWorld.database()
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Opaque<ItemTable>>(sectionBy: "list", orderBy: ["position"]), database: database)
    try controller.fetchHere()
    var updates = controller.updates().makeAsyncIterator()
    for step in [
      "CREATE TEMP TABLE kept AS SELECT * FROM item WHERE list = 2; DELETE FROM item WHERE list = 2",
      "UPDATE item SET title = 'other' WHERE id = 1",
      "INSERT INTO item SELECT * FROM temp.kept", "UPDATE item SET title = 'Groceries' WHERE id = 1",
      "INSERT INTO item(id, list, title, position) VALUES (9, 1, 'new', 9)",
    ] {
      try database.run(step)
      try await controller.settled()
    }
    let update = try #require(await updates.next())
    // Rows that left and came back may have changed in between, so they are reported as updated.
    #expect(
      update.changes.description == "rows: inserted [0, 2], updated [0, 0] [1, 0] [1, 1]", "\(update.changes)")
    #expect(update.new.numberOfItems == 5)
  }

  @Test func `readers end with the controller, and do not keep it alive`() async throws {
    let database = try TodoWorld.database()
    var controller: FetchedResultsController<Todo>? = FetchedResultsController(
      fetchRequest: TodoWorld.open, database: database)
    try controller?.fetchHere()
    weak let gone = controller
    weak let core = controller?.core
    let updates = try Recorder(#require(controller).updates())
    let errors = try Recorder(#require(controller).errors())
    let unread = try #require(controller).updates()
    let model = try FRCDataSource(fetchedResultsController: #require(controller)).updates()
    try database.run("DELETE FROM item WHERE id = 1")
    try await controller?.settled()
    controller = nil
    #expect(gone == nil)
    try await eventually("the core goes") { core == nil }
    try await eventually("the readers end") { updates.hasEnded && errors.hasEnded }
    #expect(updates.elements.count == 1)
    for stream in [unread, model] {
      var rest: [Update<Todo>] = []
      for await update in stream { rest.append(update) }
      #expect(rest.count == 1)
    }
  }

  @Test(arguments: [true, false]) func `nothing is left of a released controller`(isFile: Bool) async throws {
    let database = try TodoWorld.database(isFile: isFile)
    #expect(!database.feed.hasObservers)
    weak var gone: FetchedResultsController<Todo>?
    weak var core: ResultCore<Todo>?
    do {
      let controller = FetchedResultsController(fetchRequest: TodoWorld.sectioned, database: database)
      gone = controller
      core = controller.core
      let delegate = DelegateRecorder<Todo>()
      controller.delegate = delegate
      let observation = controller.observeOnAnyThread { _ in }
      let recorder = Recorder(controller.updates())
      let errors = Recorder(controller.errors())
      try controller.fetchHere()
      #expect(database.feed.hasObservers)
      for number in 0..<20 {
        try database.run("INSERT INTO item(list, title, position) VALUES (1, 'x', \(number))")
        controller.fetchRequest = number.isMultiple(of: 2) ? TodoWorld.open : TodoWorld.sectioned
      }
      controller.fetchRequest = FetchRequest(where: "wrong")
      await #expect(throws: DatabaseError.self) { try await controller.settled() }
      try controller.performFetch(afterSetting: TodoWorld.open)
      try await controller.settled()
      withExtendedLifetime((delegate, observation, recorder, errors)) {}
    }
    try await eventually("the controller goes") { gone == nil && core == nil }
    try await eventually("nobody follows") { !database.feed.hasObservers }
    try database.run("DELETE FROM item")
  }

  @Test func `a controller keeps its database alive`() async throws {
    var database: Database? = try TodoWorld.database()
    weak let held = database
    var controller: FetchedResultsController<Todo>? = try FetchedResultsController(
      fetchRequest: TodoWorld.open, database: #require(database))
    try controller?.fetchHere()
    database = nil
    #expect(held != nil)
    try await controller?.settled()
    controller = nil
    try await eventually("the database goes") { held == nil }
  }

  @Test func `an observer receives nothing that was published before it was added, behind a slow one either`()
    async throws
  {
    let (database, controller) = try TodoWorld.following()
    let gate = Gate()
    defer { gate.open() }
    let slow = controller.observeOnAnyThread { _ in gate.pass() }
    try database.run("DELETE FROM item WHERE id = 1")
    try await eventually("the slow observer is called") { gate.isReached }
    try database.run("DELETE FROM item WHERE id = 2")
    // Its update waits for the slow observer.
    try controller.fetchHere()
    let start = controller.snapshot
    #expect(start.numberOfItems == 2)
    let told = SharedValue<[Update<Todo>]>([])
    let observation = controller.observeOnAnyThread { update in told.change { $0.append(update) } }
    gate.open()
    try await controller.settled()
    try database.run("DELETE FROM item WHERE id = 3")
    try await controller.settled()
    #expect(told.value.map(\.old) == [start] && told.value.last?.new == controller.snapshot)
    slow.cancel()
    observation.cancel()
  }

  /// A list of a number of rows.
  private static func list(_ count: Int) -> Snapshot<Todo> {
    let items = (0..<count).map { Todo(id: Int64($0), list: nil, title: "", position: 0, done: false) }
    return Snapshot([Section(id: .none, name: "", items: items)])
  }

  @Test func `an observer or delegate that joins between two updates receives the second one alone`() throws {
    let database = try TodoWorld.database(isFile: false)
    let broadcaster = UpdateBroadcaster(Self.list(0))
    let deliveries = Deliveries(broadcaster)
    let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    deliveries.controller = controller
    let delegates = [DelegateRecorder<Todo>(), DelegateRecorder<Todo>()]
    deliveries.delegate = delegates[0]
    let first = SharedValue<[Update<Todo>]>([])
    _ = deliveries.add { update in first.change { $0.append(update) } }
    var later: [SharedValue<[Update<Todo>]>] = []
    func join() {
      let told = SharedValue<[Update<Todo>]>([])
      _ = deliveries.add { update in told.change { $0.append(update) } }
      later.append(told)
    }
    // With so many, the last ones are merged.
    for number in 1...90 {
      let update = Update(old: Self.list(number - 1), new: Self.list(number))
      deliveries.publish(update)
      // The list is the new one, and its update is not in the queue yet.
      if number == 70 { join() }
      deliveries.add(Delivery(.update(update, isFetch: false)), upTo: number)
      if number == 80 {
        join()
        deliveries.delegate = delegates[1]
      }
    }
    #expect(deliveries.begin() && deliveries.deliver() == 90)
    #expect(Laws.chain(first.value, from: Self.list(0)) == [] && first.value.last?.new == Self.list(90))
    #expect(first.value.count < 80)
    for (told, start) in zip(later.map(\.value), [70, 80]) {
      #expect(Laws.chain(told, from: Self.list(start)) == [] && told.last?.new == Self.list(90))
      #expect(told.first?.old == Self.list(start))
    }
    #expect(delegates[0].updates.isEmpty && delegates[1].updates.first?.old == Self.list(80))
    withExtendedLifetime(controller) {}
  }

  @Test func `errors are reported as they occur, once each`() async throws {
    let (database, controller) = try TodoWorld.following()
    let errors = Recorder(controller.errors())
    let late = Recorder(controller.errors())
    try database.run("ALTER TABLE item RENAME TO gone")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    try await eventually("the error is told") { errors.elements.count == 1 && late.elements.count == 1 }
    try database.run("ALTER TABLE gone RENAME TO item")
    try await controller.settled()
    try database.run("ALTER TABLE item RENAME TO gone")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    try await eventually("the error is told again") { errors.elements.count == 2 }
    #expect(errors.elements.allSatisfy { ($0 as? DatabaseError)?.message.contains("item") == true })
    // A reader that joins after an error does not receive that error.
    let later = Recorder(controller.errors())
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    #expect(later.elements.isEmpty)
    #expect(controller.lastError is DatabaseError)
  }
}

extension FetchedResultsController {
  /// Sets a request and fetches it.
  fileprivate func performFetch(afterSetting request: FetchRequest<E>) throws {
    fetchRequest = request
    try performFetch()
  }
}
