import Synchronization

/// The threads on which observers of commits are called.
///
/// Not those that write, evaluate lists or look for others' commits: whoever is slow holds up nobody but itself. A handler that never
/// returns keeps its thread. There are at most so many, and once all of them are kept, no observer of this database is called any more.
final class Callbacks: Sendable {
  private let lock = Lock()
  private let limit: Int
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()
  private static let patience: UInt64 = 2_000_000_000
  /// How many queues there are to be emptied, whether a thread looks out for one, and until when.
  private let waiting = Atomic<Int>(0)
  private let isLooking = Atomic<Bool>(false)
  private let expected = Atomic<UInt64>(0)
  /// How long a thread looks out for a commit that may be about to be found, or for the next one where they follow each other closely:
  /// to wake one costs a writer more than its commit.
  private static let look: UInt64 = 400_000

  private struct State {
    var queues: [ObserverQueue] = []
    var idle = 0
    var threads = 0
    /// When a queue came last, and how far apart they have come of late.
    var lastArrival: UInt64 = 0
    var usualGap: UInt64 = .max

    mutating func add(_ queue: ObserverQueue) {
      let now = MonotonicClock.now()
      let gap = min(now &- lastArrival, 10_000_000)
      lastArrival = now
      usualGap = usualGap == .max ? gap : (usualGap * 7 + gap) / 8
      queues.append(queue)
    }
  }

  init(limit: Int = 16 + 4 * Processor.count) { self.limit = limit }

  /// A commit may be found in a moment: a thread that waits wakes up meanwhile, which takes longer than most handlers.
  func expect() {
    expected.store(MonotonicClock.now() + Self.look, ordering: .relaxed)
    if isLooking.load(ordering: .relaxed) { return }
    lock.withLock { if state.idle > 0 { lock.wakeOne() } }
  }

  /// Has a queue emptied on one of the threads.
  func submit(_ queue: ObserverQueue) {
    let needsThread = lock.withLock {
      state.add(queue)
      waiting.add(1, ordering: .releasing)
      // Whoever is looking finds it.
      if state.queues.count == 1, isLooking.load(ordering: .relaxed) { return false }
      if state.idle >= state.queues.count || state.threads == limit {
        lock.wakeOne()
        return false
      }
      state.threads += 1
      return true
    }
    // Without a thread the next one does it that there is.
    if needsThread, !BackgroundThread.start({ [self] in work() }) { lock.withLock { state.threads -= 1 } }
  }

  private func work() {
    while let queue = next() {
      if queue.callSome() { submit(queue) }
    }
  }

  private func next() -> ObserverQueue? {
    lock.withLock {
      let deadline = MonotonicClock.now() + Self.patience
      state.idle += 1
      defer { state.idle -= 1 }
      if state.usualGap < Self.look { expected.store(MonotonicClock.now() + Self.look, ordering: .relaxed) }
      while state.queues.isEmpty {
        if MonotonicClock.now() >= deadline {
          state.threads -= 1
          return nil
        }
        if !lookOut() { lock.wait(until: deadline) }
      }
      waiting.subtract(1, ordering: .releasing)
      return state.queues.removeFirst()
    }
  }

  /// Looks out for a queue as long as one is expected; false where that is not so, or another thread does. The caller holds the lock,
  /// which is let go meanwhile.
  private func lookOut() -> Bool {
    guard Processor.count > 1, expected.load(ordering: .relaxed) > MonotonicClock.now(),
      !isLooking.load(ordering: .relaxed)
    else { return false }
    isLooking.store(true, ordering: .relaxed)
    lock.unlock()
    while waiting.load(ordering: .acquiring) == 0, MonotonicClock.now() < expected.load(ordering: .relaxed) {
      for _ in 0..<8 { Processor.pause() }
    }
    lock.lock()
    isLooking.store(false, ordering: .relaxed)
    return true
  }
}

/// The commits that an observer is yet to be called with, in order. Of one who is slow, they are united.
final class ObserverQueue: Sendable {
  private let callbacks: Callbacks
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state: State

  private struct State {
    var handler: (@Sendable (Commit) -> Void)?
    var commits: [Commit] = []
    /// The last commit that was put in, and the last that the handler was called with and has returned from.
    var last: UInt64 = 0
    var told: UInt64 = 0
    var isScheduled = false
    var caller: ThreadID?
  }

  /// So many commits wait one by one; then they are united.
  private static let most = 256
  /// Of more rows of a table than these it is told that any may have changed: who puts a commit in must not pay for who is slow.
  private static let mostKeys = 16_384
  /// How many commits an observer is called with while others wait for the thread.
  private static let turns = 64

  init(_ callbacks: Callbacks, _ handler: @escaping @Sendable (Commit) -> Void) {
    self.callbacks = callbacks
    state = State(handler: handler)
  }

  func put(_ commit: Commit) {
    let isNew = lock.withLock {
      guard state.handler != nil else { return false }
      state.last = commit.sequence
      state.commits.append(commit)
      if state.commits.count >= Self.most { state.commits = [Commit(uniting: state.commits, limit: Self.mostKeys)] }
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isNew { callbacks.submit(self) }
  }

  /// Calls the handler with what there is; true when there is more.
  fileprivate func callSome() -> Bool {
    for _ in 0..<Self.turns {
      guard let (handler, commit) = next() else { return false }
      handler(commit)
      lock.withLock {
        // It may have ended itself, so that what came after is not told any more.
        state.told = max(state.told, commit.sequence)
        state.caller = nil
        lock.wakeAll()
      }
    }
    return lock.withLock {
      state.isScheduled = !state.commits.isEmpty
      return state.isScheduled
    }
  }

  private func next() -> (@Sendable (Commit) -> Void, Commit)? {
    lock.withLock {
      guard let handler = state.handler, !state.commits.isEmpty else {
        state.isScheduled = false
        return nil
      }
      state.caller = .current
      return (handler, state.commits.removeFirst())
    }
  }

  /// Calls the handler no more. What it holds goes outside of the lock.
  func end() {
    let handler = lock.withLock {
      defer {
        state.handler = nil
        state.commits = []
        state.told = state.last
        lock.wakeAll()
      }
      return state.handler
    }
    withExtendedLifetime(handler) {}
  }

  /// Waits until the handler has returned from all that is in by now; false where it has not returned from anything for so long. From
  /// inside the handler it returns at once.
  func flush(timeout: UInt64) -> Bool {
    lock.withLock {
      guard state.caller != .current else { return true }
      let goal = state.last
      var told = state.told
      var deadline = MonotonicClock.now() + timeout
      while state.told < goal {
        if state.told > told {
          told = state.told
          deadline = MonotonicClock.now() + timeout
        }
        if MonotonicClock.now() >= deadline { return false }
        lock.wait(until: deadline)
      }
      return true
    }
  }
}

extension Commit {
  /// Several as one, which has the last one's place. Of a table with more keys than the limit it says that any row may have changed.
  init(uniting commits: [Commit], limit: Int) {
    var rowIDs: [String: [Int64]] = [:]
    var others: [String: DirtyKeys] = [:]
    for commit in commits {
      for (table, keys) in commit.changes {
        if case .rowIDs(let ids) = keys {
          rowIDs[table, default: []] += ids
        } else {
          others[table] = others[table]?.union(keys) ?? keys
        }
      }
    }
    for (table, ids) in rowIDs {
      let keys = DirtyKeys.rowIDs(ids.sortedAndUnique())
      others[table] = others[table]?.union(keys) ?? keys
    }
    self.init(
      sequence: commits.last?.sequence ?? 0,
      origin: commits.contains { $0.origin == .foreign } ? .foreign : .local,
      changes: others.mapValues { $0.isMore(than: limit) ? .everything(.overflow) : $0 })
  }
}

extension DirtyKeys {
  fileprivate func isMore(than limit: Int) -> Bool {
    switch self {
    case .rowIDs(let ids): ids.count > limit
    case .primaryKeys(let keys): keys.count > limit
    case .everything: false
    }
  }
}
