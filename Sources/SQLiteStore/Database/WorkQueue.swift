/// Runs the asynchronous reads or writes of a database, at most so many at once, on threads of its own. They are started when
/// needed and end when they have had nothing to do for a while.
///
/// Whoever is called off while waiting is gone at once. Whoever waits for longer than the timeout, while nothing moves, gets an error as
/// the synchronous calls do: so two that wait for each other end.
final class WorkQueue: Sendable {
  private let lock = Lock()
  private let limit: Int
  private let timeout: UInt64
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()
  private static let patience: UInt64 = 2_000_000_000

  private struct State {
    var threads = 0
    var idle = 0
    /// In turn, from `first`. What was taken out is gone at once, as a job holds its database; so is one that was called off.
    var jobs: [Job?] = []
    var first = 0
    /// How many have gone from the front of `jobs`: a job's number, less this, is its place.
    var gone = 0
    /// How many of them are waiting.
    var waiting = 0
    var isWatched = false

    mutating func append(_ job: Job) {
      job.place.number = gone + jobs.count
      jobs.append(job)
      waiting += 1
    }

    mutating func popFirst() -> Job? {
      while first < jobs.count {
        let job = jobs[first]
        jobs[first] = nil
        first += 1
        if first > jobs.count / 2 {
          jobs.removeFirst(first)
          gone += first
          first = 0
        }
        guard let job else { continue }
        waiting -= 1
        return job
      }
      return nil
    }

    /// Takes out the job at a place; nil where it has begun, or is gone, or has not come yet.
    mutating func remove(at place: Place) -> Job? {
      guard let number = place.number, number - gone >= first else { return nil }
      defer { jobs[number - gone] = nil }
      guard let job = jobs[number - gone] else { return nil }
      waiting -= 1
      return job
    }

    mutating func remove(where isRemoved: (Job) -> Bool) -> [Job] {
      var removed: [Job] = []
      for place in first..<jobs.count {
        guard let job = jobs[place], isRemoved(job) else { continue }
        removed.append(job)
        jobs[place] = nil
      }
      waiting -= removed.count
      return removed
    }
  }

  /// Something to be run, or to be refused where it can't be.
  private final class Job: Sendable {
    let place: Place
    let since = MonotonicClock.now()
    let run: @Sendable (UInt64) -> Void
    let refuse: @Sendable (any Error) -> Void

    init(
      at place: Place, run: @escaping @Sendable (UInt64) -> Void, refuse: @escaping @Sendable (any Error) -> Void
    ) {
      self.place = place
      self.run = run
      self.refuse = refuse
    }
  }

  /// Where a job stands, for whoever calls it off.
  private final class Place: Sendable {
    let access = Connection.Access()
    // because every access is under the queue's lock
    nonisolated(unsafe) var number: Int?
  }

  init(limit: Int, timeout: UInt64) {
    self.limit = limit
    self.timeout = timeout
  }

  /// Runs `body` and waits for it without holding a thread; calls it off when the task is cancelled. `body` gets the time at which it
  /// began to wait.
  func run<T: Sendable>(
    on database: Database, _ body: @escaping @Sendable (Connection.Access, UInt64) throws -> T
  ) async throws -> T {
    try Task.checkCancellation()
    let place = Place()
    let access = place.access
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        submit(
          Job(at: place) { since in
            continuation.resume(
              with: Result {
                if access.isCancelled { throw CancellationError() }
                return try body(access, since)
              })
          } refuse: { error in
            continuation.resume(throwing: error)
          }, of: database)
      }
    } onCancel: {
      access.cancel()
      cancel(place)
      database.lane.nudge()
      for pool in database.pools { pool.nudge() }
    }
  }

  private func submit(_ job: Job, of database: Database) {
    let (needsThread, needsWatch) = lock.withLock {
      state.append(job)
      if state.idle >= state.waiting {
        lock.wakeAll()
        return (false, false)
      }
      if state.threads == limit {
        defer { state.isWatched = true }
        return (false, !state.isWatched)
      }
      state.threads += 1
      return (true, false)
    }
    // It may have been called off before it was here to be taken out.
    if job.place.access.isCancelled { cancel(job.place) }
    if needsWatch { watch(database) }
    if needsThread, !BackgroundThread.start({ [self] in work() }) {
      // No more threads: the caller's does what is waiting.
      while let job = lock.withLock({ state.popFirst() }) { job.run(job.since) }
      lock.withLock { state.threads -= 1 }
    }
  }

  private func cancel(_ place: Place) {
    let job = lock.withLock { state.remove(at: place) }
    job?.refuse(CancellationError())
  }

  /// Takes out those for which there is an error, and tells them.
  private func refuse(_ error: (Job) -> (any Error)?) {
    var errors: [any Error] = []
    let refused = lock.withLock {
      state.remove { job in
        guard let error = error(job) else { return false }
        errors.append(error)
        return true
      }
    }
    for (job, error) in zip(refused, errors) { job.refuse(error) }
  }

  /// Refuses those that have waited for too long, while anybody waits.
  private func watch(_ database: Database) {
    let busySince = database.busySince(self)
    let now = MonotonicClock.now()
    // The timeout counts from when the present holder came, or from when the job did, whichever is later. Without a holder, the threads of
    // this queue are on their way to their next job.
    if let busySince {
      refuse { job in now - min(now, max(job.since, busySince)) >= timeout ? database.isBusyError(self) : nil }
    }
    let next = lock.withLock { () -> UInt64? in
      let oldest = state.jobs[state.first...].lazy.compactMap { $0?.since }.first
      state.isWatched = oldest != nil
      return oldest.map { max($0, busySince ?? now) + timeout }
    }
    guard let next else { return }
    Alarm.shared.call(at: max(next, now + 1_000_000)) { [weak database, weak self] in
      guard let database else { return }
      self?.watch(database)
    }
  }

  private func work() {
    while let job = next() { job.run(job.since) }
  }

  /// The next job; nil, and the thread is no longer counted, when none came for long enough.
  private func next() -> Job? {
    lock.withLock {
      let deadline = MonotonicClock.now() + Self.patience
      state.idle += 1
      defer { state.idle -= 1 }
      while true {
        if let job = state.popFirst() { return job }
        if MonotonicClock.now() >= deadline {
          state.threads -= 1
          return nil
        }
        lock.wait(until: deadline)
      }
    }
  }
}
