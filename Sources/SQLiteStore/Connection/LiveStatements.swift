import CFetchedResultsSQLite
import FetchedResultsSupport
import Synchronization

/// The statements of a connection, and those of them that were released while the connection was unused or used by
/// another thread, and must not be freed during that use.
///
/// Nothing is freed under the lock, because freeing a statement can release what the program has bound to it.
final class LiveStatements: Sendable {
  private let hasReleased = Atomic<Bool>(false)
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var live: Set<OpaquePointer> = []
  // because every access is under `lock`
  nonisolated(unsafe) private var released: [OpaquePointer] = []

  func made(_ statement: OpaquePointer) { lock.withLock { _ = live.insert(statement) } }

  /// Frees a statement, unless the connection was closed, which frees all. The caller is using the connection.
  func free(_ statement: OpaquePointer) {
    if lock.withLock({ live.remove(statement) }) != nil { sqlite3_finalize(statement) }
  }

  /// Leaves a statement to the next user of the connection.
  func release(_ statement: OpaquePointer) {
    lock.withLock {
      guard live.remove(statement) != nil else { return }
      released.append(statement)
      hasReleased.store(true, ordering: .releasing)
    }
  }

  /// Frees those that others have released. The caller is using the connection.
  func freeReleased() {
    if !hasReleased.load(ordering: .acquiring) { return }
    let taken = lock.withLock {
      defer { released = [] }
      hasReleased.store(false, ordering: .relaxed)
      return released
    }
    for statement in taken { sqlite3_finalize(statement) }
  }

  /// Frees all before the connection is closed, also those that somebody keeps: they can't be used any more, and would
  /// keep SQLite's connection open.
  func freeAll() {
    let taken = lock.withLock {
      defer { (live, released) = ([], []) }
      return released + live
    }
    for statement in taken { sqlite3_finalize(statement) }
  }
}
