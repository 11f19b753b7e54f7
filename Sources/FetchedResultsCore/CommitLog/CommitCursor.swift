import FetchedResultsSupport
import RowModel
import Synchronization

/// One cursor of the log: it follows the log's tables, until it is released.
package final class CommitCursor: Sendable {
  let number: Int
  let questions: [OldStateQuestion]
  /// The list, if it can be screened, and its query.
  // because it is set once; a weak reference is safe to read on any thread
  nonisolated(unsafe) private(set) weak var list: (any ScreenedList)?
  let query: (any ResultQuery)?
  private let cursors: CommitLog
  private let committed: @Sendable (EngineCommit) -> Void
  let wake: @Sendable () -> Void
  /// Held while commits are delivered, which keeps their order.
  let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private(set) var last: CommitLog.Link
  /// The object that `committed` refers to weakly.
  // because every access is under `lock`
  nonisolated(unsafe) private weak var owner: (any AnyObject & Sendable)?
  /// The number of `last`.
  let had: Atomic<Int>
  private let isAwake = Atomic<Bool>(false)

  init(
    _ number: Int, _ questions: [OldStateQuestion], _ list: (any ScreenedList, any ResultQuery)?,
    _ cursors: CommitLog, _ last: CommitLog.Link,
    _ committed: @escaping @Sendable (EngineCommit) -> Void,
    _ wake: @escaping @Sendable () -> Void
  ) {
    self.number = number
    self.questions = questions
    self.list = list?.0
    query = list?.1
    self.cursors = cursors
    self.last = last
    had = Atomic(last.number)
    self.committed = committed
    self.wake = wake
  }

  deinit {
    cursors.remove(number, questions)
    // Release the links one after another: otherwise each would release the next one recursively.
    advance { _ in }
  }

  /// Moves to the newest commit.
  private func advance(_ body: (EngineCommit) -> Void) {
    let end = cursors.last
    while last !== end, let next = last.next {
      last = next
      if let commit = next.commit { body(commit) }
    }
    had.store(end.number, ordering: .releasing)
  }

  /// Calls `committed` for every commit that can be read by now and that this cursor has not received. When it returns,
  /// the cursor has received all of them, perhaps through another thread.
  package func catchUp() {
    // Release these outside the lock: releasing the last reference to one runs its `deinit`, or that of the user's
    // objects. An old state may go with its link, and the owner with the reference that `committed` takes.
    var states: [OldState] = []
    let owner = lock.withLock { () -> (any AnyObject & Sendable)? in
      let owner = self.owner
      if let state = last.commit?.before { states.append(state) }
      advance { commit in
        if let state = commit.before { states.append(state) }
        committed(commit)
      }
      return owner
    }
    withExtendedLifetime((owner, states)) {}
  }

  /// Sets the object that `committed` refers to weakly. Commits are delivered while it is kept.
  func setOwner(_ owner: any AnyObject & Sendable) { lock.withLock { self.owner = owner } }

  /// The number of commits that it has not received.
  var numberOfWaitingCommits: Int {
    lock.withLock {
      let end = cursors.last
      var (link, count) = (last, 0)
      while link !== end, let next = link.next {
        link = next
        if link.commit != nil { count += 1 }
      }
      return count
    }
  }

  /// Whether its list can be screened now.
  var canBeScreened: Bool { query?.condition != nil && !isAwake.load(ordering: .acquiring) }

  /// The last commit that it has received.
  var position: CommitLog.Link { lock.withLock { last } }

  /// Passes over the commits up to a link, if they don't concern the list.
  func pass(
    _ list: any ScreenedList, to end: CommitLog.Link, _ rows: [RowKey], _ view: any EngineView
  ) -> Bool {
    guard let query else { return false }
    return lock.withLock {
      // The cursor may have moved beyond `end` since it was chosen. Don't read the `next` of the newest link, which a
      // writer may be setting.
      guard last.number <= end.number else { return false }
      var commits = 0
      var link = last
      while link !== end, let next = link.next {
        link = next
        if link.commit != nil { commits += 1 }
      }
      guard link === end, commits > 0, list.pass(commits, rows, of: query, view) else { return false }
      // Release the links one after another, as in `deinit`.
      while last !== end, let next = last.next { last = next }
      had.store(end.number, ordering: .releasing)
      return true
    }
  }

  /// Whether it must be woken, or is so far behind that its commits must be drained for it.
  func wants(upTo last: Int) -> Bool {
    !isAwake.load(ordering: .acquiring) || last - had.load(ordering: .acquiring) > CommitLog.mostCommits
  }

  /// Ends the calls of `wake`: the caller catches up by itself until it calls `sleep`.
  package func stayAwake() { isAwake.store(true, ordering: .releasing) }

  /// Lets later commits call `wake` again. Returns false if there is an earlier commit that the caller has not
  /// received.
  package func sleep() -> Bool {
    isAwake.store(false, ordering: .releasing)
    // A commit after this check sees that the cursor sleeps: both happen under the same lock.
    return cursors.last.number == had.load(ordering: .acquiring)
  }
}
