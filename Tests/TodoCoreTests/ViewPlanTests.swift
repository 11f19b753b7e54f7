import FixtureSupport
import Testing

/// Each view of the program reads an index in its order: a page of it costs a page, however many items there are.
@Suite struct ViewPlanTests {
  private static let open = "item.done = 0 AND item.archived = 0"
  private static let byList = "ORDER BY list.position, list.name, item.position, item.id"

  @Test(arguments: [
    "SELECT item.* FROM item JOIN list ON list.id = item.list WHERE \(open) \(byList)",
    "SELECT item.* FROM item JOIN list ON list.id = item.list WHERE item.archived = 0 \(byList)",
    "SELECT item.* FROM item JOIN list ON list.id = item.list WHERE \(open) AND list.name = 'Errands' \(byList)",
    "SELECT item.*, list.name FROM item JOIN list ON list.id = item.list WHERE \(open) "
      + "ORDER BY due_day NULLS LAST, due, item.id",
    "SELECT item.* FROM item WHERE \(open) AND due_day < '2026-01-01' ORDER BY due_day NULLS LAST, due, item.id",
    "SELECT item.*, list.name FROM item JOIN list ON list.id = item.list WHERE \(open) ORDER BY priority DESC, item.id",
    "SELECT item_tag.id, tag, item.* FROM item_tag JOIN item ON item.id = item_tag.item WHERE \(open) "
      + "ORDER BY tag NULLS LAST, item_tag.item, item_tag.id",
    "SELECT item.* FROM item JOIN item_tag ON item_tag.item = item.id WHERE item_tag.tag = 'shop' ORDER BY item_tag.item",
    "SELECT max(position) FROM item WHERE list = 1",
    "SELECT id FROM change WHERE kind <> 'undo' AND spent = 0 ORDER BY id DESC LIMIT 1",
  ])
  func `a view is read in the order of an index`(query: String) throws {
    let plan = try TodoDatabase().raw.strings("EXPLAIN QUERY PLAN \(query)").map { $0[3] }
    for step in plan {
      #expect(step.contains(" INDEX ") || step.contains("INTEGER PRIMARY KEY"), "\(plan)")
      #expect(!step.contains("TEMP B-TREE"), "\(plan)")
    }
  }

  @Test func `the view by tag holds each pair and the untagged last`() throws {
    let database = try TodoDatabase(.todoSample)
    try database.change("tag", "UPDATE item SET tags = '[\"town\", \"shop\"]' WHERE id = 2")
    try database.change("tag", "UPDATE item SET tags = '[\"town\"]' WHERE id = 4")
    #expect(
      try database.raw.strings("SELECT tag, item, id < 0 FROM item_tag ORDER BY tag NULLS LAST, item")
        == [["shop", "2", "0"], ["town", "2", "0"], ["town", "4", "0"], ["NULL", "1", "1"], ["NULL", "3", "1"]])
  }

  @Test(arguments: [
    "due = '2026-02-30', due_day = '2026-02-30'", "due = '2026-02-03'", "due = 'tomorrow', due_day = 'tomorrow'",
    "created = '2026-02-30T00:00:00Z'", "due = '2026-02-03T10:00:00Z', due_day = '2026-02-05'",
    "created = '2026-01-01'",
    "completed = '2026-01-01T00:00:00Z'",
    "every = 'fortnight'", "priority = 4", "title = ''", "uuid = upper('a' || substr(uuid, 2))", "tags = 'a'",
    "notes = '{}'", "extra = '[]'", "list = 99",
  ])
  func `invalid values are refused`(assignment: String) throws {
    let database = try TodoDatabase(.todoSample)
    #expect(throws: RawDatabase.Failure.self) {
      try database.raw.execute("UPDATE item SET \(assignment) WHERE id = 1")
    }
  }
}
