/// A database whose rows a ``FetchedResultsController`` can follow.
///
/// ```swift
/// func titles(in database: some LiveDatabase) async throws -> [String] {
///   let list = FetchedResultsController(fetchRequest: FetchRequest<Item>(orderBy: ["title"]), database: database)
///   try await list.performFetch()
///   return list.fetchedObjects.map(\.title)
/// }
/// ```
///
/// The module of each database makes its type conform; a program only passes the database to a controller. A wrapper of
/// a database can conform by returning the engine of what it wraps.
public protocol LiveDatabase: Sendable {
  /// What runs the requests of controllers, and reports the commits.
  var liveEngine: LiveEngine { get }
}

/// The engine of a live database. It has no public contents: only a database makes one, and only a controller uses it.
///
/// ```swift
/// struct Shop: LiveDatabase {
///   let database: Database
///   var liveEngine: LiveEngine { database.liveEngine }
/// }
/// ```
public struct LiveEngine: Sendable {
  package let engine: any ResultEngine

  package init(_ engine: any ResultEngine) { self.engine = engine }
}
