import SQLiteStore
import Synchronization

/// Those who follow the same tables: the writer notes a commit once for all of them, and none of them costs it anything.
///
/// Each fetches what it has not had yet when it needs it (`Follower.catchUp`), or has it brought by an evaluator, who wakes those
/// that sleep. So a writer's time does not depend on how many lists there are, nor on what they are doing.
final class Followers: Sendable {
  private let evaluators: Evaluators
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()

  /// To tell so many takes no longer than to have it done.
  private static let few = 4
  /// If nobody has come for so many commits, or for 48 times as many rows, they are brought, to be united with others.
  fileprivate static let mostCommits = 4096
  private static let most = 16 * mostCommits

  private struct State {
    /// The last commit. Earlier ones are kept by those who have not had them.
    var last = Link(number: 0, commit: nil)
    /// By number. None is looked up under `lock`: whoever does so may be the last to hold it, and have it go there.
    var followers: [Int: Weak] = [:]
    var nextFollower = 0
    /// The last commit there was when an evaluator was called to tell them; nil where none is on its way.
    var called: Int?
    /// Whether it was called before others.
    var isUrgent = false
    var observation: (any AnyObject & Sendable)?
  }

  private struct Weak {
    weak var follower: Follower?
  }

  /// A commit, and those after it.
  fileprivate final class Link: Sendable {
    /// Rises by one with each commit, and by one more with each 48 rows.
    let number: Int
    let commit: EngineCommit?
    // because it is written once and under the lock of `Followers`, before anybody is handed the next one
    nonisolated(unsafe) var next: Link?

    init(number: Int, commit: EngineCommit?) {
      self.number = number
      self.commit = commit
    }
  }

  init(_ evaluators: Evaluators) { self.evaluators = evaluators }

  /// Keeps what has commits told, until the last follower goes.
  func hold(_ observation: any AnyObject & Sendable) { lock.withLock { state.observation = observation } }

  /// What the engine calls as soon as a commit can be read, in order and by one thread at a time.
  func committed(_ commit: EngineCommit) {
    let weight = 1 + commit.rows / 48
    lock.withLock {
      let link = Link(number: state.last.number + weight, commit: commit)
      state.last.next = link
      state.last = link
    }
  }

  /// What the engine calls when the writer waits for nothing any more.
  func wake() {
    let (isForUs, isNews, isUrgent) = lock.withLock { () -> (Bool, Bool, Bool) in
      let last = state.last.number
      if state.followers.count <= Self.few { return (true, false, false) }
      guard let called = state.called else {
        state.called = last
        return (false, true, false)
      }
      // It waits its turn, unless evaluators do not come to it for long. Where they come to nothing at all, what piles up is brought
      // from here in the end.
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

  /// Brings those who sleep what they have not had, and wakes them.
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

  /// Adds one who is told of what is committed from now on.
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

/// One of those who follow the same tables, for as long as it is held.
final class Follower: EngineFollowing {
  private let number: Int
  private let followers: Followers
  private let committed: @Sendable (EngineCommit) -> Void
  fileprivate let wake: @Sendable () -> Void
  /// Held while commits are brought, which keeps their order.
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var last: Followers.Link
  /// Its number.
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
    // One after another, as each would else let go of the next one from within.
    advance { _ in }
  }

  /// Goes on to the last commit.
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

  /// Whether it is to be woken, or is so far behind that it must be brought what there is.
  fileprivate func wants(upTo last: Int) -> Bool {
    !isAwake.load(ordering: .acquiring) || last - had.load(ordering: .acquiring) > Followers.mostCommits
  }

  func stayAwake() { isAwake.store(true, ordering: .releasing) }

  func sleep() -> Bool {
    isAwake.store(false, ordering: .releasing)
    // Who commits after this look sees that it sleeps: both are under the same lock.
    return followers.last.number == had.load(ordering: .acquiring)
  }
}
