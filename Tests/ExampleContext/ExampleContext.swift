// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What the examples take for granted: the modules, an entity, and a few values with plain names.

@_exported public import CurlTransport
@_exported public import DataSources
@_exported public import DataSourcesTestSupport
@_exported public import FeedServer
@_exported public import FetchedResults
@_exported public import FetchedResultsFoundation
@_exported public import Foundation
@_exported public import LiveFeeds
@_exported public import Observation
@_exported public import TerminalLists

/// An item of a to-do list, the entity of most examples.
public struct Item: MappedEntity, Equatable, Sendable {
  public static let table = "item"
  public static let mapping = Mapping(
    Item.init, ("id", \.id), ("title", \.title), ("done", \.done), ("list", \.list), ("due", \.due),
    ("priority", \.priority), ("created", \.created))
  public var id: Int64?
  public var title: String
  public var done = false
  public var list: Int64?
  public var due: Date?
  public var priority = 0
  public var created = Date()

  public init(
    id: Int64? = nil, title: String, done: Bool = false, list: Int64? = nil, due: Date? = nil, priority: Int = 0,
    created: Date = Date()
  ) {
    (self.id, self.title, self.done, self.list) = (id, title, done, list)
    (self.due, self.priority, self.created) = (due, priority, created)
  }
}

/// A row that no database holds.
public struct Errand: Identifiable, Codable, Equatable, Sendable {
  public var id: Int
  public var title: String
  public var isDone = false
}

/// What an app loads from.
public struct Client: Sendable {
  public func titles() async throws -> [String] { [] }
  public func errands() async throws -> [Errand] { [] }
}

// The examples are compiled and never run, so these values only need a type.
public var database: Database { fatalError() }
public var connection: Connection { fatalError() }
public var row: Row { fatalError() }
public var controller: FetchedResultsController<Item> { fatalError() }
public var list: SectionController<Item> { fatalError() }
public var errands: SectionController<Errand> { fatalError() }
public var source: AnyDataSource<Item> { fatalError() }
public var update: Update<Errand> { fatalError() }
public var feed: LiveFeed<Errand> { fatalError() }
public var path: ItemPath { fatalError() }
public var client: Client { fatalError() }
public var table: TerminalTable { fatalError() }
public var adapter: ListAdapter<SectionController<Errand>, TerminalTable> { fatalError() }
public let order = Item(title: "Order")
public let gift = Item(title: "Gift")
public let title = "Milk"
public let word = "milk"
public let ids = [1, 2]
public let lists: [Int64?] = [1, 2]

public struct Offline: Error {
  public init() {}
}

/// What the plugin makes of a package's folder Migrations.
public enum EmbeddedMigrations {
  public static let all: [(name: String, sql: String)] = []
}
