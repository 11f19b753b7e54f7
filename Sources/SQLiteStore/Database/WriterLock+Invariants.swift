import FetchedResultsSupport
import Synchronization

extension WriterLock {
  /// The first broken invariant of the lock; nil if all of them hold. For tests.
  func firstBrokenInvariant() -> String? {
    lock.withLock {
      let isHeld = isHeld.load(ordering: .relaxed)
      if isHeld != (state.pointee.holder != nil) { return "the lock is recorded as \(isHeld ? "held" : "free")" }
      if Set(state.pointee.waiting.map(ObjectIdentifier.init)).count != state.pointee.waiting.count {
        return "a waiter waits in two places"
      }
      if state.pointee.heldSince > MonotonicClock.now() { return "the lock was taken in the future" }
      return nil
    }
  }

  /// The number of waiters. For tests.
  var waiterCount: Int { lock.withLock { state.pointee.waiting.count } }
}
