import CSQLite
import Synchronization

/// Statements that were released while their connection was unused or used by another thread, and must not be freed
/// during that use.
///
/// They are freed by one thread at a time, and outside the lock: freeing the last statement of a closed connection also
/// releases the users' functions.
final class LeftBehind: Sendable {
  private let isEmpty = Atomic<Bool>(true)
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var statements: [OpaquePointer] = []
  // Whether the connection is used or will be used again, and frees them then. Once it is closed, the first caller
  // does. because every access is under `lock`
  nonisolated(unsafe) private var isUsed = true

  func add(_ statement: OpaquePointer) {
    let isNobodyElse = lock.withLock {
      statements.append(statement)
      isEmpty.store(false, ordering: .releasing)
      defer { isUsed = true }
      return !isUsed
    }
    if isNobodyElse { freeAndLeave() }
  }

  /// Frees them. The caller is using the connection.
  func free() {
    if isEmpty.load(ordering: .acquiring) { return }
    for statement in take() { sqlite3_finalize(statement) }
  }

  /// Frees them after the connection was closed. From then on each is freed as soon as it is released.
  func freeAndLeave() {
    while true {
      let taken = take(leaving: true)
      if taken.isEmpty { return }
      for statement in taken { sqlite3_finalize(statement) }
    }
  }

  private func take(leaving: Bool = false) -> [OpaquePointer] {
    lock.withLock {
      if leaving, statements.isEmpty { isUsed = false }
      defer { statements = [] }
      isEmpty.store(true, ordering: .relaxed)
      return statements
    }
  }
}
