import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

/// Lists of what a full-text search finds.
@Suite struct SearchListTests {
  private struct Note: MappedEntity, Hashable {
    static let table = "note"
    static let mapping = Mapping(Note.init, ("id", \.id), ("title", \.title), ("body", \.body))
    var id: Int64
    var title: String
    var body: String?
  }

  private let path: String
  private let database: Database

  init() throws {
    path = try TemporaryFolder.make() + "/notes.db"
    database = try Database(path: path)
    try database.migrate([
      Migration("0001", sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT)"),
      Migration("0002") { c in try c.createSearchIndex(on: "note", columns: ["title", "body"]) },
    ])
    try database.write { c in
      try c.insert(Note(id: 1, title: "Kim's letter", body: "tea"))
      try c.insert(Note(id: 2, title: "Shopping", body: "milk and tea"))
    }
  }

  private static let all = FetchRequest<Note>(orderBy: ["title"])

  private func following(_ request: FetchRequest<Note>) throws -> FetchedResultsController<Note> {
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    return controller
  }

  private struct Archived: MappedEntity, Hashable {
    static let table = "archive.note"
    static let mapping = Mapping(Archived.init, ("id", \.id), ("title", \.title))
    var id: Int64
    var title: String
  }

  @Test func `the index of an attached file is its own`() async throws {
    try database.attach(TemporaryFolder.make() + "/archive.db", as: "archive")
    try await database.write { c in
      try c.executeScript("CREATE TABLE archive.note(id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT)")
      try c.createSearchIndex(on: "archive.note", columns: ["title", "body"])
      try c.execute("INSERT INTO archive.note VALUES (1, 'violet', NULL), (2, 'letter', NULL)")
    }
    let found = FetchRequest<Archived>().matching(SearchPattern("violet"))
    #expect(try await database.fetch(found).map(\.id) == [1])
    let named = FetchRequest<Archived>().matching(SearchPattern("violet"), in: "archive.note_search")
    #expect(try await database.fetch(named).map(\.id) == [1])
    #expect(try await database.fetch(Self.all.matching(SearchPattern("violet"))).isEmpty)
  }

  @Test func `a list follows what is typed, and what is written`() async throws {
    let controller = try following(Self.all.matching(SearchPattern("")))
    func ids() async throws -> [Int64] {
      try await controller.settled()
      return controller.fetchedObjects.map(\.id)
    }
    #expect(try await ids() == [1, 2])
    controller.fetchRequest = Self.all.matching(SearchPattern("te"))
    #expect(try await ids() == [1, 2])
    controller.fetchRequest = Self.all.matching(SearchPattern("tea mil"))
    #expect(try await ids() == [2])
    try await database.write { c in _ = try c.execute("UPDATE note SET body = 'tea without milk' WHERE id = 1") }
    #expect(try await ids() == [1, 2])
    try RawDatabase(path: path).execute("REPLACE INTO note VALUES (2, 'Shopping', 'bread'), (5, 'Tea', 'milky')")
    #expect(try await ids() == [1, 5])
    try await database.write { c in _ = try c.execute("DELETE FROM note WHERE id = 1") }
    #expect(try await ids() == [5])
    #expect(controller.lastError == nil)
    #expect(controller.statistics.reasons.keys.contains { $0.contains("note_search, which is no ordinary table") })
  }

  @Test func `the request can be joined, run once, and have an alias`() throws {
    let joined = FetchRequest<Note>(from: "note AS n JOIN note AS other ON other.id = n.id", orderBy: ["n.title"])
    #expect(try database.read { try $0.fetch(joined.matching(SearchPattern("milk"))) }.map(\.id) == [2])
    let own = Self.all.filtered(where: "id < 2").matching(SearchPattern("tea"), in: "note_search")
    #expect(try database.read { try $0.count(own) } == 1)
    #expect(try database.write { try $0.deleteAll(own) } == 1)
  }

  @Test func `the best matches come first, and a commit changes their order`() async throws {
    let ranked = FetchRequest<Note>(
      from: "note JOIN note_search ON note_search.rowid = note.id",
      where: "note_search MATCH \(try #require(SearchPattern("tea")))", orderBy: ["note_search.rank"])
    let controller = try following(ranked)
    #expect(controller.fetchedObjects.map(\.id) == [1, 2])
    try await database.write { c in _ = try c.execute("UPDATE note SET body = 'tea tea tea tea' WHERE id = 2") }
    try await controller.settled()
    #expect(controller.fetchedObjects.map(\.id) == [2, 1])
  }

  @Test(arguments: Seeds.range(12)) func `the list is what a fresh search gives`(seed: UInt64) async throws {
    var dice = SeededGenerator(seed: seed)
    let words = ["tea", "team", "milk", "bread", "Kim's"]
    var request = Self.all.matching(SearchPattern("tea"))
    let controller = try following(request)
    let other = try RawDatabase(path: path)
    for round in 0..<60 {
      let (id, text) = (1 + dice.below(6), "\(dice.pick(words)) \(dice.pick(words))".replacing("'", with: "''"))
      let sql = dice.pick([
        "REPLACE INTO note VALUES (\(id), '\(text)', NULL)", "UPDATE note SET body = '\(text)' WHERE id = \(id)",
        "DELETE FROM note WHERE id = \(id)", "UPDATE note SET title = upper(title)",
      ])
      if dice.once(in: 3) { try other.execute(sql) } else { try await database.write { try $0.executeScript(sql) } }
      if dice.once(in: 5) {
        request = Self.all.matching(SearchPattern(dice.pick(["te", "tea mi", "kim's", "", "b"])))
        controller.fetchRequest = request
      }
      try await controller.settled()
      let fresh = try await database.read { [request] in try $0.fetch(request) }
      try #require(Array(controller.fetchedObjects) == fresh, "round \(round), \(sql), \(Seeds.hint(seed))")
    }
  }
}
