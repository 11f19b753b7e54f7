import FetchedResultsSupport
import SQLiteStore
import TodoCore

/// Runs asynchronous code to its end. Only commands that need it pay for its threads.
enum Blocking {
  static func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
    let lock = Lock()
    // because it is only used under the lock
    nonisolated(unsafe) var result: Result<T, any Error>?
    Task {
      let found: Result<T, any Error>
      do { found = .success(try await body()) } catch { found = .failure(error) }
      lock.withLock {
        result = found
        lock.wakeAll()
      }
    }
    return try lock.withLock {
      while true {
        if let result { return try result.get() }
        lock.wait()
      }
    }
  }
}
