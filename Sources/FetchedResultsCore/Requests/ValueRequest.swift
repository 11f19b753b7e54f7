import DataSources
import FetchedResultsSupport
import RowModel

/// A value of a request that can be observed: how many rows it has, whether it has any, or the first one.
///
/// ```swift
/// let open = FetchRequest<Item>(predicate: #Predicate { !$0.done })
/// for try await count in database.values(of: open.count) { print(count) }
/// ```
///
/// It is followed like a list, of which only the keys are kept: a commit costs as much as it has changed, however many
/// rows there are, and of a hundred values with conditions on one table a commit reads its rows once for all. The first
/// value costs a fetch of the keys.
public struct ValueRequest<Value: Equatable & Sendable>: Sendable {
  fileprivate let follow: @Sendable (LiveEngine) -> AsyncThrowingStream<Value, any Error>
}

extension LiveDatabase {
  /// A value of a request, now and whenever a commit has changed it.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(predicate: #Predicate { !$0.done })
  /// for try await count in database.values(of: open.count) { print(count) }  // now, and after each change
  /// ```
  ///
  /// The first value comes at once. A value that is equal to the one before is left out, and of several that a slow
  /// reader has missed only the last one comes. The stream throws the error of a wrong request, or of a row that can't
  /// be read, and ends when the database is closed.
  public func values<Value>(of request: ValueRequest<Value>) -> AsyncThrowingStream<Value, any Error> {
    request.follow(liveEngine)
  }
}

extension FetchRequest {
  /// The number of rows, to be observed.
  public var count: ValueRequest<Int> { ofKeys { $0.numberOfItems } }

  /// Whether there is any row, to be observed.
  ///
  /// ```swift
  /// for try await isLate in database.values(of: FetchRequest<Item>(where: "due < '2031'").exists) { print(isLate) }
  /// ```
  public var exists: ValueRequest<Bool> { ofKeys { $0.numberOfItems > 0 } }

  /// A value of the list of the rows' keys.
  private func ofKeys<Value>(_ value: @escaping @Sendable (Snapshot<RowID<E>>) -> Value) -> ValueRequest<Value> {
    var keys = FetchRequest<RowID<E>>(source: source, sectionBy: nil, orderBy: [], limit: limit, offset: offset)
    keys.failure = failure
    if limit != nil || offset != 0 { keys.orderBy = orderBy }
    return ValueRequest { [keys] engine in ListValue(keys, engine, value).stream }
  }
}

extension FetchRequest where E: Equatable {
  /// The first row, to be observed; nil if there is none.
  ///
  /// ```swift
  /// let next = FetchRequest<Item>(where: "NOT done", orderBy: ["due"])
  /// for try await item in database.values(of: next.first) { print(item?.title ?? "nothing to do") }
  /// ```
  public var first: ValueRequest<E?> {
    var first = self
    first.limit = min(limit ?? 1, 1)
    return ValueRequest { [first] engine in ListValue(first, engine) { $0.items.first }.stream }
  }
}

/// The id of an entity's row, as an entity of its own.
struct RowID<E: Entity>: MappedEntity, Equatable {
  static var table: String { E.table }
  static var idColumn: String { E.idColumn }
  static var mapping: Mapping<RowID> { RowIDMappings.shared.mapping(of: E.self) }
  let id: E.ID

  static func == (left: RowID, right: RowID) -> Bool { left.id == right.id }
}

/// The mappings of the ids, which generic types can't store.
private final class RowIDMappings: Sendable {
  static let shared = RowIDMappings()
  private let mappings = Locked<[ObjectIdentifier: any Sendable]>([:])

  func mapping<E: Entity>(of type: E.Type) -> Mapping<RowID<E>> {
    mappings.withLock { mappings in
      if let known = mappings[ObjectIdentifier(type)] as? Mapping<RowID<E>> { return known }
      let made = Mapping<RowID<E>>({ RowID(id: $0) }, (E.idColumn, \.id))
      mappings[ObjectIdentifier(type)] = made
      return made
    }
  }
}

/// A value of a list, for one task at a time.
private final class ListValue<E: Entity & Equatable, Value: Equatable & Sendable>: Sendable {
  private let controller: FetchedResultsController<E>
  private let value: @Sendable (Snapshot<E>) -> Value
  private let state = Locked((updates: AsyncThrowingStream<Update<E>, any Error>?.none, last: Value?.none))

  init(_ request: FetchRequest<E>, _ engine: LiveEngine, _ value: @escaping @Sendable (Snapshot<E>) -> Value) {
    controller = FetchedResultsController(request, engine, EntityOperations<E>.equatable())
    self.value = value
  }

  var stream: AsyncThrowingStream<Value, any Error> { AsyncThrowingStream { try await self.next() } }

  private func next() async throws -> Value? {
    guard let updates = state.withLock({ $0.updates }) else {
      // What changes during the fetch is in the updates.
      let updates = controller.throwingUpdates()
      try await controller.performFetch()
      let value = value(controller.snapshot)
      state.withLock { $0 = (updates, value) }
      return value
    }
    var iterator = updates.makeAsyncIterator()
    while let update = try await iterator.next() {
      let value = value(update.new)
      let isNew = state.withLock { state in
        defer { state.last = value }
        return state.last != value
      }
      if isNew { return value }
    }
    return nil
  }
}
