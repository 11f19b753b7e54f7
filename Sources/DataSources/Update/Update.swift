/// One step of a list: what it was, what it is, and the difference.
public struct Update<Item: Sendable>: Sendable {
  /// The list before.
  public let old: Snapshot<Item>
  /// The list after.
  public let new: Snapshot<Item>
  /// What leads from `old` to `new`.
  public let changes: Changes

  /// Makes a step of which the difference is known.
  @inlinable public init(old: Snapshot<Item>, new: Snapshot<Item>, changes: Changes) {
    self.old = old
    self.new = new
    self.changes = changes
  }
}

extension Update: Equatable where Item: Equatable {}

extension Update where Item: Identifiable & Equatable {
  /// Makes a step between any two lists, finding the difference.
  ///
  /// Complexity: that of ``Snapshot/changes(from:)``.
  @inlinable public init(old: Snapshot<Item>, new: Snapshot<Item>) {
    self.init(old: old, new: new, changes: new.changes(from: old))
  }
}
