import CSQLite
import Synchronization

/// Statements that were let go while nobody, or somebody else, used their connection, and which must not be freed beside that use.
///
/// They are freed one thread at a time, and outside the lock: the last one of a closed connection takes the users' functions with it.
final class LeftBehind: Sendable {
  private let isEmpty = Atomic<Bool>(true)
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var statements: [OpaquePointer] = []
  // Whether somebody uses the connection, or will, and frees them then. Once it is closed, whoever comes first does.
  // because every access is under `lock`
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

  /// Frees them. Whoever calls this uses the connection.
  func free() {
    if isEmpty.load(ordering: .acquiring) { return }
    for statement in take() { sqlite3_finalize(statement) }
  }

  /// Frees them after the connection was closed; from then on each is freed when it is let go.
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
