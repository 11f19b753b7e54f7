import FetchedResultsSupport
import SQLiteStore
import TodoCore

/// Runs asynchronous code to its end. Only commands that need it pay for its threads.
enum Blocking {
  static func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
    // Tasks need file descriptors of their own. If there are none, Swift's runtime ends the process.
    guard System.canOpenFiles(8) else {
      throw TodoError.inputOutput("too many files are open; allow this process more of them (ulimit -n)")
    }
    let box = Box<T>()
    Task {
      do {
        box.finish(.success(try await body()))
      } catch {
        box.finish(.failure(error))
      }
    }
    return try box.wait().get()
  }

  // because everything in it is used under its mutex
  private final class Box<T: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var result: Result<T, any Error>?

    init() {
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
    }

    func finish(_ result: Result<T, any Error>) {
      pthread_mutex_lock(mutex)
      self.result = result
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
    }

    func wait() -> Result<T, any Error> {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      while true {
        if let result { return result }
        pthread_cond_wait(condition, mutex)
      }
    }
  }
}
