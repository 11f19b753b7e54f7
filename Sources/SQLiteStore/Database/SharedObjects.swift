import FetchedResultsSupport

/// Objects of higher modules that belong to a database, one of each type.
final class SharedObjects: Sendable {
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var objects: [ObjectIdentifier: any AnyObject & Sendable] = [:]

  func object<T: AnyObject & Sendable>(_ type: T.Type, _ make: () throws -> T) rethrows -> T {
    if let found = lock.withLock({ objects[ObjectIdentifier(type)] as? T }) { return found }
    let made = try make()
    return lock.withLock {
      if let found = objects[ObjectIdentifier(type)] as? T { return found }
      objects[ObjectIdentifier(type)] = made
      return made
    }
  }
}

extension Database {
  /// The object of a type that belongs to this database, created on first use. It must not hold the database.
  package func shared<T: AnyObject & Sendable>(_ type: T.Type, _ make: () throws -> T) rethrows -> T {
    try sharedObjects.object(type, make)
  }
}
