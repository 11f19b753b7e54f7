import FetchedResultsSupport

/// The commits that a stream has not received yet. It receives them as one.
final class CommitMailbox: Sendable {
  private typealias Waiter = CheckedContinuation<Commit?, Never>

  private struct State {
    var commits: [Commit] = []
    var waiters: [Waiter] = []
    var hasEnded = false
  }

  private let state = Locked(State())

  func put(_ commit: Commit) {
    let waiter = state.withLock { state -> Waiter? in
      if state.hasEnded { return nil }
      if !state.waiters.isEmpty { return state.waiters.removeFirst() }
      state.commits.append(commit)
      if state.commits.count >= ObserverQueue.most { state.commits = [state.commits.united()] }
      return nil
    }
    waiter?.resume(returning: commit)
  }

  /// Nothing comes any more. What waits is still received.
  func end() {
    let waiters = state.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: nil) }
  }

  /// The next commit; nil at the end.
  func next() async -> Commit? {
    await withCheckedContinuation { waiter in
      let (isOver, commit) = state.withLock { state -> (Bool, Commit?) in
        if !state.commits.isEmpty {
          defer { state.commits = [] }
          return (true, state.commits.united())
        }
        if !state.hasEnded { state.waiters.append(waiter) }
        return (state.hasEnded, nil)
      }
      if isOver { waiter.resume(returning: commit) }
    }
  }
}
