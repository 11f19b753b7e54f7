import FetchedResults
import FixtureSupport
import Testing

/// Whatever goes wrong with a list, somebody hears of it: a reader, or else the database's log.
@Suite(.timeLimit(.minutes(2))) struct ControllerSilenceTests {
  /// The lines of a database's log.
  private final class Log: Sendable {
    private let taken = SharedValue<[String]>([])
    var lines: [String] { taken.value }
    var options: Database.Options {
      var options = Database.Options()
      options.log = { [taken] line in taken.change { $0.append(line) } }
      return options
    }
  }

  private let log = Log()
  private let database: Database

  init() throws {
    database = try Database(path: try TemporaryFolder.make() + "/todo.db", options: log.options)
    try database.run(TodoWorld.script)
  }

  private func following() throws -> FetchedResultsController<Todo> {
    let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    try controller.fetchHere()
    return controller
  }

  private func breakRow() throws { try database.run("UPDATE item SET title = NULL WHERE id = 3") }

  @Test func `the throwing stream gives the updates before an error, and then the error with its row and column`()
    async throws
  {
    let controller = try following()
    let updates = controller.throwingUpdates()
    try database.run("UPDATE item SET done = 1 WHERE id = 1")
    try await controller.settled()
    try breakRow()
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    var iterator = updates.makeAsyncIterator()
    #expect(try await iterator.next()?.new.titles == ["Multiple Selections", "Post Office", "Presentation"])
    let error = await #expect(throws: DatabaseError.self) { try await iterator.next() }
    let message = "\(try #require(error))"
    #expect(message.contains("title") && message.contains("item") && message.contains("3"), "\(message)")
    // The error lasts, so another stream throws it at once; once it is gone, the list can be read again.
    var second = controller.throwingUpdates().makeAsyncIterator()
    await #expect(throws: DatabaseError.self) { try await second.next() }
    try database.run("UPDATE item SET title = 'Again' WHERE id = 3")
    try await controller.settled()
    var third = controller.throwingUpdates().makeAsyncIterator()
    try database.run("UPDATE item SET done = 0 WHERE id = 1")
    #expect(try await third.next()?.changes.insertedItems.count == 1)
    #expect(log.lines.isEmpty)
  }

  @Test func `a reader that waits is woken by an error`() async throws {
    let controller = try following()
    let updates = controller.throwingUpdates()
    let reading = Task { for try await _ in updates {} }
    try await Task.sleep(for: .milliseconds(20))
    try breakRow()
    await #expect(throws: DatabaseError.self) { try await reading.value }
  }

  @Test func `a cancelled reader of the throwing stream ends`() async throws {
    let controller = try following()
    let reading = Task { for try await _ in controller.throwingUpdates() {} }
    try await Task.sleep(for: .milliseconds(20))
    reading.cancel()
    try await reading.value
  }

  @Test func `an error that nobody reads is one line of the log`() async throws {
    let controller = try following()
    let updates = Recorder(controller.updates())
    try breakRow()
    try await eventually("the line") { !log.lines.isEmpty }
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    #expect(log.lines.count == 1)
    let line = try #require(log.lines.first)
    for word in ["Todo", "item", "title", "3"] { #expect(line.contains(word), "\(line)") }
    #expect(updates.elements.isEmpty)
  }

  @Test func `a delegate without a method for errors leaves them to the log`() async throws {
    final class Delegate: FetchedResultsControllerDelegate {
      func controller(_: FetchedResultsController<Todo>, didChangeContentWith update: Update<Todo>) {}
    }
    let controller = try following()
    let delegate = Delegate()
    controller.delegate = delegate
    try breakRow()
    try await eventually("the line") { !log.lines.isEmpty }
    withExtendedLifetime(delegate) {}
  }

  @Test func `an error that somebody reads is not in the log`() async throws {
    let controller = try following()
    let errors = Recorder(controller.errors())
    try breakRow()
    try await eventually("the error") { !errors.elements.isEmpty }
    #expect(log.lines.isEmpty)
  }

  @Test func `a list that is read but was never fetched says so`() async throws {
    let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    let updates = Recorder(controller.updates())
    try await eventually("the line") { log.lines.first?.contains("performFetch") == true }
    try controller.fetchHere()
    try await eventually("the list") { updates.elements.count == 1 }
    #expect(log.lines.count == 1)
  }

  @Test func `a stream whose controller is released before it received anything says so`() async throws {
    let updates = try following().updates()
    for await _ in updates { Issue.record("an update") }
    #expect(log.lines.count == 1)
    let line = try #require(log.lines.first)
    #expect(line.contains("controller"), "\(line)")
    // One that has received something ends in silence.
    var controller: FetchedResultsController<Todo>? = try following()
    let other = Recorder(try #require(controller).updates())
    try database.run("UPDATE item SET done = 1 WHERE id = 1")
    try await eventually("the update") { other.elements.count == 1 }
    controller = nil
    try await eventually("the end") { other.hasEnded }
    #expect(log.lines.count == 1)
  }

  @Test func `all streams of a list end when its database is closed`() async throws {
    let controller = try following()
    let (updates, errors) = (Recorder(controller.updates()), Recorder(controller.errors()))
    let throwing = Task { for try await _ in controller.throwingUpdates() {} }
    try await Task.sleep(for: .milliseconds(20))
    try database.close()
    try await eventually("the end") { updates.hasEnded && errors.hasEnded }
    try await throwing.value
    #expect(errors.elements.count == 1)
    // So do those that are made later.
    for await _ in controller.updates() {}
    for await _ in controller.errors() {}
    #expect(log.lines.isEmpty)
  }
}
