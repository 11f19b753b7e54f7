import Synchronization

/// Who observes what, and the commits that are on their way to them.
///
/// Commits are put in under the writer's lane, which makes their order; they are handed out after it, by one thread at a
/// time and under no lock: to lists, which are woken, and into the queues of users' observers, which are called on other threads.
final class CommitFeed: Sendable {
  private let lock = Lock()
  // because every access is under `lock`; behind a pointer, as each access to a variable of a class is checked for
  // exclusiveness, which the lock makes sure of already and which would be most of what a commit costs here
  nonisolated(unsafe) private let state: UnsafeMutablePointer<State>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  private struct State {
    var observers: [Observer] = []
    var nextID = 0
    var sequence: UInt64 = 0
    var handedOut: UInt64 = 0
    var pending: [Commit] = []
    /// Room for what leaves next. The drainer takes it out of here for as long as it is at it.
    var leaving: [Commit] = []
    var drainer: ThreadID?
  }

  // What every write asks, without the lock.
  private let observerCount = Atomic<Int>(0)
  private let willCommitCount = Atomic<Int>(0)
  private let didCommitCount = Atomic<Int>(0)
  private let currentVersion = Atomic<Int>(0)
  // Whether others' commits are waiting to be handed out.
  private let holdsForeign = Atomic<Bool>(false)
  // A commit of ours is under way while the two differ.
  private let begun = Atomic<Int>(0)
  private let ended = Atomic<Int>(0)

  /// A class, as every commit goes through all of them: a copy counts one reference and not all that is in it.
  final class Observer: Sendable {
    let id: Int
    let tables: Set<String>
    /// The same, where two that Swift takes for one name are two.
    let names: [String]
    let handler: @Sendable (Commit) -> Void
    /// What the handler puts commits into, where it is a user's.
    let queue: ObserverQueue?
    let willCommit: (@Sendable ([String: DirtyKeys]) -> Void)?
    let commitComes: (@Sendable () -> Void)?
    /// Called as soon as the commit can be read, by who committed it.
    let didCommit: (@Sendable (Commit) -> Void)?
    /// The table of those who observe one.
    private let onlyTable: String?

    init(
      id: Int, tables: [String], handler: @escaping @Sendable (Commit) -> Void, queue: ObserverQueue?,
      willCommit: (@Sendable ([String: DirtyKeys]) -> Void)?, commitComes: (@Sendable () -> Void)?,
      didCommit: (@Sendable (Commit) -> Void)?
    ) {
      self.queue = queue
      self.id = id
      self.tables = Set(tables)
      names = tables
      self.handler = handler
      self.willCommit = willCommit
      self.commitComes = commitComes
      self.didCommit = didCommit
      onlyTable = self.tables.count == 1 ? tables.first : nil
    }

    func isTouched(by changes: [String: DirtyKeys]) -> Bool {
      // The usual case, one table and one table, needs no hashing.
      if let onlyTable, changes.count == 1 { return changes.keys.first == onlyTable }
      return changes.keys.contains(where: tables.contains)
    }
  }

  // MARK: Observers

  /// Adds an observer; true when it is the first.
  func add(
    tables: [String], willCommit: (@Sendable ([String: DirtyKeys]) -> Void)?, commitComes: (@Sendable () -> Void)?,
    didCommit: (@Sendable (Commit) -> Void)?, queue: ObserverQueue? = nil,
    handler: @escaping @Sendable (Commit) -> Void
  ) -> (id: Int, isFirst: Bool) {
    lock.withLock {
      let id = state.pointee.nextID
      state.pointee.nextID += 1
      state.pointee.observers.append(
        Observer(
          id: id, tables: tables, handler: handler, queue: queue, willCommit: willCommit, commitComes: commitComes,
          didCommit: didCommit))
      observersChanged()
      return (id, state.pointee.observers.count == 1)
    }
  }

  /// Takes an observer out; true when it was the last.
  func remove(_ id: Int) -> Bool {
    // The observer goes after the lock: what it holds may end another observation as it goes.
    let (removed, isLast): (Observer?, Bool) = lock.withLock {
      guard let index = state.pointee.observers.firstIndex(where: { $0.id == id }) else { return (nil, false) }
      let removed = state.pointee.observers.remove(at: index)
      observersChanged()
      return (removed, state.pointee.observers.isEmpty)
    }
    removed?.queue?.end()
    return isLast
  }

  private func observersChanged() {
    observerCount.store(state.pointee.observers.count, ordering: .releasing)
    willCommitCount.store(state.pointee.observers.count { $0.willCommit != nil }, ordering: .releasing)
    didCommitCount.store(state.pointee.observers.count { $0.didCommit != nil }, ordering: .releasing)
    currentVersion.add(1, ordering: .releasing)
  }

  var hasObservers: Bool { observerCount.load(ordering: .acquiring) > 0 }

  /// Rises whenever the observed tables may have changed.
  var version: Int { currentVersion.load(ordering: .acquiring) }

  /// The observed tables and the version of that.
  var observed: (tables: [String], version: Int) {
    lock.withLock { (state.pointee.observers.flatMap(\.names).uniqueByBytes(), version) }
  }

  /// Tells those who want to know before the commit.
  func announce(_ changes: [String: DirtyKeys]) {
    guard willCommitCount.load(ordering: .acquiring) + didCommitCount.load(ordering: .acquiring) > 0, !changes.isEmpty
    else { return }
    let observers = lock.withLock { state.pointee.observers }
    observers.first { $0.commitComes != nil && $0.isTouched(by: changes) }?.commitComes?()
    guard willCommitCount.load(ordering: .acquiring) > 0 else { return }
    for observer in observers where observer.isTouched(by: changes) { observer.willCommit?(changes) }
  }

  // MARK: Commits

  /// Puts a commit in. The caller holds the writer's lane.
  func put(_ changes: consuming [String: DirtyKeys], _ origin: Commit.Origin) {
    guard !changes.isEmpty else { return }
    let sequence = lock.withLock {
      state.pointee.sequence += 1
      return state.pointee.sequence
    }
    let commit = Commit(sequence: sequence, origin: origin, changes: changes)
    if didCommitCount.load(ordering: .acquiring) > 0 { note(commit) }
    // Only now, as whoever hands it out, perhaps another thread at once, wakes those who have noted it.
    lock.withLock { state.pointee.pending.append(commit) }
    if origin == .foreign { holdsForeign.store(true, ordering: .releasing) }
  }

  /// Tells those who note a commit as soon as it can be read. As in `handOut`, they are gone again when it returns.
  private func note(_ commit: Commit) {
    let observers = lock.withLock { state.pointee.observers }
    for observer in observers where observer.isTouched(by: commit.changes) { observer.didCommit?(commit) }
  }

  /// A commit of ours is about to be made. The caller holds the writer's lane.
  func commitBegins() { begun.add(1, ordering: .sequentiallyConsistent) }

  /// It was made and told, or it failed.
  func commitEnds() { ended.add(1, ordering: .sequentiallyConsistent) }

  /// The number of commits of ours up to now; nil while one is under way, which a read may see or not.
  var commitMark: Int? {
    let end = ended.load(ordering: .sequentiallyConsistent)
    return begun.load(ordering: .sequentiallyConsistent) == end ? end : nil
  }

  /// Waits until the commit that is under way has been told, if there is one: at most for some microseconds, as long as most take,
  /// and then for so many nanoseconds. False where it has not been.
  @discardableResult
  func awaitCommit(for limit: UInt64) -> Bool {
    let goal = begun.load(ordering: .sequentiallyConsistent)
    var looks = 0
    while ended.load(ordering: .sequentiallyConsistent) < goal {
      if looks == 500 { return sleepUntilEnded(goal, MonotonicClock.now() + limit) }
      looks += 1
      Processor.pause()
    }
    return true
  }

  private func sleepUntilEnded(_ goal: Int, _ deadline: UInt64) -> Bool {
    while ended.load(ordering: .sequentiallyConsistent) < goal {
      guard MonotonicClock.now() < deadline else { return false }
      MonotonicClock.sleep(microseconds: 50)
    }
    return true
  }

  /// Hands out others' commits that a write of ours has found, and would otherwise keep to its end. What writes of ours commit
  /// they hand out themselves, and sooner.
  func drainForeign() {
    if holdsForeign.exchange(false, ordering: .acquiringAndReleasing) { drain() }
  }

  /// Hands out what is pending, unless another thread is at it, which then hands out this too.
  ///
  /// A writer hands out so many commits at most: where others write faster than they can be handed out, the rest is left to a thread
  /// of its own.
  func drain(atMost most: Int = 64) {
    lock.lock()
    guard state.pointee.drainer == nil, !state.pointee.pending.isEmpty else { return lock.unlock() }
    state.pointee.drainer = .current
    var leaving: [Commit] = []
    var count = 0
    while !state.pointee.pending.isEmpty, count < most {
      swap(&state.pointee.leaving, &leaving)
      swap(&state.pointee.pending, &leaving)
      lock.unlock()
      count += leaving.count
      let last = handOut(leaving)
      leaving.removeAll(keepingCapacity: leaving.count <= 64)
      lock.lock()
      swap(&state.pointee.leaving, &leaving)
      state.pointee.handedOut = last
      lock.wakeAll()
    }
    state.pointee.drainer = nil
    let isLeft = !state.pointee.pending.isEmpty
    lock.unlock()
    if isLeft, !BackgroundThread.start({ [self] in drain(atMost: .max) }) { drain(atMost: .max) }
  }

  /// Hands out what is leaving, as the drainer and under no lock; returns the last commit's number.
  ///
  /// The observers are gone again when it returns: with one that has ended somebody may end who uses this.
  private func handOut(_ leaving: [Commit]) -> UInt64 {
    let observers = lock.withLock { state.pointee.observers }
    var last: UInt64 = 0
    for commit in leaving {
      last = commit.sequence
      for observer in observers where observer.isTouched(by: commit.changes) { observer.handler(commit) }
    }
    return last
  }

  /// Waits until every commit that is in by now has been handed out.
  func flush() {
    drain()
    lock.withLock {
      guard state.pointee.drainer != .current else { return }
      let goal = state.pointee.sequence
      while state.pointee.handedOut < goal, state.pointee.drainer != nil || !state.pointee.pending.isEmpty {
        lock.wait()
      }
    }
  }

  /// Waits until users' handlers have returned from all that has been handed out by now; false where one has not returned from anything
  /// for so long.
  func flushQueues(timeout: UInt64) -> Bool {
    let observers = lock.withLock { state.pointee.observers }
    return observers.allSatisfy { $0.queue?.flush(timeout: timeout) ?? true }
  }
}
