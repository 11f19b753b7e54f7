/// One reader of a broadcast, alive as long as its stream is.
final class BroadcastReader<Item: Sendable>: Sendable {
  typealias State = UpdateBroadcaster<Item>.State

  private let id: Int
  private let state: Locked<State>
  private let merging: UpdateMerging<Item>

  init(id: Int, state: Locked<State>, merging: UpdateMerging<Item>) {
    self.id = id
    self.state = state
    self.merging = merging
  }

  deinit { leave() }

  /// The next update; nil when there will be none.
  func next() async -> Update<Item>? {
    while true {
      let pending = await withCheckedContinuation { continuation in
        let action = state.withLock { $0.ask(id, continuation) }
        if case .resume(let waiter, let update) = action { waiter.resume(returning: update) }
      }
      guard let pending else { return nil }
      if let update = pending.resolved(merging) { return update }
    }
  }

  /// Wants no more, also in the midst of waiting.
  func leave() {
    let (actions, remains) = state.withLock { $0.leave(id) }
    withExtendedLifetime(remains) {
      for case .resume(let waiter, let update) in actions { waiter.resume(returning: update) }
    }
  }
}
