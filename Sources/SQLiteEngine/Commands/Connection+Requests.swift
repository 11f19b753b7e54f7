public import FetchedResultsCore
public import RowModel
public import SQLiteStore

// Requests that are run once. The same request can be given to a `FetchedResultsController`, which follows it.
extension Connection {
  private func command<E: Entity>(_ request: FetchRequest<E>, isOrdered: Bool = true) throws -> RequestCommand {
    try RequestCommand(request.description, on: self, isOrdered: isOrdered)
  }

  @usableFromInline
  func statement<E: Entity>(of request: FetchRequest<E>) throws -> SQL { try command(request).rows() }

  // MARK: Reading

  /// Returns the rows of a request, in its order: sections one after another.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(predicate: #Predicate { !$0.done }, sortBy: [.ascending(\.title)])
  /// let items = try database.read { c in try c.fetch(open) }
  /// ```
  @inlinable
  public func fetch<E: Entity>(_ request: FetchRequest<E>) throws -> [E] {
    try entities(statement(of: request), of: E.self)
  }

  /// Calls `body` with each row of a request, in its order, while the result is read, so that only one is in memory.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(where: "NOT done", orderBy: ["title"])
  /// try database.read { c in try c.forEach(open) { item in print(item.title) } }
  /// ```
  @inlinable
  public func forEach<E: Entity>(_ request: FetchRequest<E>, _ body: (E) throws -> Void) throws {
    try forEach(statement(of: request), as: E.self, body)
  }

  /// Returns the first row of a request; nil if it has none.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(where: "NOT done", orderBy: ["title"])
  /// let next = try database.read { c in try c.first(open) }
  /// ```
  public func first<E: Entity>(_ request: FetchRequest<E>) throws -> E? {
    try entities(command(request).rows(atMost: 1), of: E.self).first
  }

  /// Returns the number of rows of a request.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(where: "NOT done", orderBy: ["title"])
  /// let number = try database.read { c in try c.count(open) }
  /// ```
  public func count<E: Entity>(_ request: FetchRequest<E>) throws -> Int {
    try value(command(request, isOrdered: false).count, as: Int.self) ?? 0
  }

  /// Returns whether a request has any row.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(where: "NOT done", orderBy: ["title"])
  /// try database.write { c in
  ///   if try !c.exists(open) { try c.insert(order) }
  /// }
  /// ```
  public func exists<E: Entity>(_ request: FetchRequest<E>) throws -> Bool {
    try value("SELECT EXISTS (" + command(request, isOrdered: false).rows(atMost: 1) + ")", as: Bool.self) ?? false
  }

  /// Returns some rows of a request, in its order: those that come after a place, and up to `size` of them.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(where: "NOT done", orderBy: ["title"])
  /// let page = try database.read { c in try c.page(of: open, size: 50) }
  /// let second = try database.read { c in try c.page(of: open, after: page.next, size: 50) }
  /// ```
  ///
  /// The request needs an order, which every request in pieces has, and no limit or offset of its own.
  public func page<E: Entity>(of request: FetchRequest<E>, after key: PageKey? = nil, size: Int) throws -> Page<E> {
    let command = try command(request)
    func refusal(_ why: String) -> DatabaseError { .misuse("the request for \(E.self) can't be read in pages: \(why)") }
    if command.terms.isEmpty { throw refusal("a statement in its own order has no key; write the order as `orderBy:`") }
    if request.limit != nil || request.offset != 0 { throw refusal("it has a limit or an offset of its own") }
    let order = command.fingerprint
    if let key, key.order != order || key.values.count != command.terms.count {
      throw refusal("the key belongs to another order")
    }
    if size < 1 { throw refusal("the size \(size) is no positive number") }
    var items: [E] = []
    var last: [Value] = []
    // One more row shows whether there are further ones.
    try forEach(command.page(after: key?.values, size: size + 1)) { row in
      guard items.count < size else { return items.append(try E(row: row)) }
      items.append(try E(row: row))
      if items.count == size { last = try (row.count - command.terms.count..<row.count).map { try row[$0] } }
    }
    let hasMore = items.count > size
    if hasMore { items.removeLast() }
    return Page(items: items, next: hasMore ? PageKey(values: last, order: order) : nil)
  }

  // MARK: Changing

  /// Deletes the rows of a request, and returns their number.
  ///
  /// ```swift
  /// let deleted = try database.write { c in try c.deleteAll(FetchRequest<Item>(where: "done")) }
  /// ```
  ///
  /// Of a request that joins tables, only the entity's rows are deleted.
  @discardableResult
  public func deleteAll<E: Entity>(_ request: FetchRequest<E>) throws -> Int {
    try execute("DELETE FROM \(raw: quotedTable(E.table)) WHERE " + command(request, isOrdered: false).changed)
  }

  /// Sets properties of all rows of a request, and returns the number of rows.
  ///
  /// ```swift
  /// try await database.write { c in
  ///   try c.updateAll(FetchRequest<Item>(where: "NOT done"), set: (\.done, true), (\.priority, 0))
  /// }
  /// ```
  ///
  /// A value that would be read back as another one is an error. A row that has the values already is set too.
  @discardableResult
  public func updateAll<E: MappedEntity, each V: ValueConvertible>(
    _ request: FetchRequest<E>, set properties: repeat (any KeyPath<E, each V> & Sendable, each V)
  ) throws -> Int {
    guard let assignments = try assignments(E.self, repeat each properties) else { return 0 }
    return try updateAll(request, set: assignments)
  }

  /// Sets columns of all rows of a request to expressions, and returns the number of rows.
  ///
  /// ```swift
  /// try await database.write { c in
  ///   try c.updateAll(FetchRequest<Item>(where: "NOT done"), set: "priority = priority + \(1)")
  /// }
  /// ```
  @discardableResult
  public func updateAll<E: Entity>(_ request: FetchRequest<E>, set assignments: SQL) throws -> Int {
    try execute(
      "UPDATE \(raw: quotedTable(E.table)) SET " + assignments + " WHERE " + command(request, isOrdered: false).changed)
  }
}
