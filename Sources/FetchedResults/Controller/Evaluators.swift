import SQLiteStore
import Synchronization

/// The threads that evaluate what commits did to the lists of one database.
///
/// Not the writer's, which must not wait for a list; and not Swift's or Dispatch's, which a long query would keep from
/// everybody else. There are as many at work as there are processors. A thread that is about to be slow, running a whole query or
/// somebody's callback, says so, and another takes its place meanwhile.
///
/// Waking a thread takes longer than evaluating a commit. So where commits have followed each other closely, a thread that has
/// run out of work looks out for more before it sleeps: for as long as they were apart, or for a few microseconds where they
/// are rare.
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
  private let limit: Int
  private static let patience: UInt64 = 2_000_000_000
  /// How long to look out for work: at most, and where it is rare.
  private static let longLook: UInt64 = 300_000
  private static let shortLook: UInt64 = 10_000

  private struct State {
    var jobs: [any Job] = []
    var first = 0
    /// Threads that work, or look for work.
    var active = 0
    var asleep = 0
    /// Threads that are slow at the moment.
    var slow = 0
    /// When work came last, and how far apart it has come of late.
    var lastArrival: UInt64 = 0
    var usualGap: UInt64 = .max

    mutating func next() -> (any Job)? {
      guard first < jobs.count else { return nil }
      let job = jobs[first]
      first += 1
      if first == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        first = 0
      }
      return job
    }
  }

  init(processors: Int) { limit = max(1, processors) }

  /// Has a job done. It is done in turn, unless threads are slow.
  func submit(_ job: any Job) {
    let now = MonotonicClock.now()
    lock.lock()
    // A gap counts for an eighth, so that one pause among many commits is no reason to sleep, nor one pair to stay awake.
    let gap = min(now &- state.lastArrival, 10_000_000)
    state.lastArrival = now
    state.usualGap = state.usualGap == .max ? gap : (state.usualGap * 7 + gap) / 8
    state.jobs.append(job)
    waiting.add(1, ordering: .releasing)
    // Whoever is looking finds it.
    if looking.load(ordering: .sequentiallyConsistent) > 0 { return lock.unlock() }
    call()
    lock.unlock()
  }

  /// Wakes a thread or starts one, if there may be one more. The caller holds the lock.
  private func call() {
    guard state.active < limit else { return }
    if state.asleep > 0 {
      lock.wakeOne()
    } else {
      state.active += 1
      if !BackgroundThread.start({ [self] in work() }) { state.active -= 1 }
    }
  }

  /// Runs `body`, which may take long, while another thread may take this one's place.
  func beingSlow<T>(_ body: () throws -> T) rethrows -> T {
    lock.withLock {
      state.active -= 1
      state.slow += 1
      // While somebody is at work the rest is done in turn: most callbacks are over before another thread is awake.
      if state.active == 0, state.first < state.jobs.count { call() }
    }
    defer {
      lock.withLock {
        state.active += 1
        state.slow -= 1
      }
    }
    return try body()
  }

  private func work() {
    while let job = next() { job.run(on: self) }
  }

  /// The next job; nil when there was none for long enough, and the thread is to end.
  private func next() -> (any Job)? {
    let (job, gap) = take()
    if let job { return job }
    // One looks out, where a processor would have nothing to do; the others sleep.
    if gap < .max, looking.compareExchange(expected: 0, desired: 1, ordering: .sequentiallyConsistent).exchanged {
      let end = MonotonicClock.now() + (gap < Self.longLook ? Self.longLook : Self.shortLook)
      while waiting.load(ordering: .acquiring) == 0, MonotonicClock.now() < end {
        for _ in 0..<8 { Processor.pause() }
      }
      lock.lock()
      looking.store(0, ordering: .sequentiallyConsistent)
    } else {
      lock.lock()
    }
    defer { lock.unlock() }
    let deadline = MonotonicClock.now() + Self.patience
    while true {
      // More threads than should be are at work when some that were slow have come back.
      if state.active <= limit, let job = state.next() {
        waiting.subtract(1, ordering: .releasing)
        if state.first < state.jobs.count, looking.load(ordering: .relaxed) == 0 { call() }
        return job
      }
      if MonotonicClock.now() >= deadline {
        state.active -= 1
        return nil
      }
      state.active -= 1
      state.asleep += 1
      lock.wait(until: deadline)
      state.asleep -= 1
      state.active += 1
    }
  }

  /// A job, if one waits; and how far apart jobs have come.
  private func take() -> ((any Job)?, gap: UInt64) {
    lock.withLock {
      guard state.active <= limit, let job = state.next() else {
        return (nil, state.slow == 0 && limit > 1 ? state.usualGap : .max)
      }
      waiting.subtract(1, ordering: .releasing)
      return (job, state.usualGap)
    }
  }
}

extension Evaluators {
  /// Runs something slow on one of the threads, without blocking the calling task.
  func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      submit(Once(body, continuation))
    }
  }

  private final class Once<T: Sendable>: Job {
    private let body: @Sendable () throws -> T
    private let continuation: CheckedContinuation<T, any Error>

    init(_ body: @escaping @Sendable () throws -> T, _ continuation: CheckedContinuation<T, any Error>) {
      self.body = body
      self.continuation = continuation
    }

    func run(on evaluators: Evaluators) {
      continuation.resume(with: Result { try evaluators.beingSlow(body) })
    }
  }
}
