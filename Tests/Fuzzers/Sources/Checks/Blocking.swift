import Dispatch
import Synchronization

/// Waits for what is asynchronous, as libFuzzer knows no waiting. Not for the threads of Swift's own pool.
enum Blocking {
  static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
    let outcome = Outcome()
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await body()
      } catch {
        outcome.error.withLock { $0 = error }
      }
      isDone.signal()
    }
    isDone.wait()
    if let error = outcome.error.withLock({ $0 }) { throw error }
  }

  private final class Outcome: Sendable {
    let error = Mutex<(any Error)?>(nil)
  }
}
