import FetchedResultsSupport

extension Mapping where Root: Entity {
  /// The column of a property, or nil if it is not mapped.
  ///
  /// In a generic function `\.id` is another key path value than the one in the mapping, but it names the same column.
  public func column(of keyPath: PartialKeyPath<Root>) -> String? {
    columns.first { $0.keyPath == keyPath }?.name ?? (keyPath == \Root.id ? mappedID : nil)
  }

  /// The column that `\.id` is mapped to, if its key path shows that.
  private var mappedID: String? {
    idCache.withLock { cache in
      if let cache { return cache }
      let names = ["\\\(Root.self).id", "\\\(String(reflecting: Root.self)).id"]
      let found = columns.first { $0.keyPath == \Root.id || names.contains("\($0.keyPath)") }?.name
      cache = .some(found)
      return found
    }
  }

  func idColumn(of type: Root.Type) -> String? { mappedID }

  /// `idColumn`, or an error if it is not mapped or is not the column that `\.id` is mapped to.
  func checkedIDColumn(_ type: Root.Type) throws -> String {
    let name = Root.idColumn
    if let mappedID {
      guard mappedID != name else { return name }
      throw DatabaseError.otherID(
        Root.self, "its id is mapped to the column \"\(mappedID)\", and its idColumn is \"\(name)\"")
    }
    guard columnNames.contains(name) else {
      throw DatabaseError.misuse(
        "the mapping of \(Root.self) lacks its id column \"\(name)\"; it has \(columnNames)")
    }
    return name
  }

  /// Checks that an entity's id is the value of its id column, if the mapping doesn't show it.
  package func checkID(of entity: Root) throws {
    if mappedID != nil { return }
    guard let property = columns.first(where: { $0.name == Root.idColumn }) else { return }
    let (value, id) = (try property.value(entity), try entity.id.databaseValue)
    guard value != id else { return }
    throw DatabaseError.otherID(
      Root.self, "its id is \(id), and the property of \"\(Root.idColumn)\", its idColumn, is \(value)")
  }
}

/// A value behind a lock.
final class Guarded<Content: Sendable>: Sendable {
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var content: Content

  init(_ content: Content) { self.content = content }

  func withLock<T>(_ body: (inout Content) throws -> T) rethrows -> T { try lock.withLock { try body(&content) } }
}
