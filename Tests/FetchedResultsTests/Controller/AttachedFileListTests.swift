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

  @Test func `another file under the name of one is followed by its own schema`() async throws {
    let folder = try TemporaryFolder.make()
    // Both files have the same schema version; only in the first is x never NULL.
    for (name, type, value) in [("first", "NOT NULL", "1"), ("second", "", "NULL")] {
      let file = try Database(path: folder + "/\(name).db")
      try file.run(
        "CREATE TABLE q(id INTEGER PRIMARY KEY, x \(type)); CREATE INDEX q_x ON q(x); INSERT INTO q VALUES (1, \(value))"
      )
      try file.close()
    }
    let database = try Database(path: folder + "/main.db")
    try database.run("CREATE TABLE p(id INTEGER PRIMARY KEY, title TEXT, n NOT NULL); CREATE INDEX p_n ON p(n)")
    try database.run("INSERT INTO p VALUES (1, '', 1), (2, '', 2), (3, '', 3)")
    try database.attach(folder + "/first.db", as: "o")
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<MainPart>(from: "p", where: "p.n NOT IN (SELECT q.x FROM o.q AS q)"),
      database: database)
    try controller.fetchHere()
    #expect(controller.snapshot.items.map(\.id) == [2, 3])
    try database.detach("o")
    try database.attach(folder + "/second.db", as: "o")
    try await controller.settled()
    #expect(controller.snapshot.items.isEmpty)
    for (change, ids) in [
      ("UPDATE p SET title = '4' WHERE id = 2", []), ("DELETE FROM o.q", [1, 2, 3]),
      ("INSERT INTO o.q VALUES (1, NULL)", []),
    ] as [(SQL, [Int64])] {
      try await database.write { try $0.execute(change) }
      try await controller.settled()
      #expect(controller.snapshot.items.map(\.id) == ids, "\(change)")
    }
  }

  @Test func `a file that is attached under another name is followed there`() async throws {
    let folder = try TemporaryFolder.make()
    let database = try Database(path: folder + "/main.db")
    try database.attach(folder + "/other.db", as: "o")
    try database.run("CREATE TABLE o.p(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO o.p VALUES (1, 'a')")
    let controller = FetchedResultsController(fetchRequest: FetchRequest<MainPart>(), database: database)
    try controller.fetchHere()
    try database.detach("o")
    try database.attach(folder + "/other.db", as: "n")
    try? await controller.settled()
    try await database.write { try $0.execute("INSERT INTO p VALUES (2, 'b')") }
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.id) == [1, 2])
  }

  @Test(arguments: ["o.p", "main.p", "temp.p"]) func `a table of the main file whose name has a dot is followed`(
    name: String
  ) async throws {
    let database = try attached()
    try database.run("CREATE TABLE main.\"\(name)\"(id INTEGER PRIMARY KEY)")
    let controllers = ["JOIN", "LEFT JOIN"].map { join in
      FetchedResultsController(
        fetchRequest: FetchRequest<MainPart>(
          from: "main.p AS p \(raw: join) main.\(identifier: name) AS k ON k.id = p.id", where: "k.id IS NOT NULL"),
        database: database)
    }
    for controller in controllers { try controller.fetchHere() }
    try await database.write { try $0.execute("INSERT INTO main.\(identifier: name) VALUES (9)") }
    for controller in controllers {
      try await controller.settled()
      #expect(controller.snapshot.items.map(\.id) == [9])
    }
  }

  @Test func `a table of the main file is hidden by that of a file attached under the name before its dot`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    let file = try Database(path: folder + "/other.db")
    try file.run("CREATE TABLE p(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO p VALUES (50, 'file')")
    try file.close()
    let database = try Database(path: folder + "/main.db")
    try database.run("CREATE TABLE \"o.p\"(id INTEGER PRIMARY KEY, title TEXT)")
    try database.run("INSERT INTO \"o.p\" VALUES (1, 'main')")
    let controller = FetchedResultsController(fetchRequest: FetchRequest<Part>(orderBy: ["title"]), database: database)
    try controller.fetchHere()
    for isAttached in [false, true, false] {
      if isAttached { try database.attach(folder + "/other.db", as: "o") }
      if !isAttached, controller.snapshot.items.map(\.id) != [1] { try database.detach("o") }
      try await controller.settled()
      #expect(controller.snapshot.items.map(\.id) == (isAttached ? [50] : [1]))
    }
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

  @Test(arguments: [true, false], [true, false])
  func `a list shows the first file that has its table, also when another is created`(
    isStatement: Bool, byOther: Bool
  ) async throws {
    let folder = try TemporaryFolder.make()
    let database = try Database(path: folder + "/main.db")
    try database.attach(folder + "/other.db", as: "o")
    try database.run("CREATE TABLE o.note(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO o.note VALUES (1, 'old')")
    let request: FetchRequest<Note> =
      isStatement
      ? FetchRequest(sql: "SELECT * FROM note", orderBy: ["title"]) : FetchRequest(from: "note", orderBy: ["title"])
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.fetchHere()
    func expect(_ titles: [String]) async throws {
      try await controller.settled()
      #expect(controller.snapshot.items.map(\.title) == titles)
      #expect(try await database.read { try $0.all(Note.self).map(\.title) } == titles)
    }
    try await expect(["old"])
    let create: SQL = "CREATE TABLE main.note(id INTEGER PRIMARY KEY, title TEXT)"
    if byOther {
      try await Database(path: folder + "/main.db").write { _ = try $0.execute(create) }
    } else {
      try await database.write { _ = try $0.execute(create) }
    }
    try await expect([])
    try await database.write { try $0.insert(Note(id: 1, title: "new")) }
    try await expect(["new"])
    try await database.write { _ = try $0.execute("UPDATE note SET title = title || '!'") }
    try await expect(["new!"])
    try await database.write { _ = try $0.execute("DROP TABLE main.note") }
    try await expect(["old"])
  }

  @Test(arguments: [true, false]) func `a function that is added again is called for all rows of a list`(
    isFirstDeterministic: Bool
  ) async throws {
    let database = try TodoWorld.database()
    try database.addFunction("rank", arguments: 1, isDeterministic: true) { $0[0] }
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Todo>(orderBy: [.ascending("rank(title)")]), database: database)
    try controller.fetchHere()
    let titles = controller.snapshot.titles
    #expect(titles == titles.sorted())
    try database.addFunction("rank", arguments: isFirstDeterministic ? 1 : nil, isDeterministic: true) { values in
      guard case .text(let text) = values[0] else { return .null }
      return .text(String(text.reversed()))
    }
    try await controller.settled()
    let reversed = { (text: String) in String(text.reversed()) }
    #expect(controller.snapshot.titles == titles.sorted { reversed($0) < reversed($1) })
  }
}
