/// A change of a list: the list before, the list after, and the difference.
public struct Update<Item: Sendable>: Sendable {
  /// The list before.
  public let old: Snapshot<Item>
  /// The list after.
  public let new: Snapshot<Item>
  /// The difference from `old` to `new`.
  public let changes: Changes

  /// Creates an update with a known difference.
  @inlinable public init(old: Snapshot<Item>, new: Snapshot<Item>, changes: Changes) {
    self.old = old
    self.new = new
    self.changes = changes
  }
}

extension Update: Equatable where Item: Equatable {}

extension Update where Item: Identifiable & Equatable {
  /// Creates an update between any two lists, and finds the difference.
  ///
  /// Complexity: that of ``Snapshot/changes(from:)``.
  @inlinable public init(old: Snapshot<Item>, new: Snapshot<Item>) {
    self.init(old: old, new: new, changes: new.changes(from: old))
  }
}
