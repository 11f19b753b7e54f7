import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// What `settled()` promises: every earlier commit has been delivered.
@Suite(.timeLimit(.minutes(10))) struct ControllerSettledTests {
  @Test(arguments: [true, false]) func `settled waits for a write of this process and its delivery`(isFile: Bool)
    async throws
  {
    let (database, controller) = try TodoWorld.following(isFile: isFile)
    let told = SharedValue(0)
    let observation = controller.observeOnAnyThread { update in told.change { $0 = update.new.numberOfItems } }
    for number in 0..<50 {
      try await database.write { c in _ = try c.execute("INSERT INTO item(list, title, position) VALUES (1, 'x', 1)") }
      try await controller.settled()
      #expect(controller.snapshot.numberOfItems == number + 5)
      #expect(told.value == number + 5)
    }
    observation.cancel()
  }

  @Test(arguments: [true, false]) func `settled waits for a commit of another connection`(hasHistory: Bool) async throws
  {
    let (database, controller) = try TodoWorld.following()
    let raw = try RawDatabase(path: #require(database.path))
    if hasHistory {
      try await database.recordHistory(of: ["item"])
      // The history counts from the first commit after it began, which still reports everything.
      try raw.execute("UPDATE item SET position = position")
    }
    try await controller.settled()
    let before = controller.statistics
    for number in 0..<20 {
      try raw.execute("INSERT INTO item(list, title, position) VALUES (1, 'x', \(number))")
      try await controller.settled()
      #expect(controller.snapshot.numberOfItems == number + 5)
    }
    try raw.execute("BEGIN; DELETE FROM item; INSERT INTO item VALUES (1, 1, 'Only', 1, 0); COMMIT")
    try await controller.settled()
    #expect(controller.snapshot.titles == ["Only"])
    let after = controller.statistics
    if hasHistory {
      #expect(after.requeried == before.requeried, "\(after)")
    } else {
      #expect(after.requeried > before.requeried)
      #expect(after.reasons.keys.contains { $0.contains("another program") }, "\(after)")
    }
  }

  @Test func `commits of another connection are noticed without a call of settled`() async throws {
    let (database, controller) = try TodoWorld.following()
    let raw = try RawDatabase(path: #require(database.path))
    var updates = controller.updates().makeAsyncIterator()
    try raw.execute("DELETE FROM item WHERE id = 1")
    let update = try #require(await updates.next())
    #expect(update.changes.description == "rows: deleted [0, 0]")
  }

  @Test(arguments: [true, false]) func `settled waits for a request that was set while another was being fetched`(
    isFile: Bool
  ) async throws {
    let (database, controller) = try TodoWorld.following(FetchRequest(orderBy: ["id"]), isFile: isFile)
    // It takes long, so that a caller who did not wait for it would see the previous list.
    try database.addFunction("slowly", isDeterministic: true) { arguments in
      usleep(20_000)
      return arguments[0]
    }
    let request = FetchRequest<Todo>(where: "slowly(id) > 1", orderBy: ["id"])
    // While the statements for the fetch are being planned.
    let isArmed = SharedValue(false)
    try database.trace { _, _ in
      if isArmed.take(leaving: false) { controller.fetchRequest = request }
    }
    isArmed.change { $0 = true }
    try controller.fetchHere()
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.id) == [2, 3, 4])
  }

  @Test(arguments: [true, false])
  func `after settled the list shows the request set before, whatever other threads fetch and write`(
    isFile: Bool
  ) async throws {
    let (database, controller) = try TodoWorld.following(isFile: isFile)
    let isDone = SharedValue(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<2 {
        group.addTask {
          while !isDone.value {
            if number == 0 { try await controller.performFetch() }
            try await database.write { c in _ = try c.execute("UPDATE item SET done = NOT done WHERE id = 1") }
          }
        }
      }
      for step in 0..<60 {
        let request = ControllerManyTests.requests[step % 2 + 3]
        controller.fetchRequest = request
        try await controller.settled()
        let shown = Set(controller.snapshot.items.map(\.id))
        let fresh = FetchedResultsController(fetchRequest: request, database: database)
        try fresh.fetchHere()
        #expect(shown == Set(fresh.snapshot.items.map(\.id)), "step \(step)")
      }
      isDone.change { $0 = true }
      try await group.waitForAll()
    }
  }

  @Test func `settled throws CancellationError in a cancelled task`() async throws {
    let (database, controller) = try TodoWorld.following()
    // Cancelled before.
    let early = Task {
      while !Task.isCancelled { await Task.yield() }
      try await controller.settled()
    }
    early.cancel()
    await #expect(throws: CancellationError.self) { try await early.value }

    // Cancelled while it waits for an observer that takes its time.
    let gate = Gate()
    let observation = controller.observeOnAnyThread { _ in gate.pass() }
    defer { gate.open() }
    try database.run("DELETE FROM item WHERE id = 1")
    try await eventually("the observer is called") { gate.isReached }
    let waiting = Task { try await controller.settled() }
    try await Task.sleep(for: .milliseconds(20))
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    gate.open()
    try await controller.settled()
    observation.cancel()
  }

  @Test func `settled returns at once when the list is stopped, and throws before it was fetched`() async throws {
    let database = try TodoWorld.database()
    let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    try controller.fetchHere()
    try await controller.settled()
    controller.stop()
    try await controller.settled()
  }

  @Test func `settled returns when the controller is stopped`() async throws {
    let (database, controller) = try TodoWorld.following()
    let gate = Gate()
    let observation = controller.observeOnAnyThread { _ in gate.pass() }
    defer { gate.open() }
    try database.run("DELETE FROM item WHERE id = 1")
    try await eventually("the observer is called") { gate.isReached }
    let waiting = Task { try await controller.settled() }
    try await Task.sleep(for: .milliseconds(20))
    controller.stop()
    gate.open()
    try await waiting.value
    observation.cancel()
  }
}

/// A gate that is closed until a test opens it or a minute has passed.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let state = SharedValue((arrivals: 0, isOpen: false))
  private let made: SourceLocation

  init(_ made: SourceLocation = #_sourceLocation) { self.made = made }

  /// Whether a thread has reached it.
  var isReached: Bool { state.value.arrivals > 0 }
  var arrivals: Int { state.value.arrivals }

  /// Waits until it is open.
  func pass() {
    let isOpen = state.change { state in
      state.arrivals += 1
      return state.isOpen
    }
    if isOpen { return }
    if semaphore.wait(timeout: .now() + 240) == .timedOut {
      // This thread belongs to no test, so only the place tells which one it is.
      Issue.record("a gate was not opened", sourceLocation: made)
    }
    semaphore.signal()
  }

  func open() {
    state.change { $0.isOpen = true }
    semaphore.signal()
  }
}
