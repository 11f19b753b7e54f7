import SQLiteStore
import Synchronization

/// The commit log of all lists that follow the same tables. The writer appends a commit once for all of them.
///
/// A list drains the log when it needs to (`Follower.catchUp`), or an evaluator drains it for the lists that sleep, and
/// wakes them. So a writer's time doesn't depend on the number of lists, nor on what they are doing.
final class Followers: Sendable {
  private let evaluators: Evaluators
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()

  /// Up to this many followers, notifying inline is as fast as scheduling a job.
  private static let few = 4
  /// If a follower has not drained the log for this many commits, or 48 times as many rows, it is drained for it, so
  /// that the commits are merged.
  fileprivate static let mostCommits = 4096
  private static let most = 16 * mostCommits

  private struct State {
    /// The newest commit. Followers that have not drained the log yet keep the earlier ones alive.
    var last = Link(number: 0, commit: nil)
    /// By number. Don't load these weak references under `lock`: releasing the last one would run `deinit` there.
    var followers: [Int: Weak] = [:]
    var nextFollower = 0
    /// The newest commit when a job that notifies the followers was queued; nil if none is queued.
    var called: Int?
    /// Whether that job was queued before all others.
    var isUrgent = false
    var observation: (any AnyObject & Sendable)?
  }

  private struct Weak {
    weak var follower: Follower?
  }

  /// A commit in the log, linked to the next one.
  fileprivate final class Link: Sendable {
    /// Rises by one with each commit, and by one more for each 48 rows.
    let number: Int
    let commit: EngineCommit?
    // because it is written once and under the lock of `Followers`, before anybody can reach the next link
    nonisolated(unsafe) var next: Link?

    init(number: Int, commit: EngineCommit?) {
      self.number = number
      self.commit = commit
    }
  }

  init(_ evaluators: Evaluators) { self.evaluators = evaluators }

  /// Keeps the observation that feeds the log, as long as this object lives.
  func hold(_ observation: any AnyObject & Sendable) { lock.withLock { state.observation = observation } }

  /// Appends a commit. The engine calls it as soon as the commit can be read, in order and on one thread at a time.
  func committed(_ commit: EngineCommit) {
    let weight = 1 + commit.rows / 48
    lock.withLock {
      let link = Link(number: state.last.number + weight, commit: commit)
      state.last.next = link
      state.last = link
    }
  }

  /// Wakes the followers. The engine calls it when the writer waits for nothing any more.
  func wake() {
    let (isForUs, isNews, isUrgent) = lock.withLock { () -> (Bool, Bool, Bool) in
      let last = state.last.number
      if state.followers.count <= Self.few { return (true, false, false) }
      guard let called = state.called else {
        state.called = last
        return (false, true, false)
      }
      // The job waits in the queue, unless the evaluators don't take it for long; then it is queued again, before all
      // others. If they take no job at all, this thread drains the log itself in the end.
      if last - called > Self.most { return (true, false, false) }
      if state.isUrgent || last - called <= Self.mostCommits { return (false, false, false) }
      state.isUrgent = true
      return (false, true, true)
    }
    if isForUs { tell() } else if isNews { evaluators.submit(Telling(followers: self), first: isUrgent) }
  }

  private final class Telling: Evaluators.Job {
    private let followers: Followers
    init(followers: Followers) { self.followers = followers }
    func run(on evaluators: Evaluators) { followers.tell() }
  }

  /// Drains the log for the followers that sleep, and wakes them.
  private func tell() {
    let (followers, last) = lock.withLock {
      state.called = nil
      state.isUrgent = false
      return (state.followers, state.last.number)
    }
    for (_, follower) in followers {
      guard let follower = follower.follower, follower.wants(upTo: last) else { continue }
      follower.catchUp()
      follower.wake()
    }
  }

  fileprivate var last: Link { lock.withLock { state.last } }

  /// Adds a follower, which receives what is committed from now on.
  func add(committed: @escaping @Sendable (EngineCommit) -> Void, wake: @escaping @Sendable () -> Void) -> Follower {
    lock.withLock {
      let number = state.nextFollower
      state.nextFollower += 1
      let follower = Follower(number, self, state.last, committed, wake)
      state.followers[number] = Weak(follower: follower)
      return follower
    }
  }

  fileprivate func remove(_ number: Int) { lock.withLock { state.followers[number] = nil } }
}

/// One follower of the log. It is removed when it is released.
final class Follower: EngineFollowing {
  private let number: Int
  private let followers: Followers
  private let committed: @Sendable (EngineCommit) -> Void
  fileprivate let wake: @Sendable () -> Void
  /// Held while commits are delivered, which keeps their order.
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var last: Followers.Link
  /// The number of `last`.
  private let had: Atomic<Int>
  private let isAwake = Atomic<Bool>(false)

  fileprivate init(
    _ number: Int, _ followers: Followers, _ last: Followers.Link,
    _ committed: @escaping @Sendable (EngineCommit) -> Void,
    _ wake: @escaping @Sendable () -> Void
  ) {
    self.number = number
    self.followers = followers
    self.last = last
    had = Atomic(last.number)
    self.committed = committed
    self.wake = wake
  }

  deinit {
    followers.remove(number)
    // Release the links one after another: otherwise each would release the next one recursively.
    advance { _ in }
  }

  /// Moves to the newest commit.
  private func advance(_ body: (EngineCommit) -> Void) {
    let end = followers.last
    while last !== end, let next = last.next {
      last = next
      if let commit = next.commit { body(commit) }
    }
    had.store(end.number, ordering: .releasing)
  }

  func catchUp() {
    lock.withLock { advance(committed) }
  }

  /// Whether it must be woken, or is so far behind that the log must be drained for it.
  fileprivate func wants(upTo last: Int) -> Bool {
    !isAwake.load(ordering: .acquiring) || last - had.load(ordering: .acquiring) > Followers.mostCommits
  }

  func stayAwake() { isAwake.store(true, ordering: .releasing) }

  func sleep() -> Bool {
    isAwake.store(false, ordering: .releasing)
    // A commit after this check sees that the follower sleeps: both happen under the same lock.
    return followers.last.number == had.load(ordering: .acquiring)
  }
}
