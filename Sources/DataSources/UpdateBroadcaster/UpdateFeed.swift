/// An update on its way to a reader.
struct DeliverableUpdate<Item: Sendable>: Sendable {
  /// Whether it is there already. Otherwise it is found by comparing lists, which takes time and runs the items' code.
  let isReady: Bool
  /// The update; nil when nothing remains of the changes. To be called once, under no lock.
  let resolve: @Sendable () -> Update<Item>?
}

/// A reader's end of a list's updates, with callbacks: for those that must be called in the order in which they came, which tasks
/// can't promise. An `AsyncStream` is made of one.
struct UpdateFeed<Item: Sendable>: Sendable {
  /// What is called with the next update, or with nil: no further one comes. It is called once, on any thread, and must be
  /// short.
  typealias Handler = @Sendable (DeliverableUpdate<Item>?) -> Void

  /// Waits for the next update.
  let ask: @Sendable (@escaping Handler) -> Void
  /// Ends the feed, also while somebody waits.
  let leave: @Sendable () -> Void

  /// The next update; nil when no further one comes.
  func next() async -> Update<Item>? {
    while true {
      let update = await withCheckedContinuation { continuation in ask { continuation.resume(returning: $0) } }
      guard let update else { return nil }
      if let update = update.resolve() { return update }
    }
  }

  /// The same as a stream.
  var stream: AsyncStream<Update<Item>> {
    AsyncStream {
      await next()
    } onCancel: {
      leave()
    }
  }
}
