import FetchedResults
import Observation

/// The shelf as a view shows it: the books that are searched for, in sections, with changes that can be undone.
@MainActor @Observable final class Bookshelf {
  /// A book that an undo can't restore, because something else has changed it.
  struct Conflict: Error, CustomStringConvertible {
    let title: String
    var description: String { "\"\(title)\" has been changed meanwhile; nothing was undone" }
  }

  /// A change of one book: nil before is a new one, nil after a removed one.
  private struct Change {
    var before: Book?
    var after: Book?
    var reversed: Change { Change(before: after, after: before) }
  }

  /// The books, in sections. It follows every change, also those of other programs.
  let books: ResultsModel<Book>
  var search = "" { didSet { show() } }
  var arrangement = Arrangement() { didSet { show() } }

  var canUndo: Bool { !undoable.isEmpty }
  var canRedo: Bool { !redoable.isEmpty }

  private var undoable: [Change] = []
  private var redoable: [Change] = []
  @ObservationIgnored let controller: FetchedResultsController<Book>
  @ObservationIgnored private let database: Database

  init(_ database: Database) async throws {
    try await database.migrate(Book.migrations)
    self.database = database
    controller = FetchedResultsController(fetchRequest: Arrangement().request(search: ""), database: database)
    try await controller.performFetch()
    books = ResultsModel(controller)
  }

  private func show() { controller.fetchRequest = arrangement.request(search: search) }

  // MARK: Changes

  /// Adds a book, or replaces the one with its id.
  func save(_ book: Book) async throws {
    let change = try await database.write { c in
      let before = try book.id.flatMap { try c.entity(Book.self, id: $0) }
      return Change(before: before, after: try c.save(book))
    }
    remember(change)
  }

  func remove(_ id: Int64) async throws {
    let change = try await database.write { c in
      let before = try c.entity(Book.self, id: id)
      if let before { try c.delete(before) }
      return Change(before: before)
    }
    remember(change)
  }

  /// Takes back the last change of this shelf, unless something else has changed the same book since.
  func undo() async throws { try await step(from: \.undoable, to: \.redoable) { $0.reversed } }

  func redo() async throws { try await step(from: \.redoable, to: \.undoable) { $0 } }

  /// Makes the last change of a list, which then belongs to the other one. After a conflict it can't be made any more.
  private func step(
    from: ReferenceWritableKeyPath<Bookshelf, [Change]>, to: ReferenceWritableKeyPath<Bookshelf, [Change]>,
    _ made: (Change) -> Change
  ) async throws {
    guard let change = self[keyPath: from].popLast() else { return }
    do {
      try await make(made(change))
    } catch {
      if !(error is Conflict) { self[keyPath: from].append(change) }
      throw error
    }
    self[keyPath: to].append(change)
  }

  private func remember(_ change: Change) {
    if change.before == change.after { return }
    undoable.append(change)
    redoable = []
  }

  private func make(_ change: Change) async throws {
    guard let book = change.before ?? change.after, let id = book.id else { return }
    try await database.write { c in
      if try c.entity(Book.self, id: id) != change.before { throw Conflict(title: book.title) }
      if let after = change.after { try c.upsert(after) } else { try c.delete(book) }
    }
  }
}
