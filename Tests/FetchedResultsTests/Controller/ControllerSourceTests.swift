import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// A controller is a data source itself.
@Suite(.timeLimit(.minutes(2))) struct ControllerSourceTests {
  @MainActor private final class Screen {
    private(set) var shown: [String] = []
    private var observation: ObservationToken?

    init(_ controller: FetchedResultsController<Todo>) {
      observation = controller.observe(initial: true) { [weak self] update in self?.show(update) }
    }

    private func show(_ update: Update<Todo>) { shown = update.new.titles }
  }

  @Test @MainActor func `a screen on the main actor observes a controller as any other source`() async throws {
    let (database, controller) = try TodoWorld.following()
    let screen = Screen(controller)
    #expect(screen.shown.count == 4)
    try database.run("DELETE FROM item WHERE id > 1")
    for _ in 0..<1000 where screen.shown != ["Groceries"] { try await Task.sleep(for: .milliseconds(5)) }
    #expect(screen.shown == ["Groceries"])
  }

  @Test @MainActor func `models, erased sources and reading take a controller as it is`() async throws {
    let (database, controller) = try TodoWorld.following(TodoWorld.sectioned)
    let (model, erased) = (ResultsModel(controller), AnyDataSource(controller))
    #expect(controller.numberOfItems == 4 && !controller.isEmpty && controller.numberOfSections == 2)
    #expect(controller.sections.map { section in section.map(\.id) } == [[3, 4], [1, 2]])
    #expect(erased.item(at: ItemPath(section: 1, item: 0))?.title == "Groceries")
    try database.run("DELETE FROM item")
    try await erased.reload()
    #expect(controller.isEmpty && erased.isEmpty)
    for _ in 0..<1000 where !model.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    #expect(model.isEmpty)
  }

  @Test func `a request is edited piece by piece`() async throws {
    let (database, controller) = try TodoWorld.following()
    let open = FetchRequest<Todo>(predicate: #Predicate { !$0.done }, sortBy: [.ascending(\.title)])
    let one: Int64 = 1
    let errands = open.filtered(by: #Predicate { $0.list == one })
    #expect(try await database.fetch(errands).map(\.title) == ["Groceries", "Post Office"])
    #expect(try await database.fetch(errands.filtered(where: "title LIKE \("P%")")).map(\.title) == ["Post Office"])
    controller.fetchRequest = errands
    try await controller.settled()
    #expect(controller.snapshot.titles == ["Groceries", "Post Office"])
    // A commit is still evaluated row by row.
    try database.run("UPDATE item SET done = 1 WHERE id = 1")
    try await controller.settled()
    #expect(controller.snapshot.titles == ["Post Office"])
    #expect(controller.statistics.requeried == 1)
    controller.fetchRequest.predicate = #Predicate { $0.done }
    controller.fetchRequest.where = "item.position < 9"
    controller.fetchRequest.from = "item JOIN list ON list.id = item.list"
    controller.fetchRequest.sectionBy = "list.name"
    try await controller.settled()
    #expect(controller.snapshot.map(\.name) == ["Errands"] && controller.snapshot.titles == ["Groceries"])
    #expect(controller.fetchRequest.where?.text == "item.position < 9")
    #expect(controller.fetchRequest.predicate != nil && FetchRequest<Todo>().predicate == nil)
    #expect(errands != open)
    var cleared = errands
    cleared.predicate = nil
    #expect(try await database.count(cleared) == 4)
  }

  @Test func `a joined request takes a predicate, and a piece that doesn't end is refused in any place`() async throws {
    let database = try TodoWorld.database()
    let joined = FetchRequest<Todo>(
      from: "item JOIN list ON list.id = item.list", predicate: #Predicate { !$0.done }, sortBy: [.descending(\.title)],
      sectionBy: .by("list.name", orderedBy: [.ascending("list.position")]))
    #expect(try await database.fetch(joined).map(\.id) == [3, 4, 2, 1])
    for wrong in ["done) OR (1", "1) -- ", "1; DELETE FROM item", "'"] {
      let request = joined.filtered(where: "position > 0").filtered(where: SQL(raw: wrong))
      await #expect(throws: DatabaseError.self) { try await database.fetch(request) }
    }
    let statement = FetchRequest<Todo>(sql: "SELECT * FROM item").filtered(where: "done")
    await #expect(throws: DatabaseError.self) { try await database.fetch(statement) }
    #expect(try await database.count(FetchRequest<Todo>()) == 4)
  }
}
