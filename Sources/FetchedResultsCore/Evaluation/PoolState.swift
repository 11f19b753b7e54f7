/// The decisions of an `EvaluationPool`, as a state machine: which thread runs which job, and which ones poll, sleep or
/// end.
///
/// It has no lock, no thread and no clock. Events go in as functions, with the time in nanoseconds, and actions come
/// out. So tests can explore in which order events may come, without threads.
///
/// A thread is active while it runs a job or polls. It gives up that place while it is slow, and if its callback is
/// declared stuck, and takes it again when it comes back. So there can be more active threads than `limit` for a
/// moment. They finish their jobs, but take no others.
struct PoolState<Job> {
  /// The thread that the pool must wake or start after an event, so that it looks for work.
  enum Call: Equatable {
    case nobody
    /// One of the threads that sleep.
    case sleeper
    /// A thread that must be started. If that fails, call `threadFailedToStart(isWatcher:)`.
    case newThread(isWatcher: Bool)
    /// The thread that polls, which only looks for quick jobs.
    case poller
  }

  /// What a thread that looks for work does next.
  enum Step {
    case run(Job, then: Call)
    /// Poll until a quick job is submitted, the thread is called, or the time has passed; then `pollEnded`.
    case poll(until: UInt64)
    /// Sleep while others are in callbacks; then `watchEnded`.
    case watchCallbacks(until: UInt64)
    /// Sleep until called; then `threadWoke`.
    case sleep(until: UInt64)
    case end
  }

  /// A thread's search for its next job.
  struct Search {
    /// When the thread ends if it has found none.
    let deadline: UInt64
    /// Whether the thread has neither polled nor slept since its last job.
    fileprivate(set) var isFresh = true

    init(at now: UInt64) { deadline = now + 2_000_000_000 }
  }

  /// How long to poll for work, in nanoseconds: at most, and if work is rare.
  static var longPoll: UInt64 { 300_000 }
  static var shortPoll: UInt64 { 10_000 }
  /// How long a job may wait, in nanoseconds, while all threads are in callbacks.
  static var callbackTime: UInt64 { 300_000 }
  /// How many quick jobs may be taken before a slow one that waits.
  static var mostBeforeSlow: Int { 8 }

  /// How many threads may be active, slow, and stuck in callbacks.
  let limit: Int
  let slowLimit: Int
  let stuckLimit: Int

  private var quick = JobQueue<Job>()
  /// Jobs that are known to be slow, in order.
  private var slowJobs = JobQueue<Job>()
  /// How many quick jobs have been taken since the last slow one.
  private(set) var sinceSlow = 0
  /// How many jobs have been taken.
  private var taken = 0

  /// Threads that work or poll for work.
  private(set) var active = 0
  /// Threads that sleep; how many of them have been woken but don't run yet; and threads that are being started.
  private(set) var asleep = 0
  private(set) var called = 0
  private(set) var started = 0
  /// Threads that run slow jobs now, and threads that are stuck in callbacks.
  private(set) var slow = 0
  private(set) var stuck = 0
  /// Active threads that are in a user's callback.
  private(set) var inCallbacks = 0
  /// The number of the last callback, and the number up to which callbacks have been declared stuck.
  private var callbacks = 0
  private(set) var declaredStuck = 0

  /// Whether a thread should watch for callbacks that block, and whether one does.
  private(set) var isWatchWanted = false
  private(set) var isWatched = false
  /// When the watch ends, and how many jobs had been taken when it began.
  private var watchEnd: UInt64 = 0
  private var takenBeforeWatch = 0

  /// Whether a thread polls, and until when threads should, because a commit has begun.
  private(set) var isPolling = false
  private(set) var expectedUntil: UInt64 = 0
  /// When the last quick job was submitted, and the average time between recent ones.
  private var lastArrival: UInt64 = 0
  private(set) var usualGap: UInt64 = .max

  init(limit: Int, slowLimit: Int, stuckLimit: Int) {
    self.limit = limit
    self.slowLimit = slowLimit
    self.stuckLimit = stuckLimit
  }

  /// The number of jobs that wait and are not known to be slow.
  var quickCount: Int { quick.count }
  private var hasSlow: Bool { slowJobs.count > 0 && slow < slowLimit }
  /// Whether there is a job that a thread may take.
  var hasWork: Bool { quick.count > 0 || hasSlow }
  /// Whether one more thread may be slow.
  var mayBeSlow: Bool { slow < slowLimit }

  // MARK: Jobs

  /// A job is queued: at the end, or before all others if `isFirst`. Slow jobs have a queue of their own.
  mutating func jobSubmitted(_ job: Job, isSlow: Bool, isFirst: Bool, at now: UInt64) -> Call {
    if isSlow {
      slowJobs.append(job)
      return hasSlow ? call() : .nobody
    }
    if isFirst { quick.prepend(job) } else { quick.append(job) }
    noteArrival(at: now)
    // The polling thread finds the job.
    return isPolling ? .nobody : call()
  }

  /// The next job: a slow one after some quick ones, or if there are no quick ones.
  private mutating func takeJob() -> Job? {
    if hasSlow, quick.count == 0 || sinceSlow >= Self.mostBeforeSlow {
      sinceSlow = 0
      taken += 1
      return slowJobs.popFirst()
    }
    guard let job = quick.popFirst() else { return nil }
    sinceSlow += 1
    taken += 1
    return job
  }

  /// Calls the polling thread, or another one if the limit allows one more.
  private mutating func call() -> Call {
    if isPolling { return .poller }
    if active + called + started < limit { return wake() }
    // A thread that comes anyway will watch if it may not take a job.
    if inCallbacks >= active, !isWatchWanted, called + started == 0 {
      isWatchWanted = true
      return wake(isWatcher: true)
    }
    return .nobody
  }

  private mutating func wake(isWatcher: Bool = false) -> Call {
    if asleep > called {
      called += 1
      return .sleeper
    }
    started += 1
    return .newThread(isWatcher: isWatcher)
  }

  // MARK: Threads

  mutating func threadStarted() {
    started -= 1
    active += 1
  }

  mutating func threadFailedToStart(isWatcher: Bool) {
    started -= 1
    if isWatcher { isWatchWanted = false }
  }

  /// What an active thread without a job does next. It is no longer active after `watchCallbacks`, `sleep` and `end`.
  mutating func threadLooksForWork(_ search: inout Search, at now: UInt64) -> Step {
    if active <= limit, let job = takeJob() {
      // The thread that was to watch callbacks may be the one that takes this job.
      if !isWatched { isWatchWanted = false }
      // The polling thread finds quick jobs.
      return .run(job, then: hasSlow || quick.count > 0 && !isPolling ? call() : .nobody)
    }
    let end = pollEnd(search, at: now)
    search.isFresh = false
    if let end {
      isPolling = true
      return .poll(until: end)
    }
    active -= 1
    // There is work that this thread may not take, because too many are active, and threads in callbacks won't take it
    // either.
    if hasWork, inCallbacks >= active { isWatchWanted = true }
    if isWatchWanted, !isWatched {
      isWatched = true
      watchEnd = now + Self.callbackTime
      takenBeforeWatch = taken
      return .watchCallbacks(until: watchEnd)
    }
    if now >= search.deadline { return .end }
    asleep += 1
    return .sleep(until: search.deadline)
  }

  /// A thread no longer sleeps: it was called, its time has passed, or for no reason. It must look for work.
  mutating func threadWoke() {
    asleep -= 1
    becomeActive()
  }

  private mutating func becomeActive() {
    // A thread that was called may have woken for another reason, and the signal then woke a different one. So keep the
    // count in range.
    called = max(0, min(called - 1, asleep))
    active += 1
  }

  // MARK: Slow work

  /// A job is about to do something slow, and another thread may take the place of its thread until `slowEnded`. Nil if
  /// too many threads are slow.
  mutating func becameSlow() -> Call? {
    guard mayBeSlow else { return nil }
    active -= 1
    slow += 1
    // Another active thread will take the quick jobs, but may have enough of those to leave slow ones waiting.
    return (active <= inCallbacks ? hasWork : hasSlow) ? call() : .nobody
  }

  mutating func slowEnded() -> Call {
    active += 1
    slow -= 1
    // A slow job that the limit has kept waiting must not wait for what else this thread does.
    return slow == slowLimit - 1 && hasSlow ? call() : .nobody
  }

  // MARK: Callbacks

  /// A thread calls back. Returns the number of the callback, for `callbackEnded`.
  mutating func callbackBegan() -> (number: Int, Call) {
    callbacks += 1
    inCallbacks += 1
    return (callbacks, hasWork ? call() : .nobody)
  }

  mutating func callbackEnded(_ number: Int) {
    if number <= declaredStuck {
      stuck -= 1
      active += 1
    } else {
      inCallbacks -= 1
    }
  }

  /// The watching thread woke up, in time or before. If no job was taken for the whole time, the threads in callbacks
  /// are stuck, and others take their places. The watching thread must look for work.
  mutating func watchEnded(at now: UInt64) {
    isWatched = false
    if !hasWork || inCallbacks == 0 || stuck + inCallbacks > stuckLimit {
      isWatchWanted = false
    } else if taken == takenBeforeWatch, now >= watchEnd {
      active -= inCallbacks
      stuck += inCallbacks
      inCallbacks = 0
      declaredStuck = callbacks
      isWatchWanted = false
    }
    becomeActive()
  }

  // MARK: Polling

  /// Until when a thread polls, or nil if it doesn't.
  ///
  /// Waking a thread takes longer than evaluating a commit. So a thread polls before it sleeps: for long if jobs
  /// usually arrive soon enough, otherwise briefly. Only one thread polls at a time. While slow work needs the
  /// processors, none polls unless a commit has begun.
  private func pollEnd(_ search: Search, at now: UInt64) -> UInt64? {
    var end = expectedUntil
    if search.isFresh, slow + stuck == 0, limit > 1 {
      end = max(end, now + (usualGap < Self.longPoll ? Self.longPoll : Self.shortPoll))
    }
    return end > now && !hasWork && !isPolling ? end : nil
  }

  /// The poll has ended, and the thread must look for work. Meanwhile others may have expected commits.
  mutating func pollEnded(expectedUntil end: UInt64) {
    isPolling = false
    expectedUntil = max(expectedUntil, end)
  }

  /// A commit has begun, so that a thread which wakes up now is ready in time.
  ///
  /// Nobody is called while a thread is slow: the processors are busy then, and the writer would pay for it.
  mutating func commitExpected(at now: UInt64) -> Call {
    guard limit > 1, slow + stuck == 0 else { return .nobody }
    expectedUntil = now + Self.longPoll
    return active + called + started == 0 ? wake() : .nobody
  }

  /// A gap counts for an eighth, so that one pause among many commits doesn't send the thread to sleep, nor one quick
  /// pair keep it awake. Threads that submit together may do so in another order than they have read the clock.
  private mutating func noteArrival(at now: UInt64) {
    let gap = min(now - min(lastArrival, now), 10_000_000)
    lastArrival = max(lastArrival, now)
    usualGap = usualGap == .max ? gap : (usualGap * 7 + gap) / 8
  }
}
