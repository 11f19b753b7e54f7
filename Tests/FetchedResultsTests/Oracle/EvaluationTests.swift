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

  // MARK: Sections

  @Test(arguments: [
    "VALUES (7), (7), (7)", "VALUES (1), (7), (1), (7)", "VALUES (7), (7), (8), (7), (9)",
    "VALUES (1), (8), (2), (1), (9), (8), (3)",
  ])
  func `a section that is listed several times exists once`(_ including: String) async throws {
    var sections = OracleSpec.Sections(value: "item.list", equality: .binary)
    sections.orderedBy = [.init(expression: "item.list")]
    sections.including = including
    sections.includedColumns = 1
    try await Self.follow(
      Record<ItemTable>.self, Self.pieces(where: "item.list IS NOT NULL", sections: sections), in: Self.database(),
      [
        "DELETE FROM item WHERE list = 1", "DELETE FROM item", "INSERT INTO item VALUES (9, 7, 'n', 1)",
        "UPDATE item SET list = 2",
      ])
  }

  @Test func `a section is shown as empty only while it has no rows outside the window either`() async throws {
    var sections = OracleSpec.Sections(value: "item.list", equality: .binary)
    sections.including = "VALUES (1), (2), (7)"
    sections.includedColumns = 1
    let controller = try await Self.follow(
      Record<ItemTable>.self, Self.pieces(order: ["rank"], sections: sections, limit: 1), in: Self.database(),
      [
        "DELETE FROM item WHERE id = 3", "INSERT INTO item VALUES (5, 7, 'e', 1)",
        "UPDATE item SET list = 2 WHERE id = 5",
        "DELETE FROM item WHERE list = 1", "INSERT INTO item VALUES (6, 1, 'f', 1), (8, 7, 'g', 1)",
      ])
    #expect(controller.snapshot.sections.count == 1)
  }

  @Test func `a name in other code points that looks the same is no new name`() async throws {
    let database = try Self.database()
    var sections = OracleSpec.Sections(value: "item.list", equality: .binary)
    sections.name = "item.title"
    let controller = try await Self.follow(
      Record<ItemTable>.self, Self.pieces(order: ["rank"], sections: sections), in: database,
      [
        "UPDATE item SET title = 'é' WHERE id = 1", "UPDATE item SET title = 'e' || char(769) WHERE id = 2",
        "DELETE FROM item WHERE id = 1", "INSERT INTO item VALUES (1, 1, 'é', 1)",
        "UPDATE item SET title = 'e' || char(769) WHERE id = 1",
      ])
    // The list still shows the current spelling.
    #expect(controller.snapshot[1].name.utf8.elementsEqual("e\u{301}".utf8))
  }

  // MARK: Keys

  @Test func `an id that may occur twice is found in the slot of a row that was deleted, and in a new slot`()
    async throws
  {
    let database = try Self.database(
      "CREATE TABLE item(key INTEGER PRIMARY KEY, id INTEGER, title);"
        + "INSERT INTO item SELECT value, value, 'a' FROM json_each('[1,2,3,4,5,6]')")
    // Three of the new rows get slots of deleted ones.
    let ids = [12, 13, 14, 15, 16]
    let controller = try await Self.follow(
      Record<ItemTable>.self, Self.pieces(order: ["title"]), in: database,
      [
        "DELETE FROM item WHERE key IN (2, 4, 5)",
        "INSERT INTO item SELECT value, value, 'b' FROM json_each('\(ids)')",
      ] + ids.flatMap { ["DELETE FROM item WHERE id = \($0)", "INSERT INTO item VALUES (\($0 + 100), \($0), 'c')"] })
    for id in ids {
      try await database.write { try $0.execute("INSERT INTO item VALUES (\(id + 200), \(id), 'd')") }
      let error = await #expect(throws: DatabaseError.self) { try await controller.settled() }
      #expect(error?.message.contains("the id \(id) occurs more than once") == true)
      try await database.write { try $0.execute("DELETE FROM item WHERE key = \(id + 200)") }
      try await controller.settled()
    }
    #expect(controller.fetchedObjects.map(\.id) == [1, 3, 6, 12, 13, 14, 15, 16])
  }

  @Test func `a table without rowid may be empty when it is fetched`() async throws {
    let database = try Self.database("CREATE TABLE note(id TEXT PRIMARY KEY, body) WITHOUT ROWID")
    try await Self.follow(
      Record<NoteTable>.self, Self.pieces(alias: "note"), in: database,
      ["INSERT INTO note VALUES ('a', 1), ('b', 2)", "DELETE FROM note WHERE id = 'a'", "UPDATE note SET body = 3"])
  }

  @Test(arguments: ["TEXT COLLATE NOCASE", ""]) func `a key that is spelt differently is the same row`(
    _ type: String
  ) async throws {
    let database = try Self.database(
      "CREATE TABLE note(id \(type) PRIMARY KEY, body) WITHOUT ROWID; INSERT INTO note VALUES ('a', 1), ('b', 2), (1, 0)"
    )
    try await Self.follow(
      Record<NoteTable>.self, Self.pieces(alias: "note"), in: database,
      [
        "UPDATE note SET id = 'A' WHERE id = 'a'", "UPDATE note SET id = 'a', body = 5 WHERE id = 'A'",
        "UPDATE note SET id = 1.0 WHERE id = 1", "UPDATE note SET id = 1 WHERE id = 1.0",
        "DELETE FROM note WHERE id = 1; DELETE FROM note WHERE id = 'a'; INSERT INTO note VALUES ('A', 0), (1.0, 3)",
      ])
  }

  @Test func `ids that are equal by their collation and not by their bytes have an order`() async throws {
    let database = try Self.database(
      "CREATE TABLE item(id TEXT COLLATE NOCASE NOT NULL, title, UNIQUE(id COLLATE BINARY));"
        + "INSERT INTO item VALUES ('a', 1), ('A', 1), ('b', 1), ('B', 1)")
    try await Self.follow(
      Record<ItemTable>.self, Self.pieces(order: ["title"]), in: database,
      [
        "DELETE FROM item WHERE id = 'A' COLLATE BINARY", "INSERT INTO item VALUES ('A', 1)",
        "UPDATE item SET title = 2 WHERE id = 'B' COLLATE BINARY",
        "UPDATE item SET title = 1 WHERE id = 'B' COLLATE BINARY",
        "DELETE FROM item WHERE id = 'b' COLLATE BINARY",
      ])
  }

  @Test func `after a repeated id was refused, other rows can come`() async throws {
    let database = try Self.database(
      "CREATE TABLE item(id INTEGER NOT NULL, title); INSERT INTO item VALUES (1, 'a'), (2, 'b')")
    try await Self.follow(
      Record<ItemTable>.self, Self.pieces(order: ["title"]), in: database,
      [
        "INSERT INTO item VALUES (3, 'c'), (2, 'd')", "DELETE FROM item WHERE id > 1",
        "INSERT INTO item VALUES (4, 'x')",
        "INSERT INTO item VALUES (3, 'y'), (2, 'z')",
      ], isWhole: true)
  }

  @Test func `only the ids shown in a window must differ`() async throws {
    let database = try Self.database(
      "CREATE TABLE item(id INTEGER, title);"
        + "INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, 'c'), (1, 'd'), (4, 'e'), (5, 'f'), (6, 'g')")
    var spec = Self.pieces(order: ["title"])
    spec.limit = 4
    spec.offset = 1
    try await Self.follow(
      Record<ItemTable>.self, spec, in: database,
      [
        // Outside the window an id may occur twice.
        "INSERT INTO item VALUES (3, 'x')", "UPDATE item SET id = 2 WHERE title = 'a'",
        "UPDATE item SET title = 'y' WHERE title = 'x'",
        // One that leaves it may come back.
        "DELETE FROM item WHERE title = 'a'", "INSERT INTO item VALUES (7, 'a')",
        "UPDATE item SET title = 'z' WHERE title = 'c'", "UPDATE item SET id = 8 WHERE title = 'y'",
        // One enters that is there already.
        "INSERT INTO item VALUES (5, 'ee')", "DELETE FROM item WHERE title = 'b'",
        "DELETE FROM item WHERE title = 'ee'", "INSERT INTO item VALUES (9, 'b')",
      ], isWhole: true)
  }

  // MARK: Joins

  @Test func `an inner join behind a left join that loses its match`() async throws {
    let database = try Self.database()
    try await Self.follow(
      Record<ItemTable>.self,
      Self.pieces("item LEFT JOIN list ON list.id = item.list JOIN person ON person.id = ifnull(list.owner, 2)"),
      in: database,
      [
        "UPDATE list SET owner = 9 WHERE id = 1", "DELETE FROM list WHERE id = 1",
        "INSERT INTO list VALUES (1, 'x', 1, 9, 1)", "UPDATE list SET owner = 1 WHERE id = 1",
      ])
  }

  @Test func `rows leave with a joined row that is deleted or renamed, and return with it`() async throws {
    let database = try Self.database()
    try await Self.follow(
      Record<ItemTable>.self, Self.pieces("item JOIN list ON list.id = item.list"), in: database,
      [
        "UPDATE item SET list = 1", "DELETE FROM list WHERE id = 1", "INSERT INTO list VALUES (1, 'x', 1, 9, 1)",
        "UPDATE list SET id = 77 WHERE id = 1", "UPDATE list SET id = 1 WHERE id = 77",
      ])
  }

  @Test(arguments: ["EXISTS", "NOT EXISTS"]) func `a subquery in a join's condition`(_ word: String) async throws {
    for join in ["LEFT JOIN", "JOIN"] {
      let database = try Self.database()
      try await Self.follow(
        Record<ItemTable>.self,
        Self.pieces(
          "item \(join) list ON list.id = item.list AND \(word) (SELECT 1 FROM tag WHERE tag.list = list.id)",
          order: ["list.name"]), in: database,
        [
          "DELETE FROM tag WHERE id = 1", "INSERT INTO tag VALUES (1, NULL, 1, 'x')",
          "UPDATE tag SET list = 2 WHERE id = 1",
          "DELETE FROM tag",
        ], isWhole: true)
    }
  }

  @Test func `a left join in a subquery that looks for missing rows`() async throws {
    let database = try Self.database()
    try await Self.follow(
      Record<ItemTable>.self,
      Self.pieces(
        where:
          "EXISTS (SELECT 1 FROM list LEFT JOIN person ON person.id = list.owner WHERE list.id = item.list AND person.id IS NULL)"
      ), in: database,
      [
        "DELETE FROM person WHERE id = 1", "INSERT INTO person VALUES (1, 'x', 1)", "UPDATE list SET owner = 1",
        "UPDATE person SET id = 7 WHERE id = 1",
      ], isWhole: true)
  }

  @Test func `a view of a left join, filtered by rows without a match`() async throws {
    let view = """
      CREATE VIEW item_view AS SELECT item.id AS id, item.title AS title, list.name AS list_name
      FROM item LEFT JOIN list ON list.id = item.list;
      """
    let database = try Self.database(Self.schema + view)
    try await Self.follow(
      Record<ItemView>.self, Self.pieces(where: "list_name IS NULL", alias: "item_view", order: ["title"]),
      in: database,
      [
        "DELETE FROM list WHERE id = 1", "INSERT INTO list(id, name) VALUES (1, 'x')",
        "UPDATE list SET name = NULL WHERE id = 1",
      ])
  }

  @Test func `a joined table that can't be searched`() async throws {
    let database = try Self.database()
    try await Self.follow(
      Record<ItemTable>.self, Self.pieces("item JOIN list ON list.name = item.title"), in: database,
      ["UPDATE item SET title = 'career' WHERE id = 1", "UPDATE list SET name = 'b' WHERE id = 1", "DELETE FROM list"],
      isWhole: true)
  }

  @Test func `a condition on a column whose name is not ASCII`() async throws {
    let database = try Self.database()
    try await Self.follow(
      Record<ItemTable>.self, Self.pieces("item LEFT JOIN list ON list.id = item.list", where: "größe IS NULL"),
      in: database,
      ["DELETE FROM list WHERE id = 1", "INSERT INTO list VALUES (1, 'x', 1, 1, 1)", "UPDATE list SET größe = NULL"])
  }

  // MARK: Order and sections

  @Test func `the collation of a compound's column`() async throws {
    let database = try Self.database(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT COLLATE NOCASE); INSERT INTO item VALUES (1, 'a'), (2, 'A'), (3, 'b')"
    )
    var spec = OracleSpec(
      source: .statement("SELECT id, title AS t FROM item WHERE id < 3 UNION SELECT id, title FROM item"))
    spec.sections = .init(value: "t", equality: .nocase)
    try await Self.follow(
      Record<ItemTable>.self, spec, in: database,
      ["UPDATE item SET title = 'B' WHERE id = 2", "UPDATE item SET title = 'A' WHERE id = 3"], isWhole: true)
  }

  @Test func `sections by a custom collation are named after their first row`() async throws {
    let database = try Self.database("CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT)")
    try await Self.follow(
      Record<ItemTable>.self, Self.pieces(sections: .init(value: "title COLLATE FOLDED", equality: .folded)),
      in: database,
      [
        "INSERT INTO item VALUES (2, 'ä'), (3, 'b')", "INSERT INTO item VALUES (1, 'Ä')",
        "UPDATE item SET title = 'B' WHERE id = 1",
        "DELETE FROM item WHERE id = 1", "UPDATE item SET title = 'Ä' WHERE id = 2", "DELETE FROM item",
      ], isWhole: true)
  }

  @Test(arguments: [nil, 5]) func `a section by a custom collation is in one place`(_ limit: Int?)
    async throws
  {
    let database = try Self.database(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, done); INSERT INTO item VALUES (1, 'ä', 0), (2, 'b', 1)")
    var spec = Self.pieces(
      sections: .init(value: "title COLLATE FOLDED", equality: .folded, orderedBy: [.init(expression: "done")]))
    spec.limit = limit
    try await Self.follow(
      Record<ItemTable>.self, spec, in: database,
      [
        "INSERT INTO item VALUES (3, 'Ä', 2)", "UPDATE item SET title = 'ö' WHERE id = 3",
        "UPDATE item SET title = 'Ö' WHERE id = 2",
        "UPDATE item SET done = 2 WHERE id = 2",
      ], isWhole: true)
  }

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

  @Test func `a row is read by itself although its condition computes a list from another table`() async throws {
    let database = try Self.database(
      """
      CREATE TABLE list(id INTEGER PRIMARY KEY, shown INTEGER);
      CREATE TABLE item(id INTEGER PRIMARY KEY, list INTEGER, title);
      INSERT INTO list SELECT value, value % 2 FROM json_each('[1,2,3,4,5,6,7,8]');
      INSERT INTO item SELECT a.id * 8 + b.id, b.id, 'x' FROM list a, list b;
      """)
    for condition in ["list IN (SELECT id FROM list WHERE shown)", "list NOT IN (SELECT id FROM list WHERE shown)"] {
      let controller = FetchedResultsController(
        fetchRequest: FetchRequest<Record<ItemTable>>(where: SQL(raw: condition), orderBy: ["title"]),
        database: database)
      try await controller.performFetch()
      for sql in [
        "UPDATE item SET title = title || 'y' WHERE id IN (11, 12)", "UPDATE item SET list = 2 WHERE id = 11",
        "UPDATE item SET list = NULL WHERE id = 12", "DELETE FROM item WHERE id = 13",
        "INSERT INTO item VALUES (1, 3, 'a')",
        "DELETE FROM item WHERE id = 1",
      ] {
        try await database.write { try $0.execute(SQL(raw: sql)) }
        try await controller.settled()
        let ids = try await database.read { c in
          try c.values("SELECT id FROM item WHERE \(raw: condition) ORDER BY title, id", as: Int64.self)
        }
        #expect(
          controller.fetchedObjects.map { $0.content[0] } == ids.map { Value.integer($0) }, "\(condition): \(sql)")
      }
      #expect(controller.statistics.requeried == 0, "\(controller.statistics)")
      // A change of the other table runs the whole query.
      try await database.write { try $0.execute("UPDATE list SET shown = NOT shown") }
      try await controller.settled()
      let count = try await database.read {
        try $0.value("SELECT count(*) FROM item WHERE \(raw: condition)", as: Int.self)
      }
      #expect(controller.fetchedObjects.count == count && controller.statistics.requeried == 1)
    }
  }

  @Test(arguments: [
    "NOT (rank > 1 OR list IN (SELECT id FROM list WHERE position > 0))",
    "NOT list IN (SELECT id FROM list WHERE position > 0)", "NOT NOT list IN (SELECT id FROM list WHERE position > 0)",
    "NOT list IN (SELECT id FROM list WHERE position > 0) IS NULL", "rank = 7 OR NOT id IN (SELECT position FROM list)",
    "NOT id IN (SELECT position FROM list) AND NOT rank IN (SELECT position FROM list)",
    "list NOT IN (SELECT id FROM list WHERE position > 0)",
    "rank = 7 OR (list NOT IN (SELECT id FROM list WHERE position > 0) AND rank > 0)",
    "ifnull(rank > 1 OR list IN (SELECT id FROM list WHERE position > 0), 1)",
    "(rank > 1 OR list IN (SELECT id FROM list WHERE position > 0)) IS NULL",
    "rank > 1 OR list IN (SELECT id FROM list WHERE position > 0)",
    "rank > 1 OR NOT (rank IS NULL AND list IN (SELECT id FROM list WHERE position > 0))",
    "(rank, list) IN (SELECT position, id FROM list)", "(id, rank) NOT IN (SELECT id, position FROM list)",
    "(id, list) NOT IN (SELECT id, position FROM list)", "NOT (rank, id) IN (SELECT position, id FROM list)",
    "(rank, list) IN (SELECT position, id FROM list) IS NULL",
    "rank = 7 OR NOT (list) IN (SELECT position FROM list ORDER BY id)",
  ]) func `a comparison with NULL in the list of an IN means what it does in SQLite`(condition: String) async throws {
    let database = try Self.database(
      """
      CREATE TABLE list(id INTEGER PRIMARY KEY, position); INSERT INTO list VALUES (1, 0), (2, 1);
      CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, rank, list INTEGER);
      CREATE INDEX item_list ON item(list);
      """)
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Record<ItemTable>>(where: SQL(raw: condition), orderBy: ["id"]), database: database)
    try await controller.performFetch()
    for sql in [
      "INSERT INTO item VALUES (1, 'a', 1, NULL), (2, 'b', 1, 2), (3, 'c', 5, NULL), (4, 'd', NULL, 1), (5, 'e', 1, 1)",
      "UPDATE item SET list = NULL WHERE id = 2", "UPDATE item SET list = 1", "UPDATE list SET position = 1",
      "UPDATE item SET rank = NULL, list = NULL WHERE id > 2", "DELETE FROM list WHERE id = 1", "DELETE FROM list",
    ] {
      try await database.write { try $0.execute(SQL(raw: sql)) }
      try await controller.settled()
      let ids = try await database.read {
        try $0.values("SELECT id FROM item WHERE \(raw: condition) ORDER BY id", as: Int64.self)
      }
      #expect(controller.fetchedObjects.map { $0.content[0] } == ids.map { .integer($0) }, "\(sql)")
    }
  }

  @Test(arguments: [
    ("id NOT IN (SELECT item FROM tag)", [1: 0, 2: 0, 3: 1, 4: 1, 5: 0, 6: 0, 7: 0]),
    ("NOT id IN (SELECT item FROM tag WHERE name = 'a')", [1: 0, 2: 0, 3: 1, 4: 1, 5: 0, 6: 0, 7: 0]),
    ("rank > 8 OR NOT id IN (SELECT item FROM tag)", [1: 0, 2: 0, 3: 1, 4: 1, 5: 0, 6: 0, 7: 0]),
    ("id NOT IN (SELECT item FROM tag WHERE name = 'a')", [1: 0, 2: 0, 3: 1, 4: 1, 5: 0, 6: 0, 7: 0]),
    ("rank > 8 OR id NOT IN (SELECT item FROM tag WHERE name <> 'a')", [1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0]),
    ("rank > (SELECT value FROM setting WHERE name = 'least')", [1: 0, 2: 0, 3: 0, 4: 0, 5: 1, 6: 0, 7: 1]),
    ("rank IN (SELECT value FROM setting WHERE name = 'most')", [1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 1]),
    ("rank > 2 AND EXISTS (SELECT 1 FROM setting WHERE name = 'most' AND value = 4)", [6: 0, 7: 1]),
    ("rank > (SELECT value FROM setting WHERE \"name\" = \"title\")", [5: 1, 6: 1, 7: 1]),
    ("(SELECT count(*) FROM setting WHERE name = 'least' AND value < rank) > 0", [1: 0, 4: 0, 5: 1, 6: 0, 7: 1]),
    ("(SELECT count(*) FROM setting WHERE value < rank AND name = title) > 0", [1: 0, 4: 0, 5: 1, 6: 1, 7: 1]),
    ("title IN (SELECT name FROM setting WHERE value > 3)", [1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 1, 7: 1]),
    ("id IN (SELECT item FROM tag ORDER BY id LIMIT 1)", [:]),
    ("id IN (SELECT parent FROM item WHERE rank > 2)", [1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0]),
    ("id NOT IN (SELECT item.parent FROM item)", [1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0]),
  ]) func `a row of a subquery that decides about all rows runs the query only if it counts`(
    condition: String, requeries: [Int: Int]
  ) async throws {
    let database = try Self.database(
      """
      CREATE TABLE setting(name TEXT, value); CREATE INDEX setting_name ON setting(name);
      INSERT INTO setting VALUES ('least', 2), ('most', 4), ('color', 0);
      CREATE TABLE tag(id INTEGER PRIMARY KEY, item INTEGER, name TEXT); CREATE INDEX tag_item ON tag(item);
      CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, rank, parent INTEGER);
      CREATE INDEX item_parent ON item(parent);
      INSERT INTO item VALUES (1, 'least', 1, NULL), (2, 'b', 3, 1), (3, 'c', 5, 2), (4, 'd', NULL, 2);
      INSERT INTO tag VALUES (1, 1, 'a'), (2, 2, 'b');
      """)
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Record<ItemTable>>(where: SQL(raw: condition), orderBy: ["id"]), database: database)
    try await controller.performFetch()
    for (number, sql) in [
      "UPDATE item SET rank = rank + 1 WHERE id = 2", "INSERT INTO tag VALUES (3, 4, 'a'), (4, 4, 'b')",
      "UPDATE tag SET item = NULL WHERE id = 3", "DELETE FROM tag WHERE id = 3",
      "UPDATE setting SET value = value + 1 WHERE name = 'least'", "UPDATE setting SET value = 7 WHERE name = 'color'",
      "UPDATE setting SET value = 5, name = 'least' WHERE name = 'most'",
    ].enumerated() {
      let before = controller.statistics.requeried
      try await database.write { try $0.execute(SQL(raw: sql)) }
      try await controller.settled()
      let ids = try await database.read {
        try $0.values("SELECT id FROM item WHERE \(raw: condition) ORDER BY id", as: Int64.self)
      }
      #expect(controller.fetchedObjects.map { $0.content[0] } == ids.map { .integer($0) }, "\(sql)")
      if let requeries = requeries[number + 1] {
        #expect(controller.statistics.requeried - before == requeries, "\(sql): \(controller.statistics.reasons)")
      }
    }
  }

  /// What is added to a condition may exceed how deep SQLite lets statements be.
  @Test func `every condition that SQLite takes is taken, however deep it is`() async throws {
    let database = try Self.database(
      """
      CREATE TABLE list(id INTEGER PRIMARY KEY, parent INTEGER); CREATE INDEX list_parent ON list(parent);
      INSERT INTO list VALUES (1, NULL), (2, 1), (3, 2);
      CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, list INTEGER NOT NULL); CREATE INDEX item_list ON item(list);
      INSERT INTO item VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
      """)
    var conditions: [String] = []
    for word in ["IN", "NOT IN"] {
      var condition = "parent > 0"
      for depth in 1...12 {
        condition =
          "\(depth == 1 ? "id" : "parent") \(word) (SELECT \(depth == 1 ? "id" : "parent") FROM list WHERE \(condition))"
        conditions.append("list" + condition.drop { $0 != " " })
      }
    }
    for count in [990, 994, 996, 998, 999, 1000] {
      conditions.append(
        "list IN (SELECT id FROM list) AND " + Array(repeating: "id > 0", count: count).joined(separator: " AND "))
      conditions.append(
        "list IN (SELECT id FROM list) OR " + Array(repeating: "id > 9", count: count).joined(separator: " OR "))
    }
    // Without an index, so that each list is compared by itself.
    conditions.append((0..<60).map { "title IN (SELECT parent FROM list WHERE id = \($0))" }.joined(separator: " OR "))
    // A list that may hold NULL is needed twice, and SQLite takes 250,000 values.
    let marks = Array(repeating: "?", count: 130_000).joined(separator: ",")
    let values = SQL(
      raw: "list NOT IN (SELECT parent FROM list WHERE id IN (\(marks)))",
      bindings: (0..<130_000).map { .integer($0) })
    var taken = 0
    for condition in conditions.map({ SQL(raw: $0) }) + [values] {
      let isTaken =
        (try? await database.read { try $0.values("SELECT 1 FROM item WHERE \(condition)", as: Int64.self) })
        != nil
      let controller = FetchedResultsController(
        fetchRequest: FetchRequest<Record<ItemTable>>(where: condition, orderBy: ["id"]), database: database)
      do {
        try await controller.performFetch()
        taken += 1
        try await database.write { try $0.execute("UPDATE item SET title = title || 'x' WHERE id = 2") }
        try await controller.settled()
        let ids = try await database.read {
          try $0.values("SELECT id FROM item WHERE \(condition) ORDER BY id", as: Int64.self)
        }
        #expect(
          controller.fetchedObjects.map { $0.content[0] } == ids.map { .integer($0) }, "\(condition.text.prefix(300))")
      } catch {
        #expect(!isTaken, "\(condition.text.prefix(300)): \(error)")
      }
      controller.stop()
    }
    #expect(taken > 25, "\(taken) conditions were taken")
  }

  @Test(arguments: [
    "EXISTS (SELECT 1 FROM list WHERE position > 3 AND list.id = item.list OR owner IN (SELECT id FROM person WHERE team > 0) AND list.id = item.list)",
    "list IN (SELECT id FROM list WHERE owner IN (SELECT id FROM person WHERE team > 0))",
    "list IN (SELECT id FROM list WHERE position > 3 OR owner IN (SELECT id FROM person WHERE team > 0))",
    "list NOT IN (SELECT id FROM list WHERE owner NOT IN (SELECT id FROM person WHERE team > 0))",
    "(SELECT count((SELECT team FROM person WHERE person.id = list.owner)) FROM list WHERE list.id = item.list) > 0",
    "EXISTS (SELECT 1 FROM list WHERE list.id = item.list AND position BETWEEN 0 AND 3 AND NOT EXISTS (SELECT 1 FROM person WHERE person.id = list.owner AND team = rank))",
    "(SELECT count(list.id) < (SELECT count(*) FROM person WHERE person.id = item.rank) FROM list WHERE list.id = item.list AND position > 3)",
    "(SELECT count(*) = 0 AND EXISTS (SELECT 1 FROM person WHERE person.id = item.id AND team > 0) FROM list WHERE list.id = item.list AND position > 3)",
    "EXISTS (SELECT count(*) FROM list WHERE list.id = item.list AND position > 3 HAVING EXISTS (SELECT 1 FROM person WHERE person.id = item.id))",
    "rank IN (SELECT count(*) + (SELECT count(*) FROM person WHERE person.id = item.id) FROM list WHERE list.id = item.list AND position > 3)",
    "(SELECT ifnull(max(list.id), 0) < (SELECT total(team) FROM person WHERE person.id = item.id AND EXISTS (SELECT 1 FROM person AS p WHERE p.id = person.team)) FROM list WHERE list.id = item.list AND position > 3)",
    "(SELECT count(*) FROM list WHERE list.id = item.list ORDER BY (SELECT team FROM person WHERE person.id = list.owner)) > 0",
    "rank BETWEEN 1 AND id IN (SELECT id FROM person)",
    "rank NOT BETWEEN 1 AND item.id IN (SELECT p.id FROM person AS p WHERE team > 0)",
  ]) func `a change in a subquery of a subquery reaches the rows of the query`(condition: String) async throws {
    let database = try Self.database(
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY, team);
      CREATE TABLE list(id INTEGER PRIMARY KEY, position, owner INTEGER); CREATE INDEX list_owner ON list(owner);
      CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, rank, list INTEGER NOT NULL);
      CREATE INDEX item_list ON item(list);
      INSERT INTO person VALUES (1, 0), (2, 1), (3, NULL); INSERT INTO list VALUES (1, 0, 1), (2, 4, 2), (3, 2, 3);
      INSERT INTO item VALUES (1, 'a', 1, 1), (2, 'b', 2, 2), (3, 'c', 0, 3), (4, 'd', NULL, 1);
      """)
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Record<ItemTable>>(where: SQL(raw: condition), orderBy: ["id"]), database: database)
    try await controller.performFetch()
    for sql in [
      "UPDATE person SET team = 1 WHERE id = 1", "UPDATE person SET team = 0 WHERE id = 1",
      "UPDATE person SET team = team + 1", "DELETE FROM person WHERE id = 2", "INSERT INTO person VALUES (2, 2)",
      "UPDATE list SET owner = 1 WHERE id = 3", "UPDATE person SET team = 0 WHERE id = 1",
      "UPDATE list SET position = 3; UPDATE person SET team = 2 WHERE id = 1",
      "UPDATE item SET list = 2, rank = 2 WHERE id = 4", "UPDATE list SET owner = NULL WHERE id = 2",
      "UPDATE person SET id = 9 WHERE id = 1", "UPDATE person SET id = 1 WHERE id = 9",
    ] {
      try await database.write { try $0.executeScript(sql) }
      try await controller.settled()
      let ids = try await database.read {
        try $0.values("SELECT id FROM item WHERE \(raw: condition) ORDER BY id", as: Int64.self)
      }
      #expect(controller.fetchedObjects.map { $0.content[0] } == ids.map { .integer($0) }, "\(sql)")
    }
    #expect(controller.statistics.incremental > 0, "\(controller.statistics)")
  }

  @Test func `a list of an IN is compared by the collation of the left side`() async throws {
    let database = try Self.database(
      """
      CREATE TABLE list(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE); CREATE INDEX list_name ON list(name);
      CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO list VALUES (1, 'a');
      """)
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Record<ItemTable>>(where: "title IN (SELECT name FROM list)", orderBy: ["id"]),
      database: database)
    try await controller.performFetch()
    try await database.write { try $0.execute("INSERT INTO item VALUES (1, 'a'), (2, 'A')") }
    try await controller.settled()
    #expect(controller.fetchedObjects.map { $0.content[0] } == [.integer(1)])
    #expect(controller.statistics.requeried == 0)
  }

  @Test func `terms may end in comments`() async throws {
    let database = try Self.database(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT COLLATE NOCASE); INSERT INTO item VALUES (1, 'a'), (2, 'B'), (3, 'A')"
    )
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Record<ItemTable>>(
        select: ["size": "length(title) -- letters"], where: "id > 0 -- all", sectionBy: "title -- of the item",
        orderBy: ["id -- as it came"]), database: database)
    try await controller.performFetch()
    #expect(controller.sections.map(\.items.count) == [2, 1])
    try await database.write { try $0.execute("UPDATE item SET title = 'b' WHERE id = 3") }
    try await controller.settled()
    #expect(controller.sections.map(\.items.count) == [1, 2])
    #expect(controller.statistics.requeried == 0)
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

  @Test func `adding a column reports no row`() async throws {
    let database = try Self.database()
    let watch = OracleWatch<Opaque<ItemTable>>(Self.pieces(order: ["title"]), database)
    try await watch.check(isOneCommit: true)
    try await database.write { try $0.execute("ALTER TABLE item ADD COLUMN added DEFAULT 'x'") }
    let updates = Shared<[Changes]>([])
    let observation = watch.controller.observe { update in updates.change { $0.append(update.changes) } }
    try await watch.controller.settled()
    #expect(updates.value.isEmpty)
    try await database.write { try $0.execute("UPDATE item SET added = 'y' WHERE id = 2") }
    try await watch.controller.settled()
    #expect(updates.value.map(\.description) == ["rows: updated [0, 1]"])
    try await database.write { try $0.execute("UPDATE item SET added = added") }
    try await watch.controller.settled()
    #expect(updates.value.count == 1)
    observation.cancel()
  }

  @Test func `outside a window, an id that a shown row has means no update of that row`() async throws {
    let database = try Self.database(
      "CREATE TABLE item(key INTEGER PRIMARY KEY, id TEXT, title, rank);"
        + "INSERT INTO item VALUES (1, 'five', 'x', 1), (2, 'six', 'y', 9), (3, 'seven', 'z', 2)")
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Opaque<ItemTable>>(orderBy: ["rank"], limit: 2), database: database)
    try await controller.performFetch()
    let updates = Shared<[Changes]>([])
    let observation = controller.observe { update in updates.change { $0.append(update.changes) } }
    for step in [
      "UPDATE item SET title = 'q' WHERE key = 1; UPDATE item SET title = 'x' WHERE key = 1;"
        + "UPDATE item SET id = 'five' WHERE key = 2; UPDATE item SET title = 'new' WHERE key = 3",
      "UPDATE item SET title = 'other' WHERE key = 2",
    ] {
      try await database.write { try $0.executeScript(step) }
      try await controller.settled()
    }
    #expect(updates.value.map(\.description) == ["rows: updated [0, 1]"])
    observation.cancel()
  }

  @Test func `other columns with the same values are different content`() async throws {
    let database = try Self.database()
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Opaque<ItemTable>>(sql: "SELECT id, rank AS a FROM item", orderBy: ["id"]),
      database: database)
    try await controller.performFetch()
    let updates = Shared<[String]>([])
    let observation = controller.observe { update in updates.change { $0.append(update.changes.description) } }
    controller.fetchRequest = FetchRequest(sql: "SELECT id, rank AS b FROM item", orderBy: ["id"])
    try await controller.settled()
    observation.cancel()
    #expect(updates.value.last == "rows: updated [0, 0] [0, 1] [0, 2] [0, 3]")
    #expect(controller.fetchedObjects.first?.names == ["id", "b"])
  }

  @Test(arguments: ["UTF-8", "UTF-16le"]) func `a row that enters the window has its previous content`(
    _ encoding: String
  ) async throws {
    var dice = SeededGenerator(seed: 1)
    var setup = OracleSetup(&dice)
    setup.isFile = true
    setup.encoding = encoding
    setup.item = .number
    setup.hasForeigner = false
    setup.hasHistory = false
    let world = try OracleWorld(setup, &dice)
    try await world.database.write {
      try $0.executeScript(
        "DELETE FROM item; INSERT INTO item(id, title) VALUES (1, 'a'), (2, 'b'), (3, 'ccc'), (4, 'd')")
    }
    try await Self.follow(
      Opaque<ItemTable>.self, Self.pieces(limit: 2), in: world.database,
      [
        "DELETE FROM item WHERE id = 1", "UPDATE item SET title = title", "DELETE FROM item WHERE id = 2",
        "UPDATE item SET title = title",
      ])
  }

  @Test func `an id that moves to another row gets that row's content`() async throws {
    for limit in [nil, 3] {
      let database = try Self.database(
        "CREATE TABLE item(id TEXT PRIMARY KEY, title, code UNIQUE);"
          + "INSERT INTO item VALUES ('a', 1, 1), ('b', 2, 2), ('c', 1, 3), ('d', 1, 4)")
      try await Self.follow(
        Opaque<ItemTable>.self, Self.pieces(order: ["title"], limit: limit), in: database,
        [
          "REPLACE INTO item VALUES ('a', 5, 9)", "REPLACE INTO item VALUES ('a', 5, 9)",
          "UPDATE item SET id = 'x' WHERE id = 'a'; UPDATE item SET id = 'a' WHERE id = 'b'; UPDATE item SET id = 'b' WHERE id = 'x'",
          "UPDATE item SET rowid = 90 WHERE id = 'c'; UPDATE item SET rowid = 3 WHERE id = 'd'; UPDATE item SET rowid = 4 WHERE id = 'c'",
          "DELETE FROM item WHERE id = 'c'; INSERT INTO item VALUES ('c', 7, 7)",
        ])
    }
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
