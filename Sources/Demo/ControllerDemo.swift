import FetchedResults
import TerminalLists

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A live list: each commit, and its exact effect on the list.
func runControllerDemo(path: String) async throws {
  let database = try Database(path: path)
  let controller = FetchedResultsController(
    fetchRequest: FetchRequest<Item>(
      predicate: #Predicate { !$0.done }, sortBy: [.ascending(\.title, collation: .nocase)], sectionBy: \.list),
    database: database)
  try await controller.performFetch()
  let host = PlainTextRenderer()
  let adapter = ListAdapter(
    source: AnyDataSource(FRCDataSource(fetchedResultsController: controller)),
    presenter: .configuring(TextCell.self) { cell, item in cell.text = StyledText(item.title) }, host: host)
  let observation = controller.observeOnAnyThread { update in print("  \(update.changes)") }

  print("\nThe open items as a live list, in sections:")
  print(indented(host.text))

  func step(_ title: String, _ change: @escaping @Sendable (Connection) throws -> Void) async throws {
    print("\n\(title):")
    try await database.write(change)
    try await controller.settled()
    adapter.show(controller.snapshot)
    print(indented(host.text))
  }
  try await step("One item is done, the last one of its section") { c in
    _ = try c.execute("UPDATE item SET done = 1 WHERE list = 'Career' AND title LIKE 'Multiple%'")
    _ = try c.execute("UPDATE item SET list = 'Errands' WHERE list = 'Career'")
  }
  try await step("A new one, and another title, in one transaction") { c in
    try c.insert(Item(id: nil, list: "Home", title: "Water the plants"))
    _ = try c.execute("UPDATE item SET title = 'Zoo' WHERE title LIKE 'Bring%'")
  }

  print("\nAnother program writes to the same file:")
  try startOtherProgram(path: path)
  try await controller.settled()

  print("\nAnother request takes the place of the first, as one difference:")
  controller.fetchRequest = FetchRequest(sectionBy: "CASE WHEN done THEN 'Done' ELSE 'Open' END", orderBy: ["title"])
  try await controller.settled()
  adapter.show(controller.snapshot)
  print(indented(host.text))

  let statistics = controller.statistics
  print(
    "\n\(statistics.commits) commits: \(statistics.incremental) evaluated row by row, \(statistics.requeried) as a whole, "
      + "\(statistics.rowsRead) rows read.")
  observation.cancel()
}

func indented(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    " + $0 }
    .joined(separator: "\n")
}
