import FetchedResultsSupport
import RowModel
import Synchronization

/// The threads that evaluate the lists of one database.
///
/// They are not the writer's thread, which must not wait for a list, and not Swift's or Dispatch's threads, which a
/// long query would block for everybody else. As many are active as there are processors. A thread that is about to run
/// a whole query announces that it will be slow, and another thread takes its place meanwhile. User callbacks are
/// usually so quick that replacing their thread would cost more. Only if no job has been taken for a while are the
/// threads in callbacks declared stuck, and replaced.
///
/// The number of threads depends only on the machine: one for each processor, the slow ones (12, plus two for each
/// processor), and those in callbacks that don't return (32, plus 16 for each processor). Beyond that, slow jobs wait
/// for another slow one to end, and callbacks that don't return block all lists of the database.
///
/// `PoolState` decides what each thread does; this class holds the lock and runs the threads.
package final class EvaluationPool: Sendable {
  /// Work that one of the threads runs once.
  protocol Job: AnyObject, Sendable {
    func run(on pool: EvaluationPool)
  }

  private typealias State = PoolState<any Job>

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state: State

  // Read without the lock. Only `prolong` also writes without it.
  /// How many jobs wait that are not known to be slow.
  private let waiting = Atomic<Int>(0)
  /// Whether a thread polls: 1 if so, and 2 if it must stop.
  private let polling = Atomic<Int>(0)
  /// Until when a thread should poll, because work is expected.
  private let expected = Atomic<UInt64>(0)
  private let canPoll: Bool

  package init(processors: Int = Processor.count) {
    let limit = max(1, processors)
    state = State(limit: limit, slowLimit: 12 + 2 * limit, stuckLimit: 32 + 16 * limit)
    canPoll = limit > 1
  }

  // MARK: Jobs

  /// Queues a job: at the end, or before all others if `isFirst`. Jobs that are slow throughout, such as whole queries,
  /// are run between the others.
  func submit(_ job: any Job, isSlow: Bool = false, first isFirst: Bool = false) {
    let now = MonotonicClock.now()
    lock.withLock {
      let call = state.jobSubmitted(job, isSlow: isSlow, isFirst: isFirst, at: now)
      if !isSlow { waiting.store(state.quickCount, ordering: .releasing) }
      perform(call)
    }
  }

  /// Whether a job is waiting that no thread has taken.
  var hasMore: Bool { waiting.load(ordering: .relaxed) > 0 }

  /// Makes a thread look for work. The caller holds the lock.
  private func perform(_ call: State.Call) {
    switch call {
    case .nobody: break
    case .sleeper: lock.wakeOne()
    case .poller: polling.store(2, ordering: .relaxed)
    case .newThread(let isWatcher):
      if !BackgroundThread.start({ [self] in work() }) { state.threadFailedToStart(isWatcher: isWatcher) }
    }
  }

  /// A commit has begun, so work is about to arrive: a thread that wakes up now is ready in time.
  package func expect() {
    guard canPoll else { return }
    let now = MonotonicClock.now()
    // Most commits find a thread that polls: they only prolong its poll, without the lock.
    if polling.load(ordering: .sequentiallyConsistent) > 0 { return prolong(now + State.longPoll) }
    lock.withLock {
      perform(state.commitExpected(at: now))
      prolong(max(state.expectedUntil, expected.load(ordering: .relaxed)))
    }
  }

  private func prolong(_ end: UInt64) { expected.store(end, ordering: .relaxed) }

  // MARK: What a job does

  /// Runs a user's callback, which usually takes no time.
  func callingBack<T>(_ body: () throws -> T) rethrows -> T {
    let number = lock.withLock {
      let (number, call) = state.callbackBegan()
      perform(call)
      return number
    }
    defer { lock.withLock { state.callbackEnded(number) } }
    return try body()
  }

  /// Runs `body`, which may take long. Another thread may take this one's place meanwhile, unless too many are slow.
  func beingSlow<T>(_ body: () throws -> T) rethrows -> T {
    let isReplaced = lock.withLock {
      guard let call = state.becameSlow() else { return false }
      perform(call)
      return true
    }
    defer { if isReplaced { lock.withLock { perform(state.slowEnded()) } } }
    return try body()
  }

  /// Thrown if a slow job has not begun because too many threads are slow: it has to wait in the queue.
  struct Postponed: Error {}

  /// The same for work that can be postponed: throws if too many threads are slow. Submit it as a slow job then.
  func beingSlowInTurn<T>(_ body: () throws -> T) throws -> T {
    // Another thread may become slow between this check and the next lock, so for a moment there may be one too many.
    guard lock.withLock({ state.mayBeSlow }) else { throw Postponed() }
    return try beingSlow(body)
  }

  // MARK: Threads

  private func work() {
    lock.withLock { state.threadStarted() }
    while let job = next() { job.run(on: self) }
  }

  /// The next job; nil if the thread should end, because there was no job for long enough.
  private func next() -> (any Job)? {
    lock.lock()
    defer { lock.unlock() }
    var now = MonotonicClock.now()
    var search = State.Search(at: now)
    while true {
      switch state.threadLooksForWork(&search, at: now) {
      case .run(let job, let call):
        waiting.store(state.quickCount, ordering: .releasing)
        perform(call)
        return job
      case .poll(let end):
        poll(until: end)
      case .watchCallbacks(let end):
        lock.wait(until: end)
        state.watchEnded(at: MonotonicClock.now())
      case .sleep(let end):
        lock.wait(until: end)
        state.threadWoke()
      case .end:
        return nil
      }
      now = MonotonicClock.now()
    }
  }

  /// Waits for a job without sleeping. The caller holds the lock, which is released meanwhile.
  private func poll(until end: UInt64) {
    polling.store(1, ordering: .sequentiallyConsistent)
    lock.unlock()
    while waiting.load(ordering: .acquiring) == 0, polling.load(ordering: .relaxed) == 1,
      MonotonicClock.now() < max(end, expected.load(ordering: .relaxed))
    {
      for _ in 0..<8 { Processor.pause() }
    }
    lock.lock()
    polling.store(0, ordering: .sequentiallyConsistent)
    state.pollEnded(expectedUntil: expected.load(ordering: .relaxed))
  }
}

extension EvaluationPool {
  /// Runs something slow on one of the threads, without blocking the calling task. When the task is cancelled the call
  /// ends at once, and work that has begun is interrupted.
  func run<T: Sendable>(_ body: @escaping @Sendable (CancellableAccess) throws -> T) async throws -> T {
    try Task.checkCancellation()
    let once = Once(body)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if once.begin(continuation) { submit(once, isSlow: true) }
      }
    } onCancel: {
      once.cancel()
    }
  }

  private final class Once<T: Sendable>: Job {
    private let access = CancellableAccess()
    private let lock = Lock()
    // because every access is under `lock`
    nonisolated(unsafe) private var body: (@Sendable (CancellableAccess) throws -> T)?
    // because every access is under `lock`
    nonisolated(unsafe) private var continuation: CheckedContinuation<T, any Error>?

    init(_ body: @escaping @Sendable (CancellableAccess) throws -> T) { self.body = body }

    /// Returns false if it has been cancelled already.
    func begin(_ continuation: CheckedContinuation<T, any Error>) -> Bool {
      let isWanted = lock.withLock {
        if access.isCancelled { return false }
        self.continuation = continuation
        return true
      }
      if !isWanted { continuation.resume(throwing: CancellationError()) }
      return isWanted
    }

    func cancel() {
      // Set the flag under the lock: then `begin` sees it, or this sees what `begin` stored. Release what the closure
      // holds outside the lock.
      let (body, continuation) = lock.withLock {
        access.cancel()
        defer { (self.body, self.continuation) = (nil, nil) }
        return (self.body, self.continuation)
      }
      withExtendedLifetime(body) {}
      continuation?.resume(throwing: CancellationError())
    }

    func run(on pool: EvaluationPool) {
      let taken = lock.withLock {
        defer { body = nil }
        return body
      }
      guard let body = taken else { return }
      let result = Result { try pool.beingSlow { try body(access) } }
      let waiting = lock.withLock {
        defer { continuation = nil }
        return continuation
      }
      waiting?.resume(with: result)
    }
  }
}
