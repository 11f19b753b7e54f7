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
}
