import FetchedResultsSupport

/// One reader of a broadcast. It lives as long as its feed.
final class BroadcastReader<Item: Sendable>: Sendable {
  typealias State = UpdateBroadcaster<Item>.State

  /// Updates in which nothing changed: the list before them, which the reader has, and the list after them.
  private struct Skipped: Sendable {
    let first: Snapshot<Item>
    let last: Snapshot<Item>
  }

  private let id: Int
  private let state: Locked<State>
  private let merging: UpdateMerging<Item>
  private let skipped = Locked<Skipped?>(nil)

  init(id: Int, state: Locked<State>, merging: UpdateMerging<Item>) {
    self.id = id
    self.state = state
    self.merging = merging
  }

  deinit { leave() }

  /// Waits for the next update.
  func ask(_ handler: @escaping UpdateFeed<Item>.Handler) {
    // The state holds the handler while it waits, and must not keep the reader alive that way.
    let action = state.withLock { [merging, skipped] state in
      state.ask(id) { pending in
        handler(
          pending.map { pending in
            DeliverableUpdate(isReady: pending.isReady) { Self.resolve(pending, merging, skipped) }
          })
      }
    }
    if case .resume(let waiter, let update) = action { waiter(update) }
  }

  /// The update, which starts where the last one that the reader received ended; nil if nothing changed.
  private static func resolve(
    _ pending: PendingUpdate<Item>, _ merging: UpdateMerging<Item>, _ skipped: Locked<Skipped?>
  ) -> Update<Item>? {
    let update = pending.resolved(merging)
    var former: Skipped?  // released under no lock
    let before = skipped.withLock { skipped in
      former = skipped
      // Tasks that share a stream may run out of order, so check whether one update continues the other.
      let first = former.flatMap { $0.last.isIdentical(to: pending.old) ? $0.first : nil }
      skipped = update == nil ? Skipped(first: first ?? pending.old, last: pending.new) : nil
      return first
    }
    withExtendedLifetime(former) {}
    guard let update, let before else { return update }
    // The lists are equal, but the reader has this one.
    return Update(old: before, new: update.new, changes: update.changes)
  }

  /// Leaves the broadcast, even during a wait.
  func leave() {
    let (actions, remains) = state.withLock { $0.leave(id) }
    withExtendedLifetime(remains) {
      for case .resume(let waiter, let update) in actions { waiter(update) }
    }
  }

  var feed: UpdateFeed<Item> { UpdateFeed(ask: { self.ask($0) }, leave: { self.leave() }) }
}
