/// A list at one moment, and all that becomes of it afterwards.
///
/// What ``DataSourceProtocol/follow()`` returns: the first of `updates` starts from `snapshot`, so nothing is missed and
/// nothing is seen twice.
///
/// ```swift
/// let following = source.follow()
/// show(following.snapshot)
/// for await update in following.updates { show(update.new) }
/// ```
public struct Following<Item: Sendable>: Sendable {
  /// The list at the moment of the call.
  public let snapshot: Snapshot<Item>

  /// The changes from that moment on.
  public let updates: AsyncStream<Update<Item>>

  /// The same changes with callbacks, where the source has them. Whoever uses this leaves `updates` alone.
  let feed: UpdateFeed<Item>?

  /// Puts a list and what becomes of it together.
  public init(snapshot: Snapshot<Item>, updates: AsyncStream<Update<Item>>) {
    self.snapshot = snapshot
    self.updates = updates
    feed = nil
  }

  init(snapshot: Snapshot<Item>, feed: UpdateFeed<Item>) {
    self.snapshot = snapshot
    self.feed = feed
    updates = feed.stream
  }
}
