import FetchedResultsSupport
import Synchronization

/// The threads on which observers of commits are called.
///
/// They are not the threads that write, evaluate lists or watch for foreign commits, so a slow handler delays only
/// itself. A handler that never returns keeps its thread. The number of threads is limited: once all of them are
/// blocked, no observer of this database is called any more.
final class Callbacks: Sendable {
  private let lock = Lock()
  private let limit: Int
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()
  private static let patience: UInt64 = 2_000_000_000
  /// The number of queues to empty, whether a thread polls for one, and until when.
  private let waiting = Atomic<Int>(0)
  private let isLooking = Atomic<Bool>(false)
  private let expected = Atomic<UInt64>(0)
  /// How long a thread polls for a commit that may be found soon, or for the next one if they follow each other
  /// closely. Waking a thread costs a writer more than its commit.
  private static let look: UInt64 = 400_000

  private struct State {
    var queues: [ObserverQueue] = []
    var idle = 0
    var threads = 0
    /// When the last queue was submitted, and the average time between recent ones.
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

  /// A commit may be found in a moment: wakes a sleeping thread now, because that takes longer than most handlers.
  func expect() {
    expected.store(MonotonicClock.now() + Self.look, ordering: .relaxed)
    if isLooking.load(ordering: .relaxed) { return }
    lock.withLock { if state.idle > 0 { lock.wakeOne() } }
  }

  /// Schedules a queue to be emptied on one of the threads.
  func submit(_ queue: ObserverQueue) {
    let needsThread = lock.withLock {
      state.add(queue)
      waiting.add(1, ordering: .releasing)
      // The polling thread finds it.
      if state.queues.count == 1, isLooking.load(ordering: .relaxed) { return false }
      if state.idle >= state.queues.count || state.threads == limit {
        lock.wakeOne()
        return false
      }
      state.threads += 1
      return true
    }
    // If no thread can be started, the next free one takes the queue.
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

  /// Polls for a queue as long as one is expected. Returns false if none is expected or another thread polls. The
  /// caller holds the lock, which is released meanwhile.
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

/// The commits that an observer has not received yet, in order. For a slow observer they are merged.
final class ObserverQueue: Sendable {
  private let callbacks: Callbacks
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state: State

  private struct State {
    var handler: (@Sendable (Commit) -> Void)?
    var commits: [Commit] = []
    /// The last commit that was added, and the last one for which the handler has returned.
    var last: UInt64 = 0
    var told: UInt64 = 0
    var isScheduled = false
    var caller: ThreadID?
  }

  /// When this many commits are waiting, they are merged.
  static let most = 256
  /// If merged commits have more changed rows of a table than this, any row may have changed: a writer must not pay for
  /// a slow observer.
  fileprivate static let mostKeys = 16_384
  /// How many commits an observer receives in a row while others wait for the thread.
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
      if state.commits.count >= Self.most { state.commits = [state.commits.united()] }
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isNew { callbacks.submit(self) }
  }

  /// Calls the handler with some of the waiting commits; returns true if there are more.
  fileprivate func callSome() -> Bool {
    for _ in 0..<Self.turns {
      guard let (handler, commit) = next() else { return false }
      handler(commit)
      lock.withLock {
        // The handler may have ended its own observation; then later commits don't count any more.
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

  /// Stops calling the handler. What the handler holds is released outside the lock.
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

  /// Waits until the handler has returned for all commits added by now. Returns false if for the length of the timeout
  /// no call of the handler has returned. Inside the handler it returns at once.
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

extension [Commit] {
  /// These commits as one.
  func united() -> Commit { count == 1 ? self[0] : Commit(uniting: self, limit: ObserverQueue.mostKeys) }
}

extension Commit {
  /// Merges several commits into one, with the sequence number of the last. For a table with more keys than the limit
  /// it reports that any row may have changed.
  fileprivate init(uniting commits: [Commit], limit: Int) {
    var rowIDs: [String: [Int64]] = [:]
    var primaryKeys: [String: Set<[Value]>] = [:]
    // What is more than the limit already is not collected further.
    var others: [String: DirtyKeys] = [:]
    for commit in commits {
      for (table, keys) in commit.changes {
        if case .everything? = others[table] { continue }
        switch keys {
        case .rowIDs(let ids):
          rowIDs[table, default: []] += ids
          guard let count = rowIDs[table]?.count, count > 4 * limit else { continue }
          let unique = (rowIDs[table] ?? []).sortedAndUnique()
          rowIDs[table] = unique
          if unique.count > limit { others[table] = .everything(.overflow) }
        case .primaryKeys(let keys):
          primaryKeys[table, default: []].formUnion(keys)
          if let count = primaryKeys[table]?.count, count > limit { others[table] = .everything(.overflow) }
        case .everything: others[table] = keys
        }
      }
    }
    for (table, ids) in rowIDs {
      let keys = DirtyKeys.rowIDs(ids.sortedAndUnique())
      others[table] = others[table]?.union(keys) ?? keys
    }
    for (table, keys) in primaryKeys {
      let keys = DirtyKeys.primaryKeys(keys)
      others[table] = others[table]?.union(keys) ?? keys
    }
    self.init(
      sequence: commits.last?.sequence ?? 0,
      isForeign: commits.contains(where: \.isForeign),
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
