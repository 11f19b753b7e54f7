#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Lets one caller in at a time, for as long as it takes; the others wait.
///
/// Unlike ``Locked`` it guards no value, and the code that runs in turn is the caller's own: it may take its time, and read
/// whatever it likes. Only coming back for another turn in the midst of one's own can never succeed, so that is refused.
final class TurnTaking: @unchecked Sendable {  // because a mutex may be used from any thread
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
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

  /// Runs `body` alone.
  func inTurn<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let status = pthread_mutex_lock(mutex)
    require(status == 0, "an edit cannot begin inside another edit of the same list; edit the draft instead")
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }
}
