/// A position in a sectioned list: a section's index and an item's index in that section, both from zero.
///
/// Paths are ordered by section first, then by item. They are encoded as a pair of numbers, `[section, item]`.
public struct ItemPath: Hashable, Comparable, Sendable {
  /// The section's index in its snapshot.
  public var section: Int
  /// The item's index in its section.
  public var item: Int

  /// Creates a path. Any two numbers are allowed: only a list can say whether they are in it.
  @inlinable public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  /// Whether `lhs` comes before `rhs`.
  @inlinable public static func < (lhs: ItemPath, rhs: ItemPath) -> Bool {
    lhs.section == rhs.section ? lhs.item < rhs.item : lhs.section < rhs.section
  }
}

extension ItemPath: CustomStringConvertible {
  /// The path as written in messages: `[section, item]`.
  public var description: String { "[\(section), \(item)]" }
}
