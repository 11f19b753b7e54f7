import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// The declarations that are promised to stay, each used as it is spelled: that this compiles is the test.
private struct Item: MappedEntity, Equatable {
  static let table = "item"
  static let mapping = Mapping(
    Item.init, ("id", \.id), ("title", \.title), ("list", \.list), ("done", \.done), ("due", \.due))
  var id: Int64
  var title: String
  var list: Int64
  var done: Bool
  var due: Date?
}

/// One that is read by hand.
private struct PlainItem: Entity {
  static let table = "item"
  var id: Int64
  var title: String
  init(row: Row) throws {
    id = try row["id"]
    title = try row[1]
  }
}

/// One that is decoded.
private struct DecodedItem: Entity, Decodable {
  static let table = "item"
  static let idColumn = "id"
  var id: Int64
  var title: String
}

private final class FullDelegate: FetchedResultsControllerDelegate {
  let calls = SharedValue<[String]>([])
  private func note(_ call: String) { calls.change { $0.append(call) } }

  func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) { note("will") }
  func controller(
    _: FetchedResultsController<Item>, didChange: Section<Item>, atSectionIndex: Int, for: FetchedResultsChangeType
  ) { note("section") }
  func controller(
    _: FetchedResultsController<Item>, didChange: Item, at: ItemPath?, for: FetchedResultsChangeType,
    newIndexPath: ItemPath?
  ) { note("row") }
  func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) { note("did") }
  func controller(_: FetchedResultsController<Item>, didChangeContentWith: Update<Item>) { note("update") }
  func controller(_: FetchedResultsController<Item>, didFailWith: any Error) { note("failure") }
}

/// Every method has a default.
private final class EmptyDelegate: FetchedResultsControllerDelegate {
  typealias E = Item
}

@Suite(.timeLimit(.minutes(10))) struct ControllerFaceTests {
  private func database() throws -> Database {
    let database = try Database(path: try TemporaryFolder.make() + "/a.db")
    try database.run(
      """
      CREATE TABLE list(id INTEGER PRIMARY KEY, name TEXT, position INTEGER);
      CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, list INTEGER, done INTEGER, due TEXT);
      INSERT INTO list VALUES (1, 'Errands', 2), (2, 'Career', 1);
      INSERT INTO item VALUES (1, 'Milk', 1, 0, NULL), (2, 'Bread', 1, 1, '2026-01-01 00:00:00.000'),
        (3, 'Report', 2, 0, '2026-02-01 00:00:00.000');
      """)
    return database
  }

  private func ids<E: Entity>(_ request: FetchRequest<E>, _ database: Database) throws -> [E.ID] {
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    return controller.fetchedObjects.map(\.id)
  }

  @Test fileprivate func `requests are created as documented`() throws {
    let database = try database()
    let title = "Milk"
    let requests: [(FetchRequest<Item>, [Int64])] = [
      (FetchRequest<Item>(), [1, 2, 3]),
      (FetchRequest<Item>(from: "item"), [1, 2, 3]),
      (FetchRequest<Item>(where: "title = \(title)"), [1]),
      (FetchRequest<Item>(where: "NOT done", sectionBy: "list", orderBy: ["title"]), [1, 3]),
      (FetchRequest<Item>(orderBy: ["title"], limit: 2, offset: 1), [1, 3]),
      (
        FetchRequest<Item>(
          from: "item JOIN list ON list.id = item.list", where: "NOT item.done", sectionBy: "list.name",
          orderBy: ["item.title"], limit: nil, offset: 0), [3, 1]
      ),
      (
        FetchRequest<Item>(
          from: "item JOIN list ON list.id = item.list",
          sectionBy: .by("list.name", orderedBy: [.ascending("list.position")])), [3, 1, 2]
      ),
      (
        FetchRequest<Item>(
          from: "item JOIN list ON list.id = item.list",
          sectionBy: .by("list.id", orderedBy: [.descending("list.position")], name: "list.name")), [1, 2, 3]
      ),
      (
        FetchRequest<Item>(
          sectionBy: .by("list", name: "'List ' || list", including: "SELECT id, name FROM list")), [1, 2, 3]
      ),
      (
        FetchRequest<Item>(
          sectionBy: .by(
            "title", through: { value in if case .text(let text) = value { .text("\(text.prefix(1))") } else { .none } }
          )),
        [2, 1, 3]
      ),
      (
        FetchRequest<Item>(
          orderBy: [
            .ascending("due", nulls: .last), .descending("title"),
            .ascending("title", nulls: .first, collation: .nocase),
            .ascending("title", collation: .binary), .descending("title", collation: .rtrim), "id",
          ]), [2, 3, 1]
      ),
      (FetchRequest<Item>(sql: "SELECT * FROM item ORDER BY title DESC"), [3, 1, 2]),
      (
        FetchRequest<Item>(
          sql: "SELECT * FROM item WHERE title <> \(title)", sectionBy: "list", orderBy: ["title"], limit: 5, offset: 0),
        [2, 3]
      ),
    ]
    for (request, expected) in requests { #expect(try ids(request, database) == expected, "\(request)") }
    #expect(try ids(FetchRequest<PlainItem>(orderBy: ["title"]), database) == [2, 1, 3])
    #expect(try ids(FetchRequest<DecodedItem>(orderBy: ["title"]), database) == [2, 1, 3])
  }

  @Test fileprivate func `a controller is used as documented`() async throws {
    let database = try database()
    let request = FetchRequest<Item>(
      from: "item JOIN list ON list.id = item.list", sectionBy: "list.name", orderBy: ["title"])
    let controller: FetchedResultsController<Item> = FetchedResultsController(
      fetchRequest: request, database: database)
    let fetch: () throws -> Void = { try controller.performFetch() }
    try fetch()
    try await controller.performFetch()
    let snapshot: Snapshot<Item> = controller.snapshot
    let sections: Snapshot<Item> = controller.sections
    #expect(snapshot == sections)
    let objects = controller.fetchedObjects
    #expect(objects[objects.startIndex].title == "Report" && objects.count == 3)
    let object: Item = controller.object(at: ItemPath(section: 1, item: 0))
    #expect(object.title == "Bread")
    let path: ItemPath? = controller.indexPath(forObject: object)
    #expect(path == ItemPath(section: 1, item: 0))
    let titles: [String] = controller.sectionIndexTitles
    #expect(titles == ["C", "E"])
    let section: Int = controller.section(forSectionIndexTitle: "E", at: 1)
    #expect(section == 1)

    let delegate = FullDelegate()
    controller.delegate = delegate
    let held: (any FetchedResultsControllerDelegate<Item>)? = controller.delegate
    #expect(held === delegate)
    let updates: AsyncStream<Update<Item>> = controller.updates()
    let errors: AsyncStream<any Error> = controller.errors()
    try database.run("UPDATE item SET title = 'Toast', list = 2 WHERE list = 1")
    try await controller.settled()
    var iterator = updates.makeAsyncIterator()
    let update = try #require(await iterator.next())
    #expect(update.new == controller.snapshot)
    #expect(delegate.calls.value == ["will", "section", "row", "row", "did", "update"])
    let error: (any Error)? = controller.lastError
    #expect(error == nil)
    let statistics: Statistics = controller.statistics
    let numbers: [Int] = [statistics.commits, statistics.incremental, statistics.requeried, statistics.rowsRead]
    let reasons: [String: Int] = statistics.reasons
    #expect(numbers.prefix(3) == [1, 1, 0] && reasons.isEmpty)
    controller.fetchRequest = FetchRequest(where: "wrong")
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    var errorIterator = errors.makeAsyncIterator()
    #expect(await errorIterator.next() is DatabaseError)
    #expect(delegate.calls.value.last == "failure")
    let current: FetchRequest<Item> = controller.fetchRequest
    #expect(current != request)
    let empty = EmptyDelegate()
    controller.delegate = empty
    controller.fetchRequest = request
    try database.run("DELETE FROM item WHERE id = 1")
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 2)
    for type in [FetchedResultsChangeType.insert, .delete, .move, .update] {
      switch type {
      case .insert, .delete, .move, .update: continue
      }
    }
  }

  @Test fileprivate func `a controller is a data source`() async throws {
    let database = try database()
    let source = FRCDataSource(
      fetchedResultsController: FetchedResultsController(
        fetchRequest: FetchRequest<Item>(sectionBy: "list"), database: database))
    let any = AnyDataSource<Item>(source)
    #expect(any.numberOfSections == 0)
    try await any.reload()
    let count: Int? = any.numberOfItems(inSection: 0)
    #expect(any.numberOfSections == 2 && count == 2)
    #expect(any.item(at: ItemPath(section: 1, item: 0))?.title == "Report")
    #expect(any.path(of: 3) == ItemPath(section: 1, item: 0))
    #expect(any.title(ofSection: 1) == "2")
    #expect(any.snapshot == source.snapshot)
    var updates = any.updates().makeAsyncIterator()
    try database.run("DELETE FROM item WHERE list = 2")
    let update = try #require(await updates.next())
    #expect(update.changes.deletedSections == [1])
  }

  @Test(arguments: [2, 2500]) fileprivate func `a typed request is followed live`(_ numberOfLists: Int) async throws {
    let database = try database()
    let lists: [Int64] = (0..<Int64(numberOfLists)).map { $0 * 2 + 1 }
    let request = FetchRequest<Item>(
      predicate: #Predicate { !$0.done && lists.contains($0.list) }, sortBy: [.ascending(\.due)], sectionBy: \.list)
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    #expect(controller.fetchedObjects.map(\.id) == [1])
    let last = try #require(lists.last)
    try await database.write { c in
      try c.insert(
        Item(id: 4, title: "Eggs", list: 1, done: false, due: Date(timeIntervalSince1970: 1_000_000_000)))
      try c.insert(Item(id: 5, title: "Tea", list: last, done: false, due: nil))
      try c.insert(Item(id: 6, title: "Nowhere", list: last + 1, done: false, due: nil))
    }
    try await controller.settled()
    #expect(controller.fetchedObjects.map(\.id) == [1, 4, 5])
    #expect(controller.sections.map(\.id) == [1, .integer(last)])
    try database.run("UPDATE item SET done = 1 WHERE id = 1; UPDATE item SET list = 1 WHERE id = 6")
    try await controller.settled()
    #expect(controller.fetchedObjects.map(\.id) == [6, 4, 5])
    #expect(controller.statistics.requeried == 0)
    // Another list that is captured is another request.
    let fewer: [Int64] = [last]
    controller.fetchRequest = FetchRequest(
      predicate: #Predicate { !$0.done && fewer.contains($0.list) }, sortBy: [.ascending(\.due)], sectionBy: \.list)
    try await controller.settled()
    #expect(controller.fetchedObjects.map(\.id) == [5])
  }
}
