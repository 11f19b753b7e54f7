import FetchedResultsSupport

/// One reader of a switching source. It lives as long as its feed.
final class SwitchingReader<Item: Sendable>: Sendable {
  typealias Handler = UpdateFeed<Item>.Handler

  private struct State: Sendable {
    var machine: SwitchingState<Handler>
    /// The source's updates.
    var feed: UpdateFeed<Item>
    /// The list that was read last.
    var last: Snapshot<Item>
    /// An update that was fetched and must be delivered.
    var fetched: DeliverableUpdate<Item>?
    var id: Int?
  }

  private let hub: SwitchingHub<Item>
  private let state: Locked<State>

  init(_ hub: SwitchingHub<Item>, _ following: Following<Item>, _ generation: Int) {
    self.hub = hub
    state = Locked(
      State(
        machine: SwitchingState(generation: generation), feed: following.feed ?? UpdateFeed(following.updates),
        last: following.snapshot))
  }

  deinit { leave() }

  /// The feed holds the reader, and the hub does not.
  var feed: UpdateFeed<Item> { UpdateFeed(ask: { self.ask($0) }, leave: { self.leave() }) }

  func setID(_ id: Int) { state.withLock { $0.id = id } }

  /// The hub has another source, or has ended.
  func sourceDidChange() {
    let current = hub.current
    perform(
      state.withLock { state in
        current.source == nil ? state.machine.finish() : state.machine.sourceChanged(current.generation)
      })
  }

  private func ask(_ handler: @escaping Handler) { perform(state.withLock { $0.machine.ask(handler) }) }

  private func leave() {
    let (actions, feed, id) = state.withLock { ($0.machine.finish(), $0.feed, $0.id) }
    feed.leave()
    if let id { hub.remove(id) }
    perform(actions)
  }

  private func perform(_ actions: [SwitchingState<Handler>.Action]) {
    for action in actions {
      switch action {
      case .fetch(let number): fetch(number)
      case .deliver(let handler): handler(takeFetched())
      case .follow(let handler): handler(DeliverableUpdate(isReady: false) { self.followSource() })
      case .end(let handler): handler(nil)
      }
    }
  }

  private func fetch(_ number: Int) {
    let feed = state.withLock { $0.feed }
    // A source holds its callbacks, and must not keep a reader alive that nobody uses any more.
    feed.ask { [weak self] update in
      guard let self else { return }
      let (actions, before) = self.state.withLock { state in
        let actions = state.machine.received(number, hasEnded: update == nil)
        let before = state.fetched
        if !actions.isEmpty { state.fetched = update }
        return (actions, before)
      }
      withExtendedLifetime(before) { self.perform(actions) }
    }
  }

  private func takeFetched() -> DeliverableUpdate<Item> {
    let update = state.withLock { $0.fetched.take() }
    return DeliverableUpdate(isReady: update?.isReady ?? true) {
      let update = update?.resolve()
      self.resolved(update?.new, nil)
      return update
    }
  }

  /// Follows the current source, starting from the list that was read last.
  private func followSource() -> Update<Item>? {
    guard let (following, generation) = hub.follow() else {
      resolved(nil, nil)
      return nil
    }
    let (last, previous) = state.withLock { state in
      let before = (state.last, state.feed)
      state.feed = following.feed ?? UpdateFeed(following.updates)
      return before
    }
    previous.leave()
    let update = Update(from: last, to: following.snapshot)
    resolved(following.snapshot, generation)
    return update
  }

  private func resolved(_ new: Snapshot<Item>?, _ generation: Int?) {
    let (actions, before) = state.withLock { state in
      let before = state.last
      if let new { state.last = new }
      return (state.machine.resolved(generation), before)
    }
    withExtendedLifetime(before) { perform(actions) }
  }
}
