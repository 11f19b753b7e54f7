import FetchedResultsSupport

/// A reader of a list's updates that somebody can end with an error, which comes after the updates before it.
package final class ThrowingReader<Item: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Result<DeliverableUpdate<Item>?, any Error>, Never>

  private let feed: UpdateFeed<Item>
  private let state = Locked(State())

  private struct State {
    var error: (any Error)?
    /// Those who wait for an update or the error, each with a number of its own.
    var waiters: [Int: Waiter] = [:]
    var lastID = 0
  }

  /// Reads what follows.
  package init(_ following: Following<Item>) { feed = following.feed ?? UpdateFeed(following.updates) }

  deinit { feed.leave() }

  /// Ends the updates with an error, unless another one came first.
  package func fail(_ error: any Error) {
    let (error, waiters) = state.withLock { state in
      state.error = state.error ?? error
      defer { state.waiters = [:] }
      return (state.error ?? error, state.waiters)
    }
    for waiter in waiters.values { waiter.resume(returning: .failure(error)) }
  }

  /// The next update; nil if there are no further ones. Throws the error that has ended them.
  package func next() async throws -> Update<Item>? {
    try await withTaskCancellationHandler {
      while let update = try await wait().get() {
        if let update = update.resolve() { return update }
      }
      return nil
    } onCancel: {
      feed.leave()
    }
  }

  private func wait() async -> Result<DeliverableUpdate<Item>?, any Error> {
    await withCheckedContinuation { waiter in
      let id = state.withLock { state in
        state.lastID += 1
        state.waiters[state.lastID] = waiter
        return state.lastID
      }
      // An update that came before the error is received first.
      feed.ask { [weak self] update in self?.take(id)?.resume(returning: .success(update)) }
      let error = state.withLock { $0.error }
      if let error { take(id)?.resume(returning: .failure(error)) }
    }
  }

  private func take(_ id: Int) -> Waiter? { state.withLock { $0.waiters.removeValue(forKey: id) } }
}
