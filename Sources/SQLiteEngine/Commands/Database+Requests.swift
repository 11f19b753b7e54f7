public import FetchedResultsCore
public import RowModel
public import SQLiteStore

// Requests that are run once, each in a read or a write of its own. In an `async` function Swift takes the variants
// that don't block the thread.
extension Database {
  /// Returns the rows of a request, in its order: sections one after another.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(predicate: #Predicate { !$0.done }, sortBy: [.ascending(\.title)])
  /// let items = try await database.fetch(open)
  /// ```
  @inlinable
  public func fetch<E: Entity>(_ request: FetchRequest<E>) throws -> [E] { try read { c in try c.fetch(request) } }

  /// Returns the rows of a request, without blocking the calling task.
  ///
  /// ```swift
  /// let items = try await database.fetch(FetchRequest<Item>(predicate: #Predicate { !$0.done }))
  /// ```
  @inlinable
  public func fetch<E: Entity>(_ request: FetchRequest<E>) async throws -> [E] {
    try await read { c in try c.fetch(request) }
  }

  /// Returns the first row of a request; nil if it has none.
  public func first<E: Entity>(_ request: FetchRequest<E>) throws -> E? { try read { c in try c.first(request) } }

  /// Returns the first row of a request, without blocking the calling task.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(where: "NOT done", orderBy: ["title"])
  /// let next = try await database.first(open)
  /// ```
  public func first<E: Entity>(_ request: FetchRequest<E>) async throws -> E? {
    try await read { c in try c.first(request) }
  }

  /// Returns the number of rows of a request.
  public func count<E: Entity>(_ request: FetchRequest<E>) throws -> Int { try read { c in try c.count(request) } }

  /// Returns the number of rows of a request, without blocking the calling task.
  ///
  /// ```swift
  /// let number = try await database.count(FetchRequest<Item>(where: "NOT done"))
  /// ```
  public func count<E: Entity>(_ request: FetchRequest<E>) async throws -> Int {
    try await read { c in try c.count(request) }
  }

  /// Returns whether a request has any row.
  public func exists<E: Entity>(_ request: FetchRequest<E>) throws -> Bool { try read { c in try c.exists(request) } }

  /// Returns whether a request has any row, without blocking the calling task.
  ///
  /// ```swift
  /// let isLate = try await database.exists(FetchRequest<Item>(where: "due < \(Date())"))
  /// ```
  public func exists<E: Entity>(_ request: FetchRequest<E>) async throws -> Bool {
    try await read { c in try c.exists(request) }
  }

  /// Returns some rows of a request: those that come after a place in its order, and up to `size` of them.
  public func page<E: Entity>(of request: FetchRequest<E>, after key: PageKey? = nil, size: Int) throws -> Page<E> {
    try read { c in try c.page(of: request, after: key, size: size) }
  }

  /// Returns some rows of a request, without blocking the calling task.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(where: "NOT done", orderBy: ["title"])
  /// let page = try await database.page(of: open, size: 50)
  /// let second = try await database.page(of: open, after: page.next, size: 50)
  /// ```
  public func page<E: Entity>(
    of request: FetchRequest<E>, after key: PageKey? = nil, size: Int
  ) async throws -> Page<E> {
    try await read { c in try c.page(of: request, after: key, size: size) }
  }

  /// Deletes the rows of a request in a write of its own, and returns their number.
  @discardableResult
  public func deleteAll<E: Entity>(_ request: FetchRequest<E>) throws -> Int {
    try write { c in try c.deleteAll(request) }
  }

  /// Deletes the rows of a request, without blocking the calling task, and returns their number.
  ///
  /// ```swift
  /// let deleted = try await database.deleteAll(FetchRequest<Item>(where: "done"))
  /// ```
  @discardableResult
  public func deleteAll<E: Entity>(_ request: FetchRequest<E>) async throws -> Int {
    try await write { c in try c.deleteAll(request) }
  }
}
