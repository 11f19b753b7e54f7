import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// What the pages in docs/ show must compile and do what it says. Every piece of Swift on these pages is here, word for
/// word, apart from its indentation.
@Suite struct DocumentationTests {
  struct Item: MappedEntity, Equatable {
    static let table = "item"
    static let mapping = Mapping(
      Item.init, ("id", \.id), ("title", \.title), ("done", \.done), ("list", \.list), ("due", \.due))
    var id: Int64?
    var title: String
    var done = false
    var list: Int64?
    var due: String?
  }

  private static let schema = """
    CREATE TABLE list(id INTEGER PRIMARY KEY, name TEXT NOT NULL, position INTEGER NOT NULL);
    CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0,
      list REFERENCES list, due TEXT);
    INSERT INTO list VALUES (1, 'Home', 2), (2, 'Work', 1);
    INSERT INTO item(id, title, list) VALUES (1, 'Water', 1), (2, 'Bread', 1), (7, 'Letter', 2);
    """

  private func open(_ folder: String) throws -> Database {
    let database = try Database(path: folder + "/shop.db")
    try database.write { try $0.executeScript(Self.schema) }
    return database
  }

  @Test func `the page on concurrency`() throws {
    let folder = try TemporaryFolder.make()
    let database = try open(folder)
    let titles = try database.read { c in try c.values("SELECT title FROM item", as: String.self) }
    try database.write { c in try c.execute("UPDATE item SET done = 1 WHERE id = \(7)") }
    #expect(titles.count == 3)
    let (order, gift) = (Item(id: 8, title: "Order"), Item(id: 8, title: "Gift"))
    try database.write { c in
      try c.insert(order)
      do { try c.savepoint { try c.insert(gift) } } catch { print("without the gift: \(error)") }
    }
    #expect(try database.read { try $0.count(Item.self) } == 4)
  }

  @Test func `the page on concurrency, with await`() async throws {
    let folder = try TemporaryFolder.make()
    let database = try open(folder)
    let count = try await database.read { c in try c.value("SELECT count(*) FROM item", as: Int.self) }
    #expect(count == 3)
    let order = Item(id: 8, title: "Order")
    let controller = FetchedResultsController(fetchRequest: FetchRequest<Item>(), database: database)
    try await controller.performFetch()
    let reader = Task { [updates = controller.updates()] in for await _ in updates {} }
    try await database.write { c in try c.insert(order) }
    try await controller.settled()
    print(controller.snapshot.numberOfItems)
    #expect(controller.snapshot.numberOfItems == 4)
    reader.cancel()
    await reader.value
    try database.close()
  }

  @Test func `the page on sharing`() throws {
    let folder = try TemporaryFolder.make()
    let database = try open(folder)
    try database.recordHistory(of: ["item", "list"])
    let backupPath = folder + "/copy.db"
    try database.backup(to: backupPath) { copied, total in print("\(copied) of \(total) pages") }
    #expect(try Database(path: backupPath).integrityCheck() == [])
  }

  @Test func `the page on migrations`() throws {
    let database = try Database.inMemory()
    try database.migrate([
      Migration("0001_item", sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT NOT NULL)"),
      Migration("0002_done", sql: "ALTER TABLE item ADD COLUMN done INTEGER NOT NULL DEFAULT 0"),
    ])
    let split = Migration("0003_names", version: "1") { c in
      for row in try c.rows("SELECT id, name FROM person") {
        let name: String = try row["name"]
        let first = String(name.prefix { $0 != " " })
        try c.execute("UPDATE person SET first = \(first) WHERE id = \(try row["id"] as Int64)")
      }
    }
    let other = try Database.inMemory()
    let person = Migration(
      "0001_person",
      sql:
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name, first); INSERT INTO person VALUES (1, 'Ada Lovelace', NULL)")
    try other.migrate([person, split])
    #expect(try other.read { try $0.values("SELECT first FROM person", as: String.self) } == ["Ada"])
  }

  @Test func `the page on sections and order`() async throws {
    let folder = try TemporaryFolder.make()
    let database = try open(folder)
    let request = FetchRequest<Item>(
      from: "item LEFT JOIN list ON list.id = item.list",
      where: "NOT item.done",
      sectionBy: .by("list.name", orderedBy: [.ascending("list.position")]),
      orderBy: [.ascending("item.due", nulls: .last), "item.title"])
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try await controller.performFetch()
    #expect(controller.snapshot.map(\.name) == ["Work", "Home"])
    #expect(controller.snapshot.map { $0.items.map(\.title) } == [["Letter"], ["Bread", "Water"]])
    let typed = FetchRequest<Item>(
      predicate: #Predicate { !$0.done }, sortBy: [.ascending(\.title)], sectionBy: \.list)
    controller.fetchRequest = typed
    try await controller.settled()
    #expect(controller.snapshot.map(\.id) == [.integer(1), .integer(2)])
  }

  @Test func `the page on differences`() async throws {
    let list = SectionController<Item>()
    list.createSection(name: "Home", items: [Item(id: 1, title: "Water"), Item(id: 2, title: "Bread")])
    let source = AnyDataSource(list)
    let reader = Task {
      for await update in source.updates() {
        for path in update.changes.deletedItems { print("gone: \(update.old[path])") }
        for path in update.changes.insertedItems { print("new: \(update.new[path])") }
        for move in update.changes.updatedItems { print("changed: \(update.old[move.from]) to \(update.new[move.to])") }
      }
    }
    defer { reader.cancel() }
    let before = list.snapshot
    list.move(from: ItemPath(section: 0, item: 1), to: ItemPath(section: 0, item: 0))
    let changes = list.snapshot.changes(from: before)
    #expect(changes.movedItems.count == 1)
    for stage in changes.batches() {
      // begin updates; deletedSections, insertedSections, movedSections, deletedItems, …; end updates
      print(stage.deletedItems, stage.insertedItems, stage.movedItems, stage.updatedItems)
    }
  }

  /// Pieces that belong to a package of their own, which `Tests/Dependant` compiles.
  private static let elsewhere = [".target(name: \"App\"", "try database.migrate(EmbeddedMigrations"]

  @Test(arguments: ["Concurrency", "Differences", "Migrations", "Sections", "Sharing"])
  func `each piece of Swift on a page is compiled here`(page: String) throws {
    let here = URL(filePath: #filePath)
    func lines(_ text: some StringProtocol) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let compiled = lines(try String(contentsOf: here, encoding: .utf8)).joined(separator: "\n")
    let text = try String(
      contentsOf: here.deletingLastPathComponent().appending(path: "../../../docs/\(page).md"), encoding: .utf8)
    let pieces = text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(!pieces.isEmpty)
    for piece in pieces where !Self.elsewhere.contains(where: { piece.hasPrefix($0) }) {
      #expect(compiled.contains(lines(piece).joined(separator: "\n")), "\(piece)")
    }
  }
}
