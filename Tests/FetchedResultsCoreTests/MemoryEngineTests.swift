import DataSourcesTestSupport
import EngineConformance
import FetchedResultsCore
import FetchedResultsSupport
import RowModel
import TestSupport
import Testing

/// The controller over an engine that is no database: what it requires of an engine is in the protocols alone.
@Suite(.timeLimit(.minutes(20))) struct MemoryEngineTests {
  private func suite(
    _ feed: MemoryDatabase.Feed, _ fault: MemoryDatabase.Fault? = nil
  ) -> EngineConformance<MemoryDatabase> {
    EngineConformance { MemoryDatabase($0, feed: feed, fault: fault) }
  }

  @Test(arguments: MemoryDatabase.Feed.allCases)
  func `lists over an engine in memory keep the laws, however it reports commits`(
    _ feed: MemoryDatabase.Feed
  ) async throws {
    for seed in Seeds.all(2, of: "memory engine", perSoak: 0.01) {
      let violations = try await suite(feed).violations(seed: seed)
      #expect(violations == [], "\(Seeds.hint(seed))")
      if !violations.isEmpty { break }
    }
    #expect(try await suite(feed).violationsOfHarm() == [])
  }

  @Test(arguments: [MemoryDatabase.Feed.exact, .lagging, .ahead])
  func `the cost of a commit does not grow with the list`(_ feed: MemoryDatabase.Feed) async throws {
    #expect(try await suite(feed).violationsOfProportion() == [])
  }

  @Test(arguments: MemoryDatabase.Fault.allCases)
  func `the suite finds every fault of an engine`(_ fault: MemoryDatabase.Fault) async throws {
    let feed = MemoryDatabase.Feed.exact
    switch fault {
    case .reportsNoRows: #expect(try await !suite(feed, fault).violationsOfProportion().isEmpty)
    case .waitsForLists: #expect(try await !suite(feed, fault).violationsOfHarm(patience: .seconds(2)).isEmpty)
    default:
      for seed: UInt64 in 0..<100 {
        if try await !suite(feed, fault).violations(seed: seed).isEmpty { return }
      }
      Issue.record("nothing was found")
    }
  }

  @Test func `a gap in the feed runs the whole query and says why`() async throws {
    let database = MemoryDatabase((1...5).map { Entry(id: $0, list: "", title: "\($0)", rank: 0) }, feed: .withGaps)
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Entry>(orderBy: ["title"]), database: database)
    try await controller.performFetch()
    for number in 1...3 {
      try database.commit([.put(Entry(id: 1, list: "", title: "new \(number)", rank: 0))])
      try await controller.settled()
    }
    #expect(controller.statistics.reasons == ["a gap in the feed": 1])
    #expect(controller.fetchedObjects.map(\.title) == ["2", "3", "4", "5", "new 3"])
  }

  @Test func `a request that the engine does not understand is an error`() async throws {
    let database = MemoryDatabase()
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Entry>(where: "title LIKE 'a%'"), database: database)
    await #expect(throws: DatabaseError.self) { try await controller.performFetch() }
  }
}
