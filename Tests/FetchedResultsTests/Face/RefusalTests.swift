import FetchedResults
import Testing

/// A caller's mistake stops the program, and says what it was.
@Suite struct RefusalTests {
  struct Item: Entity, Decodable {
    static let table = "item"
    var id: Int
  }

  static func refuses(_ message: String, _ result: ExitTest.Result?) -> Bool {
    result.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains(message) } ?? false
  }

  @Test func `a negative limit`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = FetchRequest<Item>(limit: -1)
    }
    #expect(Self.refuses("the limit of a request is -1; it must not be negative", result))
  }

  @Test func `a negative offset`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = FetchRequest<Item>(offset: -1)
    }
    #expect(Self.refuses("the offset of a request is -1; it must not be negative", result))
  }

  @Test func `an unknown index title`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let database = try Database.inMemory()
      try database.write { connection in _ = try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)") }
      let controller = FetchedResultsController(fetchRequest: FetchRequest<Item>(), database: database)
      try controller.performFetch()
      _ = controller.section(forSectionIndexTitle: "Q", at: 0)
    }
    #expect(Self.refuses("no section has the index title \"Q\"", result))
  }
}
