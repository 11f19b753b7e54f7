import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

extension Card: MappedEntity {
  static let table = "card"
  static let mapping = Mapping({ Card($0, $1) }, ("id", \.id), ("version", \.version))
}

/// Cards in a database: any list of them can be written, sections without rows included.
private struct CardDatabase {
  let database: Database

  init(_ list: Snapshot<Card>, isFile: Bool = true) throws {
    database = try isFile ? Database(path: try TemporaryFolder.make() + "/a.db") : Database.inMemory()
    try database.run(
      """
      CREATE TABLE part(id TEXT PRIMARY KEY, name TEXT, position INTEGER);
      CREATE TABLE card(id INTEGER PRIMARY KEY, version INTEGER, part TEXT, position INTEGER);
      CREATE INDEX card_part ON card(part);
      """)
    try store(list)
  }

  /// Writes a list in one transaction, so that only those rows are touched that differ.
  func store(_ list: Snapshot<Card>) throws {
    let parts = list.map { (id: "\($0.id)", name: $0.name) }
    let ids = list.items.map(\.id)
    try database.write { c in
      let names = parts.map(\.id)
      try c.execute("DELETE FROM part WHERE id NOT IN \(names)")
      try c.execute("DELETE FROM card WHERE id NOT IN \(ids)")
      for (place, part) in parts.enumerated() {
        try c.execute(
          """
          INSERT INTO part VALUES (\(part.id), \(part.name), \(place))
          ON CONFLICT DO UPDATE SET name = excluded.name, position = excluded.position
          WHERE (name, position) <> (excluded.name, excluded.position)
          """)
        for (item, card) in list[place].items.enumerated() {
          try c.execute(
            """
            INSERT INTO card VALUES (\(card.id), \(card.version), \(part.id), \(item))
            ON CONFLICT DO UPDATE SET version = excluded.version, part = excluded.part, position = excluded.position
            WHERE (version, part, position) <> (excluded.version, excluded.part, excluded.position)
            """)
        }
      }
    }
  }

  static let request = FetchRequest<Card>(
    from: "card JOIN part ON part.id = card.part",
    sectionBy: .by(
      "part.id", orderedBy: ["part.position"], name: "part.name", including: "SELECT id, name, position FROM part"),
    orderBy: ["card.position"])

  func controller() throws -> FetchedResultsController<Card> {
    let controller = FetchedResultsController(fetchRequest: Self.request, database: database)
    try controller.fetchHere()
    return controller
  }
}

/// The calls of a real controller's delegate.
@Suite(.timeLimit(.minutes(10))) struct ControllerDelegateTests {
  /// A delegate that uses its controller in its deinit.
  private final class Leaving: FetchedResultsControllerDelegate {
    typealias E = Todo
    private let controller: FetchedResultsController<Todo>
    init(_ controller: FetchedResultsController<Todo>) { self.controller = controller }
    deinit { withExtendedLifetime(controller.delegate) {} }
  }

  @Test func `a delegate that is released while it is loaded may use the controller`() async throws {
    let (database, controller) = try TodoWorld.following()
    let isOver = SharedValue(false)
    async let coming: Void = onThread("comings and goings") {
      while !isOver.value {
        let delegate = Leaving(controller)
        controller.delegate = delegate
        withExtendedLifetime(delegate) {}
      }
    }
    // The other thread never pauses, so this takes long beside other programs.
    try await onThread("commits", within: .seconds(240)) {
      for number in 0..<500 { try database.run("UPDATE item SET title = 'x \(number)' WHERE id = 1") }
      isOver.change { $0 = true }
    }
    try await coming
    try await controller.settled()
    #expect(controller.delegate == nil)
  }

  @Test(arguments: [true, false]) func `a table that only receives the delegate's calls shows the list`(isFile: Bool)
    async throws
  {
    var random = SeededGenerator(seed: 5)
    var list = ErrandsAndCareer.list
    func cards() -> Snapshot<Card> {
      Snapshot(
        list.map { section in
          Section(id: section.id, name: section.name, items: section.items.map { Card(Int($0.id), $0.isDone ? 1 : 0) })
        })
    }
    let database = try CardDatabase(cards(), isFile: isFile)
    let controller = try database.controller()
    let delegate = DelegateRecorder<Card>()
    controller.delegate = delegate
    var last = controller.snapshot
    for step in 0..<100 {
      list = ErrandsAndCareer.changed(list, using: &random)
      delegate.forget()
      try database.store(cards())
      try await controller.settled()
      #expect(controller.snapshot == cards())
      if last == cards() {
        #expect(delegate.calls.isEmpty)
        continue
      }
      let update = try #require(delegate.updates.first)
      #expect(update.old == last && update.new == cards() && delegate.updates.count == 1)
      #expect(TableSimulator.violations(of: delegate.events, in: update) == [], "step \(step)")
      #expect(delegate.events == update.delegateEvents())
      #expect(delegate.brackets.hasPrefix("(") && delegate.brackets.hasSuffix(")u"))
      last = update.new
    }
  }

  @Test func `each commit has a will and a did call, and the update comes last`() async throws {
    let (database, controller) = try TodoWorld.following(TodoWorld.sectioned)
    let delegate = DelegateRecorder<Todo>()
    controller.delegate = delegate
    try database.run("UPDATE item SET title = 'Other' WHERE id = 1")
    try await controller.settled()
    #expect(delegate.brackets == "(r)u")
    try database.run("DELETE FROM item WHERE list = 2")
    try await controller.settled()
    #expect(delegate.brackets == "(r)u(s)u")
    // Nothing that is shown changes.
    try database.run("INSERT INTO item VALUES (9, 1, 'Done', 1, 1); UPDATE list SET position = 7 WHERE id = 2")
    try await controller.settled()
    #expect(delegate.brackets == "(r)u(s)u")
    #expect(Laws.chain(delegate.updates) == [])
  }

  @Test func `performFetch doesn't call the delegate`() async throws {
    let database = try TodoWorld.database()
    let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    let delegate = DelegateRecorder<Todo>()
    controller.delegate = delegate
    try controller.fetchHere()
    try await controller.performFetch()
    #expect(controller.snapshot.numberOfItems == 4)
    controller.stop()
    try database.run("DELETE FROM item WHERE id = 1")
    try controller.fetchHere()
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 3)
    #expect(delegate.calls.isEmpty)
    try database.run("DELETE FROM item WHERE id = 2")
    try await controller.settled()
    #expect(delegate.brackets == "(r)u")
  }

  @Test func `setting another request is reported as one change`() async throws {
    let (_, controller) = try TodoWorld.following()
    let delegate = DelegateRecorder<Todo>()
    controller.delegate = delegate
    let before = controller.snapshot
    controller.fetchRequest = TodoWorld.sectioned
    try await controller.settled()
    let update = try #require(delegate.updates.first)
    #expect(delegate.updates.count == 1 && update.old == before && update.new == controller.snapshot)
    #expect(TableSimulator.violations(of: delegate.events, in: update) == [])
  }

  @Test func `a delegate is held weakly, and a later one receives later changes`() async throws {
    let (database, controller) = try TodoWorld.following()
    var delegate: DelegateRecorder<Todo>? = DelegateRecorder()
    weak let gone = delegate
    controller.delegate = delegate
    #expect(controller.delegate === delegate)
    try database.run("DELETE FROM item WHERE id = 1")
    try await controller.settled()
    #expect(delegate?.brackets == "(r)u")
    delegate = nil
    try await eventually("the delegate goes") { gone == nil }
    #expect(controller.delegate == nil)
    try database.run("DELETE FROM item WHERE id = 2")
    try await controller.settled()
    let later = DelegateRecorder<Todo>()
    controller.delegate = later
    try database.run("DELETE FROM item WHERE id = 3")
    try await controller.settled()
    #expect(later.brackets == "(r)u")
    controller.delegate = nil
    try database.run("DELETE FROM item WHERE id = 4")
    try await controller.settled()
    #expect(later.brackets == "(r)u")
    #expect(controller.snapshot.numberOfItems == 0)
  }
}
