import FetchedResultsSupport
import SQLiteStore
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
/// Waking a thread takes longer than evaluating a commit. So a thread without work polls for a while before it sleeps:
/// for 300 µs if work usually arrives more often than that, and otherwise for 10 µs. A sleeping thread is woken as soon
/// as a commit begins.
final class EvaluationPool: Sendable {
  /// Work that one of the threads runs once.
  protocol Job: AnyObject, Sendable {
    func run(on pool: EvaluationPool)
  }

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()
  private let waiting = Atomic<Int>(0)
  private let looking = Atomic<Int>(0)
  /// Until when a thread should poll, because work is expected.
  private let expected = Atomic<UInt64>(0)
  private let limit: Int
  private let slowLimit: Int
  private let stuckLimit: Int
  private static let patience: UInt64 = 2_000_000_000
  /// How long to poll for work, in nanoseconds: at most, and if work is rare.
  private static let longLook: UInt64 = 300_000
  private static let shortLook: UInt64 = 10_000

  /// How long a job may wait, in nanoseconds, while all threads are in callbacks.
  private static let callbackTime: UInt64 = 300_000

  private struct State {
    // In order, from `first`. A job that was taken is removed from the array at once, because it may hold a list.
    var jobs: [(any Job)?] = []
    var first = 0
    /// Jobs that are known to be slow, in order.
    var slowJobs: [any Job] = []
    /// How many other jobs have been taken since the last slow one.
    var sinceSlow = 0
    /// Threads that work or poll for work.
    var active = 0
    /// Threads that sleep; how many of them have been woken but don't run yet; and threads that are being started.
    var asleep = 0
    var called = 0
    var started = 0
    /// Active threads that are in a user's callback.
    var inCallbacks = 0
    /// The number of the last callback, and the number up to which callbacks have been declared stuck.
    var callbacks = 0
    var declaredStuck = 0
    /// How many jobs have been taken.
    var taken = 0
    /// Whether a thread should watch for callbacks that block, and whether one does.
    var isWatchWanted = false
    var isWatched = false
    /// Threads that run slow jobs now, and threads that are stuck in callbacks.
    var slow = 0
    var stuck = 0
    var slowLimit = 0
    /// When the last job was submitted, and the average time between recent jobs.
    var lastArrival: UInt64 = 0
    var usualGap: UInt64 = .max

    mutating func add(_ job: any Job, _ isFirst: Bool) {
      if !isFirst {
        jobs.append(job)
      } else if first > 0 {
        first -= 1
        jobs[first] = job
      } else {
        jobs.insert(job, at: 0)
      }
    }

    var hasQuick: Bool { first < jobs.count }
    var hasSlow: Bool { !slowJobs.isEmpty && slow < slowLimit }
    /// Whether there is a job that a thread may take.
    var hasWork: Bool { hasQuick || hasSlow }

    /// The next job, and whether it is known to be slow. Slow jobs alternate with the others.
    mutating func next() -> (job: any Job, isSlow: Bool)? {
      if hasSlow, !hasQuick || sinceSlow >= 8 {
        sinceSlow = 0
        taken += 1
        return (slowJobs.removeFirst(), true)
      }
      sinceSlow += 1
      return nextQuick().map { ($0, false) }
    }

    private mutating func nextQuick() -> (any Job)? {
      guard hasQuick else { return nil }
      defer {
        jobs[first] = nil
        first += 1
        taken += 1
        if first == jobs.count {
          jobs.removeAll(keepingCapacity: true)
          first = 0
        } else if first > 64, first > jobs.count / 2 {
          jobs.removeFirst(first)
          first = 0
        }
      }
      return jobs[first]
    }
  }

  init(processors: Int) {
    limit = max(1, processors)
    slowLimit = 12 + 2 * limit
    stuckLimit = 32 + 16 * limit
    state.slowLimit = slowLimit
  }

  /// Queues a job that is slow all the time, such as a whole query.
  func submit(_ job: any Job, isSlow: Bool) {
    lock.withLock {
      state.slowJobs.append(job)
      if state.hasSlow { call() }
    }
  }

  /// Queues a job: at the end, or before all others if `isFirst`.
  func submit(_ job: any Job, first isFirst: Bool = false) {
    let now = MonotonicClock.now()
    lock.lock()
    // A gap counts for an eighth, so that one pause among many commits doesn't send the thread to sleep, nor one quick
    // pair keep it awake.
    let gap = min(now &- state.lastArrival, 10_000_000)
    state.lastArrival = now
    state.usualGap = state.usualGap == .max ? gap : (state.usualGap * 7 + gap) / 8
    state.add(job, isFirst)
    waiting.add(1, ordering: .releasing)
    // The polling thread finds the job.
    if looking.load(ordering: .sequentiallyConsistent) > 0 { return lock.unlock() }
    call()
    lock.unlock()
  }

  /// Whether a job is waiting that no thread has taken.
  var hasMore: Bool { waiting.load(ordering: .relaxed) > 0 }

  /// Wakes or starts a thread if the limit allows one more. The caller holds the lock.
  private func call() {
    if state.active + state.called + state.started < limit {
      wake()
    } else if state.inCallbacks >= state.active, !state.isWatchWanted {
      state.isWatchWanted = wake()
    }
  }

  /// Makes one more thread look for work. Returns false if no thread can be started.
  @discardableResult
  private func wake() -> Bool {
    if state.asleep > state.called {
      state.called += 1
      lock.wakeOne()
      return true
    }
    state.started += 1
    let isStarted = BackgroundThread.start { [self] in work() }
    if !isStarted { state.started -= 1 }
    return isStarted
  }

  /// Runs a user's callback, which usually takes no time.
  func callingBack<T>(_ body: () throws -> T) rethrows -> T {
    let number = lock.withLock {
      state.callbacks += 1
      state.inCallbacks += 1
      if state.hasWork { call() }
      return state.callbacks
    }
    defer {
      lock.withLock {
        if number <= state.declaredStuck {
          state.stuck -= 1
          state.active += 1
        } else {
          state.inCallbacks -= 1
        }
      }
    }
    return try body()
  }

  /// Sleeps; if no job was taken meanwhile, declares the threads in callbacks stuck, so that others take their places.
  /// The caller holds the lock.
  private func watchCallbacks() {
    state.isWatched = true
    let taken = state.taken
    lock.wait(until: MonotonicClock.now() + Self.callbackTime)
    state.isWatched = false
    if !state.hasWork || state.inCallbacks == 0 || state.stuck + state.inCallbacks > stuckLimit {
      state.isWatchWanted = false
    } else if state.taken == taken {
      state.active -= state.inCallbacks
      state.stuck += state.inCallbacks
      state.inCallbacks = 0
      state.declaredStuck = state.callbacks
      state.isWatchWanted = false
    }
  }

  /// Runs `body`, which may take long. Another thread may take this one's place meanwhile, unless too many are slow.
  func beingSlow<T>(_ body: () throws -> T) rethrows -> T {
    let isReplaced = lock.withLock {
      guard state.slow < slowLimit else { return false }
      state.active -= 1
      state.slow += 1
      // If another thread is active, it will take the waiting jobs.
      if state.active <= state.inCallbacks, state.hasWork { call() }
      return true
    }
    defer {
      if isReplaced {
        lock.withLock {
          state.active += 1
          state.slow -= 1
        }
      }
    }
    return try body()
  }

  /// Thrown if a slow job has not begun because too many threads are slow: it has to wait in the queue.
  struct Postponed: Error {}

  /// The same for work that can be postponed: throws if too many threads are slow. Submit it as a slow job then.
  func beingSlowInTurn<T>(_ body: () throws -> T) throws -> T {
    // Another thread may become slow between this check and the next lock, so for a moment there may be one too many.
    guard lock.withLock({ state.slow < slowLimit }) else { throw Postponed() }
    return try beingSlow(body)
  }

  private func work() {
    lock.withLock {
      state.started -= 1
      state.active += 1
    }
    while let job = next() { job.run(on: self) }
  }

  /// The next job; nil if there was none for long enough and the thread should end.
  private func next() -> (any Job)? {
    lock.lock()
    defer { lock.unlock() }
    var isFresh = true
    let deadline = MonotonicClock.now() + Self.patience
    while true {
      // There are more active threads than processors for a moment when slow ones have come back.
      if state.active <= limit, let next = state.next() {
        if !next.isSlow { waiting.subtract(1, ordering: .releasing) }
        // The thread that was to watch callbacks may be the one that takes this job.
        if !state.isWatched { state.isWatchWanted = false }
        if state.hasSlow || state.hasQuick && looking.load(ordering: .relaxed) == 0 { call() }
        return next.job
      }
      let isLooking = lookOut(isFresh)
      isFresh = false
      if isLooking { continue }
      state.active -= 1
      // There is work that this thread may not take, because too many are active, and threads in callbacks won't take
      // it either.
      if state.hasWork, state.inCallbacks >= state.active { state.isWatchWanted = true }
      if state.isWatchWanted, !state.isWatched {
        watchCallbacks()
      } else if MonotonicClock.now() >= deadline {
        return nil
      } else {
        state.asleep += 1
        lock.wait(until: deadline)
        state.asleep -= 1
      }
      // A thread that was called may have woken for another reason, and the signal then woke a different one. So keep
      // the count in range.
      state.called = max(0, min(state.called - 1, state.asleep))
      state.active += 1
    }
  }

  /// Polls for work while a processor would otherwise be idle. Returns false if polling is not worth it or another
  /// thread polls. The caller holds the lock, which is released meanwhile.
  private func lookOut(_ hasWorked: Bool) -> Bool {
    let now = MonotonicClock.now()
    var end = expected.load(ordering: .relaxed)
    if hasWorked, state.slow + state.stuck == 0, limit > 1 {
      end = max(end, now + (state.usualGap < Self.longLook ? Self.longLook : Self.shortLook))
    }
    guard end > now, !state.hasWork,
      looking.compareExchange(expected: 0, desired: 1, ordering: .sequentiallyConsistent).exchanged
    else { return false }
    lock.unlock()
    while waiting.load(ordering: .acquiring) == 0,
      MonotonicClock.now() < max(end, expected.load(ordering: .relaxed))
    {
      for _ in 0..<8 { Processor.pause() }
    }
    lock.lock()
    looking.store(0, ordering: .sequentiallyConsistent)
    return true
  }

  /// A commit has begun, so work is about to arrive: a thread that wakes up now is ready in time.
  ///
  /// It does nothing while a thread is slow: the processors are busy then, and the writer would pay for it.
  func expect() {
    guard limit > 1 else { return }
    if looking.load(ordering: .sequentiallyConsistent) > 0 { return lookLonger() }
    lock.withLock {
      guard state.slow + state.stuck == 0 else { return }
      lookLonger()
      if state.active + state.called + state.started == 0 { wake() }
    }
  }

  private func lookLonger() { expected.store(MonotonicClock.now() + Self.longLook, ordering: .relaxed) }
}

extension EvaluationPool {
  /// Runs something slow on one of the threads, without blocking the calling task. When the task is cancelled the call
  /// ends at once, and work that has begun is interrupted.
  func run<T: Sendable>(_ body: @escaping @Sendable (Connection.Access) throws -> T) async throws -> T {
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
    private let access = Connection.Access()
    private let lock = Lock()
    // because every access is under `lock`
    nonisolated(unsafe) private var body: (@Sendable (Connection.Access) throws -> T)?
    // because every access is under `lock`
    nonisolated(unsafe) private var continuation: CheckedContinuation<T, any Error>?

    init(_ body: @escaping @Sendable (Connection.Access) throws -> T) { self.body = body }

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
