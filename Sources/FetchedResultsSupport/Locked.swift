/// A value behind a mutual exclusion lock. The thread sanitizer understands it, unlike `Synchronization.Mutex`.
package final class Locked<State>: @unchecked Sendable {  // because every use of `state` holds the lock
  @usableFromInline var state: State
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Puts a value behind a new lock.
  package init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let status = pthread_mutex_init(mutex, nil)
    require(status == 0, "a lock cannot be made: error \(status)")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the value, exclusively. It must be short and must not use the same lock.
  @inlinable
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
