/// Who observes what, and the commits that are on their way to them.
///
/// Commits are put in under the writer's lane, which makes their order; they are handed out after it, by one thread at a
/// time and under no lock, so that an observer may do what it likes and no writer waits for one.
final class CommitFeed: Sendable {
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()

  private struct State {
    var observers: [Int: Observer] = [:]
    var nextID = 0
    var version = 0
    var sequence: UInt64 = 0
    var handedOut: UInt64 = 0
    var pending: [Commit] = []
    var drainer: ThreadID?
  }

  struct Observer: Sendable {
    var tables: Set<String>
    var handler: @Sendable (Commit) -> Void
    var willCommit: (@Sendable ([String: DirtyKeys]) -> Void)?
  }

  // MARK: Observers

  /// Adds an observer; true when it is the first.
  func add(_ observer: Observer) -> (id: Int, isFirst: Bool) {
    lock.withLock {
      let id = state.nextID
      state.nextID += 1
      state.version += 1
      state.observers[id] = observer
      return (id, state.observers.count == 1)
    }
  }

  /// Takes an observer out; true when it was the last.
  func remove(_ id: Int) -> Bool {
    lock.withLock {
      guard state.observers.removeValue(forKey: id) != nil else { return false }
      state.version += 1
      return state.observers.isEmpty
    }
  }

  var hasObservers: Bool { lock.withLock { !state.observers.isEmpty } }

  /// Rises whenever the observed tables may have changed.
  var version: Int { lock.withLock { state.version } }

  /// The observed tables and the version of that.
  var observed: (tables: [String], version: Int) {
    lock.withLock { (Set(state.observers.values.flatMap(\.tables)).sorted(), state.version) }
  }

  var willCommitHandlers: [(tables: Set<String>, handler: @Sendable ([String: DirtyKeys]) -> Void)] {
    lock.withLock {
      state.observers.values.compactMap { observer in observer.willCommit.map { (observer.tables, $0) } }
    }
  }

  // MARK: Commits

  /// Puts a commit in. The caller holds the writer's lane.
  func put(_ changes: [String: DirtyKeys], _ origin: Commit.Origin) {
    guard !changes.isEmpty else { return }
    lock.withLock {
      state.sequence += 1
      state.pending.append(Commit(sequence: state.sequence, origin: origin, changes: changes))
    }
  }

  /// Hands out what is pending, unless another thread is at it, which then hands out this too.
  func drain() {
    lock.lock()
    guard state.drainer == nil, !state.pending.isEmpty else { return lock.unlock() }
    state.drainer = .current
    while !state.pending.isEmpty {
      let commits = state.pending
      state.pending = []
      let observers = state.observers.sorted { $0.key < $1.key }.map(\.value)
      lock.unlock()
      for commit in commits {
        for observer in observers where !observer.tables.isDisjoint(with: commit.changes.keys) {
          observer.handler(commit)
        }
      }
      lock.lock()
      state.handedOut = commits.last?.sequence ?? state.handedOut
      lock.wakeAll()
    }
    state.drainer = nil
    lock.unlock()
  }

  /// Waits until every commit that is in by now has been handed out. From inside a handler it returns at once.
  func flush() {
    drain()
    lock.withLock {
      guard state.drainer != .current else { return }
      let goal = state.sequence
      while state.handedOut < goal, state.drainer != nil { lock.wait() }
    }
  }
}
