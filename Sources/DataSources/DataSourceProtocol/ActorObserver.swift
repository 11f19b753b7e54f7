import FetchedResultsSupport

/// Calls an observer on its actor with one update after another.
///
/// The publishing thread puts an update into the actor's queue, so observers on one actor are called in the order in
/// which updates are published to them. The actor is retained only during a call: it may hold the observation itself,
/// and would otherwise live for ever.
final class ActorObserver<Item: Sendable>: @unchecked Sendable {  // because `call` runs on its actor only
  private let feed: UpdateFeed<Item>
  private let actor: @Sendable () -> (any Actor)?
  private let priority: TaskPriority
  private let call: (Update<Item>) -> Void
  private let isCancelled = Locked(false)

  init(_ following: Following<Item>, on actor: any Actor, _ call: @escaping (Update<Item>) -> Void) {
    feed = following.feed ?? UpdateFeed(following.updates)
    self.actor = { [weak actor] in actor }
    priority = Task.currentPriority
    self.call = call
  }

  /// Starts, with a list as the first update if one is passed.
  func start(_ first: Snapshot<Item>?) {
    guard let first else { return wait() }
    receive(DeliverableUpdate(isReady: false) { Update(first: first) })
  }

  /// Ends it. After a call on its actor, the observer is not called any more.
  func cancel() {
    isCancelled.withLock { $0 = true }
    feed.leave()
  }

  private func wait() {
    feed.ask { [self] update in
      if let update { receive(update) }
    }
  }

  private func receive(_ update: DeliverableUpdate<Item>) {
    guard let actor = actor(), !isCancelled.withLock({ $0 }) else { return feed.leave() }
    if update.isReady {
      startTask(on: actor, priority) { self.deliver(update.resolve()) }
    } else {
      // Compare lists here, not on the observer's actor.
      Task(priority: priority) { [weak actor] in
        let update = update.resolve()
        guard let actor else { return feed.leave() }
        startTask(on: actor, priority) { self.deliver(update) }
      }
    }
  }

  /// Calls the observer, on its actor.
  private func deliver(_ update: Update<Item>?) {
    if isCancelled.withLock({ $0 }) { return }
    if let update { call(update) }
    if !isCancelled.withLock({ $0 }) { wait() }
  }
}

/// Appends work to an actor's queue.
private func startTask(on actor: any Actor, _ priority: TaskPriority, _ body: @escaping @Sendable () -> Void) {
  typealias Isolated = (isolated any Actor, TaskPriority, @escaping @Sendable () -> Void) -> Void
  typealias Anywhere = (any Actor, TaskPriority, @escaping @Sendable () -> Void) -> Void
  // A task starts where its closure is isolated, but only code on the actor can create such a closure. Creating it
  // touches none of the actor's state, so any thread can do it: this is the cast of `assumeIsolated`, without its
  // check.
  unsafeBitCast(startIsolatedTask as Isolated, to: Anywhere.self)(actor, priority, body)
}

private func startIsolatedTask(
  on actor: isolated any Actor, _ priority: TaskPriority, _ body: @escaping @Sendable () -> Void
) {
  Task(priority: priority) {
    _ = actor
    body()
  }
}

extension UpdateFeed {
  /// The feed of a stream, which a task reads whenever there is a request.
  init(_ stream: AsyncStream<Update<Item>>) {
    let reading = Locked<Task<Void, Never>?>(nil)
    self.init(
      ask: { handler in
        let task = Task {
          var iterator = stream.makeAsyncIterator()
          let update = await iterator.next()
          handler(update.map { update in DeliverableUpdate(isReady: true) { update } })
        }
        reading.withLock { $0 = task }
      },
      leave: { reading.withLock { $0 }?.cancel() })
  }
}
