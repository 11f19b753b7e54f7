import DataSources
import FetchedResultsSupport
import RowModel

/// Detects deadlocks between lists: a row of one list may fetch another list, and that one may wait for the first.
final class WaitingThreads: Sendable {
  static let shared = WaitingThreads()

  /// One wait of a thread. Each wait is a new object, which identifies it.
  private final class Wait: Sendable {
    /// The thread that holds what is waited for.
    let holder: @Sendable () -> ThreadID?
    init(_ holder: @escaping @Sendable () -> ThreadID?) { self.holder = holder }
  }

  private let waits = Locked<[ThreadID: Wait]>([:])

  /// Calls `take` with growing pauses until it returns true.
  ///
  /// Throws if the holder waits, directly or through other threads, for this thread, and if the same holder has kept
  /// its turn for longer than the timeout.
  ///
  /// - Parameter turn: How many times the lock that is waited for has been taken.
  func wait(
    for holder: @escaping @Sendable () -> ThreadID?, timeout: Duration, turn: () -> Int, until take: () throws -> Bool
  ) throws {
    let me = ThreadID.current
    let mine = Wait(holder)
    waits.withLock { $0[me] = mine }
    defer { waits.withLock { $0[me] = nil } }
    var pause = 20
    var last = (turn: turn(), since: ContinuousClock.now)
    while true {
      if try take() { return }
      MonotonicClock.sleep(microseconds: pause)
      pause = min(pause * 2, 2000)
      if let circle = circle(from: mine, me), circle.elementsEqual(self.circle(from: mine, me) ?? [], by: ===) {
        throw DatabaseError.misuse(
          "performFetch was called while a row of another list is made, which a row of this list is waiting for on another thread"
        )
      }
      let now = turn()
      if now != last.turn { last = (now, .now) }
      if last.since.duration(to: .now) > timeout {
        throw DatabaseError(
          code: .busy,
          message:
            "this list has been fetched or evaluated on another thread for longer than the timeout of \(timeout); if that waits "
            + "for this fetch, the two would wait forever")
      }
    }
  }

  /// The chain of waits that leads back to this thread; nil if not found. Compare two results: only if they are the
  /// same did each of the waits last in between, and its holder keep what it holds.
  private func circle(from start: Wait, _ me: ThreadID) -> [Wait]? {
    var path = [start]
    while let thread = path[path.count - 1].holder() {
      if thread == me { return path }
      guard let next = waits.withLock({ $0[thread] }), !path.contains(where: { $0 === next }) else { return nil }
      path.append(next)
    }
    return nil
  }
}
