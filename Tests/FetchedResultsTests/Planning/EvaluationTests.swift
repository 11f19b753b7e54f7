import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

/// Cases that were wrong once, found by the oracle or by reading the code, and reduced to what matters.
@Suite struct EvaluationTests {
  static let schema = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, team);
    CREATE TABLE list(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, position INTEGER, owner INTEGER, "größe" INTEGER);
    CREATE TABLE item(id INTEGER PRIMARY KEY, list INTEGER, title TEXT, rank);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, item INTEGER, list INTEGER, name TEXT);
    CREATE INDEX item_list ON item(list);
    CREATE INDEX list_owner ON list(owner);
    CREATE INDEX tag_item ON tag(item);
    CREATE INDEX tag_list ON tag(list);
    CREATE INDEX tag_name ON tag(name);
    INSERT INTO person VALUES (1, 'P', 1), (2, 'Q', 2);
    INSERT INTO list VALUES (1, 'Errands', 2, 1, 5), (2, 'Career', 1, NULL, NULL);
    INSERT INTO item VALUES (1, 1, 'a', 1), (2, 1, 'b', 2), (3, 2, 'c', 1), (4, NULL, 'd', 2);
    INSERT INTO tag VALUES (1, 1, 1, 'x'), (2, 3, 2, 'y');
    """

  static func database(_ schema: String = schema, isFile: Bool = true) throws -> Database {
    var options = Database.Options()
    options.durability = .normal
    let database =
      try isFile ? Database(path: TemporaryFolder.make() + "/a.db", options: options) : .inMemory(options: options)
    try database.addCollation("FOLDED") { OracleWorld.compare(OracleWorld.folded($0), OracleWorld.folded($1)) }
    try database.write { try $0.executeScript(schema) }
    return database
  }

  /// Follows a request through transactions, and compares with a fresh query after each; none may run the whole query
  /// unless `isWhole`.
  @discardableResult static func follow<E: OracleEntity>(
    _ type: E.Type, _ spec: OracleSpec, in database: Database, _ steps: [String], isWhole: Bool = false
  ) async throws -> FetchedResultsController<E> {
    let watch = OracleWatch<E>(spec, database)
    try await watch.check(isOneCommit: true)
    for step in steps {
      try await database.write { try $0.executeScript(step) }
      do {
        try await watch.check(isOneCommit: true)
      } catch {
        Issue.record("after \(step): \(error)")
      }
    }
    if !isWhole { #expect(watch.statistics.requeried == 0, "\(watch.statistics)") }
    return watch.controller
  }

  static func pieces(
    _ from: String? = nil, where condition: String? = nil, alias: String = "item", order: [String] = [],
    sections: OracleSpec.Sections? = nil, limit: Int? = nil
  ) -> OracleSpec {
    OracleSpec(
      source: .pieces(from: from, alias: alias, select: [], condition: condition), sections: sections,
      order: order.map { OracleSpec.Term(expression: $0) }, limit: limit)
  }

  // MARK: Order and sections

  @Test func `a selected expression with the name of a mapped column`() async throws {
    let database = try Self.database(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, list, title, rank, done); INSERT INTO item(id, title, rank) VALUES (1, 'a', 3), (2, 'b', 2), (3, 'c', 1)"
    )
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<MappedItem>(select: ["rank": "-rank"], orderBy: ["rank"]), database: database)
    try await controller.performFetch()
    #expect(controller.fetchedObjects.map(\.id) == [3, 2, 1])
    try await database.write { try $0.execute("UPDATE item SET rank = 4 WHERE id = 3") }
    try await controller.settled()
    #expect(controller.fetchedObjects.map(\.id) == [2, 1, 3])
    #expect(controller.fetchedObjects.map(\.rank) == [-2, -3, -4])
    #expect(controller.statistics.requeried == 0)
  }

  struct Measured: MappedEntity, Equatable {
    static let table = "item"
    static let mapping = Mapping(
      Measured.init, ("size", \.size), ("id", \.id), ("title", \.title), ("rest", \.rest))
    var size: Int
    var id: Int64
    var title: String
    var rest: Int
  }

  @Test func `a mapped property that is no column can be selected`() async throws {
    let database = try Self.database(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, title); INSERT INTO item VALUES (1, 'aaa'), (2, 'b')")
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Measured>(
        select: ["rest": "id * 10", "SIZE": "length(title)"], sectionBy: "rest", orderBy: ["size"]),
      database: database)
    try await controller.performFetch()
    #expect(
      Array(controller.fetchedObjects) == [
        Measured(size: 3, id: 1, title: "aaa", rest: 10), Measured(size: 1, id: 2, title: "b", rest: 20),
      ])
    try await database.write { try $0.execute("UPDATE item SET title = 'cc' WHERE id = 2") }
    try await controller.settled()
    #expect(controller.fetchedObjects.last == Measured(size: 2, id: 2, title: "cc", rest: 20))
    #expect(controller.statistics.requeried == 0)
    // A column of that name changes nothing for the property. In the order the name means the column then.
    try await database.write { try $0.execute("ALTER TABLE item ADD COLUMN size INTEGER NOT NULL DEFAULT 7") }
    try await controller.settled()
    try await database.write { try $0.execute("UPDATE item SET title = 'dddd', size = 8 WHERE id = 1") }
    try await controller.settled()
    #expect(controller.fetchedObjects.map(\.size) == [4, 2])
  }

  @Test func `a column may be called desc`() async throws {
    let database = try Self.database(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, desc TEXT); INSERT INTO item VALUES (1, 'b'), (2, 'a')")
    for term: SQL in ["item.desc", "\"desc\"", "(desc)"] {
      let controller = FetchedResultsController(
        fetchRequest: FetchRequest<Record<ItemTable>>(orderBy: [.ascending(term)]), database: database)
      try await controller.performFetch()
      #expect(controller.fetchedObjects.map { $0.content[0] } == [.integer(2), .integer(1)], "\(term)")
    }
  }

  // MARK: Content

  @Test func `other columns with the same values are different content`() async throws {
    let database = try Self.database()
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Opaque<ItemTable>>(sql: "SELECT id, rank AS a FROM item", orderBy: ["id"]),
      database: database)
    try await controller.performFetch()
    let updates = Shared<[String]>([])
    let observation = controller.observeOnAnyThread { update in updates.change { $0.append(update.changes.description) }
    }
    controller.fetchRequest = FetchRequest(sql: "SELECT id, rank AS b FROM item", orderBy: ["id"])
    try await controller.settled()
    observation.cancel()
    #expect(updates.value.last == "rows: updated [0, 0] [0, 1] [0, 2] [0, 3]")
    #expect(controller.fetchedObjects.first?.names == ["id", "b"])
  }

  // MARK: Refusals

  @Test func `a row whose id SQLite converts when it sorts is not left out silently`() async throws {
    let database = try Self.database(
      "CREATE TABLE other(id REAL, title); CREATE TABLE item(id INTEGER, title);"
        + "INSERT INTO other VALUES (7.5, 'y'); INSERT INTO item VALUES (6, 'x')")
    func fetched(_ id: String) async throws -> [Value] {
      let sql = "SELECT id, title FROM other UNION ALL SELECT \(id), title FROM item"
      let controller = FetchedResultsController(
        fetchRequest: FetchRequest<Record<ItemTable>>(sql: SQL(raw: sql), orderBy: ["title"]), database: database)
      try await controller.performFetch()
      return controller.fetchedObjects.map(\.id)
    }
    let error = await #expect(throws: DatabaseError.self) { _ = try await fetched("id") }
    #expect(error?.message.contains("the row with the id 6.0 can't be found") == true)
    #expect(try await fetched("CAST(id AS REAL)") == [6.0, 7.5])
  }

  @Test(arguments: [
    "random()", "abs(random())", "randomblob(4)", "datetime('now')", "date()", "CURRENT_TIMESTAMP",
    "unixepoch('subsec')",
    "strftime('%s')", "julianday('NOW', 'localtime')", "changes()", "last_insert_rowid()",
  ]) func `random values and the clock are refused, wherever they occur`(_ expression: String) async throws {
    let database = try Self.database(
      Self.schema + "CREATE VIEW item_view AS SELECT id, title FROM item WHERE title <> \(expression);"
        + "CREATE VIEW nested_view AS SELECT * FROM item_view;")
    func refuses<E: Entity>(_ request: FetchRequest<E>, _ place: Comment) {
      let controller = FetchedResultsController(fetchRequest: request, database: database)
      let error = #expect(throws: DatabaseError.self, place) { try controller.performFetch() }
      #expect(error?.message.contains("can't be followed") == true || error?.message.contains("clock") == true, place)
    }
    let sql = SQL(raw: expression)
    refuses(FetchRequest<Record<ItemTable>>(where: "title <> \(sql)"), "where")
    refuses(FetchRequest<Record<ItemTable>>(orderBy: [.ascending(sql)]), "orderBy")
    refuses(FetchRequest<Record<ItemTable>>(sectionBy: .by(sql)), "sectionBy")
    refuses(FetchRequest<Record<ItemTable>>(select: ["x": sql]), "select")
    refuses(FetchRequest<Record<ItemTable>>(sql: "SELECT id, \(sql) AS x FROM item"), "sql")
    refuses(FetchRequest<Record<ItemView>>(), "view")
    refuses(FetchRequest<Record<NestedView>>(), "view of a view")
    refuses(FetchRequest<Record<ItemTable>>(sql: "SELECT id FROM nested_view"), "sql of a view")
  }
}
