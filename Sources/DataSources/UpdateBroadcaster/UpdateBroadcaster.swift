import FetchedResultsSupport

/// A list and its readers: everything needed to implement a data source.
///
/// It holds the current snapshot, and delivers every change to every reader. A reader exists from the call of
/// ``updates()`` or ``follow()`` on. At most one update waits for it, into which later ones are merged. If a merged one
/// turns out to hold no change, for example because a row was inserted and deleted, the reader keeps waiting. Readers
/// neither keep the owner alive nor wait for each other. No foreign code runs under the lock: neither readers, nor the
/// items' `==`, nor their `deinit`. Waiting readers are resumed in the order in which they joined.
///
/// A data source of your own has one, and passes its members on:
///
/// ```swift
/// final class Feed: DataSourceProtocol {
///   private let list = UpdateBroadcaster(Snapshot<Errand>())
///   var snapshot: Snapshot<Errand> { list.snapshot }
///   func updates() -> AsyncStream<Update<Errand>> { list.updates() }
///   func follow() -> Following<Errand> { list.follow() }
///   func reload() async throws {
///     let errands = try await client.errands()
///     list.publish(Snapshot([Section(id: "errands", name: "Errands", items: errands)]))
///   }
/// }
/// ```
public final class UpdateBroadcaster<Item: Sendable>: Sendable {
  typealias Waiter = @Sendable (PendingUpdate<Item>?) -> Void
  typealias State = BroadcastState<Item, Waiter>

  private let state: Locked<State>
  /// The list in `state`, which is changed at the same time. Reading it waits for nobody who composes changes.
  private let current: Locked<Snapshot<Item>>
  private let merging: UpdateMerging<Item>
  /// Held while a list is published, so that each update starts where the one before it ended.
  private let turns = TurnTaking()

  /// Starts with a list.
  public convenience init(_ snapshot: Snapshot<Item>) { self.init(snapshot, merging: .automatic) }

  package init(_ snapshot: Snapshot<Item>, merging: UpdateMerging<Item>) {
    current = Locked(snapshot)
    state = Locked(State(snapshot, keepsChanges: merging.keepsChanges))
    self.merging = merging
  }

  deinit { finish() }

  /// The current list.
  ///
  /// Complexity: O(1).
  public var snapshot: Snapshot<Item> { current.withLock { $0 } }

  /// The number of readers that have not left.
  public var numberOfReaders: Int { state.withLock { $0.numberOfReaders } }

  /// Makes a list the current one, and delivers the difference to all readers. Any number of threads may call it.
  ///
  /// Without a reader nothing is compared.
  public func publish(_ new: Snapshot<Item>) where Item: Identifiable & Equatable, Item.ID: Sendable {
    // It holds the previous list, so it is released after the turn.
    let delivery = turns.inTurn {
      let old = snapshot
      return commit(PendingUpdate(old: old, new: new) { new.changes(from: old) })
    }
    deliver(delivery)
  }

  /// Makes `update.new` the list, and delivers the update to all readers, in one step. An empty update changes the list
  /// and wakes no reader.
  ///
  /// For a source that knows its changes. It publishes one update at a time, in order: each must start from
  /// ``snapshot``.
  public func publish(_ update: Update<Item>) { deliver(commit(PendingUpdate(update))) }

  /// An update that has become the list, and must still be delivered to the waiting readers.
  ///
  /// It holds the previous list, so release it under no lock: that may release the last reference to an item.
  struct Delivery: Sendable {
    fileprivate let update: PendingUpdate<Item>
    fileprivate let actions: [State.Action]
    fileprivate let hasReaders: Bool
  }

  /// Makes `update.new` the list. It runs none of the program's code, so an owner may call it under a lock.
  func commit(_ update: PendingUpdate<Item>) -> Delivery {
    let (isDone, actions) = state.withLock { state in
      // The previous list is released outside the locks, because `update` holds it.
      current.withLock { $0 = update.new }
      return state.publishToNobody(update) ? (true, []) : (false, state.publish(update))
    }
    return Delivery(update: update, actions: actions, hasReaders: !isDone)
  }

  /// Computes the difference if there are readers, and wakes those that waited for the update. It may be called after
  /// another update has been committed: that one waits for the readers.
  func deliver(_ delivery: Delivery) {
    if delivery.hasReaders { delivery.update.find() }
    perform(delivery.actions)
  }

  /// Ends all readers, once they have received the updates that wait for them.
  public func finish() {
    perform(state.withLock { $0.finish() })
  }

  /// The changes from now on.
  public func updates() -> AsyncStream<Update<Item>> { follow().updates }

  /// The list and the changes from now on, taken in one step.
  public func follow() -> Following<Item> {
    let (id, snapshot) = state.withLock { $0.join() }
    let reader = BroadcastReader(id: id, state: state, merging: merging)
    return Following(snapshot: snapshot, feed: reader.feed)
  }

  private func perform(_ actions: [State.Action]) {
    for case .resume(let waiter, let update) in actions { waiter(update) }
  }
}
