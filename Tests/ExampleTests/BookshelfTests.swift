import FetchedResults
import Testing

@testable import Bookshelf

/// The example app: what its screen shows, and what undo does.
@Suite @MainActor struct BookshelfTests {
  private func shelf(_ database: Database) async throws -> Bookshelf {
    let shelf = try await Bookshelf(database)
    for (title, author, year) in [
      ("Persuasion", "Jane Austen", 1817), ("Emma", "Jane Austen", 1815), ("Emil", "E. Kästner", 1929),
    ] {
      try await shelf.save(Book(title: title, author: author, year: year))
    }
    return shelf
  }

  private func shown(_ shelf: Bookshelf) async throws -> [String] {
    try await shelf.controller.settled()
    return shelf.controller.snapshot.map { "\($0.name): " + $0.items.map(\.title).joined(separator: ", ") }
  }

  @Test func `books are searched, sorted and divided`() async throws {
    let shelf = try await shelf(try Database.inMemory())
    #expect(try await shown(shelf) == ["E. Kästner: Emil", "Jane Austen: Emma, Persuasion"])
    shelf.arrangement = Arrangement(order: .newest, grouping: .decade)
    #expect(try await shown(shelf) == ["1810s: Persuasion, Emma", "1920s: Emil"])
    shelf.search = "EM"
    #expect(try await shown(shelf) == ["1810s: Emma", "1920s: Emil"])
    shelf.search = "austen"
    #expect(try await shown(shelf) == ["1810s: Persuasion, Emma"])
  }

  @Test func `each change is undone and redone`() async throws {
    let shelf = try await shelf(try Database.inMemory())
    let all = try await shown(shelf)
    var emma = try #require(shelf.controller.snapshot.items.first { $0.title == "Emma" })
    emma.isRead = true
    try await shelf.save(emma)
    try await shelf.remove(try #require(emma.id))
    #expect(try await shown(shelf) == ["E. Kästner: Emil", "Jane Austen: Persuasion"])
    try await shelf.undo()
    try await shelf.controller.settled()
    #expect(shelf.controller.snapshot.items.first { $0.title == "Emma" }?.isRead == true)
    while shelf.canUndo { try await shelf.undo() }
    #expect(try await shown(shelf) == [])
    while shelf.canRedo { try await shelf.redo() }
    #expect(try await shown(shelf) == ["E. Kästner: Emil", "Jane Austen: Persuasion"])
    try await shelf.undo()
    #expect(try await shown(shelf) == all)
  }

  @Test func `an undo doesn't overwrite what another program has changed`() async throws {
    let database = try Database.inMemory()
    let shelf = try await shelf(database)
    try await database.write { c in
      _ = try c.execute("UPDATE book SET title = 'Emil and the Detectives' WHERE year = 1929")
    }
    await #expect(throws: Bookshelf.Conflict.self) { try await shelf.undo() }
    #expect(try await shown(shelf).first == "E. Kästner: Emil and the Detectives")
  }
}
