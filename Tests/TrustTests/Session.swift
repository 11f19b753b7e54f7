import FetchedResults
import FixtureSupport
import Foundation
import TodoCore

/// A scripted session of the to-do program: everything that touches the file, from making it to closing it.
final class Session {
  typealias Step = (name: String, run: @Sendable (Session) throws -> Void)

  let files: FaultyFiles
  let folder: String
  let journal: Database.Options.Journal
  private var store: TodoStore?
  private(set) var follows: [any Follows] = []

  var path: String { folder + "/todo.db" }
  var backup: String { folder + "/copy.db" }

  init(_ journal: Database.Options.Journal) throws {
    files = try FaultyFiles()
    folder = try TemporaryFolder.make()
    self.journal = journal
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// What the session does, in order. Each step changes the database once, or not at all.
  static let steps: [Step] = [
    ("open", { try $0.open() }),
    ("follow", { try $0.follow() }),
    ("add", { _ = try $0.opened.add(Session.drafts(["Milk", "Rent", "Shoes"])) }),
    ("done", { _ = try $0.opened.done(Selection(1)) }),
    (
      "edit",
      { session in
        var edit = ItemEdit()
        edit.title = "The rent, at last"
        edit.addedTags = ["home", "money"]
        _ = try session.opened.edit(Selection(2), edit)
      }
    ),
    ("back up", { try $0.opened.backup(to: $0.backup) }),
    ("import", { _ = try $0.opened.importItems(Session.batch) }),
    ("remove", { _ = try $0.opened.remove(Selection(3)) }),
    ("undo", { _ = try $0.opened.undo() }),
    ("checkpoint", { try $0.opened.database.checkpoint() }),
    ("rename", { _ = try $0.opened.renameList("Errands", to: "Outside") }),
    ("vacuum", { try $0.opened.database.vacuum() }),
    ("restore", { try $0.restore() }),
    ("add more", { _ = try $0.opened.add(Session.drafts(["Bread", "Soap"])) }),
  ]

  private static func drafts(_ titles: [String]) -> [ItemDraft] {
    titles.map { ItemDraft(title: $0, list: "Errands", tags: ["shop"]) }
  }

  private static let batch: ImportBatch = {
    var batch = ImportBatch()
    // So many that they are imported in bulk.
    for number in 0..<210 {
      var item = ImportedItem(title: "Imported \(number)")
      item.list = "List \(number % 3)"
      item.notes = [String(repeating: "note \(number) ", count: 20)]
      item.tags = ["imported"]
      batch.items.append(item)
    }
    return batch
  }()

  struct NotOpen: Error {}

  private var opened: TodoStore {
    get throws {
      guard let store else { throw NotOpen() }
      return store
    }
  }

  private func open() throws { store = try TodoStore.open(DatabaseLocation(path: path), files.options(journal)) }

  /// Through another connection, as the command does.
  private func restore() throws {
    let location = DatabaseLocation(path: path)
    let (store, result) = try TodoStore.restore(location, from: backup, files.options(journal))
    try store.close()
    if result.isWhole { throw NotOpen() }
  }

  private func follow() throws {
    let store = try opened
    let all: [any Follows] = [
      Follow(try store.controller(ListQuery(.list))), Follow(try store.controller(ListQuery(.due, limit: 5))),
      Follow(try store.taggedController(ListQuery(.tag))),
    ]
    for follow in all { try follow.fetch() }
    follows = all
  }

  /// Waits for the controllers, and compares them with fresh queries.
  func checkLists() async throws {
    let database = try opened.database
    for follow in follows {
      try await follow.settle()
      try follow.check(against: database)
    }
  }

  func waitForLists() async {
    // What keeps them is among the errors that they have told.
    for follow in follows { _ = try? await follow.settle() }
  }

  func findings() throws -> [Finding] { try opened.doctor() }

  /// Closes the database and releases the file, even after an error.
  func close() throws {
    follows = []
    defer { store = nil }
    try store?.close()
  }

  /// The content of the database, except what differs from one session to the next. Empty if there are no tables yet.
  func content() throws -> [[String]] {
    if !FileManager.default.fileExists(atPath: path) { return [] }
    let raw = try RawDatabase.whole(path)
    guard try raw.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'frc_migrations'") == 1 else { return [] }
    // Each migration is a change of its own.
    guard try raw.integer("SELECT count(*) FROM frc_migrations") == Self.migrationCount else { return [] }
    return try raw.strings("SELECT id, title, list, done, tags, notes FROM item ORDER BY id")
      + raw.strings("SELECT id, name FROM list ORDER BY id")
      + raw.strings("SELECT item, tag FROM item_tag ORDER BY item, tag")
      + raw.strings("SELECT id, label, kind, spent, open FROM change ORDER BY id")
      + raw.strings("SELECT change, kind, count(*) FROM journal GROUP BY change, kind ORDER BY change, kind")
  }

  private static let migrationCount = TodoSchema.migrations.count
}
