import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// Several controllers on one database, bursts of commits, and writers that don't wait.
@Suite(.timeLimit(.minutes(10))) struct ControllerManyTests {
  static let requests: [FetchRequest<Todo>] = [
    TodoWorld.open, TodoWorld.sectioned, FetchRequest(where: "done", orderBy: [.descending("title")]),
    FetchRequest(orderBy: ["position"], limit: 3, offset: 1), FetchRequest(sectionBy: "list"),
    FetchRequest(sql: "SELECT * FROM item GROUP BY id ORDER BY title DESC, id"),
  ]

  @Test func `commits during a call of an observer become one update`() async throws {
    let (database, controller) = try TodoWorld.following()
    let gate = Gate()
    defer { gate.open() }
    let told = SharedValue<[Update<Todo>]>([])
    let observation = controller.observeOnAnyThread { update in
      told.change { $0.append(update) }
      gate.pass()
    }
    try database.run("DELETE FROM item WHERE id = 1")
    try await eventually("the observer is called") { gate.isReached }
    for number in 0..<30 { try database.run("INSERT INTO item VALUES (\(number + 10), 1, 'x', 1, 0)") }
    #expect(told.value.count == 1)
    gate.open()
    try await controller.settled()
    #expect(told.value.count == 2)
    #expect(told.value.last?.changes.insertedItems.count == 30)
    observation.cancel()
  }

  private final class SlowDelegate: FetchedResultsControllerDelegate {
    typealias E = Todo
    let gate: Gate
    init(_ gate: Gate) { self.gate = gate }
    func controllerWillChangeContent(_ controller: FetchedResultsController<Todo>) { gate.pass() }
  }

  enum Obstacle: CaseIterable, Sendable { case closure, delegate, query, plainQuery }

  @Test(arguments: Obstacle.allCases, [true, false])
  func `a write returns while following is blocked`(_ obstacle: Obstacle, isFile: Bool) async throws {
    // In memory there is one connection, which a query and a writer share.
    if !isFile, obstacle == .query || obstacle == .plainQuery { return }
    let database = try TodoWorld.database(isFile: isFile)
    let gate = Gate()
    defer { gate.open() }
    let isArmed = SharedValue(false)
    try database.addFunction("held_up", arguments: 1, isDeterministic: true) { values in
      if isArmed.value { gate.pass() }
      return values[0]
    }
    let request: FetchRequest<Todo> =
      switch obstacle {
      case .closure, .delegate: TodoWorld.open
      case .query: FetchRequest(sql: "SELECT * FROM item WHERE held_up(id) GROUP BY id ORDER BY title")
      case .plainQuery: FetchRequest(where: "held_up(id)", orderBy: ["title"])
      }
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    let other = FetchedResultsController(fetchRequest: TodoWorld.sectioned, database: database)
    try other.fetchHere()
    isArmed.change { $0 = true }
    let delegate = SlowDelegate(gate)
    var observation: ObservationToken?
    if obstacle == .closure { observation = controller.observeOnAnyThread { _ in gate.pass() } }
    if obstacle == .delegate { controller.delegate = delegate }
    try database.run("DELETE FROM item WHERE id = 1")
    try await eventually("it is held up") { gate.isReached }
    // Writers and another list continue meanwhile, even when all threads are needed.
    for number in 0..<20 {
      try await onThread("a write returns") {
        try database.run("INSERT INTO item VALUES (\(number + 10), 1, 'x', 1, 0)")
      }
    }
    try await other.settled()
    #expect(other.snapshot.numberOfItems == 23)
    let count: Int? = try await database.read { try $0.value("SELECT count(*) FROM item") }
    #expect(count == 23)
    isArmed.change { $0 = false }
    gate.open()
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 23)
    withExtendedLifetime((delegate, observation)) {}
  }

  @Test func `blocked observers of many controllers don't delay another one`() async throws {
    let database = try TodoWorld.database()
    let gate = Gate()
    defer { gate.open() }
    var kept: [(FetchedResultsController<Todo>, ObservationToken)] = []
    for _ in 0..<12 {
      let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
      try controller.fetchHere()
      kept.append((controller, controller.observeOnAnyThread { _ in gate.pass() }))
    }
    try database.run("DELETE FROM item WHERE id = 1")
    try await eventually("all are held up") { gate.arrivals == 12 }
    let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    try await controller.performFetch()
    try database.run("DELETE FROM item WHERE id = 2")
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 2)
    gate.open()
    for (controller, observation) in kept {
      try await controller.settled()
      #expect(controller.snapshot.numberOfItems == 2)
      observation.cancel()
    }
  }
}
