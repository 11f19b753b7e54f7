import FetchedResults
import FixtureSupport
import Testing

struct Todo: MappedEntity, Equatable {
  static let table = "item"
  static let mapping = Mapping(
    Todo.init, ("id", \.id), ("list", \.list), ("title", \.title), ("position", \.position), ("done", \.done))
  var id: Int64
  var list: Int64?
  var title: String
  var position: Int64
  var done: Bool
}

@Suite struct FirstTests {
  static func make(_ database: Database) throws {
    try database.write { c in
      try c.executeScript(
        """
        CREATE TABLE list(id INTEGER PRIMARY KEY, name TEXT, position INTEGER);
        CREATE TABLE item(id INTEGER PRIMARY KEY, list INTEGER, title TEXT, position INTEGER, done INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX item_list ON item(list, position);
        INSERT INTO list VALUES (1, 'Errands', 2), (2, 'Career', 1);
        INSERT INTO item(id, list, title, position) VALUES
          (1, 1, 'Groceries', 1), (2, 1, 'Post Office', 2), (3, 2, 'Presentation', 1), (4, 2, 'Multiple Selections', 2);
        """)
    }
  }

  @Test(arguments: [true, false]) func `a controller follows commits`(isFile: Bool) async throws {
    let folder = try TemporaryFolder.make()
    let database = try isFile ? Database(path: folder + "/a.db") : Database.inMemory()
    try Self.make(database)
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Todo>(
        from: "item JOIN list ON list.id = item.list", where: "NOT item.done",
        sectionBy: .by("list.name", orderedBy: [.ascending("list.position")]), orderBy: ["item.position"]),
      database: database)
    try await controller.performFetch()
    #expect(controller.sections.map(\.name) == ["Career", "Errands"])
    var updates = controller.updates().makeAsyncIterator()
    try await database.write { c in _ = try c.execute("UPDATE item SET done = 1 WHERE id = 1") }
    try await controller.settled()
    let update = await updates.next()!
    #expect(update.changes.description == "rows: deleted [1, 0]")
    try await database.write { c in _ = try c.execute("UPDATE list SET position = 3, name = 'Carreer' WHERE id = 2") }
    try await controller.settled()
    print(await updates.next()!.changes, controller.sections.map(\.name))
    try await database.write { c in _ = try c.execute("UPDATE item SET list = 1, position = 0 WHERE list = 2") }
    try await controller.settled()
    print(await updates.next()!.changes, controller.sections.map(\.name), controller.fetchedObjects.map(\.title))
    print(controller.statistics)
    #expect(controller.statistics.requeried == 0)
  }
}
