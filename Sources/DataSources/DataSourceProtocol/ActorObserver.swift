/// Calls an observer on its actor with one update after the other.
///
/// An update that is there is put into the actor's queue by the thread that publishes it, so observers on one actor are called in
/// the order in which they are published to. The actor is held only while it is called: it may hold the observation itself,
/// and would live for ever.
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

  /// Begins, with a list as the first update if one is given.
  func start(_ first: Snapshot<Item>?) {
    guard let first else { return wait() }
    receive(DeliverableUpdate(isReady: false) { Update(first: first) })
  }

  /// Ends it. On its actor, the observer is not called any more.
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
      // Comparing lists is no work for the observer's actor.
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

/// Puts work into an actor's queue, behind what is there.
private func startTask(on actor: any Actor, _ priority: TaskPriority, _ body: @escaping @Sendable () -> Void) {
  typealias Isolated = (isolated any Actor, TaskPriority, @escaping @Sendable () -> Void) -> Void
  typealias Anywhere = (any Actor, TaskPriority, @escaping @Sendable () -> Void) -> Void
  // A task begins where its closure is isolated, but only code on the actor can write such a closure. Making it touches nothing
  // of the actor's, so it is done on any thread: this is the cast of `assumeIsolated`, without its check.
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
  /// The feed of a stream, which a task reads whenever somebody asks.
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
