import FetchedResults
import TerminalLists

/// What the app does, without a screen: sections, another arrangement, search, edits and undo, printed as text.
@main struct Tour {
  @MainActor static func main() async throws {
    let shelf = try await Bookshelf(try Database.inMemory())
    for (title, author, year) in [
      ("Persuasion", "Jane Austen", 1817), ("Emma", "Jane Austen", 1815), ("Middlemarch", "George Eliot", 1871),
      ("The Waves", "Virginia Woolf", 1931), ("Orlando", "Virginia Woolf", 1928),
    ] {
      try await shelf.save(Book(title: title, author: author, year: year))
    }
    try await show("By author", shelf)
    shelf.arrangement = Arrangement(order: .newest, grouping: .decade)
    try await show("By decade, the newest first", shelf)
    shelf.search = "wool"
    try await show("A search for \"wool\"", shelf)
    if var book = shelf.books.sections.items.first {
      book.isRead = true
      try await shelf.save(book)
      (shelf.search, shelf.arrangement) = ("", Arrangement(grouping: .state))
      try await show("\(book.title) is read", shelf)
      try await shelf.undo()
      try await show("Undone", shelf)
    }
  }

  /// Prints the list as soon as it is up to date.
  @MainActor private static func show(_ heading: String, _ shelf: Bookshelf) async throws {
    try await shelf.controller.settled()
    let text = PlainTextRenderer()
    let adapter = ListAdapter(
      source: shelf.controller,
      presenter: .configuring(TextCell.self) { cell, book in
        cell.text = StyledText("\(book.title), \(book.year)\(book.isRead ? ", read" : "")")
      }, host: text)
    adapter.show(shelf.controller.snapshot)
    print("\(heading):\n\(text.text)\n")
  }
}
