import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import Synchronization
import Testing

/// How often an observer was called.
private final class Told: Sendable {
  private let calls = Atomic<Int>(0)
  func add() { calls.add(1, ordering: .relaxed) }
  var count: Int { calls.load(ordering: .relaxed) }
}

/// Errors while a list is followed, and the recovery from them.
@Suite(.timeLimit(.minutes(10))) struct ControllerErrorTests {
  /// Breaks what is followed, and repairs it: the last good list stays meanwhile, and the changes are one update
  /// afterwards.
  private func check(
    _ request: FetchRequest<Todo> = TodoWorld.open, isFile: Bool = true, breaking: String, mending: String,
    says: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let (database, controller) = try TodoWorld.following(request, isFile: isFile)
    let before = controller.snapshot
    let delegate = DelegateRecorder<Todo>()
    controller.delegate = delegate
    var updates = controller.updates().makeAsyncIterator()
    for round in 0..<2 {
      let last = controller.snapshot
      try database.run(breaking)
      await #expect(sourceLocation: sourceLocation) { try await controller.settled() } throws: { error in
        error is DatabaseError && says.allSatisfy("\(error)".contains)
      }
      // It lasts, and is reported once.
      await #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try await controller.settled() }
      #expect(controller.lastError is DatabaseError, sourceLocation: sourceLocation)
      #expect(controller.snapshot == last, sourceLocation: sourceLocation)
      #expect(delegate.failures.count == round + 1, sourceLocation: sourceLocation)
      try database.run(mending)
      try database.run("INSERT INTO item VALUES (\(100 + round), 1, 'More', 9, 0)")
      try await controller.settled()
      #expect(controller.lastError == nil, sourceLocation: sourceLocation)
      let fresh = FetchedResultsController(fetchRequest: request, database: database)
      try fresh.fetchHere()
      #expect(controller.snapshot == fresh.snapshot, sourceLocation: sourceLocation)
    }
    var last = before
    while last != controller.snapshot {
      let update = try #require(await updates.next(), sourceLocation: sourceLocation)
      #expect(update.old == last, sourceLocation: sourceLocation)
      #expect(Laws.violations(of: update) == [], sourceLocation: sourceLocation)
      last = update.new
    }
    #expect(delegate.updates.last?.new == controller.snapshot, sourceLocation: sourceLocation)
  }

  private static let recreating = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, list INTEGER, title TEXT, position INTEGER, done INTEGER NOT NULL DEFAULT 0);
    INSERT INTO item(id, list, title, position) VALUES (3, 2, 'Presentation', 1), (7, 1, 'Anew', 5);
    """

  @Test(arguments: [true, false]) func `a table is dropped and created again`(isFile: Bool) async throws {
    try await check(
      isFile: isFile, breaking: "DROP TABLE item", mending: Self.recreating, says: ["item"])
    try await check(
      TodoWorld.sectioned, isFile: isFile, breaking: "DROP TABLE item", mending: Self.recreating, says: ["item"])
  }

  @Test func `a table that was dropped and created again is one update`() async throws {
    let (database, controller) = try TodoWorld.following()
    let before = controller.snapshot
    let delegate = DelegateRecorder<Todo>()
    controller.delegate = delegate
    try database.run("DROP TABLE item")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    try database.run(Self.recreating)
    try await controller.settled()
    #expect(delegate.brackets.hasPrefix("!("))
    #expect(delegate.updates.count == 1)
    #expect(delegate.updates.first?.old == before)
    #expect(controller.snapshot.titles == ["Anew", "Presentation"])
  }

  @Test func `a column is dropped and added again`() async throws {
    try await check(
      breaking: "ALTER TABLE item RENAME COLUMN title TO name", mending: "ALTER TABLE item RENAME COLUMN name TO title",
      says: ["title"])
  }

  @Test(arguments: [true, false]) func `a row that can't be read is an error`(isFile: Bool) async throws {
    try await check(
      isFile: isFile, breaking: "UPDATE item SET title = NULL WHERE id = 2",
      mending: "UPDATE item SET title = 'Mended' WHERE id = 2", says: ["title", "NULL"])
    try await check(
      TodoWorld.sectioned, isFile: isFile, breaking: "INSERT INTO item VALUES (9, 1, NULL, 1, 0)",
      mending: "DELETE FROM item WHERE id = 9", says: ["title"])
    try await check(
      isFile: isFile, breaking: "UPDATE item SET position = 'first' WHERE id = 1",
      mending: "UPDATE item SET position = 1 WHERE id = 1", says: ["position"])
  }

  @Test func `a good commit is not lost behind a bad one`() async throws {
    let (database, controller) = try TodoWorld.following()
    try database.run("INSERT INTO item VALUES (8, 1, 'Early', 1, 0); UPDATE item SET title = NULL WHERE id = 2")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    #expect(controller.snapshot.numberOfItems == 4)
    try database.run("INSERT INTO item VALUES (9, 1, 'Later', 1, 0)")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    try database.run("UPDATE item SET title = 'Z' WHERE id = 2")
    try await controller.settled()
    #expect(controller.snapshot.titles == ["Early", "Groceries", "Later", "Multiple Selections", "Presentation", "Z"])
  }

  private static let joined = FetchRequest<Todo>(
    from: "item LEFT JOIN tag ON tag.item = item.id", orderBy: ["item.position", "tag.name"])

  @Test(arguments: [true, false]) func `a join repeats a row while it is followed`(isFile: Bool) async throws {
    let database = try TodoWorld.database(isFile: isFile)
    try database.run("CREATE TABLE tag(id INTEGER PRIMARY KEY, item INTEGER, name TEXT); CREATE INDEX t ON tag(item)")
    let controller = FetchedResultsController(fetchRequest: Self.joined, database: database)
    try controller.fetchHere()
    let before = controller.snapshot
    let delegate = DelegateRecorder<Todo>()
    controller.delegate = delegate
    try database.run("INSERT INTO tag VALUES (1, 3, 'a'), (2, 3, 'b')")
    await #expect { try await controller.settled() } throws: { "\($0)".contains("3") && $0 is DatabaseError }
    #expect(controller.snapshot == before)
    #expect(delegate.brackets == "!")
    try database.run("DELETE FROM tag WHERE id = 1; UPDATE item SET position = 9 WHERE id = 3")
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.id) == [1, 2, 4, 3])
    #expect(delegate.updates.count == 1 && controller.lastError == nil)
  }

  @Test(arguments: [true, false]) func `a join repeats a row at performFetch`(isFile: Bool) async throws {
    let database = try TodoWorld.database(isFile: isFile)
    try database.run(
      """
      CREATE TABLE tag(id INTEGER PRIMARY KEY, item INTEGER, name TEXT); CREATE INDEX t ON tag(item);
      UPDATE item SET id = 777 WHERE id = 3; INSERT INTO tag VALUES (1, 777, 'a'), (2, 777, 'b');
      """)
    let controller = FetchedResultsController(fetchRequest: Self.joined, database: database)
    #expect { try controller.fetchHere() } throws: { "\($0)".contains("777") && $0 is DatabaseError }
    #expect(controller.snapshot.isEmpty)
    // The same where the query is run as a whole.
    let whole = FetchRequest<Todo>(
      sql: "SELECT item.* FROM item LEFT JOIN tag ON tag.item = item.id ORDER BY item.position")
    controller.fetchRequest = whole
    #expect { try controller.fetchHere() } throws: { "\($0)".contains("777") && $0 is DatabaseError }
  }

  @Test(arguments: [true, false]) func `rows of a section disagree on its order`(isFile: Bool) async throws {
    let request = FetchRequest<Todo>(
      sectionBy: .by("list", orderedBy: ["position"], name: "'Section ' || list"), orderBy: ["title"])
    let database = try TodoWorld.database(isFile: isFile)
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try database.run("DELETE FROM item WHERE id IN (2, 4)")
    try controller.fetchHere()
    let before = controller.snapshot
    // A third section must be between the two places, and the rows before and after it must belong to one section.
    try database.run("INSERT INTO item VALUES (8, 2, 'Between', 1, 0), (9, 1, 'Far', 7, 0)")
    await #expect { try await controller.settled() } throws: { error in
      error is DatabaseError && "\(error)".contains("Section 1") && "\(error)".contains("disagree")
    }
    #expect(controller.snapshot == before)
    let other = FetchedResultsController(fetchRequest: request, database: database)
    #expect { try other.fetchHere() } throws: { "\($0)".contains("Section 1") }
    try database.run("UPDATE item SET position = 1 WHERE id = 9")
    try await controller.settled()
    #expect(controller.snapshot.map(\.name) == ["Section 1", "Section 2"])
    #expect(controller.lastError == nil)
  }

  @Test func `a fetch also recovers from an error of following`() async throws {
    let (database, controller) = try TodoWorld.following()
    try database.run("UPDATE item SET title = NULL WHERE id = 2")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    #expect(throws: DatabaseError.self) { try controller.fetchHere() }
    controller.fetchRequest = FetchRequest(where: "title IS NOT NULL", orderBy: ["title"])
    try await controller.settled()
    #expect(controller.lastError == nil)
    #expect(controller.snapshot.titles == ["Groceries", "Multiple Selections", "Presentation"])
  }

  @Test func `a closed database is an error, and nothing hangs`() async throws {
    let (database, controller) = try TodoWorld.following()
    let delegate = DelegateRecorder<Todo>()
    controller.delegate = delegate
    var errors = controller.errors().makeAsyncIterator()
    let told = Told()
    let observation = database.observe(["item"]) { _ in told.add() }
    defer { observation.cancel() }
    try database.close()
    try database.close()
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    for _ in 0..<1000 where delegate.failures.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    try #require(delegate.failures.count == 1)
    #expect("\(await errors.next().map { "\($0)" } ?? "")".contains("the database has been closed"))
    #expect(delegate.failures.count == 1 && controller.snapshot.numberOfItems == 4 && told.count == 0)
    #expect(throws: DatabaseError.self) { try controller.fetchHere() }
    controller.fetchRequest = TodoWorld.sectioned
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    #expect(controller.snapshot.numberOfItems == 4)
  }

  @Test func `a list reports that its file was replaced, and goes on when the file is back`() async throws {
    let (database, controller) = try TodoWorld.following(TodoWorld.open, isFile: true)
    let path = try #require(database.path)
    let before = controller.snapshot
    let other = try Database(path: path + ".new")
    try other.run("CREATE TABLE item(id INTEGER PRIMARY KEY, list, title, position, done)")
    try other.close()
    let delegate = DelegateRecorder<Todo>()
    controller.delegate = delegate
    try #require(rename(path, path + ".old") == 0 && rename(path + ".new", path) == 0)
    try await eventually("the list reports it") { controller.lastError != nil }
    #expect("\(controller.lastError as Any)".contains("removed, renamed or replaced"))
    #expect(controller.snapshot == before)
    // A list that is opened now doesn't show the other file.
    let late = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    await #expect(throws: DatabaseError.self) { try await late.performFetch() }
    try #require(rename(path + ".old", path) == 0)
    try await eventually("the list recovers") { controller.lastError == nil }
    try database.run("INSERT INTO item VALUES (100, 1, 'More', 9, 0)")
    try await controller.settled()
    #expect(controller.snapshot.items.count == before.items.count + 1)
    #expect(delegate.failures.count == 1)
  }
}
