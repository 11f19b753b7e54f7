import FetchedResults

struct Note: MappedEntity {
  static let table = "note"
  static let mapping = Mapping(Note.init, ("id", \.id), ("title", \.title))
  var id: Int64?
  var title: String
}

let database = try Database.inMemory()
try database.migrate(EmbeddedMigrations.all.map { Migration($0.name, sql: $0.sql) })
let controller = FetchedResultsController<Note>(
  fetchRequest: FetchRequest(orderBy: [.ascending("title")]), database: database)
try controller.performFetch()
try database.write { try $0.insert(Note(id: nil, title: "milk")) }
try await controller.settled()
print(controller.snapshot.map { $0.items.map(\.title) })
