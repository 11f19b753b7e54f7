import Dispatch
import FetchedResultsSupport
import Foundation

/// A thread that runs what it is given, one after another, until it is released.
final class Worker: Sendable {
  private final class Queue: Sendable {
    private let lock = Lock()
    // because every access is under `lock`
    nonisolated(unsafe) private var jobs: [@Sendable () -> Void] = []
    let isReady = DispatchSemaphore(value: 0)

    func add(_ job: @escaping @Sendable () -> Void) {
      lock.withLock { jobs.append(job) }
      isReady.signal()
    }

    func next() -> (@Sendable () -> Void)? {
      isReady.wait()
      return lock.withLock { jobs.isEmpty ? nil : jobs.removeFirst() }
    }
  }

  private let queue = Queue()

  init() {
    Thread.detachNewThread { [queue] in
      while let job = queue.next() { job() }
    }
  }

  deinit { queue.isReady.signal() }

  /// Has the thread run `body`, without waiting for it.
  func start(_ body: @escaping @Sendable () -> Void) { queue.add(body) }

  /// Has the thread run `body`, and returns what that returns; nil if it takes too long.
  func run<T: Sendable>(_ body: @escaping @Sendable () -> T) -> T? {
    let result = Box<T?>(nil)
    queue.add {
      let value = body()
      result.change { $0 = value }
    }
    return waitsBriefly { result.value != nil } ? result.value : nil
  }
}

/// Whether a condition becomes true soon, for steps of a few microseconds on other threads.
func waitsBriefly(for condition: () -> Bool) -> Bool {
  let end = MonotonicClock.now() + 5_000_000_000
  while !condition() {
    if MonotonicClock.now() > end { return false }
    MonotonicClock.sleep(microseconds: 20)
  }
  return true
}
