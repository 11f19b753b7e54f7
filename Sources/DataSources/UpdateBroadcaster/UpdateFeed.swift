import FetchedResultsSupport

/// An update that is being delivered to a reader.
struct DeliverableUpdate<Item: Sendable>: Sendable {
  /// Whether it is ready. Otherwise lists must be compared, which takes time and runs the items' code.
  let isReady: Bool
  /// The update; nil if no changes remain. Call it once, under no lock.
  let resolve: @Sendable () -> Update<Item>?
}

/// A reader's end of a list's updates, with callbacks: for readers that must be called in the order of the updates,
/// which tasks can't guarantee. An `AsyncStream` is built on one.
struct UpdateFeed<Item: Sendable>: Sendable {
  /// Called once with the next update, or with nil if there are no further ones; on any thread. It must be short.
  typealias Handler = @Sendable (DeliverableUpdate<Item>?) -> Void

  /// Waits for the next update.
  let ask: @Sendable (@escaping Handler) -> Void
  /// Ends the feed, even during a wait.
  let leave: @Sendable () -> Void

  /// The next update; nil if there are no further ones.
  func next() async -> Update<Item>? {
    while true {
      let update = await withCheckedContinuation { continuation in ask { continuation.resume(returning: $0) } }
      guard let update else { return nil }
      if let update = update.resolve() { return update }
    }
  }

  /// The same as a stream. `isEndedEarly` is called if the updates end before the stream has received one, unless its
  /// task is cancelled.
  func stream(isEndedEarly: @escaping @Sendable () -> Void = {}) -> AsyncStream<Update<Item>> {
    let isFirst = Locked(true)
    return AsyncStream {
      let update = await next()
      let wasFirst = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if wasFirst, update == nil, !Task.isCancelled { isEndedEarly() }
      return update
    } onCancel: {
      leave()
    }
  }
}

/// How the changes that a slow reader missed are merged.
package enum UpdateMerging<Item: Sendable>: Sendable {
  /// By comparing the list before the first change with the list after the last, when the reader asks. It is exact:
  /// rows that changed and changed back are not in it. The comparison may call the items' own code; it runs in the
  /// reader's task, under no lock.
  case comparing(@Sendable (_ old: Snapshot<Item>, _ new: Snapshot<Item>) -> Changes)

  /// By composing the differences, for items that can't be compared.
  case composing

  /// The same for items whose ids are known: the function makes a difference from both lists and the composed one,
  /// which has an item that went and came back as deleted and inserted.
  case composingByID(
    @Sendable (_ old: Snapshot<Item>, _ new: Snapshot<Item>, _ composed: Changes) -> Changes)

  /// By comparing if items are identifiable and equatable, otherwise by composing.
  package static var automatic: UpdateMerging {
    if let difference = AutomaticDifference<Item>.exact { .comparing(difference) } else { .composing }
  }

  var keepsChanges: Bool {
    if case .comparing = self { false } else { true }
  }
}
