/// A pthread mutex with a condition that its waiters share.
///
/// It is not `Synchronization.Mutex`, which gives false reports under the thread sanitizer.
package final class Lock: @unchecked Sendable {  // because the mutex that it holds is what makes sharing safe
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition = Self.makeCondition()
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    Self.free(condition)
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// A condition that waits by `MonotonicClock`.
  fileprivate static func makeCondition() -> UnsafeMutablePointer<pthread_cond_t> {
    let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
    return condition
  }

  fileprivate static func free(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
    pthread_cond_destroy(condition)
    condition.deallocate()
  }

  @inlinable package func lock() { pthread_mutex_lock(mutex) }
  @inlinable package func unlock() { pthread_mutex_unlock(mutex) }
  /// Takes the lock if it is free.
  @inlinable package func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  @inlinable @inline(__always)
  package func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Releases the lock until another thread wakes this one, or until `deadline` by `MonotonicClock`. The caller holds
  /// the lock, and must check its condition again: wake-ups can be spurious.
  package func wait(until deadline: UInt64? = nil) {
    guard let deadline else {
      pthread_cond_wait(condition, mutex)
      return
    }
    wait(on: condition, until: deadline)
  }

  fileprivate func wait(on condition: UnsafeMutablePointer<pthread_cond_t>, until deadline: UInt64) {
    #if canImport(Darwin)
      let now = MonotonicClock.now()
      let left = deadline > now ? deadline - now : 0
      var span = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
      pthread_cond_timedwait_relative_np(condition, mutex, &span)
    #else
      var time = timespec()
      time.tv_sec = numericCast(deadline / 1_000_000_000)
      time.tv_nsec = numericCast(deadline % 1_000_000_000)
      pthread_cond_timedwait(condition, mutex, &time)
    #endif
  }

  /// Wakes one thread in `wait`, if there is one. The caller holds the lock.
  package func wakeOne() { pthread_cond_signal(condition) }

  /// Wakes every thread in `wait`. The caller holds the lock.
  package func wakeAll() { pthread_cond_broadcast(condition) }
}

/// A place to wait under a `Lock`, so that exactly one thread can be woken.
package final class WaitingPlace: @unchecked Sendable {  // because it is only used under its lock
  private let lock: Lock
  private let condition = Lock.makeCondition()

  package init(under lock: Lock) { self.lock = lock }

  deinit { Lock.free(condition) }

  /// Releases the lock until `wake`, or until the deadline; wake-ups can be spurious.
  package func wait(until deadline: UInt64) { lock.wait(on: condition, until: deadline) }

  package func wake() { pthread_cond_signal(condition) }
}

/// Nanoseconds that never run backwards.
package enum MonotonicClock {
  @inlinable
  package static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  package static func sleep(microseconds: Int) {
    var time = timespec()
    time.tv_sec = numericCast(microseconds / 1_000_000)
    time.tv_nsec = numericCast(microseconds % 1_000_000 * 1000)
    nanosleep(&time, nil)
  }
}

/// The identity of a thread, for checks such as "does this thread hold the writer already".
package struct ThreadID: Hashable, Sendable {
  /// Never 0.
  package let raw: UInt

  @inlinable
  package init(raw: UInt) { self.raw = raw }

  @inlinable
  package static var current: ThreadID {
    #if canImport(Darwin)
      ThreadID(raw: UInt(bitPattern: pthread_self()))
    #else
      ThreadID(raw: UInt(pthread_self()))
    #endif
  }
}
