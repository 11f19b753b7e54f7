import FetchedResultsSupport

/// A result on its way to the caller. Nobody else can use it, which the compiler has checked where it was made.
struct Sent<T>: @unchecked Sendable {  // because it is made of what a closure returns as `sending`, and opened once
  let value: T
}

/// Runs the asynchronous reads or writes of a database on its own threads, with a limit on how many run at once.
/// Threads are started when needed, and end after some time without work, or when the database is closed or released.
///
/// A waiting job that is cancelled is removed at once. A job that waits for longer than the timeout while nothing moves
/// gets an error, like a synchronous call. So two calls that wait for each other end.
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
    /// In order, from `first`. A job that was taken or cancelled is removed from the array at once, because it holds
    /// its database.
    var jobs: [Job?] = []
    var first = 0
    /// How many entries have been removed from the front of `jobs`: a job's number minus this is its index.
    var gone = 0
    /// The number of waiting jobs.
    var waiting = 0
    var isWatched = false
    /// Whether the database is closed or released: threads without work end at once.
    var isFinished = false

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

    /// Removes and returns a job; nil if it has begun, was removed, or has not been added yet.
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

  /// Work to run, or to refuse if it can't run.
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

  /// The position of a job, for cancelling it.
  private final class Place: Sendable {
    let access = Connection.Access()
    // because every access is under the queue's lock
    nonisolated(unsafe) var number: Int?
  }

  init(limit: Int, timeout: UInt64) {
    self.limit = limit
    self.timeout = timeout
  }

  /// Runs `body` and waits for it without blocking a thread; cancels it when the task is cancelled. `body` receives the
  /// time at which it began to wait.
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
      database.writerLock.nudge()
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
    // It may have been cancelled before it was added, when it could not be removed.
    if job.place.access.isCancelled { cancel(job.place) }
    if needsWatch { watch(database) }
    if needsThread, !BackgroundThread.start({ [self] in work() }) {
      // No thread can be started: the caller's thread runs the waiting jobs.
      while let job = lock.withLock({ state.popFirst() }) { job.run(job.since) }
      lock.withLock { state.threads -= 1 }
    }
  }

  private func cancel(_ place: Place) {
    let job = lock.withLock { state.remove(at: place) }
    job?.refuse(CancellationError())
  }

  /// Removes the jobs for which `error` returns an error, and refuses them with it.
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

  /// Refuses the jobs that have waited for too long, and checks again later as long as jobs are waiting.
  private func watch(_ database: Database) {
    let busySince = database.busySince(self)
    let now = MonotonicClock.now()
    // The timeout counts from when the current holder took over, or from when the job was added, whichever is later. If
    // there is no holder, the threads of this queue are about to take their next job.
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

  /// How many threads wait for work, for tests.
  var idleThreads: Int { lock.withLock { state.idle } }

  /// Refuses the jobs that wait, as the database is being closed.
  func refuseWaiting() { refuse { _ in DatabaseError.misuse("the database has been closed") } }

  /// Ends the threads that have no work, and the others after theirs.
  func finish() {
    lock.withLock {
      state.isFinished = true
      lock.wakeAll()
    }
  }

  private func work() {
    while let job = next() { job.run(job.since) }
  }

  /// The next job; nil if none was added for long enough. The thread is no longer counted then.
  private func next() -> Job? {
    lock.withLock {
      let deadline = MonotonicClock.now() + Self.patience
      state.idle += 1
      defer { state.idle -= 1 }
      while true {
        if let job = state.popFirst() { return job }
        if state.isFinished || MonotonicClock.now() >= deadline {
          state.threads -= 1
          return nil
        }
        lock.wait(until: deadline)
      }
    }
  }
}
