/// One reader of a broadcast, alive as long as its feed is.
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

  /// Waits for the next update.
  func ask(_ handler: @escaping UpdateFeed<Item>.Handler) {
    let action = state.withLock { [merging] state in
      state.ask(id) { pending in
        handler(
          pending.map { pending in
            DeliverableUpdate(isReady: pending.count == 1) { pending.resolved(merging) }
          })
      }
    }
    if case .resume(let waiter, let update) = action { waiter(update) }
  }

  /// Wants no more, also in the midst of waiting.
  func leave() {
    let (actions, remains) = state.withLock { $0.leave(id) }
    withExtendedLifetime(remains) {
      for case .resume(let waiter, let update) in actions { waiter(update) }
    }
  }

  var feed: UpdateFeed<Item> { UpdateFeed(ask: { self.ask($0) }, leave: { self.leave() }) }
}
