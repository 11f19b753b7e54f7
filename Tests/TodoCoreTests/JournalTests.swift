import FixtureSupport
import Testing

/// What the schema itself promises of undo, redo and the revision.
@Suite struct JournalTests {
  @Test func `undo and redo go through all states and back`() throws {
    let database = try TodoDatabase(.todoSample)
    let steps = [
      "INSERT INTO item(list, position, title, tags) VALUES (1, 99, 'new', '[\"a\", \"b\"]')",
      "UPDATE item SET title = 'other' || char(0) || 'half', notes = '[\"noted\"]' WHERE id = 5",
      "UPDATE item SET tags = '[\"b\", \"c\"]', priority = 3 WHERE id = 5",
      "UPDATE item SET previous = 1, done = 1 WHERE id = 5",
      "DELETE FROM item WHERE id = 1",
      "UPDATE list SET name = 'ERRANDS' WHERE id = 1",
      "DELETE FROM item WHERE list = 1; DELETE FROM list WHERE id = 1",
      "INSERT INTO list(id, name, position) VALUES (7, 'x', 1); UPDATE item SET list = 7, position = -id",
      "INSERT OR REPLACE INTO item(id, list, position, title) VALUES (3, 7, 0, 'replaced')",
    ]
    var states = [try database.content()]
    for (number, step) in steps.enumerated() {
      try database.change("\(number)", step)
      states.append(try database.content())
    }
    for state in states.dropLast().reversed() {
      try database.undo()
      #expect(try database.content() == state)
    }
    #expect(try database.search("groceries") == ["1"])
    for state in states.dropFirst() {
      try database.redo()
      #expect(try database.content() == state)
    }
    #expect(try database.search("replaced") == ["3"])
    #expect(try database.revision() == "\(1 + 3 * steps.count)")
    #expect(try database.raw.strings("PRAGMA integrity_check") == [["ok"]])
  }

  @Test func `the number of an undone add is not used again`() throws {
    let database = try TodoDatabase(.todoSample)
    try database.change("add", "INSERT INTO item(list, position, title) VALUES (1, 1, 'a')")
    try database.undo()
    try database.change("add", "INSERT INTO item(list, position, title) VALUES (1, 1, 'b')")
    #expect(try database.raw.strings("SELECT id, title FROM item WHERE id > 4") == [["6", "b"]])
  }

  @Test func `an undone change can't be redone after a new one`() throws {
    let database = try TodoDatabase(.todoSample)
    try database.change("one", "UPDATE item SET title = 'one' WHERE id = 1")
    try database.undo()
    try database.change("two", "UPDATE item SET title = 'two' WHERE id = 2")
    let before = try database.content()
    try database.redo()
    #expect(try database.content() == before)
    #expect(try database.revision() == "4")
  }

  @Test func `a write of another program is a change of its own`() throws {
    let database = try TodoDatabase(.todoSample)
    try database.change("mine", "UPDATE item SET title = 'mine' WHERE id = 1")
    try database.raw.execute("UPDATE item SET title = 'theirs' WHERE id = 1")
    #expect(try database.revision() == "3")
    try database.undo()
    #expect(try database.raw.strings("SELECT title FROM item WHERE id = 1") == [["mine"]])
    #expect(try database.search("mine") == ["1"])
  }

  @Test func `a write that changes nothing is not recorded`() throws {
    let database = try TodoDatabase(.todoSample)
    try database.raw.execute("UPDATE item SET title = title, done = done; UPDATE list SET name = name")
    #expect(try database.revision() == "1")
  }

  @Test func `an item keeps its number and a list with items stays`() throws {
    let database = try TodoDatabase(.todoSample)
    #expect(throws: RawDatabase.Failure.self) { try database.raw.execute("UPDATE item SET id = 9 WHERE id = 1") }
    #expect(throws: RawDatabase.Failure.self) { try database.raw.execute("DELETE FROM list WHERE id = 1") }
  }
}
