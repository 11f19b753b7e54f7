/// One reader of a broadcast, alive as long as its feed is.
final class BroadcastReader<Item: Sendable>: Sendable {
  typealias State = UpdateBroadcaster<Item>.State

  private let id: Int
  private let state: Locked<State>
  private let merging: UpdateMerging<Item>
  /// The list before the updates in which nothing changed, from which the next one starts for this reader.
  private let before = Locked<Snapshot<Item>?>(nil)

  init(id: Int, state: Locked<State>, merging: UpdateMerging<Item>) {
    self.id = id
    self.state = state
    self.merging = merging
  }

  deinit { leave() }

  /// Waits for the next update.
  func ask(_ handler: @escaping UpdateFeed<Item>.Handler) {
    // The state holds the handler while it waits, and must not keep the reader that way.
    let action = state.withLock { [merging, before] state in
      state.ask(id) { pending in
        handler(
          pending.map { pending in
            DeliverableUpdate(isReady: pending.isReady) { Self.resolve(pending, merging, before) }
          })
      }
    }
    if case .resume(let waiter, let update) = action { waiter(update) }
  }

  /// The update, which starts where the last one that the reader received ended; nil when nothing changed.
  private static func resolve(
    _ pending: PendingUpdate<Item>, _ merging: UpdateMerging<Item>, _ before: Locked<Snapshot<Item>?>
  ) -> Update<Item>? {
    guard let update = pending.resolved(merging) else {
      before.withLock { $0 = $0 ?? pending.old }
      return nil
    }
    // Equal lists, but the reader has the one in memory.
    guard let old = before.withLock({ $0.take() }) else { return update }
    return Update(old: old, new: update.new, changes: update.changes)
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
