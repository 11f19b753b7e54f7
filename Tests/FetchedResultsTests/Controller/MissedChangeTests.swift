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

  struct Named: Entity, Decodable, Equatable {
    static let table = "named"
    var id: String
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

  @Test func `a DELETE that ran before fetching empties the list`() async throws {
    let database = try database("CREATE TABLE thing(id INTEGER PRIMARY KEY, title)")
    try writing(database) { c in
      try c.execute("DELETE FROM thing")
      try c.execute("INSERT INTO thing VALUES (1, 'a'), (2, 'b')")
    }
    let controller = try follow(FetchRequest<Thing>(), database)
    #expect(controller.snapshot.numberOfItems == 2)
    try await database.write { _ = try $0.execute("DELETE FROM thing") }
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 0)
    #expect(controller.statistics.requeried == 0)
  }

  @Test(
    arguments: [Database.Options.Capture.preupdateHook, .triggers],
    ["TABLE thing(id INTEGER PRIMARY KEY, title)", "VIEW thing AS SELECT 7 AS id, 'v' AS title"])
  func `a temporary object hides the table of its name in a database in memory`(
    capture: Database.Options.Capture, object: String
  ) async throws {
    var options = Database.Options()
    options.capture = capture
    let database = try Database.inMemory(options: options)
    try writing(database) {
      try $0.executeScript(
        "CREATE TABLE thing(id INTEGER PRIMARY KEY, title); INSERT INTO thing VALUES (1, 'a'), (2, 'b')")
    }
    let controller = try follow(FetchRequest<Thing>(), database)
    let kind = object.prefix { $0 != " " }
    for sql in [
      "CREATE TEMP \(object)", "UPDATE main.thing SET title = 'c' WHERE id = 1",
      "INSERT INTO main.thing VALUES (3, 'd')",
      "DROP \(kind) temp.thing", "UPDATE thing SET title = 'e' WHERE id = 2", "CREATE TEMP \(object)",
      "DROP TABLE main.thing", "DROP \(kind) temp.thing; CREATE TABLE thing(id INTEGER PRIMARY KEY, title)",
    ] {
      try writing(database) { try $0.executeScript(sql) }
      try await controller.settled()
      let fresh = try await database.read { try $0.entities("SELECT * FROM thing ORDER BY id", of: Thing.self) }
      #expect(controller.snapshot.items.map { $0 } == fresh, "\(sql)")
    }
  }

  @Test(arguments: [Database.Options.Capture.preupdateHook, .triggers])
  func `a list follows a temporary table of a database in memory`(capture: Database.Options.Capture) async throws {
    var options = Database.Options()
    options.capture = capture
    let database = try Database.inMemory(options: options)
    let table = "CREATE TEMP TABLE thing(id INTEGER PRIMARY KEY, title)"
    try writing(database) { try $0.executeScript(table) }
    let controller = try follow(FetchRequest<Thing>(), database)
    try writing(database) { try $0.executeScript("INSERT INTO thing VALUES (1, 'a')") }
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.id) == [1] && controller.statistics.requeried == 0)
    try writing(database) { try $0.executeScript("DROP TABLE thing") }
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
    try writing(database) { try $0.executeScript(table + "; INSERT INTO thing VALUES (5, 'b')") }
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.id) == [5])
  }

  @Test(arguments: [true, false])
  func `a request that reads no table is evaluated again when the schema changes`(isInMemory: Bool) async throws {
    let database = try isInMemory ? Database.inMemory() : database("")
    try writing(database) { try $0.executeScript("CREATE VIEW thing AS SELECT 1 AS id, NULL AS title") }
    let controller = try follow(FetchRequest<Thing>(), database)
    let constant = try follow(
      FetchRequest<Thing>(sql: "SELECT value AS id, NULL AS title FROM json_each('[4]')"), database)
    for (sql, ids) in [
      ("DROP VIEW thing; CREATE VIEW thing AS SELECT 2 AS id, NULL AS title", [2]),
      ("DROP VIEW thing; CREATE TABLE thing(id INTEGER PRIMARY KEY, title)", []),
      ("INSERT INTO thing(id) VALUES (3)", [3]),
    ] {
      try writing(database) { try $0.executeScript(sql) }
      try await controller.settled()
      try await constant.settled()
      #expect(controller.snapshot.items.map(\.id) == ids.map { Int64($0) } && constant.snapshot.items.map(\.id) == [4])
    }
    #expect(constant.statistics.requeried <= 2, "\(constant.statistics)")
    try writing(database) { try $0.executeScript("DROP TABLE thing") }
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
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
    let observation = controller.observe { update in updates.withLock { $0 += update.changes.updatedItems.count } }
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

  @Test func `a generated column that is added is no change`() async throws {
    struct Loose: Entity, Decodable {
      static let table = "thing"
      var id: Int64
    }
    let database = try database(
      "CREATE TABLE thing(id INTEGER PRIMARY KEY, a); INSERT INTO thing VALUES (1, 1), (2, 2)")
    let controller = try follow(FetchRequest<Loose>(), database)
    let updates = Mutex<[String]>([])
    let observation = controller.observe { update in updates.withLock { $0.append(update.changes.description) } }
    defer { observation.cancel() }
    try writing(database) { try $0.executeScript("ALTER TABLE thing ADD COLUMN x AS (a + 1)") }
    try await controller.settled()
    try writing(database) {
      try $0.executeScript("ALTER TABLE thing ADD COLUMN y AS (a * 2); UPDATE thing SET a = 5 WHERE id = 2")
    }
    try await controller.settled()
    #expect(updates.withLock { $0 } == ["rows: updated [0, 1]"])
  }

  @Test(arguments: ["thing", "other"])
  func `an added column is no change where columns of a join have the same names`(table: String) async throws {
    struct Loose: Entity, Decodable {
      static let table = "thing"
      var id: Int64
    }
    let database = try database(
      "CREATE TABLE thing(id INTEGER PRIMARY KEY, a); INSERT INTO thing VALUES (1, 1), (2, 2);"
        + "CREATE TABLE other(id INTEGER PRIMARY KEY, a); INSERT INTO other VALUES (1, 1), (2, 3)")
    let request = FetchRequest<Loose>(sql: "SELECT thing.*, other.* FROM thing JOIN other ON other.id = thing.id")
    let controller = try follow(request, database)
    let updates = Mutex<[String]>([])
    let observation = controller.observe { update in updates.withLock { $0.append(update.changes.description) } }
    defer { observation.cancel() }
    try writing(database) { try $0.executeScript("ALTER TABLE \(table) ADD COLUMN x DEFAULT 7") }
    try await controller.settled()
    #expect(updates.withLock { $0 } == [])
    try writing(database) {
      try $0.executeScript("ALTER TABLE \(table) ADD COLUMN y DEFAULT 7; UPDATE \(table) SET y = 8 WHERE id = 2")
    }
    try await controller.settled()
    #expect(updates.withLock { $0 } == ["rows: updated [0, 1]"])
  }

  @Test(arguments: ["SELECT * FROM thing UNION ALL SELECT * FROM other", "SELECT * FROM both"])
  func `values that are written to added columns of a compound are reported`(sql: String) async throws {
    struct Loose: Entity, Decodable {
      static let table = "thing"
      var id: Int64
    }
    let database = try database(
      "CREATE TABLE thing(id INTEGER PRIMARY KEY); INSERT INTO thing VALUES (1), (2);"
        + "CREATE TABLE other(id INTEGER PRIMARY KEY); INSERT INTO other VALUES (11), (12);"
        + "CREATE VIEW both AS SELECT * FROM thing UNION ALL SELECT * FROM other")
    let controller = try follow(FetchRequest<Loose>(sql: SQL(raw: sql)), database)
    let updates = Mutex<Set<Int64>>([])
    let observation = controller.observe { update in
      updates.withLock { $0.formUnion(update.changes.updatedItems.map { update.new[$0.to].id }) }
    }
    defer { observation.cancel() }
    try writing(database) {
      try $0.executeScript(
        "ALTER TABLE thing ADD COLUMN x DEFAULT 7; ALTER TABLE other ADD COLUMN x DEFAULT 8;"
          + "UPDATE other SET x = 7 WHERE id = 11; UPDATE thing SET x = 9 WHERE id = 1")
    }
    try await controller.settled()
    // SQLite does not tell which part a row is of, so what it can't tell apart is reported too.
    #expect(updates.withLock { $0 }.isSuperset(of: [1, 11]))
  }

  static let keys = [
    "CREATE TABLE thing(id INTEGER PRIMARY KEY DESC, title)",
    "CREATE TABLE thing(id INTEGER, title, PRIMARY KEY(id DESC))",
    "CREATE TABLE thing(price REAL, id INTEGER PRIMARY KEY, title) WITHOUT ROWID",
    "CREATE TABLE thing(a REAL, b REAL DEFAULT 2, title, id INTEGER, PRIMARY KEY(b, id)) WITHOUT ROWID",
    "CREATE TABLE thing(id INTEGER UNIQUE, title)",
  ]

  @Test(arguments: keys) func `every form of key is followed`(_ schema: String) async throws {
    let database = try database(schema)
    try writing(database) { c in
      for id in [10, 20, 30] { try c.execute("INSERT INTO thing(id, title) VALUES (\(id), \("t\(id)"))") }
    }
    let controller = try follow(FetchRequest<Thing>(orderBy: ["title"]), database)
    for sql in [
      "UPDATE thing SET title = 'z' WHERE id = 20", "DELETE FROM thing WHERE id = 10",
      "INSERT INTO thing(id, title) VALUES (5, 'a')", "UPDATE thing SET id = 6 WHERE id = 5",
    ] as [SQL] {
      try writing(database) { try $0.execute(sql) }
      try await controller.settled()
      let rows = try await database.read { try $0.entities("SELECT * FROM thing ORDER BY title, id", of: Thing.self) }
      #expect(Array(controller.fetchedObjects) == rows, "\(sql)")
    }
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

  // MARK: What no capture sees

  @Test func `a list of tables that SQLite writes itself is right after every commit`() async throws {
    let database = try database(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY AUTOINCREMENT, title);
      CREATE VIRTUAL TABLE bare USING fts5(a, content='', columnsize=0);
      CREATE VIRTUAL TABLE vocabulary USING fts5vocab(bare, row);
      """)
    let sequence = try follow(
      FetchRequest<Thing>(sql: "SELECT seq AS id, name AS title FROM sqlite_sequence"), database)
    let schema = try follow(FetchRequest<Thing>(sql: "SELECT rowid AS id, name AS title FROM sqlite_master"), database)
    let found = try follow(
      FetchRequest<Thing>(sql: "SELECT rowid AS id, NULL AS title FROM bare WHERE bare MATCH 'word'"), database)
    let words = try follow(FetchRequest<Thing>(sql: "SELECT doc AS id, term AS title FROM vocabulary"), database)
    let version = try follow(
      FetchRequest<Thing>(sql: "SELECT user_version AS id, NULL AS title FROM pragma_user_version"), database)
    try await database.write { c in
      try c.execute("INSERT INTO thing(title) VALUES ('x'), ('y')")
      try c.execute("CREATE TABLE fresh(x)")
      try c.execute("PRAGMA user_version = 7")
    }
    try await found.settled()
    try await database.write { _ = try $0.execute("INSERT INTO bare(rowid, a) VALUES (4, 'word')") }
    for controller in [sequence, schema, found, words, version] { try await controller.settled() }
    #expect(sequence.fetchedObjects.map(\.id) == [2])
    #expect(schema.fetchedObjects.contains { $0.title == "fresh" })
    #expect(found.fetchedObjects.map(\.id) == [4])
    #expect(words.fetchedObjects.map(\.title) == ["word"])
    #expect(version.fetchedObjects.map(\.id) == [7])
    #expect(found.statistics.reasons.keys.contains { $0.contains("virtual table") }, "\(found.statistics)")
  }

  // MARK: Requests

  static let clocks: [SQL] = [
    "date(\("now")) > title", SQL(raw: "date(?1) > title", bindings: ["now"]),
    SQL(raw: "date(:d) > title", bindings: ["NOW"]), "date(\(Array("now".utf8))) > title",
    "\"date\"('now') > title", "[random]() > 1", "datetime(coalesce(\("now"), title)) > title",
    // Through views of which no column is read.
    "EXISTS (SELECT 1 FROM overdue)", "(SELECT count(*) FROM nested) > 1", "id IN (SELECT 1 FROM main.Lucky)",
    "NOT EXISTS (SELECT 1 FROM thing, overdue)", "EXISTS (SELECT 1 FROM temp_like) AND id > 0",
  ]

  @Test(arguments: clocks) func `the clock and random values are refused, however they are spelt`(_ condition: SQL)
    throws
  {
    let database = try database(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, title);
      CREATE VIEW overdue AS SELECT * FROM thing WHERE title < date('now');
      CREATE VIEW nested AS SELECT title FROM thing WHERE EXISTS (SELECT 1 FROM overdue);
      CREATE VIEW lucky AS SELECT id FROM thing WHERE random() > 0;
      CREATE VIEW temp_like AS SELECT count(*) FROM thing WHERE title < CURRENT_DATE GROUP BY id
      """)
    let error = #expect(throws: DatabaseError.self) {
      _ = try follow(FetchRequest<Thing>(where: condition), database)
    }
    #expect(error?.code == .misuse)
  }

  @Test func `a window function runs the query as a whole`() async throws {
    let database = try database(
      "CREATE TABLE thing(id INTEGER PRIMARY KEY, title); INSERT INTO thing VALUES (2, 'b'), (3, 'c')")
    let controller = try follow(
      FetchRequest<Thing>(
        sql: "SELECT id, CAST(row_number() OVER (ORDER BY id) AS TEXT) AS title FROM thing", orderBy: ["id"]), database)
    try await database.write { try $0.execute("INSERT INTO thing VALUES (1, 'a')") }
    try await controller.settled()
    #expect(controller.fetchedObjects.map(\.title) == ["1", "2", "3"])
    #expect(controller.statistics.reasons.keys.contains { $0.contains("window") })
  }

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

  @Test func `a list waits for a locked database without an error`() async throws {
    let database = try database("CREATE TABLE thing(id INTEGER PRIMARY KEY, title)") {
      $0.journal = .delete
      $0.busyTimeout = .milliseconds(20)
    }
    let controller = try follow(FetchRequest<Thing>(), database)
    let delegate = DelegateRecorder<Thing>()
    controller.delegate = delegate
    let other = try RawDatabase(path: try #require(database.path))
    try other.execute("BEGIN EXCLUSIVE; INSERT INTO thing VALUES (1, 'a')")
    controller.fetchRequest = FetchRequest(where: "id > 0")
    let task = Task { try await controller.settled() }
    try await Task.sleep(for: .milliseconds(300))
    #expect(controller.lastError == nil)
    try other.execute("COMMIT")
    try await task.value
    #expect(controller.snapshot.numberOfItems == 1)
    #expect(delegate.failures.isEmpty, "\(delegate.failures)")
    #expect(controller.lastError == nil)
    try other.execute("BEGIN EXCLUSIVE")
    controller.fetchRequest = FetchRequest(where: "id > 1")
    let waiting = Task { try await controller.settled() }
    try await Task.sleep(for: .milliseconds(50))
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    try other.execute("ROLLBACK")
    try await controller.settled()
    #expect(controller.snapshot.numberOfItems == 0)
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
