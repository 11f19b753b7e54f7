import FetchedResultsSupport

extension ReaderPool {
  /// The first broken invariant of the pool; nil if all of them hold. For tests.
  func firstBrokenInvariant() -> String? {
    lock.withLock {
      if state.opening < 0 || state.closing < 0 { return "\(state.opening) are opened and \(state.closing) closed" }
      // Connections that are being closed don't count: they make room for others.
      let count = state.idle.count + state.held.count + state.opening
      if count > limit { return "there are \(count) connections, and \(limit) are allowed" }
      if Set((state.idle + state.held.map(\.connection)).map(ObjectIdentifier.init)).count != count - state.opening {
        return "a connection occurs twice"
      }
      if Set(state.waiting.map(ObjectIdentifier.init)).count != state.waiting.count { return "a waiter waits twice" }
      let now = MonotonicClock.now()
      if state.lastRelease > now || state.held.contains(where: { $0.since > now }) {
        return "a connection was taken or returned in the future"
      }
      return nil
    }
  }

  /// The numbers of connections and waiters. For tests.
  struct Counts: Equatable {
    var idle: Int
    var held: Int
    var waiting: Int
  }

  var counts: Counts {
    lock.withLock { Counts(idle: state.idle.count, held: state.held.count, waiting: state.waiting.count) }
  }
}
