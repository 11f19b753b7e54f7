/// Runs closures one at a time; other callers wait.
///
/// Unlike ``Locked`` it guards no value. The closure is the caller's: it may take long, and read anything. Only a
/// nested call from inside the closure could never succeed, so that is refused.
package final class TurnTaking: @unchecked Sendable {  // because a mutex may be used from any thread
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init() {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, numericCast(PTHREAD_MUTEX_ERRORCHECK))
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let status = pthread_mutex_init(mutex, &attributes)
    require(status == 0, "a lock cannot be made: error \(status)")
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` exclusively.
  package func inTurn<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let status = pthread_mutex_lock(mutex)
    require(status == 0, "an edit cannot begin inside another edit of the same list; edit the draft instead")
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }
}
