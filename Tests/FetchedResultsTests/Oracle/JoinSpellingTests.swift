import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

@testable import SQLiteEngine

/// Joins by USING and NATURAL, which name columns without saying of which table, and names that mean one thing in the
/// schema and another in a request.
@Suite(.timeLimit(.minutes(5))) struct JoinSpellingTests {
  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, owner INTEGER);
    CREATE TABLE chosen(id INTEGER PRIMARY KEY);
    CREATE TABLE pair(id INTEGER, owner INTEGER);
    CREATE VIRTUAL TABLE area USING rtree(id, low, high);
    CREATE VIEW joined AS SELECT DISTINCT item.id AS id, 1 AS title FROM item NATURAL JOIN chosen;
    CREATE VIEW twice AS SELECT * FROM joined;
    INSERT INTO item VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', NULL);
    INSERT INTO chosen VALUES (1);
    INSERT INTO pair VALUES (1, 1);
    INSERT INTO area VALUES (1, 0, 1);
    """

  private static let statements = [
    "SELECT DISTINCT item.* FROM item JOIN chosen USING (id) ORDER BY id",
    "SELECT DISTINCT item.* FROM item JOIN pair USING (id, owner) ORDER BY id",
    "SELECT item.id, count(*) AS n FROM item NATURAL JOIN chosen GROUP BY item.id ORDER BY item.id",
    "SELECT item.* FROM item JOIN chosen USING (id) ORDER BY id LIMIT 5",
    "SELECT id FROM item EXCEPT SELECT item.id FROM item JOIN chosen USING (id) ORDER BY id",
    "SELECT id FROM item WHERE id IN (SELECT item.id FROM item JOIN chosen USING (id)) ORDER BY 1 LIMIT 9",
    "SELECT DISTINCT * FROM twice ORDER BY id",
    "SELECT DISTINCT item.* FROM item JOIN area USING (id) ORDER BY id",
    "SELECT DISTINCT item.* FROM item NATURAL LEFT JOIN area ORDER BY id",
    "WITH c AS (SELECT id FROM item NATURAL JOIN area) SELECT id, (SELECT count(*) FROM c) AS n FROM item ORDER BY id",
  ]

  private static let steps = [
    "INSERT INTO chosen VALUES (2); INSERT INTO pair VALUES (2, 2); INSERT INTO area VALUES (2, 0, 1)",
    "DELETE FROM chosen WHERE id = 1; DELETE FROM pair WHERE id = 1; DELETE FROM area WHERE id = 1",
    "UPDATE chosen SET id = 3; UPDATE pair SET owner = NULL; UPDATE area SET id = 3",
    "INSERT INTO item VALUES (4, 'd', 4); INSERT INTO chosen VALUES (4)", "DELETE FROM chosen",
  ]

  @Test(arguments: statements) func `a table of which only joined columns are read is followed`(_ sql: String)
    async throws
  {
    try await EvaluationTests.follow(
      Record<ItemTable>.self, OracleSpec(source: .statement(sql)), in: EvaluationTests.database(Self.schema),
      Self.steps,
      isWhole: true)
  }

  @Test(arguments: ["item JOIN chosen USING (id)", "item NATURAL JOIN chosen", "item JOIN area USING (id)"])
  func `pieces with such a table are followed`(_ from: String) async throws {
    let database = try EvaluationTests.database(Self.schema)
    try await EvaluationTests.follow(
      Record<ItemTable>.self, EvaluationTests.pieces(from, order: ["title"]), in: database, Self.steps, isWhole: true)
  }

  @Test func `sections that exist without rows are read again with such a table`() async throws {
    let database = try EvaluationTests.database(Self.schema)
    var sections = OracleSpec.Sections(value: "item.id", equality: .binary)
    sections.including = "SELECT pair.owner FROM pair JOIN chosen USING (id)"
    sections.includedColumns = 1
    try await EvaluationTests.follow(
      Record<ItemTable>.self, EvaluationTests.pieces(where: "item.id > 9", sections: sections), in: database,
      ["INSERT INTO pair VALUES (7, 7)", "INSERT INTO chosen VALUES (7)", "DELETE FROM chosen WHERE id = 1"])
  }

  @Test(arguments: [
    "EXISTS (SELECT 1 FROM tag AS t JOIN person AS p USING (owner) WHERE t.item = item.id AND p.ok)",
    "EXISTS (SELECT 1 FROM tag AS t LEFT JOIN person AS p USING (owner) WHERE t.item = item.id AND ifnull(p.ok, 1))",
    "(SELECT max(p.ok) FROM tag AS t CROSS JOIN person AS p USING (owner) WHERE t.item = item.id)",
    "EXISTS (SELECT 1 FROM tag AS t NATURAL JOIN person AS p WHERE t.item = item.id AND p.ok)",
    "EXISTS (SELECT 1 FROM person AS p JOIN tag AS t USING (owner) JOIN tag AS u USING (owner) WHERE u.item = item.id AND p.ok)",
  ]) func `a subquery joins by its own columns`(_ condition: String) async throws {
    let schema = """
      CREATE TABLE item(id INTEGER PRIMARY KEY, owner INTEGER); CREATE INDEX item_owner ON item(owner);
      CREATE TABLE tag(id INTEGER PRIMARY KEY, item INTEGER, owner INTEGER); CREATE INDEX tag_item ON tag(item);
      CREATE INDEX tag_owner ON tag(owner);
      CREATE TABLE person(owner INTEGER PRIMARY KEY, ok INTEGER);
      INSERT INTO item VALUES (1, 10), (2, 20); INSERT INTO tag VALUES (1, 1, 20), (2, 2, 10);
      INSERT INTO person VALUES (10, 0), (20, 0);
      """
    let steps = [
      "UPDATE person SET ok = 1 WHERE owner = 20", "UPDATE person SET ok = 0", "INSERT INTO tag VALUES (3, 1, 10)",
      "UPDATE person SET ok = 1 WHERE owner = 10", "DELETE FROM person WHERE owner = 10",
      "UPDATE tag SET owner = 20 WHERE id = 2", "UPDATE item SET owner = 20", "UPDATE person SET ok = 1",
    ]
    for from in [nil, "item JOIN person AS o USING (owner)"] {
      try await EvaluationTests.follow(
        Record<ItemTable>.self, EvaluationTests.pieces(from, where: condition), in: EvaluationTests.database(schema),
        steps,
        isWhole: from != nil || condition.contains("LEFT"))
    }
  }

  // MARK: Names

  private static let names = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, code INTEGER, list INTEGER, n TEXT); CREATE INDEX item_list ON item(list);
    CREATE TABLE list(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, item INTEGER, name TEXT); CREATE INDEX tag_item ON tag(item);
    INSERT INTO list VALUES (1, 'a'), (2, NULL);
    INSERT INTO item VALUES (1, 10, 1, 'y'), (2, 20, 2, 'x'), (3, 30, NULL, NULL);
    INSERT INTO tag VALUES (1, 1, 'y'), (2, 2, 'x');
    """

  private static let nameSteps = [
    "UPDATE tag SET name = 'x' WHERE id = 1", "UPDATE tag SET name = 'z' WHERE id = 2", "DELETE FROM tag",
    "INSERT INTO tag VALUES (1, 1, 'x')", "DELETE FROM tag", "INSERT INTO tag VALUES (3, 2, 'y')",
    "UPDATE tag SET item = 1 WHERE id = 3", "DELETE FROM list WHERE id = 1", "UPDATE list SET name = 'b'",
    "INSERT INTO list VALUES (1, 'c')", "UPDATE item SET code = 40 WHERE id = 2",
    "INSERT INTO item VALUES (9, 1, 1, 'x')",
    "DELETE FROM item WHERE id = 1",
  ]

  @Test(
    arguments: [
      // Conditions of joins that name a table further right.
      ("item JOIN list ON list.id = item.list AND tag.id IS NULL LEFT JOIN tag ON tag.item = item.id", nil, true),
      ("item JOIN list ON list.id = item.list AND 'tag'.id IS NULL LEFT JOIN tag ON tag.item = item.id", nil, true),
      ("item JOIN list ON list.id = item.list LEFT JOIN tag ON tag.item = item.id", "tag.id IS NULL", false),
      ("item JOIN json_each('[7]') AS one ON one.value IS NOT tag.id LEFT JOIN tag ON tag.item = item.id", nil, true),
      ("item JOIN json_each('[\"x\"]') AS x ON x.value IS NOT tag.name LEFT JOIN tag ON tag.item = item.id", nil, true),
      // A table-valued function with the name of an outer table.
      (nil, "item.id IN (SELECT t.item FROM tag AS t, json_each('[1]') AS item WHERE item.value = 1)", true),
      (
        nil,
        "EXISTS (SELECT 1 FROM list AS l JOIN item AS i ON t.id IS NULL LEFT JOIN tag AS t ON t.item = i.id "
          + "WHERE l.id = item.list AND i.id = item.id)", true
      ),
      // Texts as names of tables.
      ("item LEFT JOIN list ON list.id = item.list", "'list'.name IS NULL", false),
      ("item LEFT JOIN list ON list.id = item.list", "'list'.'name' IS NULL", false),
      // Names of a subquery's results in its condition.
      (nil, "EXISTS (SELECT tag.name AS n FROM tag WHERE tag.item = item.id AND n = 'x')", true),
      (nil, "EXISTS (SELECT upper(tag.name) 'n' FROM tag WHERE tag.item = item.id AND \"n\" = 'X')", true),
      (nil, "'x' IN (SELECT tag.name n FROM tag WHERE tag.item = item.id AND N <> 'y')", true),
      (nil, "EXISTS (SELECT tag.name AS window FROM tag WHERE tag.item = item.id AND name = 'x')", false),
      // A table that is called `window`, which is a keyword before a window's definition only.
      (nil, "EXISTS (SELECT 1 FROM tag window WHERE window.item = item.id AND window.name = 'x')", false),
      (nil, "EXISTS (SELECT 1 FROM tag AS window WHERE window.item = item.id AND window.name = 'x')", false),
      (
        nil,
        "EXISTS (SELECT count(*) OVER w FROM tag AS window WHERE window.item = item.id WINDOW w AS (ORDER BY name))",
        true
      ),
      (nil, "EXISTS (SELECT name FROM tag WHERE tag.item = item.id AND name = 'x')", false),
      (nil, "EXISTS (SELECT tag.name AS n FROM tag WHERE tag.item = item.id AND item.n = 'x')", false),
    ] as [(String?, String?, Bool)])
  func `a name means what it means to SQLite`(from: String?, condition: String?, isWhole: Bool) async throws {
    try await EvaluationTests.follow(
      Record<ItemTable>.self, EvaluationTests.pieces(from, where: condition), in: EvaluationTests.database(Self.names),
      Self.nameSteps, isWhole: isWhole)
  }

  @Test(arguments: [
    "(SELECT max(item.code) FROM tag WHERE tag.item = item.id)", "(SELECT count(item.code + 0 * id) FROM list)",
    "(SELECT max(tag.id) FROM tag WHERE tag.item = item.id)",
  ]) func `an aggregate of the outer query's columns in a subquery is of the outer query`(_ term: String) async throws {
    let isWhole = !term.contains("max(tag")
    // In a piece it would make one row of the whole list, which is refused.
    let isRefused = term.contains("max(item")
    if isRefused {
      let controller = FetchedResultsController(
        fetchRequest: FetchRequest<Record<ItemTable>>(select: ["m": SQL(raw: term)]),
        database: try EvaluationTests.database(Self.names))
      #expect { try controller.performFetch() } throws: { "\($0)".contains("aggregates all rows into one") }
    }
    // A statement without ORDER BY is run as a whole anyway.
    for source in [
      isRefused ? nil : OracleSpec.Source.pieces(from: nil, alias: "item", select: [("m", term)], condition: nil),
      isWhole ? .statement("SELECT item.*, \(term) AS m FROM item") : nil,
    ].compactMap({ $0 }) {
      try await EvaluationTests.follow(
        Record<ItemTable>.self, OracleSpec(source: source), in: EvaluationTests.database(Self.names),
        Self.nameSteps, isWhole: isWhole)
      guard case .statement = source else { continue }
      var ordered = OracleSpec(source: source)
      ordered.order = [.init(expression: "id")]
      try await EvaluationTests.follow(
        Record<ItemTable>.self, ordered, in: EvaluationTests.database(Self.names), Self.nameSteps, isWhole: true)
    }
  }

  @Test func `a view of an attached file shows that file's tables`() async throws {
    let folder = try TemporaryFolder.make()
    let database = try Database(path: folder + "/main.db")
    try database.attach(folder + "/archive.db", as: "archive")
    try await database.write { c in
      try c.executeScript(
        """
        CREATE TABLE main.item(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO main.item VALUES (1, 'main');
        CREATE TABLE archive.item(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO archive.item VALUES (7, 'archived');
        CREATE VIEW archive.old_view AS SELECT id, title FROM item;
        """)
    }
    let watch = OracleWatch<Record<OldView>>(EvaluationTests.pieces(alias: "old_view", order: ["title"]), database)
    try await watch.check(isOneCommit: true)
    for step in [
      "UPDATE archive.item SET title = 'x'", "UPDATE main.item SET title = 'y'",
      "INSERT INTO archive.item VALUES (8, 'a')", "DELETE FROM main.item", "DROP TABLE main.item",
      "UPDATE archive.item SET title = 'z' WHERE id = 7", "CREATE TABLE main.item(id INTEGER PRIMARY KEY, title TEXT)",
      "UPDATE archive.item SET title = 'w' WHERE id = 8",
    ] {
      try await database.write { try $0.executeScript(step) }
      try await watch.check(isOneCommit: true)
    }
  }

  @Test func `a temporary view hides one of the same name`() async throws {
    let database = try Database.inMemory()
    try await database.write { c in
      try c.executeScript(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO item VALUES (1, 'a'), (9, 'b');
        CREATE VIEW open_item AS SELECT * FROM item WHERE id > 5;
        CREATE TEMP VIEW open_item AS SELECT * FROM item WHERE id < 5;
        """)
    }
    let watch = OracleWatch<Record<OpenView>>(EvaluationTests.pieces(alias: "open_item", order: ["title"]), database)
    try await watch.check(isOneCommit: true)
    for step in ["INSERT INTO item VALUES (2, 'c'), (8, 'd')", "UPDATE item SET title = 'x'", "DELETE FROM item"] {
      try await database.write { try $0.executeScript(step) }
      try await watch.check(isOneCommit: true)
    }
  }

  @Test func `tables of one name in two files are told apart`() async throws {
    let folder = try TemporaryFolder.make()
    let database = try Database(path: folder + "/main.db")
    try database.attach(folder + "/archive.db", as: "archive")
    try await database.write { c in
      try c.executeScript(
        """
        CREATE TABLE main.item(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO main.item VALUES (1, 'a'), (2, 'b');
        CREATE TABLE main.tag(id INTEGER PRIMARY KEY, item INTEGER, name TEXT);
        CREATE TABLE archive.tag(item INTEGER PRIMARY KEY, name TEXT);
        CREATE INDEX main.tag_item ON tag(item);
        """)
    }
    let condition =
      "EXISTS (SELECT 1 FROM tag AS t WHERE t.item = item.id) OR item.id IN (SELECT item FROM archive.tag AS o)"
    try await EvaluationTests.follow(
      Record<ItemTable>.self,
      OracleSpec(source: .pieces(from: nil, alias: "item", select: [], condition: condition)), in: database,
      [
        "INSERT INTO main.tag VALUES (7, 1, 'x')", "INSERT INTO archive.tag VALUES (2, 'y')",
        "UPDATE main.tag SET item = 2", "UPDATE archive.tag SET item = 1", "DELETE FROM archive.tag",
        "DELETE FROM main.tag",
      ],
      isWhole: false)
  }

  @Test(arguments: ["B", "de,ci", "-x", "N.x", "k(2,-B", "b", "binary ", "\u{e9}"])
  func `a collation may have any name`(_ name: String) async throws {
    let database = try EvaluationTests.database("CREATE TABLE unused(x)")
    try database.addCollation(name) { OracleWorld.compare(OracleWorld.folded($0), OracleWorld.folded($1)) }
    try await database.write { c in
      try c.executeScript(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT COLLATE "\(name)", other TEXT);
        INSERT INTO item VALUES (1, 'a', 'A'), (2, 'c', 'b')
        """)
    }
    for term in ["title", "other", "other || ''"] {
      try await EvaluationTests.follow(
        Record<ItemTable>.self, EvaluationTests.pieces(order: [term]), in: database,
        [
          "INSERT INTO item VALUES (3, 'B', 'C')", "UPDATE item SET title = 'D', other = 'd' WHERE id = 1",
          "DELETE FROM item WHERE id = 3",
        ],
        isWhole: false)
    }
  }

  @Test func `rows exchange their ids unless these are the key, whatever the result calls them`() async throws {
    let database = try EvaluationTests.database(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, u INTEGER NOT NULL UNIQUE, n INTEGER);
      CREATE VIEW by_unique AS SELECT u AS id, n FROM t;
      CREATE VIEW by_key AS SELECT id, u, n FROM t;
      """)
    let engine = SQLiteEngine(database)
    func canExchangeIDs(_ request: RequestDescription) throws -> Bool? {
      let query = try engine.query(for: request, canCompare: true, Connection.uncancellable)
      return (query as? SQLiteQuery)?.canExchangeIDs
    }
    for (sql, canExchange) in [
      ("SELECT u AS id, n FROM t", true), ("SELECT id, u FROM t", false), ("SELECT id AS key, u AS id FROM t", true),
    ] {
      let request = FetchRequest<Record<ItemTable>>(sql: SQL(raw: sql), orderBy: ["id"])
      #expect(try canExchangeIDs(request.description) == canExchange, "\(sql)")
    }
    #expect(try canExchangeIDs(FetchRequest<Record<UniqueView>>().description) == true)
    #expect(try canExchangeIDs(FetchRequest<Record<KeyView>>().description) == false)
  }

  private enum UniqueView: TableName { static let name = "by_unique" }
  private enum KeyView: TableName { static let name = "by_key" }
}
