import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

/// A row of the sample that all data sources are tried on, in a table.
private struct ErrandRow: MappedEntity, Hashable {
  static let table = "errand"
  static let mapping = Mapping(ErrandRow.init, ("id", \.id), ("title", \.title), ("done", \.isDone))
  var id: Int64
  var title: String
  var isDone: Bool

  init(id: Int64, title: String, isDone: Bool) {
    self.id = id
    self.title = title
    self.isDone = isDone
  }

  init(_ errand: Errand) { self.init(id: errand.id, title: errand.title, isDone: errand.isDone) }

  var errand: Errand { Errand(id: id, title: title, isDone: isDone) }
}

/// The same, which can't be compared by itself.
private struct OpaqueErrandRow: MappedEntity {
  static let table = "errand"
  static let mapping = Mapping(OpaqueErrandRow.init, ("id", \.id), ("title", \.title), ("done", \.isDone))
  var id: Int64
  var title: String
  var isDone: Bool
}

/// How lists are kept in tables.
enum ErrandKeeping: String, CaseIterable, Sendable {
  /// All rows are deleted, and others inserted.
  case rewriting
  /// Only what differs is written.
  case editing
}

/// A database that holds the sample.
private struct ErrandDatabase: Sendable {
  let database: Database

  init(_ list: Snapshot<Errand>, isFile: Bool) throws {
    database = try isFile ? Database(path: try TemporaryFolder.make() + "/a.db") : Database.inMemory()
    try database.run(
      """
      CREATE TABLE section(name TEXT PRIMARY KEY, position INTEGER);
      CREATE TABLE errand(id INTEGER PRIMARY KEY, section TEXT, title TEXT, done INTEGER, position INTEGER);
      CREATE INDEX errand_section ON errand(section);
      """)
    try store(list, .rewriting)
  }

  func store(_ list: Snapshot<Errand>, _ keeping: ErrandKeeping) throws {
    try database.write { c in
      switch keeping {
      case .rewriting: try c.executeScript("DELETE FROM section; DELETE FROM errand")
      case .editing:
        let names = list.map(\.name)
        let ids = list.items.map(\.id)
        try c.execute("DELETE FROM section WHERE name NOT IN \(names)")
        try c.execute("DELETE FROM errand WHERE id NOT IN \(ids)")
      }
      for (place, section) in list.enumerated() {
        try c.execute(
          """
          INSERT INTO section VALUES (\(section.name), \(place)) ON CONFLICT DO UPDATE SET position = excluded.position
          WHERE position <> excluded.position
          """)
        for (place, errand) in section.items.enumerated() {
          try c.execute(
            """
            INSERT INTO errand VALUES (\(errand.id), \(section.name), \(errand.title), \(errand.isDone), \(place))
            ON CONFLICT DO UPDATE SET section = excluded.section, title = excluded.title, done = excluded.done,
            position = excluded.position
            WHERE (section, title, done, position) <> (excluded.section, excluded.title, excluded.done, excluded.position)
            """)
        }
      }
    }
  }
}

private func request<E: Entity>(_ type: E.Type = E.self, including: SQL? = nil) -> FetchRequest<E> {
  FetchRequest(
    from: "errand JOIN section ON section.name = errand.section",
    sectionBy: .by("section.name", orderedBy: ["section.position"], including: including),
    orderBy: ["errand.position"])
}

@Suite(.timeLimit(.minutes(10))) struct ControllerConformanceTests {
  private func violations<E: Entity>(
    _ request: FetchRequest<E>, within shapes: ErrandsAndCareer.Shapes, isFile: Bool, _ keeping: ErrandKeeping,
    make: @escaping @Sendable (FetchRequest<E>, Database) -> FetchedResultsController<E>,
    reading read: @escaping @Sendable (E) -> Errand
  ) async throws -> [Violation] {
    // The database of a controller, so that the controller is held by its source alone.
    let databases = SharedValue<[ObjectIdentifier: ErrandDatabase]>([:])
    let suite = DataSourceConformance<FRCDataSource<E>>(
      making: { list in
        let errands = try ErrandDatabase(list, isFile: isFile)
        let controller = make(request, errands.database)
        databases.change { $0[ObjectIdentifier(controller)] = errands }
        try await controller.performFetch()
        return FRCDataSource(fetchedResultsController: controller)
      },
      changing: { source, list in
        let errands = databases.value[ObjectIdentifier(source.fetchedResultsController)]
        try errands?.store(list, keeping)
        try await source.fetchedResultsController.settled()
      },
      reading: read,
      failing: { source in
        let errands = databases.value[ObjectIdentifier(source.fetchedResultsController)]
        try? errands?.database.run("DELETE FROM errand; INSERT INTO nowhere VALUES (1)")
        try? await source.fetchedResultsController.settled()
      },
      within: shapes)
    return try await suite.violations(seed: 1, steps: 25) + suite.violations(seed: 2, steps: 25)
  }

  @Test(arguments: ErrandKeeping.allCases, [true, false])
  fileprivate func `a controller is a data source`(_ keeping: ErrandKeeping, isFile: Bool) async throws {
    #expect(
      try await violations(
        request(ErrandRow.self), within: [.anyNumberOfSections, .reorderedSections], isFile: isFile, keeping,
        make: { FetchedResultsController(fetchRequest: $0, database: $1) }, reading: \.errand) == [])
  }

  @Test(arguments: ErrandKeeping.allCases)
  fileprivate func `a controller whose rows can't be compared is a data source`(_ keeping: ErrandKeeping) async throws {
    let violations = try await violations(
      request(OpaqueErrandRow.self), within: [.anyNumberOfSections, .reorderedSections], isFile: true, keeping,
      make: { FetchedResultsController(fetchRequest: $0, database: $1) },
      reading: { Errand(id: $0.id, title: $0.title, isDone: $0.isDone) })
    // In the updates that a slow reader missed, a row that changed and changed back counts as updated, and so does one
    // that was deleted and inserted again.
    #expect(violations.filter { !"\($0)".contains("a row that does not differ is updated") } == [])
  }

  @Test(arguments: ErrandKeeping.allCases, [true, false])
  fileprivate func `a controller with empty sections shows every list`(
    _ keeping: ErrandKeeping, isFile: Bool
  ) async throws {
    #expect(
      try await violations(
        request(ErrandRow.self, including: "SELECT name, name, position FROM section"), within: .all, isFile: isFile,
        keeping, make: { FetchedResultsController(fetchRequest: $0, database: $1) }, reading: \.errand) == [])
  }

  @Test fileprivate func `a controller that runs its whole query after each commit is a data source`() async throws {
    // A statement with an order of its own can't be followed row by row.
    let whole = FetchRequest<ErrandRow>(
      sql: """
        SELECT errand.*, section.name AS part, section.position AS place FROM errand, section
        WHERE section.name = errand.section GROUP BY errand.id
        """, sectionBy: .by("part", orderedBy: ["place"]), orderBy: ["position"])
    #expect(
      try await violations(
        whole, within: [.anyNumberOfSections, .reorderedSections], isFile: true, .editing,
        make: { FetchedResultsController(fetchRequest: $0, database: $1) }, reading: \.errand) == [])
  }

  @Test fileprivate func `a controller with a single section is a data source`() async throws {
    let flat = FetchRequest<ErrandRow>(
      sectionBy: .by("'Errands'", including: "SELECT 'Errands'"), orderBy: ["position"])
    #expect(
      try await violations(
        flat, within: [], isFile: true, .editing,
        make: { FetchedResultsController(fetchRequest: $0, database: $1) }, reading: \.errand) == [])
  }

  // MARK: One for another

  /// What a screen does that only knows a data source: reads it before, and follows it.
  private func transcript(
    _ source: AnyDataSource<ErrandRow>, _ change: (Snapshot<Errand>) async throws -> Void
  ) async throws -> [String] {
    var random = SeededGenerator(seed: 11)
    var list = ErrandsAndCareer.list
    var lines: [String] = []
    let following = source.follow()
    var last = following.snapshot
    var updates = following.updates.makeAsyncIterator()
    for _ in 0..<60 {
      let next = ErrandsAndCareer.changed(list, using: &random)
      let isNews = next != list
      list = next
      try await change(list)
      lines.append(
        source.snapshot.map { "\($0.id) \($0.name) \($0.indexTitle ?? "-"): \(Array($0.items))" }.description)
      lines.append("\(source.numberOfSections) \(source.numberOfItems) \(source.sectionIndexTitles)")
      guard isNews else { continue }
      let update = try #require(await updates.next())
      #expect(update.old == last && update.new == source.snapshot)
      last = update.new
      lines.append(update.changes.inWords)
    }
    return lines
  }

  @Test(arguments: ErrandKeeping.allCases)
  fileprivate func `a reader of any data source can't tell a controller from a list in memory`(
    _ keeping: ErrandKeeping
  ) async throws {
    let rows = { @Sendable (list: Snapshot<Errand>) in
      Snapshot(list.map { Section(id: $0.id, name: $0.name, items: $0.items.map(ErrandRow.init)) })
    }
    let memory = SectionController(rows(ErrandsAndCareer.list))
    let errands = try ErrandDatabase(ErrandsAndCareer.list, isFile: true)
    let controller = FetchedResultsController(
      fetchRequest: request(ErrandRow.self, including: "SELECT name, name, position FROM section"),
      database: errands.database)
    try controller.fetchHere()
    let inMemory = try await transcript(AnyDataSource(memory)) { memory.replace(with: rows($0)) }
    let inDatabase = try await transcript(
      AnyDataSource(FRCDataSource(fetchedResultsController: controller))
    ) { list in
      try errands.store(list, keeping)
      try await controller.settled()
    }
    #expect(inMemory.count > 100)
    for (step, (one, other)) in zip(inMemory, inDatabase).enumerated() where one != other {
      Issue.record("line \(step) is\n\(one)\nin memory and\n\(other)\nin a database")
      break
    }
    #expect(inMemory.count == inDatabase.count)
  }
}

extension Changes {
  /// The whole difference, where the description would leave some of it out.
  fileprivate var inWords: String {
    "\(deletedSections) \(insertedSections) \(movedSections) \(updatedSections) \(deletedItems) \(insertedItems) "
      + "\(movedItems) \(updatedItems)"
  }
}
