import FetchedResultsSupport
import Synchronization

/// The observers, and the commits that have not been delivered to them.
///
/// Commits are added under the writer lock, which gives them their order. They are delivered after that, by one
/// thread at a time and under no lock: lists are woken, and users' observers get the commits into queues, which other
/// threads empty.
final class CommitFeed: Sendable {
  private let lock = Lock()
  // because every access is under `lock`. Behind a pointer, because each access to a variable of a class is checked for
  // exclusiveness. The lock ensures that already, and the checks would be most of the cost of a commit here.
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
    /// A spare array for the next delivery. The draining thread takes it while it delivers.
    var leaving: [Commit] = []
    var drainer: ThreadID?
    /// Whether the database was closed.
    var isClosed = false
  }

  // Read by every write, without the lock.
  private let observerCount = Atomic<Int>(0)
  private let willCommitCount = Atomic<Int>(0)
  private let didCommitCount = Atomic<Int>(0)
  private let currentVersion = Atomic<Int>(0)
  // Whether foreign commits are waiting to be delivered.
  private let holdsForeign = Atomic<Bool>(false)
  // A commit of ours is running while the two differ.
  private let begun = Atomic<Int>(0)
  private let ended = Atomic<Int>(0)

  /// A class, because every commit visits all observers: a copy counts one reference, not every member.
  final class Observer: Sendable {
    let id: Int
    let tables: Set<String>
    /// The same tables; names that are equal in Swift but not in SQLite are separate here.
    let names: [String]
    let handler: @Sendable (Commit) -> Void
    /// The queue into which the handler puts commits, for a user's observer.
    let queue: ObserverQueue?
    let willCommit: (@Sendable ([String: DirtyKeys]) -> Void)?
    let commitComes: (@Sendable () -> Void)?
    /// Called by the committing thread as soon as the commit can be read.
    let didCommit: (@Sendable (Commit) -> Void)?
    /// Called when the database is closed, for an observer that is not to read once more.
    let closed: (@Sendable () -> Void)?
    /// The table, if only one is observed.
    private let onlyTable: String?

    init(
      id: Int, tables: [String], handler: @escaping @Sendable (Commit) -> Void, queue: ObserverQueue?,
      willCommit: (@Sendable ([String: DirtyKeys]) -> Void)?, commitComes: (@Sendable () -> Void)?,
      didCommit: (@Sendable (Commit) -> Void)?, closed: (@Sendable () -> Void)?
    ) {
      self.queue = queue
      self.id = id
      self.tables = Set(tables)
      names = tables
      self.handler = handler
      self.willCommit = willCommit
      self.commitComes = commitComes
      self.didCommit = didCommit
      self.closed = closed
      onlyTable = self.tables.count == 1 ? tables.first : nil
    }

    func isTouched(by changes: [String: DirtyKeys]) -> Bool {
      // The usual case, one table each, needs no hashing.
      if let onlyTable, changes.count == 1 { return changes.keys.first == onlyTable }
      return changes.keys.contains(where: tables.contains)
    }
  }

  // MARK: Observers

  /// Adds an observer; returns true if it is the first.
  func add(
    tables: [String], willCommit: (@Sendable ([String: DirtyKeys]) -> Void)?, commitComes: (@Sendable () -> Void)?,
    didCommit: (@Sendable (Commit) -> Void)?, queue: ObserverQueue? = nil, closed: (@Sendable () -> Void)? = nil,
    handler: @escaping @Sendable (Commit) -> Void
  ) -> (id: Int, isFirst: Bool) {
    let (id, isFirst, isClosed) = lock.withLock {
      let id = state.pointee.nextID
      state.pointee.nextID += 1
      state.pointee.observers.append(
        Observer(
          id: id, tables: tables, handler: handler, queue: queue, willCommit: willCommit, commitComes: commitComes,
          didCommit: didCommit, closed: closed))
      observersChanged()
      return (id, state.pointee.observers.count == 1, state.pointee.isClosed)
    }
    if isClosed { closed?() }
    return (id, isFirst)
  }

  /// Removes an observer; returns true if it was the last.
  func remove(_ id: Int) -> Bool {
    // Release the observer after the lock: what it holds may end another observation in its `deinit`.
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

  /// The observed tables, and their version.
  var observed: (tables: [String], version: Int) {
    lock.withLock { (state.pointee.observers.flatMap(\.names).uniqueByBytes(), version) }
  }

  /// Calls the observers that receive changes before the commit.
  func announce(_ changes: [String: DirtyKeys]) {
    guard willCommitCount.load(ordering: .acquiring) + didCommitCount.load(ordering: .acquiring) > 0, !changes.isEmpty
    else { return }
    let observers = lock.withLock { state.pointee.observers }
    observers.first { $0.commitComes != nil && $0.isTouched(by: changes) }?.commitComes?()
    guard willCommitCount.load(ordering: .acquiring) > 0 else { return }
    for observer in observers where observer.isTouched(by: changes) { observer.willCommit?(changes) }
  }

  // MARK: Commits

  /// Adds a commit. The caller holds the writer lock.
  func put(_ changes: consuming [String: DirtyKeys], isForeign: Bool = false) {
    guard !changes.isEmpty else { return }
    let sequence = lock.withLock {
      state.pointee.sequence += 1
      return state.pointee.sequence
    }
    let commit = Commit(sequence: sequence, isForeign: isForeign, changes: changes)
    if didCommitCount.load(ordering: .acquiring) > 0 { note(commit) }
    // Append it only now: the thread that delivers it, perhaps another one at once, wakes the followers that have
    // recorded it.
    lock.withLock { state.pointee.pending.append(commit) }
    if isForeign { holdsForeign.store(true, ordering: .releasing) }
  }

  /// Makes each list read once more, as after a commit of everything. The read fails, because the database has been
  /// closed, and the list reports that. Users' observers are not called. The caller has closed the writer lock.
  func closed() {
    let (observers, sequence) = lock.withLock {
      state.pointee.sequence += 1
      state.pointee.isClosed = true
      return (state.pointee.observers.filter { $0.queue == nil }, state.pointee.sequence)
    }
    for observer in observers {
      if let closed = observer.closed {
        closed()
        continue
      }
      let changes = Dictionary(observer.names.map { ($0, DirtyKeys.everything(.schemaChanged)) }) { first, _ in first }
      let commit = Commit(sequence: sequence, isForeign: false, changes: changes)
      observer.didCommit?(commit)
      observer.handler(commit)
    }
  }

  /// Calls the observers that record a commit as soon as it can be read. As in `handOut`, its references to them are
  /// released when it returns.
  private func note(_ commit: Commit) {
    let observers = lock.withLock { state.pointee.observers }
    for observer in observers where observer.isTouched(by: commit.changes) { observer.didCommit?(commit) }
  }

  /// A commit of ours is about to be made. The caller holds the writer lock.
  func commitBegins() { begun.add(1, ordering: .sequentiallyConsistent) }

  /// The commit was made and reported, or it failed.
  func commitEnds() { ended.add(1, ordering: .sequentiallyConsistent) }

  /// The number of commits of ours up to now; nil while one is running, which a read may or may not see.
  var commitMark: Int? {
    let end = ended.load(ordering: .sequentiallyConsistent)
    return begun.load(ordering: .sequentiallyConsistent) == end ? end : nil
  }

  /// Waits until a running commit has been reported: first by polling for a few microseconds, as long as most commits
  /// take, and then for up to `limit` nanoseconds. Returns false if it has not been reported by then.
  @discardableResult
  func awaitCommit(for limit: UInt64) -> Bool {
    let goal = begun.load(ordering: .sequentiallyConsistent)
    return Processor.wait(for: limit) { ended.load(ordering: .sequentiallyConsistent) >= goal }
  }

  /// Delivers foreign commits that a write of ours has found, and would otherwise keep until its end. Commits of our
  /// own writes are delivered earlier, by those writes.
  func drainForeign() {
    if holdsForeign.exchange(false, ordering: .acquiringAndReleasing) { drain() }
  }

  /// Delivers the waiting commits, unless another thread is delivering; that one will deliver these too.
  ///
  /// A writer delivers a limited number of commits. If others write faster than that, the rest is left to a thread of
  /// its own.
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

  /// Delivers commits, on the draining thread and under no lock; returns the last commit's number.
  ///
  /// Its references to the observers are released when it returns: releasing one may run code that uses this object.
  private func handOut(_ leaving: [Commit]) -> UInt64 {
    let observers = lock.withLock { state.pointee.observers }
    var last: UInt64 = 0
    for commit in leaving {
      last = commit.sequence
      for observer in observers where observer.isTouched(by: commit.changes) { observer.handler(commit) }
    }
    return last
  }

  /// Waits until every commit added by now has been delivered.
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

  /// Waits until users' handlers have returned for everything delivered by now. Returns false if for the length of the
  /// timeout no call of a handler has returned.
  func flushQueues(timeout: UInt64) -> Bool {
    let observers = lock.withLock { state.pointee.observers }
    return observers.allSatisfy { $0.queue?.flush(timeout: timeout) ?? true }
  }
}
