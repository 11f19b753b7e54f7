import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// Lists of what is stored in attached files, and lists whose functions are added again.
@Suite struct AttachedFileListTests {
  struct Part: MappedEntity, Hashable {
    static let table = "o.p"
    static let mapping = Mapping(Part.init, ("id", \.id), ("title", \.title))
    var id: Int64
    var title: String
  }

  /// The same by its bare name.
  struct MainPart: MappedEntity, Hashable {
    static let table = "p"
    static let mapping = Mapping(MainPart.init, ("id", \.id), ("title", \.title))
    var id: Int64
    var title: String
  }

  private func attached() throws -> Database {
    let folder = try TemporaryFolder.make()
    let database = try Database(path: folder + "/main.db")
    try database.attach(folder + "/other.db", as: "o")
    try database.run(
      """
      CREATE TABLE main.p(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO main.p VALUES (9, 'not this one');
      CREATE TABLE o.p(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO o.p VALUES (1, 'b'), (2, 'd');
      """)
    return database
  }

  @Test(arguments: ["raw", "typed", "named", "statement"]) func `a table of an attached file is followed row by row`(
    kind: String
  ) async throws {
    let database = try attached()
    let request: FetchRequest<Part> =
      switch kind {
      case "raw": FetchRequest(where: "p.title <> 'z'", orderBy: ["title"])
      case "typed": FetchRequest(predicate: #Predicate { $0.title != "z" }, sortBy: [.ascending(\.title)])
      case "named": FetchRequest(from: "o.p AS part", where: "part.title <> 'z'", orderBy: ["part.title"])
      default: FetchRequest(sql: "SELECT * FROM o.p WHERE title <> 'z'", orderBy: ["title"])
      }
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    #expect(controller.snapshot.items.map(\.title) == ["b", "d"])
    try await database.write { c in
      try c.insert(Part(id: 3, title: "c"))
      try c.update(Part(id: 1, title: "e"))
      try c.insert(Part(id: 4, title: "z"))
    }
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.title) == ["c", "d", "e"])
    try await database.write { c in try c.execute("INSERT INTO main.p VALUES (10, 'a')") }
    try await database.write { c in try c.delete(Part.self, id: 2) }
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.title) == ["c", "e"])
    #expect(controller.statistics.requeried == 0, "\(controller.statistics.reasons)")
  }

  @Test func `a request that begins with a table of the same name in another file is refused`() throws {
    let database = try attached()
    let request = FetchRequest<Part>(from: "main.p", orderBy: ["title"])
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    #expect(throws: DatabaseError.self) { try controller.fetchHere() }
  }

  struct Note: MappedEntity, Hashable {
    static let table = "note"
    static let mapping = Mapping(Note.init, ("id", \.id), ("title", \.title))
    var id: Int64
    var title: String
  }

  @Test func `a function that is added again is called for all rows of a list`() async throws {
    let database = try TodoWorld.database()
    try database.addFunction("rank", arguments: 1, isDeterministic: true) { $0[0] }
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Todo>(orderBy: [.ascending("rank(title)")]), database: database)
    try controller.fetchHere()
    let titles = controller.snapshot.titles
    #expect(titles == titles.sorted())
    try database.addFunction("rank", arguments: 1, isDeterministic: true) { values in
      guard case .text(let text) = values[0] else { return .null }
      return .text(String(text.reversed()))
    }
    try await controller.settled()
    let reversed = { (text: String) in String(text.reversed()) }
    #expect(controller.snapshot.titles == titles.sorted { reversed($0) < reversed($1) })
  }
}
