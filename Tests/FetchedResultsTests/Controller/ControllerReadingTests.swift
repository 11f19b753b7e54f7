import FetchedResults
import FixtureSupport
import Testing

/// What can be read of a controller, and when.
@Suite(.timeLimit(.minutes(10))) struct ControllerReadingTests {
  @Test(arguments: [true, false]) func `a controller follows commits`(isFile: Bool) async throws {
    let (database, controller) = try TodoWorld.following(TodoWorld.sectioned, isFile: isFile)
    #expect(controller.sections.map(\.name) == ["Career", "Errands"])
    var updates = controller.updates().makeAsyncIterator()
    try await database.write { c in _ = try c.execute("UPDATE item SET done = 1 WHERE id = 1") }
    try await controller.settled()
    #expect(await updates.next()?.changes.description == "rows: deleted [1, 0]")
    try await database.write { c in _ = try c.execute("UPDATE list SET position = 3, name = 'Carreer' WHERE id = 2") }
    try await controller.settled()
    // Another name is another section.
    #expect(
      await updates.next()?.changes.description
        == "sections: deleted 0, inserted 1; rows: moved [0, 0] → [1, 0] [0, 1] → [1, 1]")
    try await database.write { c in _ = try c.execute("UPDATE item SET list = 1, position = 0 WHERE list = 2") }
    try await controller.settled()
    #expect(await updates.next()?.new == controller.snapshot)
    #expect(controller.sections.map(\.name) == ["Errands"])
    #expect(controller.fetchedObjects.map(\.id) == [3, 4, 2])
    #expect(controller.statistics.requeried == 0)
    #expect(controller.statistics.commits == 3)
    #expect(controller.statistics.incremental == 3)
  }

  @Test func `before performFetch there is no section, and nothing is followed`() async throws {
    let database = try TodoWorld.database()
    let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    #expect(controller.sections.isEmpty)
    #expect(controller.fetchedObjects.isEmpty)
    #expect(controller.sectionIndexTitles.isEmpty)
    try database.run("DELETE FROM item")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    #expect(controller.sections.isEmpty)
    #expect(controller.statistics == Statistics())
    #expect(controller.lastError == nil)
  }

  @Test(arguments: [true, false])
  func `without sectionBy there is exactly one section, also when it is empty`(isFile: Bool) async throws {
    let (database, controller) = try TodoWorld.following(isFile: isFile)
    #expect(controller.sections.map(\.id) == [.none])
    #expect(controller.sections.map(\.name) == [""])
    try database.run("DELETE FROM item")
    try await controller.settled()
    #expect(controller.sections.map(\.id) == [.none])
    #expect(controller.sections.numberOfItems == 0)
    let other = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    try other.fetchHere()
    #expect(other.sections == controller.sections)
    try database.run("INSERT INTO item VALUES (9, 1, 'New', 1, 0)")
    try await controller.settled()
    #expect(controller.sections.map(\.id) == [.none])
    #expect(controller.sections.titles == ["New"])
  }

  @Test(arguments: [nil, TodoWorld.sectioned.sectionBy])
  func `a limit of 0 is an empty list, and stays one`(_ section: SectionTerm?) async throws {
    var request = section == nil ? TodoWorld.open : TodoWorld.sectioned
    request.limit = 0
    let (database, controller) = try TodoWorld.following(request)
    #expect(controller.sections.map(\.id) == (section == nil ? [.none] : []))
    let updates = Recorder(controller.updates())
    try database.run("INSERT INTO item VALUES (9, 1, 'A', 1, 0)")
    try await controller.settled()
    #expect(controller.sections.numberOfItems == 0)
    controller.fetchRequest.limit = 1
    try await controller.settled()
    try await eventually("the first row is told") { !updates.elements.isEmpty }
    #expect(updates.elements.count == 1)
    #expect(controller.sections.numberOfItems == 1)
  }

  @Test func `an offset beyond the end is an empty list, until there are more rows`() async throws {
    var request = TodoWorld.open
    request.offset = 5
    let (database, controller) = try TodoWorld.following(request)
    #expect(controller.sections.map(\.id) == [.none])
    #expect(controller.sections.numberOfItems == 0)
    try database.run("INSERT INTO item VALUES (9, 1, 'A', 1, 0), (10, 1, 'Z', 1, 0)")
    try await controller.settled()
    #expect(controller.sections.titles == ["Z"])
    controller.fetchRequest.offset = .max
    try await controller.settled()
    #expect(controller.sections.titles == [])
  }

  @Test func `rows are found by path, and paths by row`() async throws {
    let (database, controller) = try TodoWorld.following(TodoWorld.sectioned)
    let path = ItemPath(section: 1, item: 1)
    let row = controller.object(at: path)
    #expect(row.title == "Post Office")
    #expect(controller.indexPath(forObject: row) == path)
    for path in controller.sections.paths {
      #expect(controller.indexPath(forObject: controller.object(at: path)) == path)
    }
    #expect(controller.fetchedObjects.map(\.id) == [3, 4, 1, 2])
    #expect(controller.fetchedObjects[2].title == "Groceries")
    try database.run("DELETE FROM item WHERE list = 2; UPDATE item SET title = 'Other' WHERE id = 2")
    try await controller.settled()
    // The old value of a row finds the row as it is now.
    #expect(controller.indexPath(forObject: row) == ItemPath(section: 0, item: 1))
    try database.run("DELETE FROM item WHERE id = 2")
    try await controller.settled()
    #expect(controller.indexPath(forObject: row) == nil)
  }

  @Test func `section index titles are in order, each once`() async throws {
    let database = try TodoWorld.database()
    try database.run(
      """
      DELETE FROM list; DELETE FROM item;
      INSERT INTO list VALUES (1, 'errands', 3), (2, 'Career', 1), (3, 'Cellar', 2), (4, 'Eggs', 4), (5, '', 5), (6, 'Über', 6);
      INSERT INTO item(id, list, title, position) SELECT id, id, 'x', 1 FROM list;
      """)
    let controller = FetchedResultsController(fetchRequest: TodoWorld.sectioned, database: database)
    try controller.fetchHere()
    #expect(controller.sections.map(\.name) == ["Career", "Cellar", "errands", "Eggs", "", "Über"])
    #expect(controller.sectionIndexTitles == ["C", "E", "Ü"])
    for (index, (title, section)) in [("C", 0), ("E", 2), ("Ü", 5)].enumerated() {
      #expect(controller.section(forSectionIndexTitle: title, at: index) == section)
    }
    try database.run("DELETE FROM item WHERE id = 2")
    try await controller.settled()
    #expect(controller.section(forSectionIndexTitle: "E", at: 1) == 1)
  }

  @Test func `performFetch throws the error of the request, and leaves the list as it was`() async throws {
    let database = try TodoWorld.database()
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Todo>(where: "nonsense = 1"), database: database)
    #expect { try controller.fetchHere() } throws: { ($0 as? DatabaseError)?.message.contains("nonsense") == true }
    #expect(controller.sections.isEmpty)
    await #expect(throws: DatabaseError.self) { try await controller.performFetch() }
    controller.fetchRequest = TodoWorld.open
    try await controller.performFetch()
    #expect(controller.sections.numberOfItems == 4)
    #expect(controller.lastError == nil)
  }

  @Test func `performFetch sends readers the difference, unless it is empty`() async throws {
    let database = try TodoWorld.database()
    let controller = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    let updates = Recorder(controller.updates())
    let told = SharedValue<[Update<Todo>]>([])
    let observation = controller.observeOnAnyThread { update in told.change { $0.append(update) } }
    try controller.fetchHere()
    try controller.fetchHere()
    try database.run("DELETE FROM item WHERE id = 1")
    try await controller.settled()
    try await eventually("both are told") { updates.elements.last?.new == controller.snapshot }
    let seen = updates.elements
    #expect(seen.first?.old.isEmpty == true)
    #expect(told.value.map(\.changes.insertedSections) == [[0], []])
    #expect(told.value.map(\.changes.deletedItems.count) == [0, 1])
    observation.cancel()
  }
}
