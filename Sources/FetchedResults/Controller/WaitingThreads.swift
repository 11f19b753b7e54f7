import DataSources
import SQLiteStore

/// Who waits for whom where a row of one list has another list fetched: two that would wait for each other are told so.
final class WaitingThreads: Sendable {
  static let shared = WaitingThreads()

  /// A thread's waiting: another each time, so that one that has ended is told from the next.
  private final class Wait: Sendable {
    /// The thread that has what is waited for.
    let holder: @Sendable () -> ThreadID?
    init(_ holder: @escaping @Sendable () -> ThreadID?) { self.holder = holder }
  }

  private let waits = Locked<[ThreadID: Wait]>([:])

  /// Tries again and again, with growing pauses, until `take` says that it has what another thread had.
  ///
  /// Throws where that thread, or one that it waits for, waits for this one; and when one and the same turn has lasted for the timeout.
  ///
  /// - Parameter turn: Counts those who have had what is waited for.
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

  /// The waits that lead from one thread back to it; nil where they don't. Only where they are the same when it is looked for twice did
  /// each of them last in between, with what it holds.
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
