import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

@testable import SQLiteEngine

/// Joins by USING and NATURAL, which name columns without saying of which table, and names that mean one thing in the
/// schema and another in a request.
@Suite(.timeLimit(.minutes(5))) struct JoinSpellingTests {
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
