import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import Synchronization
import Testing

/// Lists that were once silently wrong, or failed without a reason.
@Suite struct MissedChangeListTests {
  struct Thing: MappedEntity, Equatable {
    static let table = "thing"
    static let mapping = Mapping(Thing.init, ("id", \.id), ("title", \.title))
    var id: Int64
    var title: String?
  }

  private func database(_ script: String, _ change: (inout Database.Options) -> Void = { _ in }) throws -> Database {
    var options = Database.Options()
    options.durability = .normal
    change(&options)
    let database = try Database(path: try TemporaryFolder.make() + "/list.db", options: options)
    try database.write { try $0.executeScript(script) }
    return database
  }

  /// Writes on this thread, also from a test that is asynchronous.
  private func writing<T>(_ database: Database, _ body: (Connection) throws -> T) throws {
    _ = try database.write(body)
  }

  private func follow<E: Entity>(
    _ request: FetchRequest<E>, _ database: Database
  ) throws -> FetchedResultsController<E> {
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    return controller
  }

  @Test(arguments: ["json_each('[1,2,3]')", "generate_series(1, 3)", "json_tree('[1,2,3]')"])
  func `a table-valued function that a connection calls for the first time adds no table to a request`(
    function: String
  ) async throws {
    let database = try database("CREATE TABLE thing(id INTEGER PRIMARY KEY, title); INSERT INTO thing VALUES (1, 'a')")
    let modules = "SELECT count(*) FROM pragma_module_list WHERE name = "
    let name = String(function.prefix { $0 != "(" })
    // Not every build of SQLite has each of them.
    guard try await database.read({ try $0.value("\(raw: modules) \(name)", as: Int.self) }) == 1 else { return }
    let controller = try follow(FetchRequest<Thing>(where: "id IN (SELECT value FROM \(raw: function))"), database)
    let constant = try follow(
      FetchRequest<Thing>(sql: "SELECT value AS id, NULL AS title FROM \(raw: function) WHERE value = 2"), database)
    for round in 1...6 {
      // With a new schema, each connection calls the function for the first time again.
      try writing(database) {
        try $0.executeScript("CREATE TABLE other(a); DROP TABLE other; CREATE VIEW v\(round) AS SELECT 1")
      }
      try await controller.settled()
      try await constant.settled()
      for title in ["b", "c"] {
        try writing(database) { try $0.execute("UPDATE thing SET title = \(title)") }
        try await controller.settled()
        try await constant.settled()
      }
      #expect(controller.statistics.requeried == round, "\(controller.statistics)")
      #expect(constant.statistics.requeried == round, "\(constant.statistics)")
    }
  }

  static let keys = [
    "CREATE TABLE thing(id INTEGER PRIMARY KEY DESC, title)",
    "CREATE TABLE thing(id INTEGER, title, PRIMARY KEY(id DESC))",
    "CREATE TABLE thing(price REAL, id INTEGER PRIMARY KEY, title) WITHOUT ROWID",
    "CREATE TABLE thing(a REAL, b REAL DEFAULT 2, title, id INTEGER, PRIMARY KEY(b, id)) WITHOUT ROWID",
    "CREATE TABLE thing(id INTEGER UNIQUE, title)",
  ]

  @Test(arguments: [
    "", "DEFAULT 5", "INTEGER DEFAULT '5'", "DEFAULT (5)", "DEFAULT (CAST('5' AS INTEGER))", "DEFAULT +5",
    "ANY DEFAULT '5'", "INT DEFAULT 5e0",
  ])
  func `a value that is written to an added column is reported, and its default is not`(definition: String) async throws
  {
    struct Loose: Entity, Decodable {
      static let table = "thing"
      var id: Int64
      var x: Int?
    }
    let database = try database("CREATE TABLE thing(id INTEGER PRIMARY KEY); INSERT INTO thing VALUES (1), (2), (3)")
    let controller = try follow(FetchRequest<Loose>(), database)
    let updates = Mutex(0)
    let observation = controller.observeOnAnyThread { update in
      updates.withLock { $0 += update.changes.updatedItems.count }
    }
    defer { observation.cancel() }
    try writing(database) {
      try $0.executeScript("ALTER TABLE thing ADD COLUMN x \(definition); UPDATE thing SET x = 6 WHERE id < 3")
    }
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.x) == [6, 6, definition.isEmpty ? nil : 5])
    #expect(updates.withLock { $0 } == 2)
    try writing(database) { try $0.executeScript("ALTER TABLE thing ADD COLUMN y; UPDATE thing SET y = NULL") }
    try await controller.settled()
    #expect(updates.withLock { $0 } == 2)
  }

  @Test func `a list follows a table whose schema uses JSON functions`() async throws {
    let database = try database(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, title TEXT CHECK (json_valid(title)), x AS (json_extract(title, '$.x')));
      CREATE INDEX thing_x ON thing(json_extract(title, '$.x'));
      INSERT INTO thing(title) VALUES ('{"x":1}'), ('{"x":2}');
      """)
    let controller = try follow(FetchRequest<Thing>(where: "x > 1", orderBy: ["title ->> '$.x'"]), database)
    try await database.write { try $0.execute("INSERT INTO thing(title) VALUES ('{\"x\":3}')") }
    try await database.write { try $0.execute("UPDATE thing SET title = '{\"x\":4}' WHERE id = 1") }
    try await controller.settled()
    #expect(controller.fetchedObjects.map(\.id) == [2, 3, 1])
    #expect(controller.statistics.requeried == 0, "\(controller.statistics)")
  }

  // MARK: Requests

  @Test func `a value that can't be stored is the request's error`() throws {
    let database = try database("CREATE TABLE thing(id INTEGER PRIMARY KEY, title)")
    struct Refusal: Error {}
    struct Bad: ValueConvertible {
      var databaseValue: Value { get throws { throw DatabaseError(code: .misuse, message: "no such thing") } }
      init() {}
      init(databaseValue: Value) throws {}
    }
    let error = #expect(throws: DatabaseError.self) {
      _ = try follow(FetchRequest<Thing>(where: "title = \(Bad())"), database)
    }
    #expect(error?.message == "no such thing")
    let sorted = #expect(throws: DatabaseError.self) {
      _ = try follow(FetchRequest<Thing>(orderBy: [.ascending("title = \(Bad())")]), database)
    }
    #expect(sorted?.message == "no such thing")
  }

  struct Maybe: MappedEntity, Equatable {
    static let table = "maybe"
    static let mapping = Mapping(Maybe.init, ("id", \.id))
    var id: String?
  }

  @Test func `a repeated id is named without Optional around it`() throws {
    let database = try database("CREATE TABLE maybe(id TEXT); INSERT INTO maybe VALUES ('one'), ('one')")
    let error = #expect(throws: DatabaseError.self) { _ = try follow(FetchRequest<Maybe>(), database) }
    #expect(error?.message.contains("the id one ") == true, "\(error.map(\.message) ?? "")")
    let empty = try self.database("CREATE TABLE maybe(id TEXT PRIMARY KEY); INSERT INTO maybe VALUES (NULL), (NULL)")
    let none = #expect(throws: DatabaseError.self) { _ = try follow(FetchRequest<Maybe>(), empty) }
    #expect(none?.message.contains("the id NULL ") == true, "\(none.map(\.message) ?? "")")
  }

  // MARK: Ordinary load

  @Test func `a list follows while users hold all readers and the writer`() async throws {
    let database = try database("CREATE TABLE thing(id INTEGER PRIMARY KEY, title)") {
      $0.busyTimeout = .milliseconds(20)
      $0.maximumReaders = 2
    }
    let controller = try follow(FetchRequest<Thing>(), database)
    let delegate = DelegateRecorder<Thing>()
    controller.delegate = delegate
    let release = SharedValue(false)
    let reading = SharedValue(0)
    for _ in 0..<2 {
      Thread.detachNewThread {
        try? database.read { c in
          _ = try c.rows("SELECT 1")
          reading.change { $0 += 1 }
          while !release.value { usleep(1000) }
        }
      }
    }
    try await eventually("two reads") { reading.value == 2 }
    try await database.write { _ = try $0.execute("INSERT INTO thing VALUES (1, 'a')") }
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 1)
    // A write that takes long.
    let isWriting = SharedValue(false)
    Thread.detachNewThread {
      try? database.write { c in
        try c.execute("INSERT INTO thing VALUES (2, 'b')")
        isWriting.change { $0 = true }
        while !release.value { usleep(1000) }
      }
    }
    try await eventually("a write") { isWriting.value }
    try await controller.settled()
    controller.fetchRequest = FetchRequest(where: "title = 'a'")
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 1)
    release.change { $0 = true }
    try await eventually("the write's end") {
      (try? database.read { try $0.value("SELECT count(*) FROM thing", as: Int.self) }) == 2
    }
    try await controller.settled()
    #expect(controller.lastError == nil)
    #expect(delegate.failures.isEmpty, "\(delegate.failures)")
  }

  @Test func `a fetch inside a read needs no second reader`() throws {
    let database = try database("CREATE TABLE thing(id INTEGER PRIMARY KEY, title); INSERT INTO thing VALUES (1, 'a')")
    {
      $0.maximumReaders = 1
    }
    let controller = FetchedResultsController(fetchRequest: FetchRequest<Thing>(), database: database)
    try database.read { _ in try controller.performFetch() }
    #expect(controller.snapshot.numberOfItems == 1)
  }

  @Test func `a writer whose changes outgrow the cache waits for no list`() async throws {
    let database = try database(
      """
      CREATE TABLE list(id INTEGER PRIMARY KEY, name);
      CREATE TABLE thing(id INTEGER PRIMARY KEY, list REFERENCES list(id), title);
      CREATE INDEX thing_list ON thing(list);
      INSERT INTO list VALUES (1, 'one'); INSERT INTO thing VALUES (1, 1, 'a'), (2, NULL, 'b');
      """
    ) {
      $0.journal = .delete
      $0.pageCacheBytes = 5 * 4096
      $0.busyTimeout = .seconds(20)
    }
    let request = FetchRequest<Thing>(
      from: "thing LEFT JOIN list ON list.id = thing.list", where: "list.id IS NULL OR list.name = 'two'")
    let lists = [try follow(request, database), try follow(request, database)]
    // The whole busy timeout would be 20 s for each of the lists.
    let began = ContinuousClock.now
    try writing(database) { c in
      try c.execute("UPDATE list SET name = 'two'")
      for _ in 0..<200 { try c.execute("INSERT INTO thing(list, title) VALUES (NULL, hex(randomblob(2000)))") }
    }
    #expect(ContinuousClock.now - began < .seconds(15))
    for list in lists {
      try await list.settled()
      #expect(list.snapshot.numberOfItems == 202)
    }
  }
}
