import FetchedResults
import Foundation
import Testing

/// Requests at their edges: generic code, long conditions, terms without columns.
@Suite struct TypedRequestEdgeTests {
  struct Note: MappedEntity, Equatable {
    static let table = "note"
    static let mapping = Mapping(Note.init, ("id", \.id), ("text", \.text), ("kind", \.kind))
    var id: Int64
    var text: String
    var kind: Int
  }

  static func database() throws -> Database {
    let database = try Database.inMemory()
    try database.write { c in
      try c.executeScript(
        """
        CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT, kind INTEGER);
        INSERT INTO note VALUES (1, 'b', 1), (2, 'a', 1), (3, 'c', 2), (4, 'd', 3);
        """)
    }
    return database
  }

  private func ids(_ request: FetchRequest<Note>, _ database: Database? = nil) throws -> [Int64] {
    let controller = FetchedResultsController(fetchRequest: request, database: try database ?? Self.database())
    try controller.performFetch()
    return controller.fetchedObjects.map(\.id)
  }

  private func message(_ request: FetchRequest<Note>) throws -> String {
    let error = #expect(throws: DatabaseError.self) { try ids(request) }
    return try #require(error).message
  }

  // MARK: Generic code

  private func found<E: MappedEntity>(_ type: E.Type, _ id: E.ID, in database: Database) throws -> (Int, [E.ID])
  where E.ID: Codable {
    let request = FetchRequest<E>(
      predicate: #Predicate<E> { $0.id == id }, sortBy: [.ascending(\.id)], sectionBy: \E.id)
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.performFetch()
    return (controller.sections.count, controller.fetchedObjects.map(\.id))
  }

  @Test func `a generic function's key path of the id names the mapped column`() throws {
    let (sections, ids) = try found(Note.self, 3, in: Self.database())
    #expect(sections == 1 && ids == [3])
    let world = try SpecimenWorld(seed: 1)
    var copy = world
    _ = try copy.fill()
    #expect(try found(Specimen.self, SpecimenWorld.uuids[3], in: world.database).1 == [SpecimenWorld.uuids[3]])
  }

  // MARK: Indexes

  @Test func `statistics name the conditions that can't use an index because of stored forms`() async throws {
    var world = try SpecimenWorld(seed: 1)
    _ = try world.fill()
    let database = world.database
    func reasons(_ predicate: Predicate<Specimen>) throws -> [String: Int] {
      let controller = FetchedResultsController(
        fetchRequest: FetchRequest<Specimen>(predicate: predicate), database: database)
      try controller.performFetch()
      return controller.statistics.reasons
    }
    let grade = Specimen.Grade.a
    func isLost(_ reasons: [String: Int]) -> Bool {
      reasons.count == 1
        && reasons.allSatisfy { reason, count in
          reason.hasPrefix("no index serves the condition on ") && reason.contains("\"grade\"")
            && reason.hasSuffix(": Grade may be stored in several forms") && count == 1
        }
    }
    #expect(isLost(try reasons(#Predicate { $0.grade == grade })))
    #expect(isLost(try reasons(#Predicate { $0.grade != grade })))
    #expect(isLost(try reasons(#Predicate { $0.number > 0 && ($0.flag || !($0.grade == grade)) })))
    let grades = Specimen.Grade.allCases
    #expect(isLost(try reasons(#Predicate { grades.contains($0.grade) })))
    let uuids = (0..<17).map { _ in UUID() }
    #expect(
      try reasons(#Predicate { uuids.contains($0.id) }).keys.allSatisfy {
        $0.hasSuffix("UUID may be stored in several forms")
      })

    let (few, uuid, date, single, level) = (Array(uuids.prefix(16)), UUID(), Date(), Float(1), Specimen.Level.low)
    let tag = Specimen.Tag(rawValue: uuid)
    for served: Predicate<Specimen> in [
      #Predicate { $0.id == uuid }, #Predicate { few.contains($0.id) }, #Predicate { $0.owner == uuid },
      #Predicate { $0.date == date && $0.date > date }, #Predicate { $0.single == single },
      #Predicate { $0.tag == tag },
      #Predicate { $0.level == level }, #Predicate { $0.flag }, #Predicate { $0.owner == nil },
    ] {
      #expect(try reasons(served) == [:], "\(served)")
    }

    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Specimen>(predicate: #Predicate { uuids.contains($0.id) }), database: database)
    try await controller.performFetch()
    try await controller.performFetch()
    #expect(controller.statistics.reasons.count == 1 && controller.statistics.reasons.values.first == 2)
    controller.fetchRequest = FetchRequest(predicate: #Predicate { grades.contains($0.grade) })
    try await controller.settled()
    #expect(controller.statistics.reasons.count { $0.key.contains("\"grade\"") && $0.value == 1 } == 1)
  }

  // MARK: Long conditions

  private static func chain(_ row: PredicateExpressions.Variable<Note>, _ count: Int, _ joint: Joint) -> Tree<Bool> {
    typealias P = PredicateExpressions
    func term(_ number: Int) -> Tree<Bool> {
      Build.equal(P.build_KeyPath(root: row, keyPath: \Note.kind), P.build_Arg(number), joint == .and)
    }
    var tree = term(100)
    for number in 1..<count {
      let next = term(number % 7 == 0 ? 200 : joint == .and ? number + 1000 : number % 2 + 1)
      tree = joint == .and ? Build.and(tree, next) : Build.or(tree, next)
    }
    return tree
  }

  enum Joint: CaseIterable { case and, or }

  @Test(arguments: Joint.allCases)
  func `SQLite accepts thousands of conditions, on a small stack`(_ joint: Joint) throws {
    let predicate = Predicate<Note> { Self.chain($0, 2500, joint) }
    #expect(try ids(FetchRequest(predicate: predicate)) == (joint == .and ? [1, 2, 3, 4] : [1, 2, 3]))
  }

  // MARK: Terms without columns

  @Test func `a term without a column is an error that says how to write a name`() throws {
    let column = "text"
    for request in [
      FetchRequest<Note>(orderBy: ["\(column)"]), FetchRequest(orderBy: [.descending("'text'")]),
      FetchRequest(sectionBy: "\(column)"), FetchRequest(sectionBy: .by("kind", orderedBy: ["\(column)"])),
      FetchRequest(sql: "SELECT * FROM note", orderBy: ["1"]),
    ] {
      let message = try message(request)
      #expect(message.contains("has no column") && message.contains("\\(identifier: name)"), "\(message)")
    }
    #expect(try ids(FetchRequest(orderBy: ["\(identifier: column)"])) == [2, 1, 3, 4])
    #expect(try ids(FetchRequest(orderBy: ["kind + \(1)", "\(identifier: column)"])) == [2, 1, 3, 4])
  }

  // MARK: Rows that can't be read, and repeated ids

  @Test func `a row that can't be read is named by its table, id and column`() throws {
    let database = try Self.database()
    try database.write { try $0.execute("UPDATE note SET kind = 'x' WHERE id = 3") }
    let error = #expect(throws: DatabaseError.self) { try ids(FetchRequest(), database) }
    #expect(
      try #require(error).message.hasPrefix("the row of note with id = 3 can't be read: column \"kind\": expected"))
    #expect(try #require(error).columns == ["kind"])
  }

  struct Coded: MappedEntity {
    static let table = "coded"
    static let mapping = Mapping(Coded.init, ("code", \.id), ("id", \.number))
    var id: Int64
    var number: Int64
  }

  @Test func `two rows with one entity id are an error, whichever column the id is mapped to`() throws {
    let database = try Database.inMemory()
    try database.write { c in
      try c.execute("CREATE TABLE coded(id INTEGER PRIMARY KEY, code INTEGER)")
      try c.execute("INSERT INTO coded VALUES (1, 5), (2, 6)")
    }
    let controller = FetchedResultsController(fetchRequest: FetchRequest<Coded>(), database: database)
    try controller.performFetch()
    #expect(controller.fetchedObjects.map(\.id) == [5, 6])
    try database.write { try $0.execute("UPDATE coded SET code = 5") }
    let error = #expect(throws: DatabaseError.self) { try controller.performFetch() }
    #expect(try #require(error).message.contains("the id 5 occurs more than once"))
  }

  @Test func `one UUID in two forms is a repeated id, even if a commit adds the second`() async throws {
    let world = try SpecimenWorld(seed: 3)
    var copy = world
    let all = try copy.fill()
    let controller = FetchedResultsController(fetchRequest: FetchRequest<Specimen>(), database: world.database)
    try await controller.performFetch()
    #expect(controller.fetchedObjects.count == all.count)
    let id = SpecimenWorld.uuids[0]
    let columns = Specimen.mapping.columnNames.dropFirst().map { SQL.quoted($0) }.joined(separator: ", ")
    try await world.database.write { c in
      let blob = withUnsafeBytes(of: id.uuid) { [UInt8]($0) }
      let stored = try c.value(
        "SELECT typeof(frc_k0) FROM frc_rows WHERE \(SQL(#Predicate<Specimen> { $0.id == id }))", as: String.self)
      let other: Value = stored == "blob" ? .text(id.uuidString) : .blob(blob)
      try c.execute(
        """
        INSERT INTO frc_rows(frc_k0, \(raw: columns)) SELECT \(other), \(raw: columns) FROM frc_rows
        WHERE \(SQL(#Predicate<Specimen> { $0.id == id }))
        """)
    }
    await #expect(throws: DatabaseError.self) { try await controller.settled() }
  }
}
