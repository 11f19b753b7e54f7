/// A list and those who follow it: what a data source needs to be one.
///
/// It holds the current snapshot, and hands every change to every reader. A reader exists from the call of ``updates()`` or
/// ``follow()``; at most one update waits for it, into which later ones are merged; when a merged one turns out to hold no
/// change, as when a row came and went, the reader goes on waiting. Readers neither keep the owner alive nor wait for each
/// other, and nobody's code runs under the lock: neither readers, nor the items' `==`, nor their `deinit`. Readers that wait
/// are resumed in the order in which they joined.
///
/// ```swift
/// final class Clock: DataSourceProtocol {
///   private let list = UpdateBroadcaster(Snapshot<Int>())
///   var snapshot: Snapshot<Int> { list.snapshot }
///   func updates() -> AsyncStream<Update<Int>> { list.updates() }
/// }
/// ```
///
/// The owner publishes in order, from one place at a time: each update starts from ``snapshot``.
package final class UpdateBroadcaster<Item: Sendable>: Sendable {
  typealias Waiter = @Sendable (PendingUpdate<Item>?) -> Void
  typealias State = BroadcastState<Item, Waiter>

  private let state: Locked<State>
  private let merging: UpdateMerging<Item>

  /// Starts with a list.
  package init(_ snapshot: Snapshot<Item>, merging: UpdateMerging<Item> = .automatic) {
    state = Locked(State(snapshot, keepsChanges: merging.keepsChanges))
    self.merging = merging
  }

  deinit { finish() }

  /// The list as it is now.
  package var snapshot: Snapshot<Item> { state.withLock { $0.snapshot } }

  /// The number of readers that have not left.
  package var numberOfReaders: Int { state.withLock { $0.numberOfReaders } }

  /// Makes `update.new` the list, and tells all readers, in one step. An empty update changes the list and tells nobody.
  package func publish(_ update: Update<Item>) { deliver(commit(PendingUpdate(update))) }

  /// An update that has become the list, and is still to be handed to those who wait for it.
  ///
  /// It holds the list before, so let go of it under no lock: with it may go the last reference to an item.
  struct Delivery: Sendable {
    fileprivate let update: PendingUpdate<Item>
    fileprivate let actions: [State.Action]
    fileprivate let hasReaders: Bool
  }

  /// Makes `update.new` the list. It runs no code but ours, so an owner may call it under a lock.
  func commit(_ update: PendingUpdate<Item>) -> Delivery {
    let isDone = state.withLock { $0.publishToNobody(update) }
    let actions = isDone ? [] : state.withLock { $0.publish(update) }
    return Delivery(update: update, actions: actions, hasReaders: !isDone)
  }

  /// Finds the difference where there are readers, and wakes those who waited for it. Another update may have been committed since:
  /// it waits for them.
  func deliver(_ delivery: Delivery) {
    if delivery.hasReaders { delivery.update.find() }
    perform(delivery.actions)
  }

  /// Ends all readers, once they have what waits for them.
  package func finish() {
    perform(state.withLock { $0.finish() })
  }

  /// The changes from here on.
  package func updates() -> AsyncStream<Update<Item>> { follow().updates }

  /// The list and the changes from here on, taken in one step.
  package func follow() -> Following<Item> {
    let (id, snapshot) = state.withLock { $0.join() }
    let reader = BroadcastReader(id: id, state: state, merging: merging)
    return Following(snapshot: snapshot, feed: reader.feed)
  }

  private func perform(_ actions: [State.Action]) {
    for case .resume(let waiter, let update) in actions { waiter(update) }
  }
}
