import FetchedResultsSupport
import RowModel

/// The waiters for a check for foreign commits. One check serves all waiters that were added before it began, so they
/// need one thread and not one each.
package final class ForeignCheckQueue: Sendable {
  private let pool: EvaluationPool
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()

  private struct State {
    var waiting: [Entry] = []
    var nextID = 0
    var isLooking = false
  }

  private struct Entry {
    let id: Int
    /// The engine whose database is checked.
    let engine: any ResultEngine
    let body: @Sendable ((any Error)?) -> Void
  }

  package init(_ pool: EvaluationPool) { self.pool = pool }

  /// Calls `body` when everything committed by now has been reported, or with the error that prevents it. It waits for
  /// a busy database, which is not an error. Returns the id for `remove`.
  func add(_ engine: any ResultEngine, _ body: @escaping @Sendable ((any Error)?) -> Void) -> Int {
    let (id, isFirst) = lock.withLock {
      state.nextID += 1
      state.waiting.append(Entry(id: state.nextID, engine: engine, body: body))
      defer { state.isLooking = true }
      return (state.nextID, !state.isLooking)
    }
    if isFirst { pool.submit(Look(self), isSlow: true) }
    return id
  }

  /// Removes a waiter that was cancelled. What it holds is released outside the lock.
  func remove(_ id: Int) {
    let removed = lock.withLock {
      state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
    }
    withExtendedLifetime(removed) {}
  }

  private final class Look: EvaluationPool.Job {
    private let foreignChecks: ForeignCheckQueue
    init(_ foreignChecks: ForeignCheckQueue) { self.foreignChecks = foreignChecks }
    func run(on pool: EvaluationPool) { foreignChecks.look(on: pool) }
  }

  private func look(on pool: EvaluationPool) {
    var pause = 200
    while true {
      let entries = lock.withLock {
        state.isLooking = !state.waiting.isEmpty
        return state.waiting
      }
      guard let first = entries.first, let last = entries.last else { return }
      var failure: (any Error)?
      do {
        try pool.beingSlow {
          try first.engine.catchUp()
          first.engine.screen()
        }
      } catch let error where first.engine.kind(of: error) == .busy {
        // `catchUp` has already waited for the busy database, unless the timeout is short.
        MonotonicClock.sleep(microseconds: pause)
        pause = min(pause * 2, 20_000)
        continue
      } catch {
        failure = error
      }
      let served = lock.withLock {
        let end = state.waiting.firstIndex { $0.id > last.id } ?? state.waiting.endIndex
        defer { state.waiting.removeSubrange(..<end) }
        return state.waiting[..<end]
      }
      for entry in served { entry.body(failure) }
    }
  }
}
