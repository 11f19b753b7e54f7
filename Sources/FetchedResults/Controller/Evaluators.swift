import SQLiteStore
import Synchronization

/// The threads that evaluate what commits did to the lists of one database.
///
/// Not the writer's, which must not wait for a list; and not Swift's or Dispatch's, which a long query would keep from
/// everybody else. There are as many at work as there are processors. A thread that is about to be slow, running a whole query,
/// says so, and another takes its place meanwhile. Somebody's callback is mostly quick, so that changing places would cost more
/// than it; only when no work is taken for a while are those that are in callbacks declared stuck, and others take their places.
///
/// How many threads there are depends on the machine and on nothing else: one for each processor, those that are slow (twelve and two for
/// each processor), and those that are kept by callbacks that don't return (32 and 16 for each processor). Beyond that, what is slow
/// waits in turn for another that is slow, and callbacks that don't return keep all lists of the database waiting.
///
/// Waking a thread takes longer than evaluating a commit. So where commits have followed each other closely, a thread that has
/// run out of work looks out for more before it sleeps: for as long as they were apart, or for a few microseconds where they
/// are rare. And one that sleeps is woken as soon as a commit begins to be made.
final class Evaluators: Sendable {
  /// Something to be done, once, on one of the threads.
  protocol Job: AnyObject, Sendable {
    func run(on evaluators: Evaluators)
  }

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()
  private let waiting = Atomic<Int>(0)
  private let looking = Atomic<Int>(0)
  /// Until when work is expected.
  private let expected = Atomic<UInt64>(0)
  private let limit: Int
  private let slowLimit: Int
  private let stuckLimit: Int
  private static let patience: UInt64 = 2_000_000_000
  /// How long to look out for work: at most, and where it is rare.
  private static let longLook: UInt64 = 300_000
  private static let shortLook: UInt64 = 10_000

  /// How long work may lie while all threads are in callbacks.
  private static let callbackTime: UInt64 = 300_000

  private struct State {
    // In turn, from `first`. What was taken out is gone at once, as a job may hold a list.
    var jobs: [(any Job)?] = []
    var first = 0
    /// Those that are known to be slow, in turn.
    var slowJobs: [any Job] = []
    /// How many others have been taken since one of those was.
    var sinceSlow = 0
    /// Threads that work, or look for work.
    var active = 0
    /// Threads that sleep, and how many of them have been woken and are not up yet, or are only being started.
    var asleep = 0
    var called = 0
    var started = 0
    /// Those of the active that are in somebody's callback.
    var inCallbacks = 0
    /// The number of the last callback, and of the last that was declared stuck with all before it.
    var callbacks = 0
    var declaredStuck = 0
    /// How many jobs have been taken.
    var taken = 0
    /// Whether a thread is to see to it that callbacks hold nothing up, and whether one does.
    var isWatchWanted = false
    var isWatched = false
    /// Threads that are slow at the moment, and such that are kept by callbacks.
    var slow = 0
    var stuck = 0
    var slowLimit = 0
    /// When work came last, and how far apart it has come of late.
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
    /// Whether there is work that a thread could take.
    var hasWork: Bool { hasQuick || hasSlow }

    /// The next job, and whether it is one that is known to be slow. Those come in turn with the others.
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

  /// Has a job done that is slow all the time, as a whole query is.
  func submit(_ job: any Job, isSlow: Bool) {
    lock.withLock {
      state.slowJobs.append(job)
      if state.hasSlow { call() }
    }
  }

  /// Has a job done. It is done in turn, unless threads are slow, or before all others.
  func submit(_ job: any Job, first isFirst: Bool = false) {
    let now = MonotonicClock.now()
    lock.lock()
    // A gap counts for an eighth, so that one pause among many commits is no reason to sleep, nor one pair to stay awake.
    let gap = min(now &- state.lastArrival, 10_000_000)
    state.lastArrival = now
    state.usualGap = state.usualGap == .max ? gap : (state.usualGap * 7 + gap) / 8
    state.add(job, isFirst)
    waiting.add(1, ordering: .releasing)
    // Whoever is looking finds it.
    if looking.load(ordering: .sequentiallyConsistent) > 0 { return lock.unlock() }
    call()
    lock.unlock()
  }

  /// Whether there is work that nobody has begun.
  var hasMore: Bool { waiting.load(ordering: .relaxed) > 0 }

  /// Wakes a thread or starts one, if there may be one more. The caller holds the lock.
  private func call() {
    if state.active + state.called + state.started < limit {
      wake()
    } else if state.inCallbacks >= state.active, !state.isWatchWanted {
      state.isWatchWanted = wake()
    }
  }

  /// Has one more thread look for work; false where there can't be one.
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

  /// Runs somebody's callback, which mostly takes no time.
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

  /// Sleeps, and has others take the places of those that were in callbacks all the while. The caller holds the lock.
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

  /// Runs `body`, which may take long, while another thread may take this one's place, unless too many are slow.
  func beingSlow<T>(_ body: () throws -> T) rethrows -> T {
    let isReplaced = lock.withLock {
      guard state.slow < slowLimit else { return false }
      state.active -= 1
      state.slow += 1
      // While somebody is at work the rest is done in turn.
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

  /// Why something slow has not begun: so much is slow that it has to come in turn.
  struct Postponed: Error {}

  /// The same for work that can be put off: throws where too many threads are slow. Submit it as slow then.
  func beingSlowInTurn<T>(_ body: () throws -> T) throws -> T {
    // Between the look and the other lock another may become slow, so that for a moment one more is.
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

  /// The next job; nil when there was none for long enough, and the thread is to end.
  private func next() -> (any Job)? {
    lock.lock()
    defer { lock.unlock() }
    var isFresh = true
    let deadline = MonotonicClock.now() + Self.patience
    while true {
      // More threads than should be are at work when some that were slow have come back.
      if state.active <= limit, let next = state.next() {
        if !next.isSlow { waiting.subtract(1, ordering: .releasing) }
        // Whoever was to watch may be who takes this.
        if !state.isWatched { state.isWatchWanted = false }
        if state.hasSlow || state.hasQuick && looking.load(ordering: .relaxed) == 0 { call() }
        return next.job
      }
      let isLooking = lookOut(isFresh)
      isFresh = false
      if isLooking { continue }
      state.active -= 1
      // Work that this thread may not take, as too many are at it, and that nobody will take who is in a callback.
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
      // Who was called may have been woken otherwise, so that another got the call.
      state.called = max(0, min(state.called - 1, state.asleep))
      state.active += 1
    }
  }

  /// Looks out for work, where a processor would have nothing to do; false where that is not worth it, or another thread does.
  /// The caller holds the lock, which is let go meanwhile.
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

  /// Work is about to come, with a commit that is being made: a thread that wakes up meanwhile is there in time.
  ///
  /// Not while one is slow: the processors have something to do then, and the writer would pay for it.
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

extension Evaluators {
  /// Runs something slow on one of the threads, without blocking the calling task. When the task is cancelled it ends at once; what has
  /// begun is called off.
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

    /// False where it has been cancelled already.
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
      // The flag under the lock, so that who begins sees it or is seen. What the closure holds goes outside of it.
      let (body, continuation) = lock.withLock {
        access.cancel()
        defer { (self.body, self.continuation) = (nil, nil) }
        return (self.body, self.continuation)
      }
      withExtendedLifetime(body) {}
      continuation?.resume(throwing: CancellationError())
    }

    func run(on evaluators: Evaluators) {
      let taken = lock.withLock {
        defer { body = nil }
        return body
      }
      guard let body = taken else { return }
      let result = Result { try evaluators.beingSlow { try body(access) } }
      let waiting = lock.withLock {
        defer { continuation = nil }
        return continuation
      }
      waiting?.resume(with: result)
    }
  }
}
