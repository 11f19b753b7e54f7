import FetchedResultsSupport

/// A list that is made of another one, and follows it.
///
/// A change of the other list is applied on the thread that publishes it, so a list in memory and what is made of it
/// change together.
final class DerivedList<Input: Sendable, Output: Sendable>: Sendable {
  /// Makes the next list of the one before and of a change of the other list; nil for no change. Called in turn.
  typealias Deriving = @Sendable (Update<Input>, Snapshot<Output>) -> Update<Output>?

  /// The list, and those who follow it.
  let published: UpdateBroadcaster<Output>
  private let feed: UpdateFeed<Input>
  private let deriving: Deriving
  private let turns = TurnTaking()
  private let reading = Locked(Reading())

  private struct Reading: Sendable {
    /// The update that has arrived.
    var next: DeliverableUpdate<Input>?
    /// Whether a thread takes what arrives.
    var isTaken = false
  }

  init(_ following: Following<Input>, first: Snapshot<Output>, deriving: @escaping Deriving) {
    feed = following.feed ?? UpdateFeed(following.updates)
    published = UpdateBroadcaster(first)
    self.deriving = deriving
  }

  deinit { feed.leave() }

  /// Begins to follow the other list. Call it once.
  func start() { ask() }

  private func ask() {
    feed.ask { [weak self] update in
      guard let self else { return }
      guard let update else { return published.finish() }
      let isTaken = reading.withLock { reading in
        reading.next = update
        defer { reading.isTaken = true }
        return reading.isTaken
      }
      if !isTaken { take() }
    }
  }

  /// Applies updates until none is at hand. An update that is at hand arrives while `ask` is called; taking it there
  /// would nest these calls.
  private func take() {
    while let next = reading.withLock({ $0.next.take() }) {
      if let update = next.resolve() { change { deriving(update, $0) } }
      ask()
      let isDone = reading.withLock { reading in
        if reading.next == nil { reading.isTaken = false }
        return reading.next == nil
      }
      if isDone { return }
    }
  }

  /// Makes another list of the current one, and publishes it.
  func change(_ body: (Snapshot<Output>) -> Update<Output>?) {
    let delivery = turns.inTurn { body(published.snapshot).map { published.commit(PendingUpdate($0)) } }
    if let delivery { published.deliver(delivery) }
  }
}
