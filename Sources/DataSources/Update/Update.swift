/// A change of a list: the list before, the list after, and the difference.
///
/// ```swift
/// for path in update.changes.deletedItems { print("gone: \(update.old[path].title)") }
/// for path in update.changes.insertedItems { print("new: \(update.new[path].title)") }
/// ```
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

extension Update {
  /// The stages of ``Changes/batches()``, each with the list before and after it, from `old` to `new`.
  ///
  /// A list view that gets the stages in order, and shows each stage's `new` inside the batch, never asks for a row
  /// that doesn't exist. Between stages, inserted rows show their new content, and rows that stay show the old one
  /// until the stage that updates them.
  ///
  /// Complexity: O(k log n) for k changes.
  public func batches() -> [Update] {
    let stages = changes.batches()
    var updates: [Update] = []
    var current = old
    for (index, stage) in stages.enumerated() {
      // Insertions of a stage are places of `new`: whichever stage has them leaves the list in the new numbering.
      let next =
        index == stages.count - 1
        ? new
        : current.performing(
          stage, insertedSections: stage.insertedSections.map { new[$0] },
          updatedSections: stage.updatedSections.map { new[$0.to] },
          insertedItems: stage.insertedItems.map { new[$0] }, updatedItems: stage.updatedItems.map { new[$0.to] })
      updates.append(Update(old: current, new: next, changes: stage))
      current = next
    }
    return updates
  }
}

extension Update {
  /// Combines this update with the next one.
  package func followed(by next: Update<Item>) -> Update<Item> {
    var log = ChangesLog(changes)
    log.append(next.changes)
    return Update(old: old, new: next.new, changes: log.changes)
  }
}

extension Update: Encodable where Item: Encodable {
  /// Encodes the old list and the patch, because the new list follows from them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: UpdateKeys.self)
    try container.encode(old, forKey: .old)
    try container.encode(patch, forKey: .patch)
  }
}

extension Update: Decodable where Item: Decodable {
  /// Decodes the old list and the patch, and makes the new list from them.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: UpdateKeys.self)
    let old = try container.decode(Snapshot<Item>.self, forKey: .old)
    let patch = try container.decode(Patch<Item>.self, forKey: .patch)
    do {
      self.init(old: old, new: try old.applying(patch), changes: patch.changes)
    } catch {
      throw DecodingError.dataCorruptedError(forKey: .patch, in: container, debugDescription: "\(error)")
    }
  }
}

private enum UpdateKeys: String, CodingKey {
  case old
  case patch
}

extension Update: CustomStringConvertible {
  /// The sizes of the two lists and the changes between them.
  public var description: String {
    "\(old.numberOfItems) rows in \(old.count) sections to \(new.numberOfItems) in \(new.count): \(changes)"
  }
}
