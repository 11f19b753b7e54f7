import FetchedResults
import FixtureSupport
import Testing

/// Sums and to-many rows of each row, as docs/Sections.md shows them: followed row by row.
@Suite(.timeLimit(.minutes(2))) struct AssociationTests {
  struct Shelf: MappedEntity, Equatable {
    static let table = "list"
    static let mapping = Mapping(Shelf.init, ("id", \.id), ("name", \.name), ("open", \.open), ("titles", \.titles))
    var id: Int64
    var name: String
    var open: Int
    var titles: JSONColumn<[String]>

    static func == (left: Shelf, right: Shelf) -> Bool {
      (left.id, left.name, left.open, left.titles.content) == (right.id, right.name, right.open, right.titles.content)
    }
  }

  @Test func `a count and the rows of another table are selected for each row, and followed`() async throws {
    let database = try TodoWorld.database()
    let shelves = FetchRequest<Shelf>(
      select: [
        "open": "(SELECT count(*) FROM item WHERE item.list = list.id AND NOT item.done)",
        "titles": "(SELECT json_group_array(item.title) FROM item WHERE item.list = list.id)",
      ], orderBy: ["name"])
    let controller = FetchedResultsController(fetchRequest: shelves, database: database)
    try controller.fetchHere()
    #expect(controller.fetchedObjects.map(\.open) == [2, 2])
    try database.run(
      "UPDATE item SET done = 1 WHERE id = 1; INSERT INTO item(id, list, title, position) VALUES (9, 2, 'New', 5)")
    try await controller.settled()
    #expect(controller.fetchedObjects.map(\.open) == [3, 1])
    #expect(controller.fetchedObjects.first?.titles.content.sorted() == ["Multiple Selections", "New", "Presentation"])
    #expect(controller.statistics.requeried == 0 && controller.statistics.reasons.isEmpty)
  }

  struct Chat: MappedEntity, Equatable {
    static let table = "chat"
    static let mapping = Mapping(Chat.init, ("id", \.id), ("last", \.last), ("text", \.text))
    var id: Int64
    var last: Int64?
    var text: String?
  }

  @Test(arguments: ["id", "ID", "m.id"])
  func `the reason names the index with which a list is followed row by row`(_ key: String) async throws {
    let database = try Database.inMemory()
    try await database.write {
      try $0.executeScript(
        """
        CREATE TABLE message(id INTEGER PRIMARY KEY, text TEXT);
        CREATE TABLE chat(id INTEGER PRIMARY KEY, last INTEGER);
        INSERT INTO message VALUES (1, 'one'), (2, 'two');
        INSERT INTO chat VALUES (10, 1), (20, 2), (30, NULL);
        """)
    }
    let on = key == "m.id" ? "m.id = c.last" : "c.\"last\" = m.\(key)"
    let request = FetchRequest<Chat>(
      from: "chat c LEFT JOIN message m ON \(raw: on)", select: ["id": "c.id", "last": "c.last", "text": "m.text"],
      orderBy: ["c.id"])
    func followed() async throws -> Statistics {
      let controller = FetchedResultsController(fetchRequest: request, database: database)
      try await controller.performFetch()
      try await database.write { c in _ = try c.execute("UPDATE message SET text = text || '!' WHERE id = 2") }
      try await controller.settled()
      #expect(controller.fetchedObjects.compactMap(\.text).last?.hasPrefix("two!") == true)
      return controller.statistics
    }
    let reason = try #require(try await followed().reasons.keys.first)
    let index = try #require(reason.firstRange(of: "CREATE INDEX"))
    #expect(reason[index.lowerBound...] == "CREATE INDEX \"chat_last\" ON \"chat\"(\"last\")")
    try await database.write { c in _ = try c.execute(SQL(raw: String(reason[index.lowerBound...]))) }
    #expect(try await followed().reasons.isEmpty)
  }

  struct Tagged: MappedEntity, Equatable {
    static let table = "item"
    static let mapping = Mapping(Tagged.init, ("id", \.id), ("tags", \.tags))
    var id: Int64
    var tags: String?
  }

  @Test(arguments: [
    "tagging(item INTEGER, tag INTEGER, PRIMARY KEY(item, tag))",
    "tagging(item INTEGER, tag INTEGER, PRIMARY KEY(item, tag)) WITHOUT ROWID", "tagging(item INTEGER, tag INTEGER)",
    "tagging(item INTEGER, tag TEXT, UNIQUE(item, tag))",
  ])
  func `each index that a reason names helps, until none is named`(_ table: String) async throws {
    let database = try Database.inMemory()
    try database.run(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY); CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE \(table);
      INSERT INTO item VALUES (1), (2); INSERT INTO tag VALUES (7, 'a'), (8, 'b'); INSERT INTO tagging VALUES (1, 7), (2, 8);
      """)
    let request = FetchRequest<Tagged>(
      select: [
        "tags": """
        (SELECT group_concat(tag.name) FROM tagging JOIN tag ON tag.id = tagging.tag WHERE tagging.item = item.id)
        """
      ])
    var indices: [String] = []
    while indices.count < 4 {
      let controller = FetchedResultsController(fetchRequest: request, database: database)
      try await controller.performFetch()
      try database.run("UPDATE tag SET name = name || '!'; UPDATE tagging SET item = item")
      try await controller.settled()
      #expect(controller.fetchedObjects.allSatisfy { $0.tags?.contains("!") == true })
      guard let reason = controller.statistics.reasons.keys.first(where: { $0.contains("CREATE INDEX") }),
        let index = reason.firstRange(of: "CREATE INDEX")
      else { break }
      indices.append(String(reason[index.lowerBound...]))
      try database.run(indices[indices.count - 1])
    }
    #expect(Set(indices).count == indices.count)
    let expected = table.contains("KEY") ? 1 : table.contains("TEXT") ? 0 : 2
    #expect(indices.count == expected, "\(indices)")
  }

  @Test func `an entity that is read from a join says so when it is written`() async throws {
    let database = try TodoWorld.database()
    let shelf = Shelf(id: 9, name: "New", open: 0, titles: JSONColumn([]))
    let error = await #expect(throws: DatabaseError.self) { try await database.write { try $0.upsert(shelf) } }
    #expect(error?.message.hasPrefix("list has no column open, so this entity can't be written as a whole") == true)
    var read = shelf
    let partial = await #expect(throws: DatabaseError.self) {
      try await database.write { [read] c in
        var read = read
        _ = try c.update(changing: &read) { $0.open = 3 }
      }
    }
    #expect(partial?.message.contains("has no column open") == true)
    read.name = ""
    try await database.write { c in _ = try c.update(Shelf.self, id: 1, \.name, "Renamed") }
    let name = try await database.read { c in try c.value("SELECT name FROM list WHERE id = 1", as: String.self) }
    #expect(name == "Renamed")
  }
}
