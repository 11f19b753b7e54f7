/// A list at one moment, and all its later changes.
///
/// This is the result of ``DataSourceProtocol/follow()``. The first of `updates` starts from `snapshot`, so no change
/// is missed and none is seen twice.
///
/// ```swift
/// let following = source.follow()
/// print(following.snapshot)
/// for await update in following.updates { print(update.changes) }
/// ```
public struct Following<Item: Sendable>: Sendable {
  /// The list at the moment of the call.
  public let snapshot: Snapshot<Item>

  /// The changes from that moment on.
  public let updates: AsyncStream<Update<Item>>

  /// The same changes with callbacks, if the source has them. A caller that uses this must not use `updates`.
  let feed: UpdateFeed<Item>?

  /// Combines a list and its later changes.
  public init(snapshot: Snapshot<Item>, updates: AsyncStream<Update<Item>>) {
    self.snapshot = snapshot
    self.updates = updates
    feed = nil
  }

  init(snapshot: Snapshot<Item>, feed: UpdateFeed<Item>) {
    self.snapshot = snapshot
    self.feed = feed
    updates = feed.stream()
  }

  /// The later changes as a stream of its own. `isEndedEarly` is called if it ends before it has received any, unless
  /// its task is cancelled.
  package func updates(isEndedEarly: @escaping @Sendable () -> Void) -> AsyncStream<Update<Item>> {
    feed?.stream(isEndedEarly: isEndedEarly) ?? updates
  }
}
